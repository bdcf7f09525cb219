/* record - the records beside the logs: found by kind and id, changed by version. */
#include "base/xalloc.h"
#include "store/mem/mem_private.h"

enum { NAME_MAX_BYTES = STORE_ID_MAX + 1 + STORE_RECORD_ID_MAX };

/* Ids hold no control bytes, so the NUL keeps any two names apart. */
static struct str
name_of(char *out, struct str kind, struct str id)
{
	memcpy(out, kind.ptr, kind.len);
	out[kind.len] = '\0';
	memcpy(out + kind.len + 1, id.ptr, id.len);
	return (struct str){ out, kind.len + 1 + id.len };
}

struct mem_record *
mem_record_find(const struct mem *m, struct str kind, struct str id)
{
	char name[NAME_MAX_BYTES];

	return map_find(&m->records, name_of(name, kind, id));
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
record_new(const struct store_record *r, int64_t version)
{
	size_t name = r->kind.len + 1 + r->id.len;
	struct mem_record *rec = xmalloc(sizeof *rec + name + r->owner.len + r->body.len);
	char *at = rec->bytes + name;

	rec->name = name_of(rec->bytes, r->kind, r->id);
	rec->row = (struct store_record){
		.kind = str_slice(rec->name, 0, r->kind.len),
		.id = str_slice(rec->name, r->kind.len + 1, name),
		.owner = copy_to(&at, r->owner),
		.body = copy_to(&at, r->body),
		.due_at_ms = r->due_at_ms,
		.version = version,
	};
	return rec;
}

void
mem_record_put(struct mem *m, const struct store_put *put)
{
	struct mem_record *old = mem_record_find(m, put->record.kind, put->record.id);
	struct mem_record *rec =
		put->remove ? NULL : record_new(&put->record, old ? old->row.version + 1 : 1);

	if (old)
		map_remove(&m->records, old->name);
	free(old);
	if (rec)
		map_put(&m->records, rec->name, rec);
}
