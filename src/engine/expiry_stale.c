/* expiry_stale - direct sessions that nobody has used for three days become inactive; whoever writes to
 * one makes it active again. */
#include "base/log.h"
#include "core/event_make.h"
#include "engine/expiry_private.h"

enum { PAGE_ROWS = 50 };
static const int64_t STALE_MS = INT64_C(3) * 24 * 3600 * 1000;

static void read_page(struct expiry *x);

static bool
on_row(void *ctx, const struct store_row *row)
{
	const struct store_session *s = row->session;
	struct expiry *x = ctx;

	x->reached = s->row.counters.last_activity_ms > x->now_ms - STALE_MS;
	if (x->reached)
		return false;
	*vec_push(&x->resting) = (struct resting){
		.id = arena_str(&x->arena, s->id),
		.head_seq = s->row.head_seq,
		.last_activity_ms = s->row.counters.last_activity_ms,
	};
	return true;
}

static void
go_on(struct expiry *x)
{
	size_t count = x->resting.len;

	if (count > 0) {
		x->rested_from_ms = x->resting.ptr[count - 1].last_activity_ms;
		buf_clear(&x->rested_id);
		buf_put_str(&x->rested_id, x->resting.ptr[count - 1].id);
	}
	if (x->reached || !x->more || x->en->draining)
		expiry_pass_over(x);
	else
		read_page(x);
}

/* One that has moved meanwhile does not rest. */
static void
on_written(void *ctx, const struct commit_result *result)
{
	struct expiry *x = ctx;

	if (result->store->rc != 0 && result->store->rc != ERR_CONFLICT)
		log_write(LOG_WARN, "expiry.not_deactivated",
			  LOG_STR("error", str_of(result->store->err.text)));
	if (--x->commits == 0)
		go_on(x);
}

static bool
has_processes(struct engine *en, struct str session)
{
	struct toolset *tools = en->config.tools;

	return tools && tools->ops->busy(tools, session) > 0;
}

static void
deactivate(struct expiry *x, const struct resting *r)
{
	struct commit *c = commit_new(x->en, r->id);
	struct store_require *need = commit_require(c);
	struct buf b;

	need->lifecycles = 1u << LIFECYCLE_ACTIVE;
	need->idle = true;
	need->has_head = true;
	need->head_seq = r->head_seq;
	buf_init(&b, STORE_INLINE_MAX);
	event_make_lifecycle(&b, LIFECYCLE_INACTIVE, STR("stale"));
	commit_append_made(c, EVENT_SESSION_UPDATED, STR(""), &b);
	x->commits++;
	commit_submit(c, on_written, x);
}

static void
on_page(void *ctx, int rc, bool more, const struct err *err)
{
	struct expiry *x = ctx;

	if (rc != 0)
		log_write(LOG_WARN, "expiry.not_read", LOG_STR("error", str_of(err->text)));
	x->more = rc == 0 && more;
	for (size_t i = 0; i < x->resting.len && !x->en->draining; i++)
		if (!has_processes(x->en, x->resting.ptr[i].id))
			deactivate(x, &x->resting.ptr[i]);
	if (x->commits == 0)
		go_on(x);
}

static void
read_page(struct expiry *x)
{
	arena_reset(&x->arena);
	vec_clear(&x->resting);
	x->reached = false;
	store_read(x->en->store,
		   &(struct store_query){ .kind = STORE_LIST_SESSIONS,
					  .filter = { .lifecycles = 1u << LIFECYCLE_ACTIVE,
						      .phases = 1u << TURN_NONE,
						      .group = 2 },
					  .oldest_first = true,
					  .cursor_ms = x->rested_from_ms,
					  .cursor_id = buf_str(&x->rested_id),
					  .limit = PAGE_ROWS },
		   on_row, on_page, x);
}

void
expiry_stale(struct expiry *x)
{
	read_page(x);
}
