/* turn_machine_call - the calls of a turn: answered, handed to their tools, and closed again. */
#include "base/json.h"
#include "base/utf8.h"
#include "core/approval_always.h"
#include "core/call_digest.h"
#include "core/call_state.h"
#include "core/turn_machine_private.h"
#include "core/turn_mutant.h"

void
turn_machine_adopt_call(struct turn_machine *m, const struct turn_call *call)
{
	*vec_push(&m->calls) =
		(struct call_work){ .call = *call, .may_have_run = call->state == CALL_STARTED };
}

void
turn_machine_settle(struct call_work *w, enum tool_outcome outcome, struct str output)
{
	w->has_outcome = true;
	w->outcome = outcome;
	w->output = output;
}

/* ---- outcomes ---- */

/* As much of a tool's output as an event holds; an adapter that breaks its word is said to. */
static struct str
output_of(struct turn_machine *m, struct str text)
{
	text = str_slice(text, 0, utf8_floor(text, TURN_TEXT_BYTES_MAX));
	return utf8_valid(text) ? arena_str(m->kept, text)
				: STR("the tool answered with bytes that are no text");
}

void
turn_machine_take_outcome(struct turn_machine *m, const struct turn_input *in)
{
	for (size_t i = 0; i < m->calls.len; i++) {
		struct call_work *w = &m->calls.ptr[i];

		if ((MUTANT(RESULT_MISPLACED) || str_eq(w->call.id, in->call_event)) &&
		    w->call.state == CALL_STARTED && w->launched && !w->has_outcome)
			turn_machine_settle(w, in->outcome, output_of(m, in->text));
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

/* Is the call denied by the rules as they are? */
static bool
is_denied(struct turn_machine *m, const struct turn_call *call, struct arena *a, struct str *reason)
{
	struct approval_rules rules = { m->rules.ptr, m->rules.len };
	struct approval_decision d;
	struct json_doc doc;

	if (json_parse(&m->step, call->arguments, &EVENT_PAYLOAD_LIMITS, &doc, NULL) != 0)
		return false; /* GCOV_EXCL_LINE: it was read when it was judged */
	d = approval_policy_decide(rules, turn_call_ref(call), json_root(&doc), &m->step);
	if (d.action == APPROVAL_DENY)
		*reason = approval_policy_reason(rules, d, a);
	return d.action == APPROVAL_DENY;
}

void
turn_machine_veto(struct turn_machine *m, struct turn_answer *answers, size_t count,
		  struct arena *a)
{
	for (size_t i = 0; i < count; i++) {
		struct turn_answer *answer = &answers[i];

		for (size_t k = 0; k < m->calls.len; k++)
			if (answer->kind == EVENT_USER_TOOL_CONFIRMATION && answer->allow &&
			    str_eq(answer->call, m->calls.ptr[k].call.id) &&
			    is_denied(m, &m->calls.ptr[k].call, a, &answer->deny_message))
				answer->allow = answer->always = false;
	}
}

/* Does the answer leave its call waiting? A client-side call that was allowed waits for its result. */
static bool
leaves_waiting(const struct call_work *w, const struct turn_answer *a)
{
	return w->call.state == CALL_WAITS_APPROVAL && w->call.client_side && !is_denial(a);
}

/* What is allowed from now on; engine/ingress keeps the same rules for the turns to come. */
static void
allow_always(struct turn_machine *m, const struct turn_call *call)
{
	struct approval_rule rules[APPROVAL_ALWAYS_MAX];
	struct json_doc *doc = ARENA_NEW(m->kept, struct json_doc);
	size_t count = 0;

	if (json_parse(m->kept, call->arguments, &EVENT_PAYLOAD_LIMITS, doc, NULL) == 0)
		count = approval_always_rules(turn_call_ref(call), json_root(doc), m->kept, rules);
	for (size_t i = 0; i < count; i++)
		*vec_push(&m->rules) = rules[i];
}

static void
apply(struct turn_machine *m, struct call_work *w, const struct turn_answer *a)
{
	w->call.state = call_state_answered(w->call.state, w->call.client_side);
	if (is_denial(a))
		turn_machine_settle(w, OUTCOME_DENIED,
				    approval_policy_denial(a->deny_message, m->kept));
	else if (a->always)
		allow_always(m, &w->call);
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

/* NULL: there is none any more. */
static const struct turn_tool *
tool_of(const struct turn_machine *m, const struct turn_call *call)
{
	for (size_t i = 0; i < m->plan.tool_count; i++)
		if (turn_tool_is(&m->plan.tools[i], call))
			return &m->plan.tools[i];
	return NULL;
}

static bool
is_running(const struct call_work *w)
{
	return w->call.state == CALL_STARTED && !w->has_outcome;
}

static bool
is_as_judged(struct turn_machine *m, const struct turn_call *call)
{
	struct sha256 now;
	struct json_doc doc;

	if (call->digest.len == 0)
		return true;
	if (json_parse(&m->step, call->arguments, &EVENT_PAYLOAD_LIMITS, &doc, NULL) != 0)
		return false;
	now = call_digest(turn_call_ref(call), json_root(&doc), &m->step);
	return str_eq(call->digest, turn_machine_hex(&m->step, &now));
}

void
turn_machine_check_calls(struct turn_machine *m)
{
	for (size_t i = 0; i < m->calls.len; i++) {
		struct call_work *w = &m->calls.ptr[i];

		if (is_running(w) && !w->launched && !is_as_judged(m, &w->call))
			turn_machine_settle(w, OUTCOME_DENIED,
					    STR("not run: it is not the call that was allowed"));
	}
}

bool
turn_machine_may_launch(const struct turn_machine *m)
{
	for (size_t i = 0; i < m->calls.len; i++)
		if (is_running(&m->calls.ptr[i]) && !m->calls.ptr[i].launched)
			return true;
	return false;
}

static bool
changes_files(const struct turn_machine *m, const struct call_work *w)
{
	const struct turn_tool *tool = tool_of(m, &w->call);

	return tool && tool->changes_files;
}

static bool
is_changing_files(const struct turn_machine *m)
{
	for (size_t i = 0; i < m->calls.len; i++) {
		const struct call_work *w = &m->calls.ptr[i];

		if (is_running(w) && w->launched && changes_files(m, w))
			return true;
	}
	return false;
}

/* Two that change files at once would undo each other's work: they run one after the other, in the
 * order of the model's answer. */
void
turn_machine_launch(struct turn_machine *m)
{
	bool busy = is_changing_files(m);

	for (size_t i = 0; i < m->calls.len; i++) {
		struct call_work *w = &m->calls.ptr[i];
		bool changes = changes_files(m, w);

		if (!is_running(w) || w->launched || (changes && busy))
			continue;
		busy |= changes;
		w->launched = w->may_have_run = true;
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

static void
cancel(struct turn_machine *m, struct call_work *w)
{
	if (w->launched && !w->has_outcome)
		turn_machine_do(m, TURN_DO_TOOL_CANCEL)->call = &w->call;
	w->launched = false;
}

void
turn_machine_close_calls(struct turn_machine *m, enum tool_outcome outcome, bool waiting_too)
{
	for (size_t i = 0; i < m->calls.len; i++) {
		struct call_work *w = &m->calls.ptr[i];

		if (w->call.state == CALL_CLOSED || (!waiting_too && is_waiting(w)))
			continue;
		cancel(m, w);
		if (!w->has_outcome)
			turn_machine_settle(w, outcome, closing_words(outcome));
	}
	turn_machine_log_outcomes(m);
}

static bool
is_repeatable(const struct turn_machine *m, const struct turn_call *call)
{
	const struct turn_tool *tool = tool_of(m, call);

	return tool && tool->repeatable;
}

static void
cut(struct call_work *w)
{
	if (w->may_have_run)
		turn_machine_settle(w, OUTCOME_INTERRUPTED, closing_words(OUTCOME_INTERRUPTED));
	else
		turn_machine_settle(w, OUTCOME_CANCELLED,
				    STR("cancelled: the server stopped before it was started"));
}

void
turn_machine_cut_calls(struct turn_machine *m)
{
	for (size_t i = 0; i < m->calls.len; i++) {
		struct call_work *w = &m->calls.ptr[i];

		if (w->call.state == CALL_CLOSED || (is_waiting(w) && !MUTANT(WAITING_CLOSED)))
			continue;
		cancel(m, w);
		if (!w->has_outcome && !is_repeatable(m, &w->call))
			cut(w);
	}
	turn_machine_log_outcomes(m);
}
