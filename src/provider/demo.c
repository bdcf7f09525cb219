#include "provider/demo.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "core/context_window.h"
#include "core/token_estimate.h"

enum { PIECE_BYTES = 12, QUOTE_BYTES = 200, OUTPUT_BYTES_MAX = 4 << 20, WAIT_SECONDS_MAX = 3600 };

enum act_kind { ACT_SAY, ACT_THINK, ACT_WAIT, ACT_CALL, ACT_FAIL };

struct act {
	enum act_kind kind;
	struct str text; /* said or thought; the tool's name */
	struct str arguments;
	int64_t wait_ms;
	enum model_failure failure;
};

struct demo {
	struct provider port;
	struct host *host;
};

struct provider_call {
	struct demo *demo;
	const struct provider_request *request;
	const struct provider_events *events;
	void *ctx;
	struct host_task task;
	struct host_timer *timer;
	struct arena arena;
	VEC(struct act) acts;
	size_t at, offset; /* the act under way, and how much of its text is out */
	struct buf said;   /* everything that counts as output */
	unsigned calls_before;
	enum provider_stop stop;
};

/* ---- lines ---- */

static bool
parse_wait(struct str word, int64_t *ms)
{
	int64_t whole = 0, part = 0, scale = 1000;
	struct str head, tail;

	str_cut(word, '.', &head, &tail);
	if (head.len > 0 && (!str_to_int(head, &whole) || whole < 0 || whole > WAIT_SECONDS_MAX))
		return false;
	if (tail.len > 0 && (tail.len > 3 || !str_to_int(tail, &part) || part < 0))
		return false;
	for (size_t i = 0; i < tail.len; i++)
		scale /= 10;
	*ms = whole * 1000 + part * scale;
	return head.len + tail.len > 0;
}

static bool
parse_failure(struct str word, enum model_failure *out)
{
	static const struct {
		struct str name;
		enum model_failure failure;
	} KINDS[] = {
		{ STR("overloaded"), FAILURE_OVERLOADED },
		{ STR("rate_limit"), FAILURE_RATE_LIMITED },
		{ STR("disconnect"), FAILURE_NETWORK },
		{ STR("malformed"), FAILURE_MALFORMED },
		{ STR("context_length"), FAILURE_CONTEXT_LENGTH },
	};

	for (size_t i = 0; i < ARRAY_LEN(KINDS); i++) {
		if (!str_eq(word, KINDS[i].name))
			continue;
		*out = KINDS[i].failure;
		return true;
	}
	return false;
}

static bool
parse_line(struct str line, struct act *out)
{
	struct str verb, rest;

	str_cut(str_trim(line), ' ', &verb, &rest);
	rest = str_trim(rest);
	*out = (struct act){ .text = rest };
	if (rest.len == 0)
		return false;
	if (str_eq(verb, STR("say"))) {
		out->kind = ACT_SAY;
	} else if (str_eq(verb, STR("think"))) {
		out->kind = ACT_THINK;
	} else if (str_eq(verb, STR("wait"))) {
		out->kind = ACT_WAIT;
		return parse_wait(rest, &out->wait_ms);
	} else if (str_eq(verb, STR("fail"))) {
		out->kind = ACT_FAIL;
		return parse_failure(rest, &out->failure);
	} else if (str_eq(verb, STR("tool"))) {
		out->kind = ACT_CALL;
		str_cut(rest, ' ', &out->text, &out->arguments);
		out->arguments = str_trim(out->arguments);
		if (out->arguments.len == 0)
			out->arguments = STR("{}");
	} else {
		return false;
	}
	return true;
}

/* In shared sessions a message begins with its sender: "[name] say hi". */
static struct str
without_sender(struct str text)
{
	struct str name, rest, line, tail;
	struct act unused;

	if (!str_starts(text, STR("[")) || !str_cut(text, ']', &name, &rest))
		return text;
	str_cut(rest, '\n', &line, &tail);
	return parse_line(line, &unused) ? rest : text;
}

/* ---- what the session knows ---- */

/* The section that the server puts into the system prompt. */
static struct str
session_context(struct str system)
{
	size_t at, end;

	if (!str_find(system, STR("## Current Session Context"), 0, &at))
		return (struct str){ 0 };
	system = str_slice(system, at, system.len);
	if (!str_find(system, STR("\n\n"), 0, &end))
		end = system.len;
	str_cut(str_slice(system, 0, end), '\n', &(struct str){ 0 }, &system);
	return str_trim(system);
}

static struct str
friendly_answer(struct provider_call *c, struct str text)
{
	const struct provider_request *q = c->request;
	struct str context = session_context(q->system);
	struct str quote = str_slice(text, 0, utf8_floor(text, QUOTE_BYTES));
	size_t people = 0;
	struct buf b;
	struct str answer;

	for (size_t i = 0; i < q->message_count; i++)
		people += q->messages[i].role == MESSAGE_USER && !q->messages[i].synthetic;
	buf_init(&b, OUTPUT_BYTES_MAX);
	buf_printf(
		&b,
		"Hello! I am the built-in demo model: no key, no network, always the same answer.\n"
		"You wrote: %.*s%s\n"
		"This session shows me %zu message%s, %zu of them from people, and %zu tool%s.\n",
		STR_ARG(quote), quote.len < text.len ? "…" : "", q->message_count,
		q->message_count == 1 ? "" : "s", people, q->tool_count,
		q->tool_count == 1 ? "" : "s");
	if (context.len > 0)
		buf_printf(&b, "Where I am:\n%.*s\n", STR_ARG(context));
	buf_puts(&b, "I carry out lines that begin with: say TEXT, think TEXT, tool NAME {json}, "
		     "wait SECONDS, fail KIND.\n"
		     "For a real model, list a provider with its key (api_key_env or api_key_file) "
		     "under providers in the configuration and name it there: model: "
		     "PROVIDER/MODEL.");
	answer = arena_str(&c->arena, buf_str(&b));
	buf_release(&b);
	return answer;
}

/* ---- from the transcript to acts ---- */

static bool
from_person(const struct message *m)
{
	return m->role == MESSAGE_USER && !m->synthetic;
}

/* The model came to an end here by itself, or the turn did. */
static bool
ends_exchange(const struct message *m)
{
	return (m->role == MESSAGE_ASSISTANT && m->tool_call_count == 0 && !m->cut) ||
	       (m->synthetic && str_eq(m->content, CONTEXT_UNANSWERED));
}

/* Index of the first message since then. An end that no person has answered yet is none: the turn
 * was cut short and goes on. */
static size_t
exchange_begin(const struct provider_request *q)
{
	bool answered = false;

	for (size_t i = q->message_count; i > 0; i--) {
		if (answered && ends_exchange(&q->messages[i - 1]))
			return i;
		answered = answered || from_person(&q->messages[i - 1]);
	}
	return 0;
}

static void
push(struct provider_call *c, struct act act)
{
	*vec_push(&c->acts) = act;
}

/* Lines up to and with the last call that was made are done. */
static void
plan_text(struct provider_call *c, struct str text, unsigned *calls_left)
{
	struct str rest = without_sender(text), line;
	bool any = false;
	struct act act;

	while (rest.len > 0) {
		str_cut(rest, '\n', &line, &rest);
		if (!parse_line(line, &act))
			continue;
		any = true;
		if (*calls_left == 0)
			push(c, act);
		else if (act.kind == ACT_CALL)
			--*calls_left;
	}
	if (!any && *calls_left == 0)
		push(c, (struct act){ .kind = ACT_SAY, .text = friendly_answer(c, text) });
}

static void
plan_results(struct provider_call *c, size_t begin)
{
	const struct provider_request *q = c->request;
	size_t at = q->message_count;

	while (at > begin && q->messages[at - 1].role != MESSAGE_ASSISTANT)
		at--;
	for (; at < q->message_count; at++) {
		const struct message *m = &q->messages[at];

		if (m->role == MESSAGE_TOOL)
			push(c, (struct act){ .kind = ACT_SAY,
					      .text = arena_printf(&c->arena, "%.*s: %.*s",
								   STR_ARG(m->name),
								   STR_ARG(m->content)) });
	}
}

static void
plan(struct provider_call *c)
{
	const struct provider_request *q = c->request;
	size_t begin = exchange_begin(q);
	unsigned calls = 0;

	for (size_t i = begin; i < q->message_count; i++)
		if (q->messages[i].role == MESSAGE_ASSISTANT)
			calls += (unsigned)q->messages[i].tool_call_count;
	c->calls_before = calls;
	plan_results(c, begin);
	for (size_t i = begin; i < q->message_count; i++)
		if (from_person(&q->messages[i]))
			plan_text(c, q->messages[i].content, &calls);
	if (c->acts.len == 0)
		push(c, (struct act){ .kind = ACT_SAY, .text = STR("Done.") });
}

/* ---- playing ---- */

static void
call_free(struct provider_call *c)
{
	list_remove(&c->task.node);
	c->demo->host->ops->timer_free(c->timer);
	vec_release(&c->acts);
	buf_release(&c->said);
	arena_release(&c->arena);
	free(c);
}

static void
finish(struct provider_call *c)
{
	const struct provider_request *q = c->request;
	struct usage usage = { .input = token_estimate_text(q->system, &c->arena).tokens };

	for (size_t i = 0; i < q->message_count; i++)
		usage.input += token_estimate_content(&q->messages[i], &c->arena) +
			       token_estimate_frame(&q->messages[i]);
	usage.output = token_estimate_text(buf_str(&c->said), &c->arena).tokens;
	c->events->on_done(c->ctx, c->stop, &usage);
	call_free(c);
}

static void
fail(struct provider_call *c, enum model_failure failure)
{
	struct err e;

	IGNORE(err_set(&e, ERR_UNAVAILABLE, "the demo model was told to fail (%s)",
		       model_failure_error_type(failure)));
	c->events->on_failed(c->ctx, &(struct provider_failure){ failure, -1, &e, { 0 } });
	call_free(c);
}

/* A few bytes at a time, at the border of a word where there is one near. */
static struct str
next_piece(struct str text, size_t from)
{
	struct str rest = str_slice(text, from, text.len);
	size_t end = utf8_floor(rest, rest.len < PIECE_BYTES ? rest.len : PIECE_BYTES);
	struct str word, tail;

	if (str_cut(str_slice(rest, 0, end), ' ', &word, &tail))
		end = word.len + 1;
	return str_slice(rest, 0, end > 0 ? end : 1);
}

static void
speak(struct provider_call *c, const struct act *act)
{
	struct str piece = next_piece(act->text, c->offset);
	bool line = c->offset == 0 && act->kind == ACT_SAY && c->said.len > 0;

	if (line) /* lines of one message */
		piece = arena_printf(&c->arena, "\n%.*s", STR_ARG(piece));
	c->offset += piece.len - (line ? 1 : 0);
	if (c->offset >= act->text.len) {
		c->at++;
		c->offset = 0;
	}
	host_defer(c->demo->host, &c->task);
	if (act->kind == ACT_THINK) {
		c->events->on_thinking(c->ctx, piece);
		return;
	}
	buf_put_str(&c->said, piece);
	c->events->on_text(c->ctx, piece);
}

static void
call_tool(struct provider_call *c, const struct act *act)
{
	struct tool_call call = {
		.id = arena_printf(&c->arena, "call_%u", c->calls_before + 1),
		.name = act->text,
		.arguments = act->arguments,
	};

	buf_put_str(&c->said, act->text);
	buf_put_str(&c->said, act->arguments);
	c->at = c->acts.len; /* what follows waits for the result */
	c->stop = PROVIDER_STOP_TOOLS;
	host_defer(c->demo->host, &c->task);
	c->events->on_call(c->ctx, &call);
}

/* One act, or one piece of it. An event may cancel the call: it comes last. */
static void
play(struct provider_call *c)
{
	const struct act *act = &c->acts.ptr[c->at];

	if (c->at == c->acts.len) {
		finish(c);
		return;
	}
	switch (act->kind) {
	case ACT_SAY:
	case ACT_THINK: speak(c, act); return;
	case ACT_WAIT:
		c->at++;
		c->demo->host->ops->timer_set(c->timer, act->wait_ms);
		return;
	case ACT_CALL: call_tool(c, act); return;
	case ACT_FAIL: fail(c, act->failure); return;
	}
}

static void
on_task(struct host_task *task)
{
	play(LIST_OWNER(task, struct provider_call, task));
}

static void
on_timer(void *ctx)
{
	play(ctx);
}

/* ---- the port ---- */

static struct provider_call *
demo_start(struct provider *p, const struct provider_request *request,
	   const struct provider_events *events, void *ctx)
{
	struct provider_call *c = xcalloc(1, sizeof *c);

	c->demo = (struct demo *)p;
	c->request = request;
	c->events = events;
	c->ctx = ctx;
	c->task.fn = on_task;
	list_init(&c->task.node);
	c->timer = c->demo->host->ops->timer_new(c->demo->host, on_timer, c);
	arena_init(&c->arena);
	buf_init(&c->said, OUTPUT_BYTES_MAX);
	plan(c);
	host_defer(c->demo->host, &c->task);
	return c;
}

static void
demo_free(struct provider *p)
{
	free(p);
}

struct provider *
provider_demo_new(struct host *host)
{
	static const struct provider_ops OPS = { demo_start, call_free, demo_free };
	struct demo *d = xcalloc(1, sizeof *d);

	d->port = (struct provider){ &OPS, STR("demo"), DEMO_CONTEXT_TOKENS };
	d->host = host;
	return &d->port;
}
