#include "replay_log.h"

#include "base/json_write.h"
#include "core/event_make.h"

enum { WORDS_MAX = 16, STEP_BYTES_MAX = 8192 };
static const int64_t FIRST_MS = 1000000;

struct step {
	struct str words[WORDS_MAX];
	size_t count;
	struct event ev;
	struct buf payload, meta;
};

static struct str
word(const struct step *s, size_t at)
{
	return at < s->count ? s->words[at] : (struct str){ 0 };
}

static struct str_list
words_from(const struct step *s, size_t at)
{
	return at < s->count ? (struct str_list){ s->words + at, s->count - at }
			     : (struct str_list){ 0 };
}

static bool
is(const struct step *s, const char *name)
{
	return str_eq(s->words[0], str_of(name));
}

static void
set(struct step *s, enum event_kind kind, struct str id)
{
	s->ev.kind = kind;
	s->ev.author = event_usual_author(kind);
	if (id.len > 0)
		s->ev.id = id;
}

static struct str
value_of(const struct step *s, const char *key)
{
	struct str name, value;

	for (size_t i = 2; i < s->count; i++)
		if (str_cut(s->words[i], '=', &name, &value) && str_eq(name, str_of(key)))
			return value;
	return (struct str){ 0 };
}

static enum input_class
class_named(struct str name, enum input_class usual)
{
	for (int c = INPUT_TRIGGER; c <= INPUT_CONTROL; c++)
		if (str_eq(str_of(input_class_name((enum input_class)c)), name))
			return (enum input_class)c;
	return usual;
}

static void
write_meta(struct step *s, enum input_class usual)
{
	struct input_meta m = { .class = class_named(value_of(s, "class"), usual) };
	struct jw w;

	busy_mode_parse(value_of(s, "busy"), &m.busy);
	m.sender = value_of(s, "sender");
	m.bound_to = value_of(s, "bound");
	m.group = value_of(s, "group");
	m.media = value_of(s, "media").len > 0;
	str_to_int(value_of(s, "due"), &m.due_at_ms);
	jw_init(&w, &s->meta);
	input_meta_write(&m, &w);
	s->ev.meta = buf_str(&s->meta);
}

static bool
step_input(struct step *s)
{
	struct str text = value_of(s, "text").len ? value_of(s, "text") : word(s, 1);

	if (is(s, "msg") || is(s, "sys")) {
		set(s, is(s, "msg") ? EVENT_USER_MESSAGE : EVENT_SYSTEM_MESSAGE, word(s, 1));
		buf_printf(&s->payload,
			   "{\"type\":\"%s\",\"content\":[{\"type\":\"text\",\"text\":\"" STR_FMT
			   "\"}]}",
			   event_type(s->ev.kind), STR_ARG(text));
		write_meta(s, is(s, "msg") ? INPUT_TRIGGER : INPUT_PASSIVE);
	} else if (is(s, "outcome")) {
		set(s, EVENT_USER_DEFINE_OUTCOME, word(s, 1));
		buf_puts(&s->payload, "{\"type\":\"user.define_outcome\",\"description\":\"d\","
				      "\"rubric\":{\"type\":\"text\",\"content\":\"r\"}}");
		write_meta(s, INPUT_TRIGGER);
	} else if (is(s, "fired")) {
		set(s, EVENT_SCHEDULE_FIRED, word(s, 1));
		event_make_schedule_fired(&s->payload, STR("daily"), FIRST_MS,
					  STR("[{\"type\":\"text\",\"text\":\"go\"}]"));
		write_meta(s, INPUT_TRIGGER);
	} else if (is(s, "interrupt")) {
		set(s, EVENT_USER_INTERRUPT, word(s, 1));
		buf_puts(&s->payload, "{\"type\":\"user.interrupt\"}");
		write_meta(s, INPUT_CONTROL);
	} else {
		return false;
	}
	return true;
}

static bool
step_answer(struct step *s)
{
	if (is(s, "always")) {
		set(s, EVENT_USER_TOOL_CONFIRMATION, word(s, 1));
		buf_printf(&s->payload,
			   "{\"type\":\"user.tool_confirmation\",\"tool_use_id\":\"" STR_FMT
			   "\",\"result\":\"allow\",\"scope\":\"always\"}",
			   STR_ARG(word(s, 2)));
	} else if (is(s, "allow") || is(s, "deny")) {
		set(s, EVENT_USER_TOOL_CONFIRMATION, word(s, 1));
		event_make_confirmation(&s->payload, word(s, 2), is(s, "allow"), STR("no"));
	} else if (is(s, "custom") || is(s, "toolres")) {
		bool custom = is(s, "custom");
		set(s, custom ? EVENT_USER_CUSTOM_TOOL_RESULT : EVENT_USER_TOOL_RESULT, word(s, 1));
		buf_printf(&s->payload, "{\"type\":\"%s\",\"%s\":\"" STR_FMT "\",\"content\":[]}",
			   event_type(s->ev.kind), custom ? "custom_tool_use_id" : "tool_use_id",
			   STR_ARG(word(s, 2)));
	} else {
		return false;
	}
	write_meta(s, INPUT_ANSWER);
	return true;
}

static void
step_run(struct step *s)
{
	struct str consumes[WORDS_MAX], wakes[WORDS_MAX];
	size_t c = 0, k = 0;

	set(s, EVENT_STATUS_RUNNING, (struct str){ 0 });
	for (size_t i = 2; i < s->count; i++) {
		if (s->words[i].ptr[0] == '+')
			wakes[k++] = str_slice(s->words[i], 1, s->words[i].len);
		else
			consumes[c++] = s->words[i];
	}
	event_make_running(&s->payload, word(s, 1), (struct str_list){ consumes, c },
			   (struct str_list){ wakes, k }, (struct str){ 0 });
}

static void
step_park(struct step *s)
{
	size_t dash = 2;

	set(s, EVENT_STATUS_IDLE, (struct str){ 0 });
	while (dash < s->count && !str_eq(s->words[dash], STR("-")))
		dash++;
	event_make_idle(&s->payload, word(s, 1), STOP_REQUIRES_ACTION,
			(struct str_list){ s->words + 2, dash - 2 }, words_from(s, dash + 1));
}

static void
step_end(struct step *s)
{
	enum stop_kind stop = STOP_END_TURN;

	set(s, EVENT_STATUS_IDLE, (struct str){ 0 });
	if (str_eq(word(s, 2), STR("steps")))
		stop = STOP_LIMIT_STEPS;
	else
		stop_kind_parse(word(s, 2), (struct str){ 0 }, &stop);
	event_make_idle(&s->payload, word(s, 1), stop, (struct str_list){ 0 }, words_from(s, 3));
}

static bool
step_turn(struct step *s)
{
	if (is(s, "run")) {
		step_run(s);
	} else if (is(s, "park")) {
		step_park(s);
	} else if (is(s, "end")) {
		step_end(s);
	} else if (is(s, "resched")) {
		int64_t attempt = 1;
		str_to_int(word(s, 2), &attempt);
		set(s, EVENT_STATUS_RESCHEDULED, (struct str){ 0 });
		event_make_rescheduled(&s->payload, word(s, 1), STR("restart"), attempt, 0);
	} else if (is(s, "terminate")) {
		set(s, EVENT_STATUS_TERMINATED, (struct str){ 0 });
		event_make_terminated(&s->payload, word(s, 1), STR("agent deleted"),
				      words_from(s, 2));
	} else if (is(s, "consume")) {
		set(s, EVENT_INPUT_CONSUMED, (struct str){ 0 });
		event_make_input_consumed(&s->payload, word(s, 1), words_from(s, 2));
	} else if (is(s, "edit")) {
		set(s, EVENT_INPUT_EDITED, (struct str){ 0 });
		event_make_input_edited(&s->payload, word(s, 1),
					STR("[{\"type\":\"text\",\"text\":\"edited\"}]"));
	} else if (is(s, "cancel")) {
		set(s, EVENT_INPUT_CANCELLED, (struct str){ 0 });
		event_make_input_cancelled(&s->payload, str_eq(word(s, 1), STR("all"))
								? (struct str_list){ 0 }
								: words_from(s, 1));
	} else {
		return false;
	}
	return true;
}

static bool
has_word(const struct step *s, const char *w)
{
	for (size_t i = 2; i < s->count; i++)
		if (str_eq(s->words[i], str_of(w)))
			return true;
	return false;
}

static void
step_tool(struct step *s)
{
	struct make_tool_use m = {
		.kind = is(s, "ctool") ? EVENT_AGENT_CUSTOM_TOOL_USE
			: is(s, "mcp") ? EVENT_AGENT_MCP_TOOL_USE
				       : EVENT_AGENT_TOOL_USE,
		.name = STR("bash"),
		.mcp_server_name = STR("files"),
		.input = STR("{}"),
		.permission = has_word(s, "ask")    ? STR("ask")
			      : has_word(s, "deny") ? STR("deny")
						    : STR("allow"),
		.client_side = has_word(s, "client"),
	};

	set(s, m.kind, word(s, 1));
	event_make_tool_use(&s->payload, &m);
}

static bool
step_agent(struct step *s)
{
	if (is(s, "say")) {
		set(s, EVENT_AGENT_MESSAGE, word(s, 1));
		event_make_agent_message(&s->payload, word(s, 1), STR("demo"), false);
	} else if (is(s, "think")) {
		set(s, EVENT_AGENT_THINKING, word(s, 1));
		event_make_thinking(&s->payload, STR("hm"), (struct str){ 0 });
	} else if (is(s, "tool") || is(s, "ctool") || is(s, "mcp")) {
		step_tool(s);
	} else if (is(s, "result") || is(s, "mcpres")) {
		bool mcp = is(s, "mcpres");
		set(s, mcp ? EVENT_AGENT_MCP_TOOL_RESULT : EVENT_AGENT_TOOL_RESULT,
		    (struct str){ 0 });
		event_make_tool_result(&s->payload, mcp, word(s, 1), OUTCOME_OK, STR("done"));
	} else {
		return false;
	}
	return true;
}

static bool
step_session(struct step *s)
{
	struct usage usage = { 0 };
	int64_t cost = -1;
	enum lifecycle to = LIFECYCLE_ACTIVE;

	lifecycle_parse(word(s, 1), &to);
	if (is(s, "life")) {
		set(s, EVENT_SESSION_UPDATED, (struct str){ 0 });
		event_make_lifecycle(&s->payload, to, STR("test"));
	} else if (is(s, "reset")) {
		set(s, EVENT_SESSION_RESET, (struct str){ 0 });
		event_make_reset(&s->payload, STR("manual"), to, STR("sesn_2"));
	} else if (is(s, "title")) {
		set(s, EVENT_SESSION_UPDATED, (struct str){ 0 });
		event_make_title(&s->payload, word(s, 1), s->count > 2 ? word(s, 2) : STR("user"));
	} else if (is(s, "meta")) {
		set(s, EVENT_SESSION_UPDATED, (struct str){ 0 });
		buf_printf(&s->payload, "{\"type\":\"session.updated\",\"metadata\":" STR_FMT "}",
			   STR_ARG(word(s, 1)));
	} else if (is(s, "compact")) {
		struct make_compacted m = { .summary = STR("sum"), .kept_from_id = word(s, 2) };
		set(s, EVENT_AGENT_CONTEXT_COMPACTED, word(s, 1));
		event_make_compacted(&s->payload, &m);
	} else if (is(s, "uncompact")) {
		set(s, EVENT_AGENT_CONTEXT_COMPACTED, (struct str){ 0 });
		event_make_compaction_undone(&s->payload, word(s, 1));
	} else if (is(s, "rewind")) {
		set(s, EVENT_SESSION_REWOUND, (struct str){ 0 });
		event_make_rewound(&s->payload, word(s, 1), 1);
	} else if (is(s, "usage")) {
		set(s, EVENT_MODEL_REQUEST_END, (struct str){ 0 });
		str_to_int(word(s, 1), &usage.input);
		str_to_int(word(s, 2), &usage.output);
		str_to_int(word(s, 3), &cost);
		str_to_int(word(s, 4), &usage.cache_read);
		event_make_request_end(&s->payload, STR("e0"), false, &usage, cost);
	} else {
		return false;
	}
	return true;
}

static bool
step_told(struct step *s)
{
	struct usage usage = { 0 };
	int64_t at_seq = 7;

	if (is(s, "delete")) {
		set(s, EVENT_SESSION_DELETED, (struct str){ 0 });
		event_make_deleted(&s->payload);
	} else if (is(s, "fork")) {
		set(s, EVENT_SESSION_FORKED, (struct str){ 0 });
		str_to_int(word(s, 2), &at_seq);
		event_make_forked(&s->payload, s->count > 1 ? word(s, 1) : STR("sesn_0"), at_seq);
	} else if (is(s, "check")) {
		set(s, EVENT_SESSION_CHECKPOINT, (struct str){ 0 });
		event_make_checkpoint(&s->payload, STR("idle"), true, 1, STR("none"));
	} else if (is(s, "error")) {
		set(s, EVENT_SESSION_ERROR, (struct str){ 0 });
		event_make_error(&s->payload, STR("unknown_error"), STR("m"), STR("exhausted"));
	} else if (is(s, "sent")) {
		set(s, EVENT_CHANNEL_MESSAGE_SENT, (struct str){ 0 });
		event_make_channel_sent(&s->payload, STR("telegram"), STR("1"), STR("e1"),
					STR("2"));
	} else if (is(s, "thread")) {
		set(s, EVENT_THREAD_CREATED, (struct str){ 0 });
		event_make_thread_created(&s->payload, STR("sthr_1"), STR("a"));
	} else if (is(s, "spent")) {
		set(s, EVENT_SESSION_USAGE, (struct str){ 0 });
		event_make_usage(&s->payload, &usage, -1);
	} else if (is(s, "create")) {
		struct make_created m = { .agent_id = STR("main"),
					  .agent_version = 1,
					  .environment_id = STR("local-default"),
					  .source = STR("{\"kind\":\"api\"}"),
					  .title = word(s, 1) };
		set(s, EVENT_SESSION_CREATED, (struct str){ 0 });
		event_make_created(&s->payload, &m);
	} else {
		return false;
	}
	return true;
}

void
replay_log_make(struct replay_log_event *out, struct str text, int64_t seq, struct str turn)
{
	struct step s = { .ev.seq = seq };

	for (struct str rest = str_trim(text); rest.len > 0 && s.count < WORDS_MAX;) {
		str_cut(rest, ' ', &s.words[s.count], &rest);
		s.count += s.words[s.count].len > 0;
	}
	buf_init(&s.payload, STEP_BYTES_MAX);
	buf_init(&s.meta, STEP_BYTES_MAX);
	snprintf(out->id, sizeof out->id, "e%lld", (long long)seq);
	s.ev.id = str_of(out->id);
	s.ev.created_at_ms = FIRST_MS + seq;
	s.ev.turn = turn;
	if (!step_input(&s) && !step_answer(&s) && !step_turn(&s) && !step_agent(&s) &&
	    !step_session(&s) && !step_told(&s))
		fail_msg("no such step: " STR_FMT, STR_ARG(text));
	s.ev.payload = buf_str(&s.payload);
	out->ev = s.ev;
	out->payload = s.payload;
	out->meta = s.meta;
}

void
replay_log_release(struct replay_log_event *e)
{
	buf_release(&e->payload);
	buf_release(&e->meta);
}

int
replay_log_step(struct replay *r, struct str text, struct err *e)
{
	const struct session_row *s = replay_session(r);
	struct replay_log_event made;
	int rc;

	replay_log_make(&made, text, s->head_seq + 1, s->turn);
	rc = replay_apply(r, &made.ev, e);
	replay_log_release(&made);
	return rc;
}

int
replay_log_run(struct replay *r, const char *script, struct err *e)
{
	struct str rest = str_of(script), step;
	int rc = 0;

	if (replay_session(r)->head_seq == 0 && !str_starts(str_trim(rest), STR("create")) &&
	    !str_starts(str_trim(rest), STR("bare")))
		rc = replay_log_step(r, STR("create"), e);
	while (rc == 0 && rest.len > 0) {
		str_cut(rest, ';', &step, &rest);
		if (str_trim(step).len > 0 && !str_eq(str_trim(step), STR("bare")))
			rc = replay_log_step(r, step, e);
	}
	return rc;
}

/* The name of an event in its script, by seq: inputs and items know their ids only as maps, so the
 * listing goes through the inputs and calls and falls back to e<seq>. */
static void
show_items(struct replay *r, struct buf *out)
{
	size_t count, inputs, i;
	const struct item_row *items = replay_items(r, &count);
	const struct input_row *in = replay_inputs(r, &inputs);

	for (i = 0; i < count; i++) {
		const struct item_row *it = &items[i];
		struct str name = { 0 };
		for (size_t k = 0; k < inputs; k++)
			if (in[k].seq == it->seq)
				name = in[k].id;
		buf_puts(out, i ? " " : "");
		buf_puts(out, it->rewound ? "(" : it->archived_by_seq ? "[" : "");
		if (name.len > 0)
			buf_put_str(out, name);
		else
			buf_printf(out, "%s%lld", it->role == ITEM_SUMMARY ? "S" : "#",
				   (long long)it->seq);
		if (it->content_seq != it->seq)
			buf_printf(out, "@%lld", (long long)it->content_seq);
		buf_puts(out, it->rewound ? ")" : it->archived_by_seq ? "]" : "");
		buf_puts(out, it->at_seq ? "" : "?");
	}
}

static const char *
call_state_name(enum call_state s)
{
	switch (s) {
	case CALL_WAITS_APPROVAL: return "approval";
	case CALL_WAITS_RESULT: return "result";
	case CALL_STARTED: return "started";
	case CALL_DENIED: return "denied";
	case CALL_CLOSED: return "closed";
	}
	return "?";
}

void
replay_log_show(struct replay *r, struct buf *out)
{
	static const char *const PHASES[] = { "none", "running", "parked", "rescheduled" };
	const struct session_row *s = replay_session(r);
	const struct input_row *in;
	const struct call_row *calls;
	size_t count;

	buf_printf(out, "%s %s %s | ", PHASES[s->state.phase], lifecycle_name(s->state.lifecycle),
		   stop_kind_name(s->last_stop));
	show_items(r, out);
	buf_puts(out, " |");
	in = replay_inputs(r, &count);
	for (size_t i = 0; i < count; i++)
		if (in[i].processed_at_ms == 0)
			buf_printf(out, " " STR_FMT, STR_ARG(in[i].id));
	buf_puts(out, " |");
	calls = replay_calls(r, &count);
	for (size_t i = 0; i < count; i++)
		buf_printf(out, " " STR_FMT ":%s%s", STR_ARG(calls[i].id),
			   call_state_name(calls[i].state), calls[i].answer_id.len ? "*" : "");
}

void
replay_row_check(void **state)
{
	const struct replay_row *row = *state;
	struct str want = str_of(row->want);
	struct replay *r = replay_new();
	struct err e = { 0 };
	struct buf got;
	int rc = replay_log_run(r, row->script, &e);

	buf_init(&got, 4096);
	if (str_starts(want, STR("error: "))) {
		if (rc != ERR_CORRUPT)
			fail_msg("%s: accepted", row->name);
		if (!str_contains(str_of(e.text), str_slice(want, 7, want.len)))
			fail_msg("%s: refused with '%s'", row->name, e.text);
	} else {
		if (rc != 0)
			fail_msg("%s: refused: %s", row->name, e.text);
		replay_log_show(r, &got);
		check_str(row->name, buf_str(&got), want);
	}
	buf_release(&got);
	replay_free(&r);
}
