#include "engine/successor.h"

#include <stdlib.h>

#include "base/xalloc.h"

/* One hop costs two reads; whoever resets once a day for years still gets an answer. */
enum { HOPS_MAX = 2000 };

struct search {
	struct engine *en;
	struct arena arena;
	struct map seen;
	struct str at, next;
	bool found; /* next is there */
	enum lifecycle lifecycle;
	int hops;
	successor_fn *done;
	void *ctx;
};

static void
search_end(struct search *s, int rc, const struct err *err, struct str current)
{
	s->done(s->ctx, rc, err, current);
	map_release(&s->seen);
	arena_release(&s->arena);
	free(s);
}

static void read_reset(struct search *s);

static bool
on_session_row(void *ctx, const struct store_row *row)
{
	struct search *s = ctx;

	s->found = !row->session->row.deleted;
	s->lifecycle = row->session->row.state.lifecycle;
	return false;
}

static void
on_session(void *ctx, int rc, bool more, const struct err *err)
{
	struct search *s = ctx;

	(void)more;
	s->at = s->next;
	if (rc != 0 || !s->found || s->lifecycle == LIFECYCLE_TERMINATED)
		search_end(s, rc, err, (struct str){ 0 });
	else if (s->lifecycle == LIFECYCLE_ARCHIVED)
		read_reset(s);
	else
		search_end(s, 0, NULL, s->at);
}

static bool
on_reset_row(void *ctx, const struct store_row *row)
{
	struct search *s = ctx;
	struct json_doc doc;
	struct json v;

	if (json_parse(&s->arena, row->event->ev.payload, &EVENT_PAYLOAD_LIMITS, &doc, NULL) == 0 &&
	    json_find(json_root(&doc), STR("new_session_id"), &v))
		s->next = arena_str(&s->arena, json_str(v, &s->arena));
	return false;
}

static void
on_reset(void *ctx, int rc, bool more, const struct err *err)
{
	struct search *s = ctx;

	(void)more;
	if (rc != 0 || s->next.len == 0 || map_find(&s->seen, s->next) || ++s->hops > HOPS_MAX) {
		search_end(s, rc, err, (struct str){ 0 });
		return;
	}
	s->found = false;
	store_read(
		s->en->store,
		&(struct store_query){ .kind = STORE_GET_SESSION, .session = s->next, .limit = 1 },
		on_session_row, on_session, s);
}

static void
read_reset(struct search *s)
{
	map_put(&s->seen, s->at, s);
	s->next = (struct str){ 0 };
	store_read(s->en->store,
		   &(struct store_query){ .kind = STORE_LIST_EVENTS,
					  .session = s->at,
					  .kinds = UINT64_C(1) << EVENT_SESSION_RESET,
					  .descending = true,
					  .limit = 1 },
		   on_reset_row, on_reset, s);
}

void
successor_find(struct engine *en, struct str session, successor_fn *done, void *ctx)
{
	struct search *s = xcalloc(1, sizeof *s);

	*s = (struct search){ .en = en, .done = done, .ctx = ctx };
	arena_init(&s->arena);
	map_init(&s->seen, rand_u64(&en->rand));
	s->at = arena_str(&s->arena, session);
	read_reset(s);
}
