/* purge - a deleted session goes, with its keys; at once, for memory is all there is. */
#include "store/mem/mem_private.h"

static bool
purge_is_read(const struct mem *m, const struct mem_session *s)
{
	struct str id;
	void *other;

	for (size_t at = 0; map_next(&m->sessions, &at, &id, &other);)
		if (((const struct mem_session *)other)->parent == s)
			return true;
	return false;
}

int
mem_purge_check(const struct mem *m, const struct mem_session *s, struct err *e)
{
	if (!replay_session(s->replay)->deleted)
		return err_set(e, ERR_CONFLICT, "only a deleted session is purged");
	if (purge_is_read(m, s))
		return err_set(e, ERR_CONFLICT, "a branch of the session is still there");
	return 0;
}

/* Numbers of its changes do not come back: their places stay, empty. */
void
mem_purge(struct mem *m, struct mem_session *s)
{
	for (size_t i = 0; i < m->changes.len; i++)
		if (m->changes.ptr[i].session == s)
			m->changes.ptr[i].session = NULL;
	mem_key_forget_session(m, s->facts.id);
	map_remove(&m->sessions, s->facts.id);
	mem_session_free(&s);
}
