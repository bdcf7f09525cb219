/* turn_machine_call - the calls of a turn: into the log, to their tools, and closed again. */
#include "base/json.h"
#include "base/json_write.h"
#include "base/utf8.h"
#include "core/call_digest.h"
#include "core/call_state.h"
#include "core/turn_machine_private.h"

enum { NAME_BYTES_MAX = 64, CALL_ID_BYTES_MAX = 150, KNOWN_SHOWN_MAX = 20 };

void
turn_machine_adopt_call(struct turn_machine *m, const struct turn_call *call)
{
	*vec_push(&m->calls) = (struct call_work){ .call = *call };
}

static void
settle(struct call_work *w, enum tool_outcome outcome, struct str output)
{
	w->has_outcome = true;
	w->outcome = outcome;
	w->output = output;
}

/* ---- what the model asked for ---- */

static const struct turn_tool *
tool_find(const struct turn_machine *m, struct str name)
{
	for (size_t i = 0; i < m->plan.tool_count; i++)
		if (str_eq(m->plan.tools[i].name, name))
			return &m->plan.tools[i];
	return NULL;
}

static struct str
unknown_tool(struct turn_machine *m, struct str name)
{
	struct buf b = turn_machine_payload();
	struct str text;

	buf_printf(&b, "there is no tool named %.*s; known: ", STR_ARG(name));
	for (size_t i = 0; i < m->plan.tool_count && i < KNOWN_SHOWN_MAX; i++)
		buf_printf(&b, "%s%.*s", i > 0 ? ", " : "", STR_ARG(m->plan.tools[i].name));
	buf_puts(&b, m->plan.tool_count == 0                ? "none"
		     : m->plan.tool_count > KNOWN_SHOWN_MAX ? ", …"
							    : "");
	text = arena_str(m->kept, buf_str(&b));
	buf_release(&b);
	return text;
}

/* A name the log can hold: what a model makes up is bounded and printable. */
static struct str
name_of(struct turn_machine *m, struct str name)
{
	struct str cut = str_slice(name, 0, utf8_floor(name, NAME_BYTES_MAX));
	char *out;

	if (cut.len == 0 || !utf8_valid(cut))
		return STR("unnamed");
	out = arena_alloc(m->kept, cut.len);
	for (size_t i = 0; i < cut.len; i++) {
		bool plain = (unsigned char)cut.ptr[i] >= ' ' && cut.ptr[i] != '"' &&
			     cut.ptr[i] != '\\' && cut.ptr[i] != 0x7f;
		out[i] = plain ? cut.ptr[i] : '_';
	}
	return (struct str){ out, cut.len };
}

static struct str
call_id_of(struct str id)
{
	bool plain = id.len <= CALL_ID_BYTES_MAX && utf8_valid(id);

	for (size_t i = 0; plain && i < id.len; i++)
		plain = (unsigned char)id.ptr[i] >= ' ' && id.ptr[i] != '"' && id.ptr[i] != '\\';
	return plain ? id : (struct str){ 0 };
}

/* Arguments that are no object stay visible in the log as the text they were. */
static struct str
wrap_arguments(struct turn_machine *m, struct str text)
{
	struct buf b = turn_machine_payload();
	struct str out;
	struct jw w;

	jw_init(&w, &b);
	jw_object(&w);
	jw_field_str(&w, "malformed_arguments", text);
	jw_end_object(&w);
	out = arena_str(m->kept, buf_str(&b));
	buf_release(&b);
	return out;
}

/* The arguments as an object; false when the model wrote something else. *digest tells repeats. */
static bool
read_arguments(struct turn_machine *m, const struct tool_call *asked, struct str *out,
	       struct sha256 *digest)
{
	struct str text = str_trim(asked->arguments).len > 0 ? asked->arguments : STR("{}");
	struct json_doc doc;
	bool good = json_parse(&m->step, text, &JSON_LIMITS_DEFAULT, &doc, NULL) == 0 &&
		    json_type(json_root(&doc)) == JSON_OBJECT;

	*out = good ? text : wrap_arguments(m, text);
	if (!good && json_parse(&m->step, *out, &EVENT_PAYLOAD_LIMITS, &doc, NULL) != 0)
		*out = STR("{}"); /* GCOV_EXCL_LINE: what jw wrote parses */
	*digest = call_digest(asked->name, json_root(&doc), &m->step);
	return good;
}

static enum call_state
first_state(const struct turn_tool *tool)
{
	if (tool && tool->ask)
		return CALL_WAITS_APPROVAL;
	return tool && tool->client_side ? CALL_WAITS_RESULT : CALL_STARTED;
}

static struct call_work *
add_call(struct turn_machine *m, const struct tool_call *asked, const struct turn_tool *tool,
	 struct str arguments)
{
	struct call_work *w = vec_push(&m->calls);

	*w = (struct call_work){ .call = {
					 .id = turn_machine_id(m),
					 .kind = tool ? tool->kind : EVENT_AGENT_TOOL_USE,
					 .state = first_state(tool),
					 .client_side = tool && tool->client_side,
					 .name = name_of(m, asked->name),
					 .arguments = arguments,
					 .call_id = call_id_of(asked->id),
				 } };
	return w;
}

static void
log_call(struct turn_machine *m, const struct tool_call *asked)
{
	const struct turn_tool *tool = tool_find(m, asked->name);
	struct buf b = turn_machine_payload();
	struct call_work *w;
	struct sha256 digest;
	struct str arguments;
	bool good = read_arguments(m, asked, &arguments, &digest);

	/* Nobody is asked to run what makes no sense. */
	w = add_call(m, asked, good ? tool : NULL, arguments);
	loop_guard_call(&m->guard, &digest);
	event_make_tool_use(
		&b, &(struct make_tool_use){
			    .kind = w->call.kind,
			    .name = w->call.name,
			    .mcp_server_name = tool ? tool->mcp_server_name : (struct str){ 0 },
			    .input = arguments,
			    .permission = w->call.state == CALL_WAITS_APPROVAL ? STR("ask")
									       : STR("allow"),
			    .call_id = w->call.call_id,
			    .client_side = w->call.client_side,
		    });
	turn_machine_log(m, w->call.kind, w->call.id, &b);
	if (!good)
		settle(w, OUTCOME_ERROR, STR("the arguments are no JSON object: repeat the call"));
	else if (!tool)
		settle(w, OUTCOME_ERROR, unknown_tool(m, w->call.name));
}

void
turn_machine_log_calls(struct turn_machine *m)
{
	for (size_t i = 0; i < m->asked.len; i++)
		log_call(m, &m->asked.ptr[i]);
}

/* ---- outcomes ---- */

void
turn_machine_take_outcome(struct turn_machine *m, const struct turn_input *in)
{
	for (size_t i = 0; i < m->calls.len; i++) {
		struct call_work *w = &m->calls.ptr[i];

		if (str_eq(w->call.id, in->call_event) && w->call.state == CALL_STARTED &&
		    w->launched && !w->has_outcome)
			settle(w, in->outcome,
			       arena_str(m->kept, str_slice(in->text, 0, TURN_TEXT_BYTES_MAX)));
	}
}

void
turn_machine_log_outcomes(struct turn_machine *m)
{
	for (size_t i = 0; i < m->calls.len; i++) {
		struct call_work *w = &m->calls.ptr[i];

		if (w->call.state == CALL_CLOSED || !w->has_outcome)
			continue;
		turn_machine_log_result(m, &w->call, w->outcome, w->output);
		w->call.state = CALL_CLOSED;
	}
}

/* ---- answers ---- */

static bool
is_waiting(const struct call_work *w)
{
	return !w->has_outcome &&
	       (w->call.state == CALL_WAITS_APPROVAL || w->call.state == CALL_WAITS_RESULT);
}

static const struct turn_answer *
answer_to(const struct turn_machine *m, const struct call_work *w)
{
	for (size_t i = 0; i < m->waiting.answer_count; i++)
		if (str_eq(m->waiting.answers[i].call, w->call.id) &&
		    call_state_awaits(w->call.state, m->waiting.answers[i].kind))
			return &m->waiting.answers[i];
	return NULL;
}

static bool
is_denial(const struct turn_answer *a)
{
	return a->kind == EVENT_USER_TOOL_CONFIRMATION && !a->allow;
}

/* Does the answer leave its call waiting? A client-side call that was allowed waits for its result. */
static bool
leaves_waiting(const struct call_work *w, const struct turn_answer *a)
{
	return w->call.state == CALL_WAITS_APPROVAL && w->call.client_side && !is_denial(a);
}

static void
apply(struct turn_machine *m, struct call_work *w, const struct turn_answer *a)
{
	w->call.state = call_state_answered(w->call.state, w->call.client_side);
	if (is_denial(a))
		settle(w, OUTCOME_DENIED,
		       a->deny_message.len > 0 ? arena_str(m->kept, a->deny_message)
					       : STR("denied by the user"));
}

static struct str_list
consume(struct turn_machine *m, bool parked)
{
	struct str *ids = ARENA_ARRAY(&m->step, m->calls.len + 1, struct str);
	size_t count = 0;

	for (size_t i = 0; i < m->calls.len; i++) {
		struct call_work *w = &m->calls.ptr[i];
		const struct turn_answer *a = is_waiting(w) ? answer_to(m, w) : NULL;

		if (!a || (parked && w->call.state == CALL_WAITS_APPROVAL && !leaves_waiting(w, a)))
			continue;
		ids[count++] = a->id;
		apply(m, w, a);
	}
	return (struct str_list){ ids, count };
}

struct str_list
turn_machine_consume_answers(struct turn_machine *m)
{
	return consume(m, false);
}

struct str_list
turn_machine_consume_parked(struct turn_machine *m)
{
	return consume(m, true);
}

bool
turn_machine_must_wait(const struct turn_machine *m)
{
	for (size_t i = 0; i < m->calls.len; i++) {
		const struct call_work *w = &m->calls.ptr[i];
		const struct turn_answer *a = is_waiting(w) ? answer_to(m, w) : NULL;

		if (is_waiting(w) && (!a || leaves_waiting(w, a)))
			return true;
	}
	return false;
}

struct str_list
turn_machine_waits_for(struct turn_machine *m)
{
	struct str *ids = ARENA_ARRAY(&m->step, m->calls.len + 1, struct str);
	size_t count = 0;

	for (size_t i = 0; i < m->calls.len; i++)
		if (is_waiting(&m->calls.ptr[i]) && !answer_to(m, &m->calls.ptr[i]))
			ids[count++] = m->calls.ptr[i].call.id;
	return (struct str_list){ ids, count };
}

/* ---- tools ---- */

static bool
is_running(const struct call_work *w)
{
	return w->call.state == CALL_STARTED && !w->has_outcome;
}

bool
turn_machine_may_launch(const struct turn_machine *m)
{
	for (size_t i = 0; i < m->calls.len; i++)
		if (is_running(&m->calls.ptr[i]) && !m->calls.ptr[i].launched)
			return true;
	return false;
}

void
turn_machine_launch(struct turn_machine *m)
{
	for (size_t i = 0; i < m->calls.len; i++) {
		struct call_work *w = &m->calls.ptr[i];

		if (!is_running(w) || w->launched)
			continue;
		w->launched = true;
		turn_machine_do(m, TURN_DO_TOOL)->call = &w->call;
	}
}

bool
turn_machine_is_working(const struct turn_machine *m)
{
	for (size_t i = 0; i < m->calls.len; i++)
		if (is_running(&m->calls.ptr[i]))
			return true;
	return false;
}

static struct str
closing_words(enum tool_outcome outcome)
{
	return outcome == OUTCOME_INTERRUPTED
		       ? STR("interrupted: it may or may not have taken effect")
		       : STR("cancelled: the turn ended before it was done");
}

void
turn_machine_close_calls(struct turn_machine *m, enum tool_outcome outcome, bool waiting_too)
{
	for (size_t i = 0; i < m->calls.len; i++) {
		struct call_work *w = &m->calls.ptr[i];

		if (w->call.state == CALL_CLOSED || (!waiting_too && is_waiting(w)))
			continue;
		if (w->launched && !w->has_outcome)
			turn_machine_do(m, TURN_DO_TOOL_CANCEL)->call = &w->call;
		if (!w->has_outcome)
			settle(w, outcome, closing_words(outcome));
	}
	turn_machine_log_outcomes(m);
}
