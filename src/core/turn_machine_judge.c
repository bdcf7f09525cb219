/* turn_machine_judge - what the model asked for: may it run, must people be asked, can anybody run it?
 * Its calls into the log, with the answer to that. */
#include "base/json.h"
#include "base/json_write.h"
#include "base/utf8.h"
#include "core/call_digest.h"
#include "core/turn_machine_private.h"

enum { NAME_BYTES_MAX = 64, CALL_ID_BYTES_MAX = 150, KNOWN_SHOWN_MAX = 20 };

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

static const struct str LOST =
	STR("not run: your answer was cut off at the limit of output tokens before this call was "
	    "whole. "
	    "Say less at a time, for example write a long file in several pieces");

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

/* A call as the model wrote it, and what becomes of it. */
struct judged {
	const struct turn_tool *tool; /* NULL: nobody can run it */
	struct tool_ref ref;
	bool readable; /* its arguments are an object */
	struct str arguments;
	struct sha256 digest; /* tells repeats, and what was judged */
	enum approval_action action;
	struct str reason; /* of a deny */
};

static void
read_arguments(struct turn_machine *m, const struct tool_call *asked, struct judged *j,
	       struct json_doc *doc)
{
	struct str text = str_trim(asked->arguments).len > 0 ? asked->arguments : STR("{}");

	j->readable = json_parse(&m->step, text, &EVENT_PART_LIMITS, doc, NULL) == 0 &&
		      json_type(json_root(doc)) == JSON_OBJECT;
	j->arguments = j->readable ? text : wrap_arguments(m, text);
	if (!j->readable &&
	    json_parse(&m->step, j->arguments, &EVENT_PAYLOAD_LIMITS, doc, NULL) != 0)
		j->arguments = STR("{}"); /* GCOV_EXCL_LINE: what jw wrote parses */
}

static struct tool_ref
ref_of(const struct tool_call *asked, const struct turn_tool *tool)
{
	struct tool_ref ref = { .name = asked->name };

	if (tool && tool->kind == EVENT_AGENT_MCP_TOOL_USE) {
		ref.server = tool->mcp_server_name;
		ref.own_name = tool->own_name;
	}
	return ref;
}

static struct judged
judge(struct turn_machine *m, const struct tool_call *asked, bool lost)
{
	struct judged j = { .tool = tool_find(m, asked->name), .action = APPROVAL_ALLOW };
	struct approval_rules rules = { m->rules.ptr, m->rules.len };
	struct approval_decision d;
	struct json_doc doc;

	read_arguments(m, asked, &j, &doc);
	if (!j.readable || lost)
		j.tool = NULL; /* nobody is asked to run what makes no sense, or half of it */
	j.ref = ref_of(asked, j.tool);
	j.digest = call_digest(j.ref, json_root(&doc), &m->step);
	if (j.tool) {
		d = approval_policy_decide(rules, j.ref, json_root(&doc), &m->step);
		j.action = d.action;
		if (d.action == APPROVAL_DENY)
			j.reason = approval_policy_reason(rules, d, &m->step);
	}
	return j;
}

static enum call_state
first_state(const struct judged *j)
{
	switch (j->action) {
	case APPROVAL_ASK: return CALL_WAITS_APPROVAL;
	case APPROVAL_DENY: return CALL_DENIED;
	case APPROVAL_ALLOW: break;
	}
	return j->tool && j->tool->client_side ? CALL_WAITS_RESULT : CALL_STARTED;
}

static struct call_work *
add_call(struct turn_machine *m, const struct tool_call *asked, const struct judged *j)
{
	struct call_work *w = vec_push(&m->calls);

	*w = (struct call_work){ .call = {
					 .id = turn_machine_id(m),
					 .kind = j->tool ? j->tool->kind : EVENT_AGENT_TOOL_USE,
					 .state = first_state(j),
					 .client_side = j->tool && j->tool->client_side,
					 .name = j->tool ? asked->name : name_of(m, asked->name),
					 .arguments = j->arguments,
					 .server = j->ref.server,
					 .own_name = j->ref.own_name,
					 .call_id = call_id_of(asked->id),
					 .digest = turn_machine_hex(m->kept, &j->digest),
					 .policy =
						 j->tool ? j->tool->policy : APPROVAL_ALWAYS_ALLOW,
					 .asked_ms = m->now_ms,
				 } };
	return w;
}

static struct str
permission_word(enum approval_action action)
{
	switch (action) {
	case APPROVAL_ALLOW: return STR("allow");
	case APPROVAL_ASK: return STR("ask");
	case APPROVAL_DENY: break;
	}
	return STR("deny");
}

static void
log_call(struct turn_machine *m, const struct asked_call *asked)
{
	struct judged j = judge(m, &asked->call, asked->lost);
	struct call_work *w = add_call(m, &asked->call, &j);
	bool evaluated = j.tool && j.tool->kind != EVENT_AGENT_CUSTOM_TOOL_USE;
	struct buf b = turn_machine_payload();

	loop_guard_call(&m->guard, &j.digest);
	event_make_tool_use(&b, &(struct make_tool_use){
					.kind = w->call.kind,
					.name = w->call.name,
					.mcp_server_name = w->call.server,
					.mcp_tool_name = w->call.own_name,
					.input = j.arguments,
					.permission = permission_word(j.action),
					.policy = evaluated ? approval_mode_name(w->call.policy)
							    : (struct str){ 0 },
					.digest = w->call.digest,
					.call_id = w->call.call_id,
					.client_side = w->call.client_side,
				});
	turn_machine_log(m, w->call.kind, w->call.id, &b);
	if (asked->lost)
		turn_machine_settle(w, OUTCOME_ERROR, LOST);
	else if (!j.readable)
		turn_machine_settle(w, OUTCOME_ERROR,
				    STR("the arguments are no JSON object: repeat the call"));
	else if (!j.tool)
		turn_machine_settle(w, OUTCOME_ERROR, unknown_tool(m, w->call.name));
	else if (j.action == APPROVAL_DENY)
		turn_machine_settle(w, OUTCOME_DENIED, approval_policy_denial(j.reason, m->kept));
}

void
turn_machine_log_calls(struct turn_machine *m)
{
	for (size_t i = 0; i < m->asked.len; i++)
		log_call(m, &m->asked.ptr[i]);
}
