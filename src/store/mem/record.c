/* record - the records beside the logs: found by kind and id, changed by version. */
#include "base/xalloc.h"
#include "store/mem/mem_private.h"

struct mem_record *
mem_record_find(const struct mem *m, struct str kind, struct str id)
{
	const struct mem_kind *k = map_find(&m->kinds, kind);

	return k ? map_find(&k->records, id) : NULL;
}

static bool
is_same(const struct store_record *a, const struct store_record *b)
{
	return str_eq(a->id, b->id) && str_eq(a->kind, b->kind);
}

/* As the puts before this one leave it; 0: absent. */
static int64_t
version_before(const struct mem *m, const struct store_item *item, size_t at)
{
	const struct store_record *r = &item->puts[at].record;
	const struct mem_record *now = mem_record_find(m, r->kind, r->id);
	int64_t version = now ? now->row.version : 0;

	for (size_t i = 0; i < at; i++)
		if (is_same(&item->puts[i].record, r))
			version = item->puts[i].remove ? 0 : version + 1;
	return version;
}

int
mem_records_check(const struct mem *m, const struct store_item *item, struct err *e)
{
	for (size_t i = 0; i < item->put_count; i++) {
		const struct store_put *put = &item->puts[i];
		int64_t version = version_before(m, item, i);

		if (put->if_version != STORE_VERSION_ANY && put->if_version != version)
			return err_set(e, ERR_CONFLICT,
				       "%.*s " STR_FMT " has version %lld, not %lld",
				       STR_ARG(put->record.kind), STR_ARG(put->record.id),
				       (long long)version, (long long)put->if_version);
	}
	return 0;
}

static struct str
copy_to(char **at, struct str text)
{
	struct str copy = { *at, text.len };

	if (text.len > 0)
		memcpy(*at, text.ptr, text.len);
	*at += text.len;
	return copy;
}

static struct mem_record *
record_new(const struct store_record *r, struct str kind, int64_t version)
{
	struct mem_record *rec = xmalloc(sizeof *rec + r->id.len + r->owner.len + r->body.len);
	char *at = rec->bytes;

	rec->row = (struct store_record){
		.kind = kind,
		.id = copy_to(&at, r->id),
		.owner = copy_to(&at, r->owner),
		.body = copy_to(&at, r->body),
		.due_at_ms = r->due_at_ms,
		.version = version,
	};
	return rec;
}

static struct mem_kind *
kind_of(struct mem *m, struct str name)
{
	struct mem_kind *k = map_find(&m->kinds, name);
	char *at;

	if (k)
		return k;
	k = xmalloc(sizeof *k + name.len);
	at = k->bytes;
	k->name = copy_to(&at, name);
	map_init(&k->records, 0);
	map_put(&m->kinds, k->name, k);
	return k;
}

void
mem_record_put(struct mem *m, const struct store_put *put)
{
	struct mem_kind *k = kind_of(m, put->record.kind);
	struct mem_record *old = map_remove(&k->records, put->record.id);
	struct mem_record *rec;

	if (!put->remove) {
		rec = record_new(&put->record, k->name, old ? old->row.version + 1 : 1);
		map_put(&k->records, rec->row.id, rec);
	}
	free(old);
}

bool
mem_record_is_owned(const struct mem *m, struct str kind, struct str owner)
{
	const struct mem_kind *k = map_find(&m->kinds, kind);
	struct str id;
	void *record;

	for (size_t at = 0; k && map_next(&k->records, &at, &id, &record);)
		if (str_eq(((const struct mem_record *)record)->row.owner, owner))
			return true;
	return false;
}

void
mem_records_release(struct mem *m)
{
	struct str name, id;
	void *kind, *record;

	for (size_t at = 0; map_next(&m->kinds, &at, &name, &kind);) {
		struct mem_kind *k = kind;

		for (size_t in = 0; map_next(&k->records, &in, &id, &record);)
			free(record);
		map_release(&k->records);
		free(k);
	}
	map_release(&m->kinds);
}
