/* command_queue - /queue, /steer, /stop, /approve, /deny: what waits, what runs, what is asked. */
#include "base/log.h"
#include "core/event_make.h"
#include "engine/command.h"
#include "engine/ingress.h"
#include "engine/lane.h"
#include "engine/look.h"
#include "engine/session_tools.h"
#include "engine/wake_queue.h"
#include "tool/tool.h"

/* ---- /queue TEXT, /steer TEXT ---- */

struct saying {
	struct command *c;
	struct engine_message message;
	int64_t seq, position;
	bool triggered, replayed;
	struct str event;
};

static void
tell_said(struct saying *s, struct str event)
{
	struct command *c = s->c;
	struct str said;
	struct jw w;

	jw_init(&w, &c->data);
	jw_object(&w);
	jw_field_str(&w, "event_id", event);
	jw_field_int(&w, "seq", s->seq);
	jw_field_bool(&w, "triggered", s->triggered);
	if (s->position >= 0)
		jw_field_int(&w, "queue_position", s->position);
	else
		jw_field_null(&w, "queue_position");
	jw_end_object(&w);
	if (!s->triggered)
		said = STR("stored; nobody was addressed, so nothing runs for it");
	else if (s->position == 0)
		said = STR("runs now");
	else if (s->message.busy == BUSY_STEER)
		said = STR("goes into the turn at its next step");
	else
		said = arena_printf(&c->arena, "waits as number %lld", (long long)s->position);
	command_done(c, said, s->replayed);
}

static bool
on_first_row(void *ctx, const struct store_row *row)
{
	struct saying *s = ctx;

	s->event = arena_str(&s->c->arena, row->event->ev.id);
	return false;
}

static void
on_first(void *ctx, int rc, bool more, const struct err *err)
{
	struct saying *s = ctx;

	(void)more;
	if (rc != 0)
		command_fail(s->c, rc, err);
	else
		tell_said(s, s->event);
}

static void
on_said(void *ctx, const struct engine_answer *answer)
{
	struct saying *s = ctx;

	if (answer->rc != 0) {
		command_fail(s->c, answer->rc, answer->err);
		return;
	}
	s->seq = answer->first_seq + (int64_t)answer->event_count - 1;
	s->position = answer->queue_position;
	s->triggered = answer->triggered;
	s->replayed = answer->replayed;
	if (answer->events)
		tell_said(s, answer->events[answer->event_count - 1].id);
	else /* a repeat: the first answer names its message by seq only */
		store_read(s->c->en->store,
			   &(struct store_query){ .kind = STORE_LIST_EVENTS,
						  .session = s->c->session,
						  .after = s->seq - 1,
						  .limit = 1 },
			   on_first_row, on_first, s);
}

static void
say(struct command *c, enum busy_mode busy)
{
	struct saying *s = ARENA_NEW(&c->arena, struct saying);
	struct engine_call call = { &c->caller, c->call.repeat, on_said, s };

	s->c = c;
	s->message = (struct engine_message){ .text = c->line.text,
					      .has_busy = true,
					      .busy = busy,
					      .has_mentioned = true,
					      .mentioned = true };
	engine_post(c->en, &call, c->session, &s->message);
}

void
command_queue_say(struct command *c)
{
	if (c->line.text.len > 0)
		say(c, BUSY_QUEUE);
	else
		command_show_status(c);
}

void
command_queue_steer(struct command *c)
{
	say(c, BUSY_STEER);
}

/* ---- /stop ---- */

struct stopping {
	struct command *c;
	int64_t waiting;
	struct wake_list wakes;
	struct lane lane; /* to be suspended; version 0: none */
};

static size_t
count_processes(struct command *c)
{
	struct toolset *tools = c->en->config.tools;

	return tools ? tools->ops->busy(tools, c->session) : 0;
}

static void
end_processes(struct command *c)
{
	session_tools_stop(c->en, c->session);
}

/* Both in one item: nothing that waits can begin between them. */
static struct commit *
stop_commit(struct stopping *s)
{
	struct command *c = s->c;
	struct commit *commit = commit_new(c->en, c->session);
	struct input_meta meta = { .class = INPUT_CONTROL, .sender = c->caller.who.user_id };
	struct buf payload;

	commit_require(commit)->lifecycles = 1u << LIFECYCLE_ACTIVE;
	commit_append(commit, &(struct commit_event){
				      .kind = EVENT_USER_INTERRUPT,
				      .author = AUTHOR_USER,
				      .meta = ingress_meta(c->en, &c->arena, &meta),
				      .payload = STR("{\"type\":\"user.interrupt\"}"),
			      });
	buf_init(&payload, STORE_INLINE_MAX);
	event_make_input_cancelled(&payload, (struct str_list){ 0 });
	commit_append_made(commit, EVENT_INPUT_CANCELLED, STR(""), &payload);
	wake_queue_cancel(commit, s->wakes);
	if (s->lane.version > 0)
		lane_put(commit, &s->lane);
	return commit;
}

static void
stop_now(struct stopping *s)
{
	struct command *c = s->c;
	bool active = c->row.row.state.lifecycle == LIFECYCLE_ACTIVE;
	bool open = c->row.row.state.phase != TURN_NONE;
	size_t processes = count_processes(c);
	struct str said;
	struct jw w;

	jw_init(&w, &c->data);
	jw_object(&w);
	jw_field_bool(&w, "interrupted", open);
	jw_field_int(&w, "cancelled", s->waiting);
	jw_field_int(&w, "wakes_cancelled", (int64_t)s->wakes.len);
	jw_field_int(&w, "processes_ended", (int64_t)processes);
	jw_field_bool(&w, "suspended", s->lane.version > 0);
	jw_end_object(&w);
	if (s->lane.version > 0)
		said = STR("stopped; the next message opens a new session");
	else if (!open && s->waiting == 0 && processes == 0 && s->wakes.len == 0)
		said = STR("nothing runs and nothing waits");
	else
		said = arena_printf(&c->arena, "stopped%s; %lld waiting message%s cancelled",
				    open ? "" : " (no turn was open)", (long long)s->waiting,
				    s->waiting == 1 ? "" : "s");
	c->wakes = true;
	c->after = end_processes;
	if (active) {
		command_submit(c, stop_commit(s), said);
		return;
	}
	session_tools_stop(c->en, c->session);
	command_done_once(c, said);
}

static bool
on_waiting_row(void *ctx, const struct store_row *row)
{
	struct stopping *s = ctx;

	if (row->input->meta.class == INPUT_TRIGGER)
		s->waiting++;
	return true;
}

static void
on_waiting(void *ctx, int rc, bool more, const struct err *err)
{
	struct stopping *s = ctx;

	(void)more;
	if (rc != 0)
		command_fail(s->c, rc, err);
	else
		stop_now(s);
}

static void
on_wakes(void *ctx, int rc, const struct err *err, const struct wake_list *wakes)
{
	struct stopping *s = ctx;
	struct command *c = s->c;

	if (rc != 0) /* stopping what runs is not to wait for what does not */
		log_write(LOG_WARN, "wake.not_cancelled", LOG_STR("session", c->session),
			  LOG_STR("error", str_of(err->text)));
	s->wakes = *wakes;
	store_read(c->en->store,
		   &(struct store_query){ .kind = STORE_LIST_PENDING,
					  .session = c->session,
					  .limit = STORE_PAGE_ROWS_MAX },
		   on_waiting_row, on_waiting, s);
}

static void
on_lane(void *ctx, int rc, const struct err *err, const struct lane *lane)
{
	struct stopping *s = ctx;
	struct command *c = s->c;
	struct err e;

	if (rc == 0 && lane->version == 0) {
		rc = err_set(
			&e, ERR_CONFLICT,
			"only a conversation of a chat can be suspended: /stop ends this turn");
		err = &e;
	}
	if (rc != 0) {
		command_fail(c, rc, err);
		return;
	}
	s->lane = lane_copy(&c->arena, lane);
	s->lane.entry.recover.suspended = true;
	wake_queue_read(c->en, c->session, &c->arena, on_wakes, s);
}

void
command_queue_stop(struct command *c)
{
	struct stopping *s = ARENA_NEW(&c->arena, struct stopping);

	s->c = c;
	if (c->line.flag) {
		c->again = c->tried ? NULL : command_queue_stop; /* the lane may move meanwhile */
		c->tried = true;
		lane_find_by_session(c->en, c->session, on_lane, s);
	} else {
		wake_queue_read(c->en, c->session, &c->arena, on_wakes, s);
	}
}

/* ---- /approve, /deny ---- */

struct answering {
	struct command *c;
	struct buf events;
	struct jw w;
	size_t count;
	struct json_doc doc;
};

static void
on_answered(void *ctx, const struct engine_answer *answer)
{
	struct answering *g = ctx;
	struct command *c = g->c;
	bool allow = c->line.command->id == CHAT_APPROVE;
	struct str said;
	struct jw w;

	buf_release(&g->events);
	if (answer->rc != 0) {
		command_fail(c, answer->rc, answer->err);
		return;
	}
	said = arena_printf(&c->arena, "%s %zu call%s%s", allow ? "allowed" : "denied", g->count,
			    g->count == 1 ? "" : "s", allow && c->line.flag ? ", for good" : "");
	jw_init(&w, &c->data);
	jw_object(&w);
	jw_field_int(&w, "answered", (int64_t)g->count);
	jw_field_int(&w, "first_seq", answer->first_seq);
	jw_end_object(&w);
	command_done_once(c, said);
}

static bool
on_call_row(void *ctx, const struct store_row *row)
{
	struct answering *g = ctx;
	const struct chat_line *line = &g->c->line;
	bool allow = line->command->id == CHAT_APPROVE;

	if (!look_is_question(row->call) ||
	    (line->question.len > 0 && !str_eq(line->question, row->call->id)))
		return true;
	g->count++;
	jw_object(&g->w);
	jw_field_str(&g->w, "type", STR("user.tool_confirmation"));
	jw_field_str(&g->w, "tool_use_id", row->call->id);
	jw_field_str(&g->w, "result", allow ? STR("allow") : STR("deny"));
	if (!allow && line->text.len > 0)
		jw_field_str(&g->w, "deny_message", line->text);
	if (allow && line->flag)
		jw_field_str(&g->w, "scope", STR("always"));
	jw_end_object(&g->w);
	return g->count < INGRESS_EVENTS_MAX;
}

static void
on_calls(void *ctx, int rc, bool more, const struct err *err)
{
	struct answering *g = ctx;
	struct command *c = g->c;
	struct engine_call call = { &c->caller, NULL, on_answered, g };
	struct err e;

	(void)more;
	jw_end_array(&g->w);
	if (rc == 0)
		rc = buf_check(&g->events, "the answers", &e);
	else
		e = *err;
	if (rc == 0 && g->count == 0)
		rc = err_set(&e, ERR_CONFLICT,
			     c->line.question.len > 0 ? "that question is not open; /status says "
							"which are"
						      : "nothing is asked");
	if (rc == 0)
		rc = json_parse(&c->arena, buf_str(&g->events), &JSON_LIMITS_DEFAULT, &g->doc, &e);
	if (rc != 0) {
		buf_release(&g->events);
		command_fail(c, rc, &e);
		return;
	}
	engine_send(c->en, &call, c->session, json_root(&g->doc));
}

static void
answer_questions(struct command *c)
{
	struct answering *g = ARENA_NEW(&c->arena, struct answering);

	g->c = c;
	buf_init(&g->events, STORE_PAYLOAD_MAX);
	jw_init(&g->w, &g->events);
	jw_array(&g->w);
	store_read(c->en->store,
		   &(struct store_query){ .kind = STORE_LIST_CALLS,
					  .session = c->session,
					  .limit = STORE_PAGE_ROWS_MAX },
		   on_call_row, on_calls, g);
}

void
command_queue_approve(struct command *c)
{
	answer_questions(c);
}

void
command_queue_deny(struct command *c)
{
	answer_questions(c);
}
