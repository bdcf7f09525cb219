#include "engine/allow_always.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "core/approval_always.h"
#include "core/tool_ref.h"
#include "engine/approval.h"

struct always_job {
	struct engine *en;
	struct str session;
	struct ingress_batch *batch;
	size_t at;                  /* the input being looked at */
	int64_t last_seq, call_seq; /* of the calls read so far; of its call, 0: not found */
	struct arena *arena;
	allow_always_fn *done;
	void *ctx;
};

static bool
is_always(const struct ingress_input *in)
{
	return in->kind == EVENT_USER_TOOL_CONFIRMATION && in->allow && in->always;
}

bool
allow_always_is_asked(const struct ingress_batch *b)
{
	for (size_t i = 0; i < b->count; i++)
		if (is_always(&b->inputs[i]))
			return true;
	return false;
}

static void next(struct always_job *j);
static void read_calls(struct always_job *j);

static void
end(struct always_job *j, int rc, const struct err *err)
{
	j->done(j->ctx, rc, err);
	free(j);
}

/* ---- the call's event ---- */

static bool
on_call_event(void *ctx, const struct store_row *row)
{
	struct always_job *j = ctx;
	struct approval_rule rules[APPROVAL_ALWAYS_MAX];
	struct json_doc doc;
	struct json input;
	struct buf body;
	size_t count;

	if (json_parse(j->arena, arena_str(j->arena, row->event->ev.payload), &EVENT_PAYLOAD_LIMITS,
		       &doc, NULL) != 0 ||
	    !json_find(json_root(&doc), STR("input"), &input))
		return false;
	count = approval_always_rules(tool_ref_of_call(json_root(&doc), j->arena), input, j->arena,
				      rules);
	buf_init(&body, STORE_INLINE_MAX);
	approval_always_write(&body, rules, count);
	if (count > 0 && !body.overflow)
		j->batch->inputs[j->at].rules = arena_str(j->arena, buf_str(&body));
	buf_release(&body);
	return false;
}

static void
on_event(void *ctx, int rc, bool more, const struct err *err)
{
	struct always_job *j = ctx;

	(void)more;
	if (rc != 0) {
		end(j, rc, err);
		return;
	}
	j->at++;
	next(j);
}

/* ---- where it stands ---- */

static bool
on_call_row(void *ctx, const struct store_row *row)
{
	struct always_job *j = ctx;

	j->last_seq = row->call->seq;
	if (str_eq(row->call->id, j->batch->inputs[j->at].call))
		j->call_seq = row->call->seq;
	return j->call_seq == 0;
}

static void
on_calls(void *ctx, int rc, bool more, const struct err *err)
{
	struct always_job *j = ctx;

	if (rc != 0) {
		end(j, rc, err);
	} else if (j->call_seq != 0) {
		store_read(j->en->store,
			   &(struct store_query){ .kind = STORE_LIST_EVENTS,
						  .session = j->session,
						  .after = j->call_seq - 1,
						  .limit = 1 },
			   on_call_event, on_event, j);
	} else if (more) {
		read_calls(j);
	} else {
		j->at++;
		next(j);
	}
}

static void
read_calls(struct always_job *j)
{
	store_read(j->en->store,
		   &(struct store_query){ .kind = STORE_LIST_CALLS,
					  .session = j->session,
					  .after = j->last_seq,
					  .limit = STORE_PAGE_ROWS_MAX },
		   on_call_row, on_calls, j);
}

static void
next(struct always_job *j)
{
	while (j->at < j->batch->count && !is_always(&j->batch->inputs[j->at]))
		j->at++;
	if (j->at == j->batch->count) {
		end(j, 0, NULL);
		return;
	}
	j->last_seq = j->call_seq = 0;
	read_calls(j);
}

void
allow_always_load(struct engine *en, struct str session, struct ingress_batch *b, struct arena *a,
		  allow_always_fn *done, void *ctx)
{
	struct always_job *j = xcalloc(1, sizeof *j);

	*j = (struct always_job){
		.en = en, .session = session, .batch = b, .arena = a, .done = done, .ctx = ctx
	};
	next(j);
}

void
allow_always_put(struct commit *c, struct str session, const struct ingress_batch *b)
{
	for (size_t i = 0; i < b->count; i++) {
		const struct ingress_input *in = &b->inputs[i];

		if (in->rules.len > 0)
			commit_put(c,
				   &(struct store_put){
					   .record = { .kind = RECORD_APPROVAL,
						       .id = arena_printf(
							       commit_arena(c), STR_FMT "/" STR_FMT,
							       STR_ARG(session), STR_ARG(in->call)),
						       .owner = session,
						       .body = in->rules },
					   .if_version = STORE_VERSION_ANY });
	}
}
