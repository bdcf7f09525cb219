#include "store/sqlite/project.h"

#include <stdarg.h>

#include "base/failpoint.h"
#include "core/counters.h"
#include "core/preview.h"
#include "store/sqlite/project_private.h"

#define CLASS(c) (1u << (c))

int
project_refuse(const struct project_step *s, struct err *e, const char *fmt, ...)
{
	char text[ERR_TEXT_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	return err_set(e, ERR_CONFLICT, "seq %lld (%s): %s", (long long)s->ev->seq,
		       event_type(s->ev->kind), text);
}

struct str
project_text(const struct project_step *s, const char *name)
{
	struct json v;

	return json_find(s->payload, str_of(name), &v) ? json_str(v, &s->t->scratch)
						       : (struct str){ 0 };
}

static int
move(struct project_step *s, enum session_move m, struct err *e)
{
	struct err inner;

	if (session_move(&s->head->row.state, m, &inner) != 0)
		return project_refuse(s, e, "%s", inner.text);
	return 0;
}

/* The event names the open turn, or none when none is open. */
static int
check_turn(struct project_step *s, struct err *e)
{
	struct str turn = project_text(s, "turn_id"), open = head_turn(&s->head->row);

	if (!str_eq(turn, open))
		return project_refuse(s, e, "names turn '" STR_FMT "', but '" STR_FMT "' is open",
				      STR_ARG(turn), STR_ARG(open));
	return 0;
}

static int
open_turn(struct project_step *s, struct err *e)
{
	struct head_row *r = &s->head->row;
	struct str turn = project_text(s, "turn_id");

	if (turn.len > sizeof r->turn)
		return project_refuse(s, e, "a turn id of %zu bytes", turn.len);
	memcpy(r->turn, turn.ptr, turn.len);
	r->turn_len = turn.len;
	r->turn_seq = s->ev->seq;
	r->attempt = 0;
	return 0;
}

static int
on_running(struct project_step *s, struct err *e)
{
	bool opens = s->head->row.state.phase == TURN_NONE;
	struct json consumes, wakes;
	int rc;

	if (opens && json_find(s->payload, STR("consumes"), &consumes) &&
	    json_find(s->payload, STR("wakes"), &wakes) && json_count(consumes) == 0 &&
	    json_count(wakes) == 0)
		return project_refuse(s, e, "a turn that nothing started");
	rc = opens ? 0 : check_turn(s, e);
	if (rc == 0)
		rc = move(s, MOVE_START, e);
	if (rc == 0 && opens)
		rc = open_turn(s, e);
	if (rc == 0)
		rc = project_input_consume(
			s, opens ? CLASS(INPUT_TRIGGER) | CLASS(INPUT_BOUND) : CLASS(INPUT_ANSWER),
			e);
	return rc;
}

static int
turn_ended(struct project_step *s, enum stop_kind stop, struct err *e)
{
	struct head_row *r = &s->head->row;
	int rc = project_input_turn_ended(s, e);

	if (rc == 0 && r->turn_len > 0)
		rc = project_call_forget(s, e);
	if (r->turn_len > 0)
		r->counters.completed_turns++;
	r->turn_len = 0;
	r->turn_seq = 0;
	r->attempt = 0;
	r->last_stop = stop;
	return rc;
}

static enum stop_kind
stop_of(struct project_step *s)
{
	struct json reason, type, limit;
	struct str word = { 0 };
	enum stop_kind kind = STOP_NONE;

	if (!json_find(s->payload, STR("stop_reason"), &reason) ||
	    !json_find(reason, STR("type"), &type))
		return kind;
	if (json_find(reason, STR("limit"), &limit))
		word = json_str(limit, &s->t->scratch);
	stop_kind_parse(json_str(type, &s->t->scratch), word, &kind);
	return kind;
}

static int
on_idle(struct project_step *s, struct err *e)
{
	enum stop_kind stop = stop_of(s);
	bool parks = stop == STOP_REQUIRES_ACTION;
	int rc = check_turn(s, e);

	if (rc == 0)
		rc = project_input_consume(
			s, parks ? CLASS(INPUT_ANSWER) : CLASS(INPUT_ANSWER) | CLASS(INPUT_CONTROL),
			e);
	if (rc == 0)
		rc = parks ? project_call_check_park(s, e) : project_call_check_all_closed(s, e);
	if (rc == 0)
		rc = move(s, parks ? MOVE_PARK : MOVE_END, e);
	if (rc == 0 && parks)
		s->head->row.last_stop = stop;
	else if (rc == 0)
		rc = turn_ended(s, stop, e);
	return rc;
}

static int
on_rescheduled(struct project_step *s, struct err *e)
{
	struct json attempt;
	int rc = check_turn(s, e);

	if (rc == 0)
		rc = move(s, MOVE_RESCHEDULE, e);
	if (rc == 0 && json_find(s->payload, STR("attempt"), &attempt))
		json_int(attempt, &s->head->row.attempt);
	return rc;
}

static int
on_terminated(struct project_step *s, struct err *e)
{
	int rc = check_turn(s, e);

	if (rc == 0)
		rc = project_input_consume(s, CLASS(INPUT_ANSWER) | CLASS(INPUT_CONTROL), e);
	if (rc == 0)
		rc = move(s, MOVE_TERMINATE, e);
	return rc == 0 ? turn_ended(s, STOP_TERMINATED, e) : rc;
}

static int
on_input_consumed(struct project_step *s, struct err *e)
{
	int rc = check_turn(s, e);

	if (rc == 0 && s->head->row.state.phase != TURN_RUNNING)
		rc = project_refuse(s, e, "consumes outside a running turn");
	if (rc == 0)
		rc = project_input_consume(
			s, CLASS(INPUT_TRIGGER) | CLASS(INPUT_BOUND) | CLASS(INPUT_ANSWER), e);
	return rc;
}

static int
set_lifecycle(struct project_step *s, enum lifecycle to, struct err *e)
{
	bool archived = s->head->row.state.lifecycle == LIFECYCLE_ARCHIVED;

	switch (to) {
	case LIFECYCLE_ACTIVE: return move(s, archived ? MOVE_UNARCHIVE : MOVE_REACTIVATE, e);
	case LIFECYCLE_INACTIVE: return move(s, MOVE_DEACTIVATE, e);
	case LIFECYCLE_ARCHIVED: return move(s, MOVE_ARCHIVE, e);
	case LIFECYCLE_TERMINATED: break;
	}
	return project_refuse(s, e, "only status_terminated terminates");
}

static struct str
payload_json(struct project_step *s, const char *name)
{
	struct json v;

	return json_find(s->payload, str_of(name), &v) ? json_raw(v) : (struct str){ 0 };
}

/* Titles and metadata are written through: no later event needs to know them. */
static int
write_through(struct project_step *s, const char *sql, struct str value, struct err *e)
{
	sqlite3_stmt *st = tx_prepare(s->t, sql);

	sqlite3_bind_int64(st, 1, s->head->sid);
	db_bind_opt(st, 2, value);
	return tx_run(s->t, st, e);
}

static int
set_title(struct project_step *s, struct err *e)
{
	struct json v;
	struct str title;
	sqlite3_stmt *st;

	if (!json_find(s->payload, STR("title"), &v))
		return 0;
	title = json_str(v, &s->t->scratch);
	st = tx_prepare(s->t, "UPDATE session SET title=?2, title_source=?3 WHERE sid=?1");
	sqlite3_bind_int64(st, 1, s->head->sid);
	db_bind_opt(st, 2, title);
	sqlite3_bind_int(st, 3, (int)title_source_of(title, project_text(s, "title_source")));
	return tx_run(s->t, st, e);
}

static int
on_updated(struct project_step *s, struct err *e)
{
	struct str metadata = payload_json(s, "metadata");
	enum lifecycle to;
	int rc = 0;

	if (lifecycle_parse(project_text(s, "lifecycle"), &to))
		rc = set_lifecycle(s, to, e);
	if (rc == 0)
		rc = set_title(s, e);
	if (rc == 0 && metadata.len > 0)
		rc = write_through(s, "UPDATE session SET metadata=?2 WHERE sid=?1", metadata, e);
	return rc;
}

static int
on_reset(struct project_step *s, struct err *e)
{
	enum lifecycle to;

	if (s->head->row.waiting > 0)
		return project_refuse(s, e, "reset although a trigger is pending");
	if (!lifecycle_parse(project_text(s, "lifecycle"), &to))
		return project_refuse(s, e, "lifecycle is missing");
	return set_lifecycle(s, to, e);
}

static int
set_fallback(struct project_step *s, struct str line, struct err *e)
{
	s->head->row.has_fallback = true;
	return write_through(s, "UPDATE session SET fallback_title=?2 WHERE sid=?1", line, e);
}

static int
count_message(struct project_step *s, struct err *e)
{
	struct head_row *r = &s->head->row;
	struct str line = preview_line(s->payload, PREVIEW_CHARS, &s->t->scratch);

	r->counters.messages++;
	if (line.len == 0 || line.len > PREVIEW_BYTES)
		return 0;
	memcpy(r->preview, line.ptr, line.len);
	r->preview_len = line.len;
	if (s->ev->kind == EVENT_USER_MESSAGE && !r->has_fallback)
		return set_fallback(s, line, e);
	return 0;
}

static const char INSERT_SESSION[] =
	"INSERT INTO session (sid, id, agent_id, agent_version, environment_id, workspace_id,"
	" lane_key, parent_id, previous_id, title, title_source, source, metadata, is_group,"
	" created_at, last_activity, head_seq, head_hash, lifecycle, phase, deleted, last_stop,"
	" turn_seq, attempt, fence, waiting, queued, queue_from, messages, completed_turns,"
	" input_tokens, output_tokens, reasoning_tokens, cache_read, cache_write, total_tokens,"
	" last_prompt, cost, priced, unpriced) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10,"
	" ?11, ?12, ?13, ?14, ?15, ?15,"
	" 0, x'', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)";

/* The row's first form; what later events change follows with the batch's other heads. */
static int
on_created(struct project_step *s, struct err *e)
{
	sqlite3_stmt *st = tx_prepare(s->t, INSERT_SESSION);
	struct str title = project_text(s, "title");
	struct json version;
	int64_t agent_version = 0;

	if (s->ev->seq != 1)
		return project_refuse(s, e, "a session is created once, at seq 1");
	if (json_find(s->payload, STR("agent_version"), &version))
		json_int(version, &agent_version);
	sqlite3_bind_int64(st, 1, s->head->sid);
	db_bind_text(st, 2, (struct str){ s->head->id, s->head->id_len });
	db_bind_text(st, 3, project_text(s, "agent_id"));
	sqlite3_bind_int64(st, 4, agent_version);
	db_bind_text(st, 5, project_text(s, "environment_id"));
	db_bind_opt(st, 6, project_text(s, "workspace_id"));
	db_bind_opt(st, 7, project_text(s, "lane_key"));
	db_bind_opt(st, 8, project_text(s, "parent_session_id"));
	db_bind_opt(st, 9, project_text(s, "previous_session_id"));
	db_bind_opt(st, 10, title);
	sqlite3_bind_int(st, 11, (int)title_source_of(title, (struct str){ 0 }));
	db_bind_text(st, 12, payload_json(s, "source"));
	db_bind_opt(st, 13, payload_json(s, "metadata"));
	sqlite3_bind_int(st, 14, str_eq(project_text(s, "session_type"), STR("group")));
	sqlite3_bind_int64(st, 15, s->ev->created_at_ms);
	s->head->row.counters.last_activity_ms = s->ev->created_at_ms;
	return tx_run(s->t, st, e);
}

static int
on_input(struct project_step *s, struct err *e)
{
	int rc = project_input_arrive(s, e);

	if (rc != 0)
		return rc;
	s->head->row.counters.last_activity_ms = s->ev->created_at_ms;
	return s->ev->kind == EVENT_USER_MESSAGE ? count_message(s, e) : 0;
}

/* What the agent made takes its own seq as its place. */
static int
add_own_item(struct project_step *s, enum item_role role, struct err *e)
{
	const struct item_row item = {
		.seq = s->ev->seq,
		.content_seq = s->ev->seq,
		.at_seq = s->ev->seq,
		.role = role,
	};

	return project_item_add(s, &item, e);
}

static int
on_agent(struct project_step *s, struct err *e)
{
	bool result = s->ev->kind == EVENT_AGENT_TOOL_RESULT ||
		      s->ev->kind == EVENT_AGENT_MCP_TOOL_RESULT;
	bool message = s->ev->kind == EVENT_AGENT_MESSAGE;
	bool call = !result && !message && s->ev->kind != EVENT_AGENT_THINKING;
	int rc = 0;

	if (!str_eq(s->ev->turn, head_turn(&s->head->row)))
		return project_refuse(s, e, "belongs to another turn than the open one");
	if (call && s->head->row.state.phase != TURN_RUNNING)
		return project_refuse(s, e, "a tool call outside a running turn");
	if (result)
		rc = project_call_result(s, e);
	if (rc == 0 && call)
		rc = project_call_open(s, e);
	if (rc == 0)
		rc = add_own_item(s, result ? ITEM_TOOL : ITEM_ASSISTANT, e);
	if (rc == 0 && message)
		rc = count_message(s, e);
	s->head->row.counters.last_activity_ms = s->ev->created_at_ms;
	return rc;
}

static int
dispatch(struct project_step *s, struct err *e)
{
	switch (s->ev->kind) {
	case EVENT_USER_MESSAGE:
	case EVENT_USER_INTERRUPT:
	case EVENT_USER_TOOL_CONFIRMATION:
	case EVENT_USER_TOOL_RESULT:
	case EVENT_USER_CUSTOM_TOOL_RESULT:
	case EVENT_USER_DEFINE_OUTCOME:
	case EVENT_SYSTEM_MESSAGE:
	case EVENT_SCHEDULE_FIRED: return on_input(s, e);
	case EVENT_AGENT_MESSAGE:
	case EVENT_AGENT_THINKING:
	case EVENT_AGENT_TOOL_USE:
	case EVENT_AGENT_TOOL_RESULT:
	case EVENT_AGENT_CUSTOM_TOOL_USE:
	case EVENT_AGENT_MCP_TOOL_USE:
	case EVENT_AGENT_MCP_TOOL_RESULT: return on_agent(s, e);
	case EVENT_AGENT_CONTEXT_COMPACTED: return project_item_compact(s, e);
	case EVENT_SESSION_CREATED: return on_created(s, e);
	case EVENT_STATUS_RUNNING: return on_running(s, e);
	case EVENT_STATUS_IDLE: return on_idle(s, e);
	case EVENT_STATUS_RESCHEDULED: return on_rescheduled(s, e);
	case EVENT_STATUS_TERMINATED: return on_terminated(s, e);
	case EVENT_INPUT_CONSUMED: return on_input_consumed(s, e);
	case EVENT_INPUT_EDITED: return project_input_edit(s, e);
	case EVENT_INPUT_CANCELLED: return project_input_cancel(s, e);
	case EVENT_SESSION_UPDATED: return on_updated(s, e);
	case EVENT_SESSION_RESET: return on_reset(s, e);
	case EVENT_SESSION_REWOUND: return project_item_rewind(s, e);
	case EVENT_SESSION_FORKED: return project_fork_begin(s, e);
	case EVENT_SESSION_DELETED: s->head->row.deleted = true; return 0;
	case EVENT_MODEL_REQUEST_END:
		counters_add_request(&s->head->row.counters, s->payload);
		return 0;
	case EVENT_THREAD_CREATED:
	case EVENT_THREAD_STATUS_RUNNING:
	case EVENT_THREAD_STATUS_IDLE:
	case EVENT_THREAD_STATUS_RESCHEDULED:
	case EVENT_THREAD_STATUS_TERMINATED:
	case EVENT_SESSION_USAGE:
	case EVENT_SESSION_ERROR:
	case EVENT_SESSION_CHECKPOINT:
	case EVENT_MODEL_REQUEST_START:
	case EVENT_CHANNEL_MESSAGE_SENT: return 0; /* told, but nothing is projected from them */
	}
	return 0;
}

bool
project_is_plain(enum event_kind kind)
{
	return kind != EVENT_STATUS_RUNNING && kind != EVENT_STATUS_IDLE &&
	       kind != EVENT_STATUS_TERMINATED && kind != EVENT_INPUT_CONSUMED &&
	       kind != EVENT_INPUT_CANCELLED;
}

int
project_event(struct project_step *s, struct err *e)
{
	int rc;

	if (s->ev->seq == 1 && s->ev->kind != EVENT_SESSION_CREATED)
		return project_refuse(s, e, "a log begins with session.created");
	if (s->head->row.deleted)
		return project_refuse(s, e, "after session.deleted nothing follows");
	s->processed_at_ms = s->ev->created_at_ms;
	rc = dispatch(s, e);
	if (rc == 0 && FAILPOINT("project.after_items")) {
		s->t->failed = SQLITE_CONSTRAINT;
		return err_set(e, ERR_CONFLICT, "failpoint project.after_items");
	}
	return rc;
}
