#include "dialect_rig.h"

enum { TRACE_MAX = 1 << 20 };

/* ---- what the port hears ---- */

static void
heard(struct dialect_trace *t)
{
	assert_int_equal(t->ends, 0);
	if (t->out.len > 0)
		buf_putc(&t->out, ' ');
	if (t->mute_at_once)
		t->mute_at_once->muted = true;
}

static void
on_text(void *ctx, struct str piece)
{
	struct dialect_trace *t = ctx;

	heard(t);
	buf_printf(&t->out, "\"%.*s\"", STR_ARG(piece));
}

static void
on_thinking(void *ctx, struct str piece)
{
	struct dialect_trace *t = ctx;

	heard(t);
	buf_printf(&t->out, "(%.*s)", STR_ARG(piece));
}

static void
on_thinking_data(void *ctx, struct str data)
{
	struct dialect_trace *t = ctx;

	heard(t);
	buf_put_str(&t->out, data);
}

static void
on_call(void *ctx, const struct tool_call *call)
{
	struct dialect_trace *t = ctx;

	heard(t);
	buf_printf(&t->out, "call(%.*s %.*s %.*s)", STR_ARG(call->id), STR_ARG(call->name),
		   STR_ARG(call->arguments));
}

static void
on_lost_call(void *ctx, const struct tool_call *call)
{
	struct dialect_trace *t = ctx;

	heard(t);
	assert_int_equal(call->arguments.len, 0);
	buf_printf(&t->out, "lost(%.*s %.*s)", STR_ARG(call->id), STR_ARG(call->name));
}

static void
on_heard(void *ctx, struct str piece, const struct usage *told)
{
	struct dialect_trace *t = ctx;

	assert_int_equal(t->ends, 0);
	buf_printf(&t->heard, ".%lld", (long long)usage_prompt_tokens(told));
	buf_put_str(&t->heard, piece);
}

static void
on_done(void *ctx, enum provider_stop stop, const struct usage *u)
{
	static const char *const STOPS[] = { "end", "tools", "length", "cut", "refusal" };
	struct dialect_trace *t = ctx;

	heard(t);
	t->ends++;
	buf_printf(&t->out, "%s %lld+%lld r%lld %lld+%lld", STOPS[stop], (long long)u->input,
		   (long long)u->output, (long long)u->reasoning, (long long)u->cache_read,
		   (long long)u->cache_write);
}

static void
on_failed(void *ctx, const struct provider_failure *f)
{
	static const char *const KINDS[] = { "network",        "timeout",    "malformed",
					     "rate_limited",   "overloaded", "server",
					     "context_length", "billing",    "request",
					     "refusal",        "unknown" };
	struct dialect_trace *t = ctx;

	heard(t);
	t->ends++;
	buf_printf(&t->out, "!%s %s", KINDS[f->kind], f->err->text);
}

const struct provider_events DIALECT_TRACE = { on_text, on_thinking,  on_thinking_data,
					       on_call, on_lost_call, on_heard,
					       on_done, on_failed };

void
dialect_trace_init(struct dialect_trace *t)
{
	*t = (struct dialect_trace){ 0 };
	buf_init(&t->out, TRACE_MAX);
	buf_init(&t->heard, TRACE_MAX);
}

void
dialect_trace_release(struct dialect_trace *t)
{
	buf_release(&t->out);
	buf_release(&t->heard);
}

/* ---- answers ---- */

static struct str
quoted(struct arena *a, const char *text)
{
	struct str copy = arena_str(a, str_of(text));
	char *p = (char *)(uintptr_t)copy.ptr;

	for (size_t i = 0; i < copy.len; i++)
		if (p[i] == '\'')
			p[i] = '"';
	return copy;
}

struct listening {
	struct dialect_trace trace;
	struct answer answer;
	struct answer_stream stream;
};

static void
listen_begin(struct listening *l, const struct dialect *d)
{
	dialect_trace_init(&l->trace);
	answer_init(&l->answer, &DIALECT_TRACE, &l->trace);
	l->answer.from = STR("acme/m");
	l->answer.secret = STR("the-key");
	answer_stream_init(&l->stream, d, &l->answer);
}

static void
listen_end(struct listening *l, const char *what, struct str want)
{
	answer_finish(&l->answer, -1);
	check_str(what, buf_str(&l->trace.out), want);
	assert_int_equal(l->trace.ends, 1);
	answer_stream_release(&l->stream);
	answer_release(&l->answer);
	dialect_trace_release(&l->trace);
}

/* cut 0: byte by byte. */
static void
check_cut(const struct dialect *d, struct str stream, size_t cut, struct str want)
{
	struct listening l;
	char what[64];

	listen_begin(&l, d);
	for (size_t at = 0; at < stream.len && !answer_is_over(&l.answer);) {
		size_t end = cut == 0 ? at + 1 : at < cut ? cut : stream.len;

		/* A copy of its own, so that reading beyond it is seen. */
		struct arena piece;
		arena_init(&piece);
		answer_stream_feed(&l.stream, arena_str(&piece, str_slice(stream, at, end)));
		arena_release(&piece);
		at = end;
	}
	if (!answer_is_over(&l.answer))
		answer_stream_end(&l.stream);
	snprintf(what, sizeof what, "cut at %zu", cut);
	listen_end(&l, what, want);
}

void
dialect_check_stream(const struct dialect *d, const char *stream, const char *want)
{
	struct arena a;
	struct str bytes, told;

	arena_init(&a);
	bytes = quoted(&a, stream);
	told = quoted(&a, want);
	check_cut(d, bytes, bytes.len, told);
	for (size_t cut = 0; cut < bytes.len; cut++)
		check_cut(d, bytes, cut, told);
	arena_release(&a);
}

void
dialect_check_heard(const struct dialect *d, const char *stream, const char *want)
{
	struct listening l;
	struct arena a;

	arena_init(&a);
	listen_begin(&l, d);
	answer_stream_feed(&l.stream, quoted(&a, stream));
	check_str("heard", buf_str(&l.trace.heard), quoted(&a, want));
	answer_stream_release(&l.stream);
	answer_release(&l.answer);
	dialect_trace_release(&l.trace);
	arena_release(&a);
}

void
dialect_check_whole(const struct dialect *d, const char *body, const char *want)
{
	struct listening l;
	struct arena a;

	arena_init(&a);
	listen_begin(&l, d);
	answer_stream_whole(&l.stream, quoted(&a, body));
	listen_end(&l, "whole", quoted(&a, want));
	arena_release(&a);
}

/* ---- requests ---- */

void
dialect_check_body(const struct dialect *d, bool openai, const struct provider_request *q,
		   const char *want)
{
	struct dialect_target target = { STR("acme/m"), openai };
	struct json_doc doc;
	struct arena a;
	struct buf out;
	struct err e;

	arena_init(&a);
	buf_init(&out, TRACE_MAX);
	d->write(&target, q, &out);
	if (json_parse(&a, buf_str(&out), &JSON_LIMITS_DEFAULT, &doc, &e) != 0)
		fail_msg("no JSON: %s", e.text);
	check_str("body", buf_str(&out), quoted(&a, want));
	buf_release(&out);
	arena_release(&a);
}

#define OWN                                                                           \
	"{\"from\":\"acme/"                                                           \
	"m\",\"items\":[{\"at\":0,\"item\":{\"type\":\"first\"}},{\"at\":2,\"item\":" \
	"{\"type\":\"second\"}},{\"at\":3,\"item\":{\"type\":\"leads nowhere\"}}]}"
#define FOREIGN "{\"from\":\"other/m\",\"items\":[{\"at\":0,\"item\":{\"type\":\"foreign\"}}]}"

static const struct message_image PICTURES[] = {
	{ .media_type = { "image/png", 9 }, .data = { "QUJD", 4 } },
	{ .url = { "https://example.org/a.jpg", 25 } },
};
static const struct tool_call CALLS[] = {
	{ { "call_1", 6 }, { "look", 4 }, { "{\"q\":1}", 7 } },
	{ { "f.look:2", 8 }, { "look", 4 }, { "not json", 8 } },
};
static const struct message MESSAGES[] = {
	{ .role = MESSAGE_USER, .content = { "see", 3 }, .images = 2, .image_list = PICTURES },
	{ .role = MESSAGE_ASSISTANT,
	  .content = { "well", 4 },
	  .tool_calls = CALLS,
	  .tool_call_count = 2,
	  .reasoning = { OWN, sizeof OWN - 1 } },
	{ .role = MESSAGE_TOOL,
	  .content = { "one", 3 },
	  .tool_call_id = { "call_1", 6 },
	  .name = { "look", 4 },
	  .images = 1,
	  .image_list = PICTURES },
	{ .role = MESSAGE_TOOL, .tool_call_id = { "f.look:2", 8 }, .name = { "look", 4 } },
	{ .role = MESSAGE_USER, .content = { "and?", 4 } },
	{ .role = MESSAGE_ASSISTANT,
	  .content = { "so", 2 },
	  .reasoning = { FOREIGN, sizeof FOREIGN - 1 } },
	{ .role = MESSAGE_SYSTEM, .content = { "mind", 4 } },
	{ .role = MESSAGE_USER, .content = { "end", 3 } },
};
static const struct provider_tool TOOLS[] = {
	{ { "look", 4 }, { "looks", 5 }, { "{\"type\":\"object\"}", 17 } },
	{ { "bare", 4 }, { "has no schema", 13 }, { NULL, 0 } },
};
const struct provider_request DIALECT_FULL = {
	.model = { "m", 1 },
	.system = { "Be kind.", 8 },
	.messages = MESSAGES,
	.message_count = ARRAY_LEN(MESSAGES),
	.tools = TOOLS,
	.tool_count = ARRAY_LEN(TOOLS),
	.max_output_tokens = 100,
	.cache_key = { "sesn_1", 6 },
};

static const struct tool_call MADE_UP_CALLS[] = {
	{ { "c1", 2 }, { "functions.look up", 17 }, { "{}", 2 } },
};
static const struct message MADE_UP[] = {
	{ .role = MESSAGE_USER, .content = { "hi", 2 } },
	{ .role = MESSAGE_ASSISTANT, .tool_calls = MADE_UP_CALLS, .tool_call_count = 1 },
	{ .role = MESSAGE_TOOL, .content = { "no such tool", 12 }, .tool_call_id = { "c1", 2 } },
};
const struct provider_request DIALECT_MADE_UP = { .model = { "m", 1 },
						  .messages = MADE_UP,
						  .message_count = ARRAY_LEN(MADE_UP),
						  .max_output_tokens = 10 };

static const struct message HI[] = { { .role = MESSAGE_USER, .content = { "hi", 2 } } };
const struct provider_request DIALECT_PLAIN = {
	.model = { "gpt-4o", 6 }, .messages = HI, .message_count = 1, .max_output_tokens = 10
};
