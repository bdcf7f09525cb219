/* wake_command - somebody asks for a session to be looked at; one that is inactive becomes active. */
#include <stdlib.h>

#include "base/xalloc.h"
#include "core/event_make.h"
#include "engine/access.h"
#include "engine/commit.h"
#include "engine/wake.h"

struct waking {
	struct engine *en;
	struct engine_call call;
	struct str session;
	struct arena arena;
};

static void
waking_end(struct waking *w, int rc, const struct err *err)
{
	struct engine_answer answer = { .rc = rc, .err = err, .queue_position = -1 };

	if (rc == 0) {
		answer.id = w->session;
		wake_asked(w->en, w->session);
	}
	w->call.done(w->call.ctx, &answer);
	arena_release(&w->arena);
	free(w);
}

static void
on_reactivated(void *ctx, const struct commit_result *result)
{
	waking_end(ctx, result->store->rc, &result->store->err);
}

/* Waking an inactive session makes it active again. */
static void
reactivate(struct waking *w)
{
	struct commit *c = commit_new(w->en, w->session);
	struct buf b;

	buf_init(&b, STORE_INLINE_MAX);
	event_make_lifecycle(&b, LIFECYCLE_ACTIVE, STR("woken"));
	IGNORE(commit_append_made(c, EVENT_SESSION_UPDATED, (struct str){ 0 }, &b)); /* its id */
	commit_require(c)->lifecycles = 1u << LIFECYCLE_INACTIVE;
	commit_submit(c, on_reactivated, w);
}

static void
on_allowed(void *ctx, int rc, const struct err *err, const struct store_session *session,
	   bool takes_part)
{
	struct waking *w = ctx;

	(void)takes_part;
	if (rc == 0 && session->row.state.lifecycle == LIFECYCLE_INACTIVE)
		reactivate(w);
	else
		waking_end(w, rc, err);
}

void
engine_wake(struct engine *en, const struct engine_call *call, struct str session)
{
	struct waking *w;

	if (engine_is_closed(en, call))
		return;
	w = xcalloc(1, sizeof *w);
	w->en = en;
	w->call = *call;
	arena_init(&w->arena);
	w->session = arena_str(&w->arena, session);
	access_check(en, call->caller, ACCESS_SESSION_POST, w->session, on_allowed, w);
}
