#include "provider/answer.h"

#include <stdarg.h>
#include <stdio.h>

#include "core/redact.h"
#include "provider/reasoning.h"

void
answer_init(struct answer *a, const struct provider_events *events, void *ctx)
{
	*a = (struct answer){ .events = events, .ctx = ctx };
	arena_init(&a->arena);
	arena_init(&a->scratch);
	buf_init(&a->thought, ANSWER_BYTES_MAX);
	buf_init(&a->signature, ANSWER_BYTES_MAX);
	buf_init(&a->kept, ANSWER_BYTES_MAX);
}

void
answer_release(struct answer *a)
{
	for (size_t i = 0; i < a->calls.len; i++)
		buf_release(&a->calls.ptr[i].arguments);
	vec_release(&a->calls);
	buf_release(&a->thought);
	buf_release(&a->signature);
	buf_release(&a->kept);
	arena_release(&a->arena);
	arena_release(&a->scratch);
}

bool
answer_is_over(const struct answer *a)
{
	return a->complete || a->failed || a->muted;
}

/* ---- pieces ---- */

void
answer_heard(struct answer *a, struct str piece)
{
	if ((piece.len == 0 && a->begun) || answer_is_over(a))
		return;
	a->begun = true;
	a->events->on_heard(a->ctx, piece, &a->usage);
}

void
answer_text(struct answer *a, struct str piece)
{
	if (piece.len == 0 || answer_is_over(a))
		return;
	a->spoke = true;
	a->events->on_text(a->ctx, piece);
}

void
answer_thinking(struct answer *a, struct str piece)
{
	if (piece.len == 0 || answer_is_over(a))
		return;
	a->thought_aloud = true;
	a->events->on_thinking(a->ctx, piece);
}

static void
check_size(struct answer *a, const struct buf *b, const char *what)
{
	struct err e;

	if (buf_check(b, what, &e) != 0)
		answer_fail(a, FAILURE_MALFORMED, "%s", e.text);
}

void
answer_thought(struct answer *a, struct str piece)
{
	buf_put_str(&a->thought, piece);
	check_size(a, &a->thought, "a thought");
	answer_thinking(a, piece);
}

void
answer_call_end(struct answer *a)
{
	if (a->calls.len > 0)
		a->calls.ptr[a->calls.len - 1].whole = true;
}

struct answer_call *
answer_call_new(struct answer *a, int64_t index, struct str id, struct str name)
{
	struct answer_call *call;

	if (a->calls.len == ANSWER_CALLS_MAX) {
		answer_fail(a, FAILURE_MALFORMED, "the answer has more than %d tool calls",
			    ANSWER_CALLS_MAX);
		return NULL;
	}
	answer_call_end(a);
	call = vec_push(&a->calls);
	*call = (struct answer_call){
		.index = index,
		.id = arena_str(&a->arena, id),
		.name = arena_str(&a->arena, name),
	};
	buf_init(&call->arguments, ANSWER_BYTES_MAX);
	return call;
}

struct answer_call *
answer_call_find(struct answer *a, int64_t index)
{
	for (size_t i = a->calls.len; i > 0; i--)
		if (a->calls.ptr[i - 1].index == index)
			return &a->calls.ptr[i - 1];
	return NULL;
}

void
answer_arguments(struct answer *a, struct answer_call *call, struct str piece)
{
	buf_put_str(&call->arguments, piece);
	check_size(a, &call->arguments, "the argument of a tool call");
	answer_heard(a, piece);
}

void
answer_keep_at(struct answer *a, size_t at, struct str item)
{
	reasoning_add(&a->kept, at, item);
	check_size(a, &a->kept, "the reasoning of an answer");
}

void
answer_keep(struct answer *a, struct str item)
{
	bool first = a->calls.len == 0 && !a->spoke;

	answer_keep_at(a, first ? 0 : a->calls.len + 1, item);
}

void
answer_stop(struct answer *a, enum provider_stop stop)
{
	a->stopped = true;
	a->stop = stop;
}

/* ---- the end ---- */

/* A peer may quote the key it was given. */
static struct str
without_secret(struct answer *a, struct str text)
{
	struct buf out;
	struct str clean;
	size_t at;

	buf_init(&out, REDACT_GROWTH * (text.len + 1) + 64);
	while (a->secret.len > 0 && str_find(text, a->secret, 0, &at)) {
		buf_put_str(&out, str_slice(text, 0, at));
		buf_puts(&out, "[redacted]");
		text = str_slice(text, at + a->secret.len, text.len);
	}
	buf_put_str(&out, text);
	clean = arena_str(&a->arena, buf_str(&out));
	buf_clear(&out);
	redact_secrets(clean, &out);
	clean = arena_str(&a->arena, buf_str(&out));
	buf_release(&out);
	return clean;
}

void
answer_fail(struct answer *a, enum model_failure failure, const char *fmt, ...)
{
	char said[ERR_TEXT_MAX];
	va_list args;

	if (answer_is_over(a))
		return;
	va_start(args, fmt);
	vsnprintf(said, sizeof said, fmt, args);
	va_end(args);
	a->failed = true;
	a->failure = failure;
	IGNORE(err_set(&a->err, ERR_UNAVAILABLE, STR_FMT ": " STR_FMT, STR_ARG(a->from),
		       STR_ARG(without_secret(a, str_of(said)))));
}

static bool
is_object(struct answer *a, struct str text)
{
	struct json_doc doc;

	arena_reset(&a->scratch);
	return json_parse(&a->scratch, text, &JSON_LIMITS_DEFAULT, &doc, NULL) == 0 &&
	       json_type(json_root(&doc)) == JSON_OBJECT;
}

/* A closed block does not say that a call is whole: one that was cut is closed too. */
static bool
is_lost(struct answer *a, const struct answer_call *c)
{
	return a->stop == PROVIDER_STOP_LENGTH && !c->whole &&
	       !is_object(a, str_trim(buf_str(&c->arguments)));
}

/* How many are whole. Events may cancel: each asks first. Lost ones are told too, so that what is kept
 * for a call finds it at the place where it was heard. */
static size_t
tell_calls(struct answer *a)
{
	size_t whole = 0;

	for (size_t i = 0; i < a->calls.len && !a->muted; i++) {
		const struct answer_call *c = &a->calls.ptr[i];
		struct tool_call call = { c->id, c->name, { 0 } };

		if (call.id.len == 0)
			call.id = arena_printf(&a->arena, "call_%zu", i + 1);
		if (is_lost(a, c)) {
			a->events->on_lost_call(a->ctx, &call);
			continue;
		}
		call.arguments = str_trim(buf_str(&c->arguments));
		if (call.arguments.len == 0)
			call.arguments = STR("{}");
		whole++;
		a->events->on_call(a->ctx, &call);
	}
	return whole;
}

static void
tell_reasoning(struct answer *a)
{
	struct buf data;

	if (a->kept.len == 0 || a->muted)
		return;
	buf_init(&data, 2 * ANSWER_BYTES_MAX);
	reasoning_write(&data, a->from, buf_str(&a->kept));
	a->events->on_thinking_data(a->ctx, buf_str(&data));
	buf_release(&data);
}

static bool
is_cut(const struct answer *a, size_t calls)
{
	return calls < a->calls.len || (calls == 0 && !a->spoke);
}

/* Peers disagree on what to call the end of an answer with calls: the calls decide. */
static enum provider_stop
final_stop(const struct answer *a, size_t calls)
{
	if (a->refused)
		return PROVIDER_STOP_REFUSAL;
	if (a->stop == PROVIDER_STOP_END || a->stop == PROVIDER_STOP_TOOLS)
		return calls > 0 ? PROVIDER_STOP_TOOLS : PROVIDER_STOP_END;
	if (a->stop == PROVIDER_STOP_LENGTH && is_cut(a, calls))
		return PROVIDER_STOP_CUT;
	return a->stop;
}

static bool
has_nameless_call(const struct answer *a)
{
	for (size_t i = 0; i < a->calls.len; i++)
		if (a->calls.ptr[i].name.len == 0)
			return true;
	return false;
}

void
answer_finish(struct answer *a, int64_t retry_after_ms)
{
	size_t calls;

	if (!a->failed && has_nameless_call(a)) {
		a->complete = false;
		answer_fail(a, FAILURE_MALFORMED, "a tool call in the answer has no name");
	}
	if (a->failed) {
		if (!a->muted)
			a->events->on_failed(a->ctx,
					     &(struct provider_failure){ a->failure, retry_after_ms,
									 &a->err, a->usage });
		return;
	}
	tell_reasoning(a);
	calls = tell_calls(a);
	if (!a->muted)
		a->events->on_done(a->ctx, final_stop(a, calls), &a->usage);
}
