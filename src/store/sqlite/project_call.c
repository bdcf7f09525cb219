/* project_call - the tool calls of the open turn: which wait, run or are done. */
#include "core/call_state.h"
#include "store/sqlite/project_private.h"

struct found_call {
	int64_t seq; /* 0: the open turn has no such call */
	enum call_state state;
	bool client_side, has_answer;
	int64_t closed_seq;
};

static int
take(struct project_step *s, sqlite3_stmt *st, struct found_call *out, struct err *e)
{
	bool found;
	int rc = tx_row(s->t, st, &found, e);

	*out = (struct found_call){ 0 };
	if (rc != 0 || !found)
		return rc;
	*out = (struct found_call){
		.seq = sqlite3_column_int64(st, 0),
		.state = (enum call_state)sqlite3_column_int(st, 1),
		.client_side = sqlite3_column_int(st, 2) != 0,
		.has_answer = sqlite3_column_type(st, 3) != SQLITE_NULL,
		.closed_seq = sqlite3_column_int64(st, 4),
	};
	sqlite3_reset(st);
	return 0;
}

/* The call that the event speaks of. */
static int
call_find(struct project_step *s, struct found_call *out, struct err *e)
{
	sqlite3_stmt *st = tx_prepare(s->t, "SELECT seq, state, client, answer_id, closed_seq"
					    " FROM call WHERE sid=?1 AND id=?2");

	sqlite3_bind_int64(st, 1, s->head->sid);
	db_bind_text(st, 2, project_text(s, call_state_field(s->ev->kind)));
	return take(s, st, out, e);
}

int
project_call_open(struct project_step *s, struct err *e)
{
	bool client_side = call_state_is_client_side(s->ev->kind, s->payload);
	sqlite3_stmt *st = tx_prepare(
		s->t, "INSERT INTO call (sid, seq, id, kind, state, client, answer_id, closed_seq)"
		      " VALUES (?1, ?2, ?3, ?4, ?5, ?6, NULL, 0)");

	sqlite3_bind_int64(st, 1, s->head->sid);
	sqlite3_bind_int64(st, 2, s->ev->seq);
	db_bind_text(st, 3, s->ev->id);
	sqlite3_bind_int(st, 4, (int)s->ev->kind);
	sqlite3_bind_int(st, 5, (int)call_state_first(s->payload, client_side));
	sqlite3_bind_int(st, 6, client_side);
	return tx_run(s->t, st, e);
}

static int
set_state(struct project_step *s, int64_t seq, enum call_state state, int64_t closed_seq,
	  struct err *e)
{
	sqlite3_stmt *st =
		tx_prepare(s->t, "UPDATE call SET state=?3, closed_seq=?4 WHERE sid=?1 AND seq=?2");

	sqlite3_bind_int64(st, 1, s->head->sid);
	sqlite3_bind_int64(st, 2, seq);
	sqlite3_bind_int(st, 3, (int)state);
	sqlite3_bind_int64(st, 4, closed_seq);
	return tx_run(s->t, st, e);
}

int
project_call_result(struct project_step *s, struct err *e)
{
	struct found_call call;
	int rc = call_find(s, &call, e);

	if (rc != 0)
		return rc;
	if (call.seq == 0)
		return project_refuse(s, e, "a result for a call the open turn does not have");
	if (call.state == CALL_CLOSED)
		return project_refuse(s, e, "a second result for one call (first at seq %lld)",
				      (long long)call.closed_seq);
	return set_state(s, call.seq, CALL_CLOSED, s->ev->seq, e);
}

static int
set_answer(struct project_step *s, int64_t seq, struct str answer_id, struct err *e)
{
	sqlite3_stmt *st = tx_prepare(s->t, "UPDATE call SET answer_id=?3 WHERE sid=?1 AND seq=?2");

	sqlite3_bind_int64(st, 1, s->head->sid);
	sqlite3_bind_int64(st, 2, seq);
	db_bind_opt(st, 3, answer_id);
	return tx_run(s->t, st, e);
}

int
project_call_answer_arrives(struct project_step *s, struct err *e)
{
	struct found_call call;
	int rc = call_find(s, &call, e);

	if (rc != 0)
		return rc;
	if (call.seq == 0)
		return project_refuse(s, e, "an answer to a call the open turn does not have");
	if (call.has_answer)
		return project_refuse(s, e, "a second answer to one call");
	if (!call_state_awaits(call.state, s->ev->kind))
		return project_refuse(s, e, "an answer to a call that does not wait for it");
	return set_answer(s, call.seq, s->ev->id, e);
}

int
project_call_answer_consumed(struct project_step *s, struct str answer_id, struct err *e)
{
	sqlite3_stmt *st = tx_prepare(s->t, "SELECT seq, state, client, answer_id, closed_seq"
					    " FROM call WHERE sid=?1 AND answer_id=?2");
	enum call_state after;
	struct found_call call;
	int rc;

	sqlite3_bind_int64(st, 1, s->head->sid);
	db_bind_text(st, 2, answer_id);
	rc = take(s, st, &call, e);
	if (rc != 0)
		return rc;
	if (call.seq == 0)
		return project_refuse(s, e, "consumes an answer that no open call has");
	rc = set_answer(s, call.seq, (struct str){ 0 }, e);
	after = call_state_answered(call.state, call.client_side);
	if (rc == 0 && after != call.state)
		rc = set_state(s, call.seq, after, after == CALL_CLOSED ? s->ev->seq : 0, e);
	return rc;
}

/* How many calls of the open turn are in one of two states, and the first of them. */
static int
count_in(struct project_step *s, enum call_state a, enum call_state b, int64_t *count,
	 int64_t *first, struct err *e)
{
	sqlite3_stmt *st = tx_prepare(s->t, "SELECT count(*), ifnull(min(seq), 0) FROM call"
					    " WHERE sid=?1 AND state IN (?2, ?3)");
	bool found;
	int rc;

	sqlite3_bind_int64(st, 1, s->head->sid);
	sqlite3_bind_int(st, 2, (int)a);
	sqlite3_bind_int(st, 3, (int)b);
	rc = tx_row(s->t, st, &found, e);
	if (rc != 0)
		return rc;
	*count = sqlite3_column_int64(st, 0);
	*first = sqlite3_column_int64(st, 1);
	sqlite3_reset(st);
	return 0;
}

int
project_call_check_park(struct project_step *s, struct err *e)
{
	int64_t running, waiting = 0, first;
	int rc = count_in(s, CALL_STARTED, CALL_DENIED, &running, &first, e);

	if (rc == 0 && running > 0)
		return project_refuse(s, e, "parks while the call at seq %lld is not done",
				      (long long)first);
	if (rc == 0)
		rc = count_in(s, CALL_WAITS_APPROVAL, CALL_WAITS_RESULT, &waiting, &first, e);
	if (rc == 0 && waiting == 0)
		return project_refuse(s, e, "parks although no call waits");
	return rc;
}

int
project_call_check_all_closed(struct project_step *s, struct err *e)
{
	int64_t running = 0, waiting = 0, first = 0;
	int rc = count_in(s, CALL_STARTED, CALL_DENIED, &running, &first, e);

	if (rc == 0 && running == 0)
		rc = count_in(s, CALL_WAITS_APPROVAL, CALL_WAITS_RESULT, &waiting, &first, e);
	if (rc == 0 && running + waiting > 0)
		return project_refuse(s, e, "ends the turn, but the call at seq %lld has no result",
				      (long long)first);
	return rc;
}

int
project_call_forget(struct project_step *s, struct err *e)
{
	sqlite3_stmt *st = tx_prepare(s->t, "DELETE FROM call WHERE sid=?1");

	sqlite3_bind_int64(st, 1, s->head->sid);
	return tx_run(s->t, st, e);
}
