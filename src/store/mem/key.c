/* key - the keys that make repeats recognisable. */
#include "base/buf.h"
#include "base/xalloc.h"
#include "store/mem/mem_private.h"

enum { NAME_MAX_BYTES = 2 * STORE_KEY_MAX + 64 };

/* The scope's length keeps any two names apart. */
static void
write_name(struct buf *out, enum store_key_kind kind, struct str scope, struct str name)
{
	buf_init(out, NAME_MAX_BYTES);
	buf_printf(out, "%d %zu ", (int)kind, scope.len);
	buf_put_str(out, scope);
	buf_put_str(out, name);
}

struct mem_key *
mem_key_find(const struct mem *m, enum store_key_kind kind, struct str scope, struct str name)
{
	struct mem_key *found;
	struct buf full;

	write_name(&full, kind, scope, name);
	found = map_find(&m->keys, buf_str(&full));
	buf_release(&full);
	return found;
}

void
mem_key_put(struct mem *m, const struct store_key *key, struct str session,
	    const struct store_result *result)
{
	struct mem_key *k;
	struct buf full;

	write_name(&full, key->kind, key->scope, key->name);
	k = xmalloc(sizeof *k + full.len + session.len + key->answer.len);
	*k = (struct mem_key){
		.key = *key,
		.name = { k->bytes, full.len },
		.session = { k->bytes + full.len, session.len },
		.first_seq = result->first_seq,
		.head_seq = result->head_seq,
	};
	k->key.answer = (struct str){ k->bytes + full.len + session.len, key->answer.len };
	k->key.name = str_slice(k->name, full.len - key->name.len, full.len);
	k->key.scope = str_slice(k->name, full.len - key->name.len - key->scope.len,
				 full.len - key->name.len);
	buf_put_str(&full, session);
	buf_put_str(&full, key->answer);
	memcpy(k->bytes, full.ptr, full.len);
	map_put(&m->keys, k->name, k);
	if (key->expires_at_ms < m->first_expiry_ms)
		m->first_expiry_ms = key->expires_at_ms;
	buf_release(&full);
}

static void
purge(struct mem *m)
{
	struct str name;
	void *value;

	m->first_expiry_ms = INT64_MAX;
	for (size_t at = 0; map_next(&m->keys, &at, &name, &value);) {
		struct mem_key *k = value;

		if (k->key.expires_at_ms <= m->newest_ms) {
			map_remove(&m->keys, name);
			free(k);
		} else if (k->key.expires_at_ms < m->first_expiry_ms) {
			m->first_expiry_ms = k->key.expires_at_ms;
		}
	}
}

void
mem_key_forget_session(struct mem *m, struct str session)
{
	struct str name;
	void *value;

	for (size_t at = 0; map_next(&m->keys, &at, &name, &value);) {
		struct mem_key *k = value;

		if (!str_eq(k->session, session))
			continue;
		map_remove(&m->keys, name);
		free(k);
	}
}

void
mem_key_pass_time(struct mem *m, const struct store_item *item)
{
	for (size_t i = 0; i < item->event_count; i++)
		if (item->events[i].created_at_ms > m->newest_ms)
			m->newest_ms = item->events[i].created_at_ms;
	if (m->first_expiry_ms <= m->newest_ms)
		purge(m);
}
