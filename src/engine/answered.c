#include "engine/answered.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "core/call_state.h"

struct answered {
	struct engine *en;
	struct str session;
	const struct ingress_input *in;
	struct arena scratch;
	int64_t before;                    /* the last seq that was looked at */
	bool found;                        /* the call itself */
	int64_t closed_seq, confirmed_seq; /* 0: not */
	bool allowed;
	answered_fn *done;
	void *ctx;
};

static const uint64_t CALLS = UINT64_C(1) << EVENT_AGENT_TOOL_USE |
			      UINT64_C(1) << EVENT_AGENT_CUSTOM_TOOL_USE |
			      UINT64_C(1) << EVENT_AGENT_MCP_TOOL_USE;
static const uint64_t CLOSING =
	UINT64_C(1) << EVENT_AGENT_TOOL_RESULT | UINT64_C(1) << EVENT_AGENT_MCP_TOOL_RESULT |
	UINT64_C(1) << EVENT_USER_TOOL_RESULT | UINT64_C(1) << EVENT_USER_CUSTOM_TOOL_RESULT;

static void read_page(struct answered *f);

static void
end(struct answered *f, int rc, const struct err *err, int64_t seq)
{
	f->done(f->ctx, rc, err, seq);
	arena_release(&f->scratch);
	free(f);
}

static void
see(struct answered *f, const struct event *ev)
{
	struct json_doc doc;
	struct json v;

	arena_reset(&f->scratch);
	if (json_parse(&f->scratch, ev->payload, &EVENT_PAYLOAD_LIMITS, &doc, NULL) != 0 ||
	    !json_find(json_root(&doc), str_of(call_state_field(ev->kind)), &v) ||
	    !json_str_eq(v, f->in->call))
		return;
	if (ev->kind == EVENT_USER_TOOL_CONFIRMATION) {
		f->confirmed_seq = ev->seq;
		f->allowed = json_find(json_root(&doc), STR("result"), &v) &&
			     json_str_eq(v, STR("allow"));
	} else {
		f->closed_seq = ev->seq;
	}
}

static bool
on_row(void *ctx, const struct store_row *row)
{
	struct answered *f = ctx;
	const struct event *ev = &row->event->ev;

	f->before = ev->seq;
	if (CALLS >> ev->kind & 1)
		f->found = str_eq(ev->id, f->in->call);
	else
		see(f, ev);
	return !f->found;
}

static void
decide(struct answered *f)
{
	bool confirms = f->in->kind == EVENT_USER_TOOL_CONFIRMATION;
	struct err e;

	if (!f->found)
		end(f,
		    err_set(&e, ERR_NOT_FOUND, "%s: there is no call " STR_FMT " in this session",
			    f->in->kind == EVENT_USER_CUSTOM_TOOL_RESULT ? "custom_tool_use_id"
									 : "tool_use_id",
			    STR_ARG(f->in->call)),
		    &e, 0);
	else if (confirms && f->confirmed_seq != 0 && f->allowed != f->in->allow)
		end(f,
		    err_set(&e, ERR_CONFLICT, "the call " STR_FMT " was already %s",
			    STR_ARG(f->in->call), f->allowed ? "allowed" : "denied"),
		    &e, 0);
	else
		end(f, 0, NULL,
		    confirms && f->confirmed_seq != 0 ? f->confirmed_seq : f->closed_seq);
}

static void
on_page(void *ctx, int rc, bool more, const struct err *err)
{
	struct answered *f = ctx;

	if (rc != 0)
		end(f, rc, err, 0);
	else if (more && !f->found)
		read_page(f);
	else
		decide(f);
}

/* Ids have no index: from the end, where calls that are answered usually stand. */
static void
read_page(struct answered *f)
{
	store_read(f->en->store,
		   &(struct store_query){ .kind = STORE_LIST_EVENTS,
					  .session = f->session,
					  .before = f->before,
					  .descending = true,
					  .kinds = CALLS | CLOSING |
						   UINT64_C(1) << EVENT_USER_TOOL_CONFIRMATION,
					  .limit = STORE_PAGE_ROWS_MAX },
		   on_row, on_page, f);
}

void
answered_find(struct engine *en, struct str session, const struct ingress_input *in,
	      answered_fn *done, void *ctx)
{
	struct answered *f = xcalloc(1, sizeof *f);

	*f = (struct answered){ .en = en, .session = session, .in = in, .done = done, .ctx = ctx };
	arena_init(&f->scratch);
	read_page(f);
}
