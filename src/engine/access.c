#include "engine/access.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "engine/admission.h"

/* One question on its way: the session's row, then whether the caller takes part. */
struct question {
	struct engine *en;
	struct engine_caller caller;
	enum access_verb verb;
	struct str session_id, participant_id;
	struct arena arena;
	bool found;
	bool takes_part, is_member; /* by the record of it */
	struct store_session session;
	access_fn *done;
	void *ctx;
};

struct str
access_participant_id(struct arena *a, struct str session, struct str user)
{
	return arena_printf(a, STR_FMT "/" STR_FMT, STR_ARG(session), STR_ARG(user));
}

void
access_copy_session(struct arena *a, const struct store_session *from, struct store_session *to)
{
	struct str *const texts[] = {
		&to->id,       &to->agent_id,  &to->environment_id,     &to->workspace_id,
		&to->lane_key, &to->parent_id, &to->previous_id,        &to->source,
		&to->metadata, &to->row.turn,  &to->row.fallback_title, &to->row.title,
	};

	*to = *from;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		if (texts[i]->len > 0)
			*texts[i] = arena_str(a, *texts[i]);
}

static int
refuse(const struct access_decision *d, enum access_verb verb, struct err *e)
{
	switch (d->answer) {
	case ACCESS_ALLOW: return 0;
	case ACCESS_NOT_FOUND: return err_set(e, ERR_NOT_FOUND, "%s", access_absent_text(verb));
	case ACCESS_FORBIDDEN: return err_set(e, ERR_DENIED, "%s", access_reason_text(d->reason));
	case ACCESS_CONFLICT: return err_set(e, ERR_CONFLICT, "%s", access_reason_text(d->reason));
	}
	abort();
}

int
access_check_environment(const struct engine_caller *caller, enum access_verb verb,
			 struct str environment, struct err *e)
{
	struct access_target target = { .environment_id = environment };
	struct access_decision d = access_policy_decide(&caller->who, verb, &target);

	return refuse(&d, verb, e);
}

int
access_check_work(const struct engine_caller *caller, struct str environment, struct str item,
		  struct err *e)
{
	struct access_target target = { .environment_id = environment, .work_id = item };
	struct access_decision d =
		access_policy_decide(&caller->who, ACCESS_ENVIRONMENT_WORK, &target);

	return refuse(&d, ACCESS_ENVIRONMENT_WORK, e);
}

int
access_check_now(const struct engine_caller *caller, enum access_verb verb, struct err *e)
{
	return access_check_environment(caller, verb, STR(""), e);
}

static void
answer(struct question *q, int rc, const struct err *err)
{
	struct err e;

	if (rc == 0 && (!q->found || q->session.row.deleted)) {
		rc = err_set(&e, ERR_NOT_FOUND, "there is no session " STR_FMT,
			     STR_ARG(q->session_id));
		err = &e;
	} else if (rc == 0) {
		const struct session_row *row = &q->session.row;
		struct access_target target = {
			.session_id = q->session_id,
			.takes_part = q->takes_part && !q->is_member,
			.workspace_member = q->is_member,
			.surface_group = q->is_member,
			.is_group = q->session.group,
			.handed_over =
				q->caller.who.kind == TOKEN_ENVIRONMENT &&
				str_eq(q->caller.who.environment_id, q->session.environment_id),
			.running = row->state.phase == TURN_RUNNING ||
				   row->state.phase == TURN_RESCHEDULED,
			.awaiting_approval = row->state.phase == TURN_PARKED,
			.archived = row->state.lifecycle == LIFECYCLE_ARCHIVED,
			.terminated = row->state.lifecycle == LIFECYCLE_TERMINATED,
			.environment_id = q->session.environment_id,
			.level = admission_rights(q->en->admission, q->session.agent_id)->level,
		};
		struct access_decision d = access_policy_decide(&q->caller.who, q->verb, &target);

		rc = refuse(&d, q->verb, &e);
		if (rc == ERR_NOT_FOUND) /* word for word what an absent one gets */
			rc = err_set(&e, ERR_NOT_FOUND, "there is no session " STR_FMT,
				     STR_ARG(q->session_id));
		err = &e;
	}
	q->done(q->ctx, rc, err, q->found ? &q->session : NULL, q->takes_part);
	arena_release(&q->arena);
	free(q);
}

static bool
on_participant_row(void *ctx, const struct store_row *row)
{
	struct question *q = ctx;

	q->takes_part = true;
	q->is_member = str_eq(row->record->body, ACCESS_MEMBER);
	return false;
}

static void
on_participant(void *ctx, int rc, bool more, const struct err *err)
{
	(void)more;
	answer(ctx, rc, err);
}

static bool
on_session_row(void *ctx, const struct store_row *row)
{
	struct question *q = ctx;

	q->found = true;
	access_copy_session(&q->arena, row->session, &q->session);
	return false;
}

static void
on_session(void *ctx, int rc, bool more, const struct err *err)
{
	struct question *q = ctx;

	(void)more;
	if (rc != 0 || !q->found || q->caller.who.user_id.len == 0) {
		answer(q, rc, err);
		return;
	}
	q->participant_id = access_participant_id(&q->arena, q->session_id, q->caller.who.user_id);
	store_read(q->en->store,
		   &(struct store_query){ .kind = STORE_GET_RECORD,
					  .record_kind = RECORD_PARTICIPANT,
					  .record_id = q->participant_id,
					  .limit = 1 },
		   on_participant_row, on_participant, q);
}

void
access_check(struct engine *en, const struct engine_caller *caller, enum access_verb verb,
	     struct str session, access_fn *done, void *ctx)
{
	struct question *q = xcalloc(1, sizeof *q);

	*q = (struct question){
		.en = en, .caller = *caller, .verb = verb, .done = done, .ctx = ctx
	};
	arena_init(&q->arena);
	q->session_id = arena_str(&q->arena, session);
	store_read(en->store,
		   &(struct store_query){
			   .kind = STORE_GET_SESSION, .session = q->session_id, .limit = 1 },
		   on_session_row, on_session, q);
}
