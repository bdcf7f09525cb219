/* command_show - /help, /status, /usage, /whoami, /sessions: what there is to know. */
#include "base/timestamp.h"
#include "base/vec.h"
#include "engine/command.h"
#include "engine/look.h"

enum { TEXT_MAX = 1 << 20, SESSIONS_DEFAULT = 10, SESSIONS_MAX = 50 };

static void
show(struct command *c, struct buf *text)
{
	struct str said = arena_str(&c->arena, str_trim(buf_str(text)));

	buf_release(text);
	command_done(c, said, false);
}

/* ---- /help ---- */

void
command_show_help(struct command *c)
{
	struct buf text;
	struct jw w;

	buf_init(&text, TEXT_MAX);
	jw_init(&w, &c->data);
	jw_object(&w);
	jw_field_array(&w, "commands");
	for (size_t i = 0; i < CHAT_COMMANDS; i++) {
		const struct chat_command *row = &CHAT_TABLE[i];

		buf_printf(&text, "/%s%s%s: %s\n", row->name, *row->args ? " " : "", row->args,
			   row->help);
		jw_object(&w);
		jw_field_str(&w, "name", str_of(row->name));
		jw_field_str(&w, "args", str_of(row->args));
		jw_field_str(&w, "help", str_of(row->help));
		jw_field_str(&w, "role", str_of(chat_command_role(row)));
		jw_field_bool(&w, "while_busy", row->while_busy);
		if (row->undo)
			jw_field_str(&w, "undo", str_of(row->undo));
		else
			jw_field_null(&w, "undo");
		jw_end_object(&w);
	}
	jw_end_array(&w);
	jw_end_object(&w);
	show(c, &text);
}

/* ---- /status ---- */

struct waiting {
	struct str id;
	enum busy_mode busy;
};

struct status {
	struct command *c;
	VEC(struct waiting) queue;
	VEC(struct str) questions, results; /* calls that wait for a person, for a client */
	struct tool_load tools;
};

static void
write_ids(struct jw *w, const char *name, const struct str *ids, size_t count)
{
	jw_field_array(w, name);
	for (size_t i = 0; i < count; i++)
		jw_str(w, ids[i]);
	jw_end_array(w);
}

/* The next one has position 0 unless a turn is open. */
static void
write_queue(struct jw *w, const struct status *s, bool open)
{
	jw_field_int(w, "queue_depth", (int64_t)queue_depth(s->queue.len, open));
	jw_field_array(w, "queue");
	for (size_t i = 0; i < s->queue.len; i++) {
		jw_object(w);
		jw_field_str(w, "event_id", s->queue.ptr[i].id);
		jw_field_int(w, "position", (int64_t)i + (open ? 1 : 0));
		jw_field_str(w, "busy", str_of(busy_mode_name(s->queue.ptr[i].busy)));
		jw_end_object(w);
	}
	jw_end_array(w);
}

static void
write_status(struct status *s, const struct session_facts *facts)
{
	struct command *c = s->c;
	const struct session_row *row = &c->row.row;
	struct jw w;

	jw_init(&w, &c->data);
	jw_object(&w);
	jw_field_str(&w, "session_id", c->session);
	jw_field_str(&w, "status", str_of(session_wire_status(facts)));
	jw_field_str(&w, "activity", str_of(activity_name(session_activity(facts))));
	jw_field_str(&w, "lifecycle", str_of(lifecycle_name(row->state.lifecycle)));
	if (row->last_stop != STOP_NONE)
		jw_field_str(&w, "stop_reason", str_of(stop_kind_name(row->last_stop)));
	else
		jw_field_null(&w, "stop_reason");
	if (row->turn.len > 0)
		jw_field_str(&w, "turn_id", row->turn);
	else
		jw_field_null(&w, "turn_id");
	jw_field_str(&w, "agent_id", c->row.agent_id);
	jw_field_int(&w, "message_count", row->counters.messages);
	jw_field_int(&w, "head_seq", row->head_seq);
	write_queue(&w, s, row->state.phase != TURN_NONE);
	write_ids(&w, "questions", s->questions.ptr, s->questions.len);
	write_ids(&w, "awaited_results", s->results.ptr, s->results.len);
	jw_field_int(&w, "processes", (int64_t)s->tools.background);
	jw_field_int(&w, "waiting_tools", (int64_t)s->tools.waiting);
	jw_end_object(&w);
}

static void
say_status(struct status *s, const struct session_facts *facts, struct buf *out)
{
	struct command *c = s->c;
	const struct session_row *row = &c->row.row;
	bool open = row->state.phase != TURN_NONE;
	struct str title = row->title.len > 0 ? row->title : row->fallback_title;

	buf_put_str(out, c->session);
	if (title.len > 0)
		buf_printf(out, " (" STR_FMT ")", STR_ARG(title));
	buf_printf(out, ": %s", activity_name(session_activity(facts)));
	if (row->state.lifecycle != LIFECYCLE_ACTIVE)
		buf_printf(out, ", %s", lifecycle_name(row->state.lifecycle));
	buf_printf(out, "\nagent " STR_FMT ", %lld messages\n%zu waiting\n",
		   STR_ARG(c->row.agent_id), (long long)row->counters.messages,
		   queue_depth(s->queue.len, open));
	for (size_t i = 0; i < s->questions.len; i++)
		buf_printf(out, "asks to run " STR_FMT ": /approve or /deny\n",
			   STR_ARG(s->questions.ptr[i]));
	if (s->results.len > 0)
		buf_printf(out, "%zu results of tools awaited\n", s->results.len);
	if (s->tools.background > 0)
		buf_printf(out, "%zu processes in the background\n", s->tools.background);
	if (s->tools.waiting > 0)
		buf_printf(out,
			   "%zu tool calls waiting until others end: this server runs %zu at "
			   "once\n",
			   s->tools.waiting, s->tools.limit);
}

static void
status_end(struct status *s, int rc, const struct err *err)
{
	struct command *c = s->c;
	struct session_facts facts = {
		.state = c->row.row.state,
		.lease_live = c->row.lease_live,
		.waits_for_approval = s->questions.len > 0,
		.last_stop = c->row.row.last_stop,
	};
	struct buf text;

	if (rc == 0) {
		buf_init(&text, TEXT_MAX);
		write_status(s, &facts);
		say_status(s, &facts, &text);
	}
	vec_release(&s->queue);
	vec_release(&s->questions);
	vec_release(&s->results);
	if (rc == 0)
		show(c, &text);
	else
		command_fail(c, rc, err);
}

static bool
on_call_row(void *ctx, const struct store_row *row)
{
	struct status *s = ctx;

	if (look_is_question(row->call))
		*vec_push(&s->questions) = arena_str(&s->c->arena, row->call->id);
	else if (row->call->state == CALL_WAITS_RESULT)
		*vec_push(&s->results) = arena_str(&s->c->arena, row->call->id);
	return true;
}

static void
on_calls(void *ctx, int rc, bool more, const struct err *err)
{
	(void)more;
	status_end(ctx, rc, err);
}

static bool
on_pending_row(void *ctx, const struct store_row *row)
{
	struct status *s = ctx;

	if (row->input->meta.class == INPUT_TRIGGER)
		*vec_push(&s->queue) = (struct waiting){ arena_str(&s->c->arena, row->input->id),
							 row->input->meta.busy };
	return true;
}

static void
on_pending(void *ctx, int rc, bool more, const struct err *err)
{
	struct status *s = ctx;

	(void)more;
	if (rc != 0) {
		status_end(s, rc, err);
		return;
	}
	store_read(s->c->en->store,
		   &(struct store_query){ .kind = STORE_LIST_CALLS,
					  .session = s->c->session,
					  .limit = STORE_PAGE_ROWS_MAX },
		   on_call_row, on_calls, s);
}

void
command_show_status(struct command *c)
{
	struct status *s = ARENA_NEW(&c->arena, struct status);

	s->c = c;
	s->tools = engine_tool_load(c->en, c->session);
	store_read(c->en->store,
		   &(struct store_query){ .kind = STORE_LIST_PENDING,
					  .session = c->session,
					  .limit = STORE_PAGE_ROWS_MAX },
		   on_pending_row, on_pending, s);
}

/* ---- /usage, /whoami ---- */

void
command_show_usage(struct command *c)
{
	const struct session_counters *n = &c->row.row.counters;
	struct buf text;
	struct jw w;

	jw_init(&w, &c->data);
	jw_object(&w);
	jw_field_int(&w, "input_tokens", n->usage.input);
	jw_field_int(&w, "output_tokens", n->usage.output);
	jw_field_int(&w, "reasoning_tokens", n->usage.reasoning);
	jw_field_int(&w, "cache_read_input_tokens", n->usage.cache_read);
	jw_field_int(&w, "cache_creation_input_tokens", n->usage.cache_write);
	jw_field_int(&w, "total_tokens", n->total_tokens);
	jw_field_int(&w, "last_prompt_tokens", n->last_prompt_tokens);
	jw_field_int(&w, "completed_turns", n->completed_turns);
	jw_field_int(&w, "cost_picodollars", n->cost_picodollars);
	jw_field_int(&w, "unpriced_requests", n->unpriced_requests);
	jw_end_object(&w);
	buf_init(&text, TEXT_MAX);
	buf_printf(&text, "%lld turns, %lld tokens (%lld in, %lld out)",
		   (long long)n->completed_turns, (long long)n->total_tokens,
		   (long long)usage_prompt_tokens(&n->usage), (long long)n->usage.output);
	if (n->priced_requests > 0)
		buf_printf(&text, ", %.4f USD%s", (double)n->cost_picodollars / 1e12,
			   n->unpriced_requests > 0 ? " and what has no price" : "");
	show(c, &text);
}

void
command_show_whoami(struct command *c)
{
	const struct principal *who = &c->caller.who;
	bool owner = principal_is_owner(who);
	struct buf text;
	struct jw w;

	jw_init(&w, &c->data);
	jw_object(&w);
	jw_field_str(&w, "token", str_of(token_kind_name(who->kind)));
	if (who->user_id.len > 0)
		jw_field_str(&w, "user_id", who->user_id);
	else
		jw_field_null(&w, "user_id");
	jw_field_str(&w, "role", owner ? STR("owner") : str_of(role_name(who->role)));
	jw_field_bool(&w, "participant", c->takes_part);
	jw_field_str(&w, "session_id", c->session);
	jw_end_object(&w);
	buf_init(&text, TEXT_MAX);
	if (who->user_id.len > 0)
		buf_printf(&text, STR_FMT ", ", STR_ARG(who->user_id));
	buf_printf(&text, "%s by a token of kind %s; %s in this session",
		   owner ? "owner" : role_name(who->role), token_kind_name(who->kind),
		   c->takes_part ? "a participant" : "no participant");
	show(c, &text);
}

/* ---- /sessions ---- */

struct listing {
	struct command *c;
	struct buf text;
	struct jw w;
};

/* On a thread of the store's: the job's own memory, nothing else. */
static bool
on_session_row(void *ctx, const struct store_row *row)
{
	struct listing *l = ctx;
	const struct session_row *r = &row->session->row;
	struct str title = r->title.len > 0 ? r->title : r->fallback_title;
	char at[TIMESTAMP_TEXT_MAX];
	struct str when = timestamp_format(r->counters.last_activity_ms, at);

	jw_object(&l->w);
	jw_field_str(&l->w, "id", row->session->id);
	jw_field_str(&l->w, "title", title);
	jw_field_str(&l->w, "lifecycle", str_of(lifecycle_name(r->state.lifecycle)));
	jw_field_str(&l->w, "last_activity_at", when);
	jw_field_bool(&l->w, "current", str_eq(row->session->id, l->c->session));
	jw_end_object(&l->w);
	buf_printf(&l->text, "%s" STR_FMT "  " STR_FMT "  " STR_FMT "\n",
		   str_eq(row->session->id, l->c->session) ? "* " : "  ", STR_ARG(row->session->id),
		   STR_ARG(when), STR_ARG(title));
	return true;
}

static void
on_sessions(void *ctx, int rc, bool more, const struct err *err)
{
	struct listing *l = ctx;
	struct command *c = l->c;

	jw_end_array(&l->w);
	jw_field_bool(&l->w, "more", more);
	jw_end_object(&l->w);
	if (rc == 0) {
		show(c, &l->text);
		return;
	}
	buf_release(&l->text);
	command_fail(c, rc, err);
}

void
command_show_sessions(struct command *c)
{
	struct listing *l = ARENA_NEW(&c->arena, struct listing);
	int64_t limit = c->line.count > 0 ? c->line.count : SESSIONS_DEFAULT;

	l->c = c;
	buf_init(&l->text, TEXT_MAX);
	jw_init(&l->w, &c->data);
	jw_object(&l->w);
	jw_field_array(&l->w, "sessions");
	engine_read(c->en, &c->caller,
		    &(struct store_query){
			    .kind = STORE_LIST_SESSIONS,
			    .filter = { .lifecycles = 1u << LIFECYCLE_ACTIVE |
						      1u << LIFECYCLE_INACTIVE |
						      1u << LIFECYCLE_ARCHIVED },
			    .limit = (size_t)(limit < SESSIONS_MAX ? limit : SESSIONS_MAX) },
		    on_session_row, on_sessions, l);
}
