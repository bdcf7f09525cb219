#include "dialect_fuzz.h"

#include "base/utf8.h"

enum { TRACE_MAX = 1 << 22 };

struct trace {
	struct buf out;
	bool over;
};

static void
check(struct trace *t, bool fine)
{
	if (!fine || t->over)
		__builtin_trap();
}

static void
on_text(void *ctx, struct str piece)
{
	struct trace *t = ctx;

	check(t, piece.len > 0 && utf8_valid(piece));
	buf_printf(&t->out, "t%zu:", piece.len);
	buf_put_str(&t->out, piece);
}

static void
on_thinking(void *ctx, struct str piece)
{
	struct trace *t = ctx;

	check(t, piece.len > 0 && utf8_valid(piece));
	buf_printf(&t->out, "h%zu:", piece.len);
	buf_put_str(&t->out, piece);
}

static void
on_thinking_data(void *ctx, struct str data)
{
	struct trace *t = ctx;
	struct json_doc doc;
	struct arena a;

	arena_init(&a);
	check(t, json_parse(&a, data, &JSON_LIMITS_DEFAULT, &doc, NULL) == 0 &&
			 json_type(json_root(&doc)) == JSON_OBJECT);
	arena_release(&a);
	buf_put_str(&t->out, data);
}

static void
on_call(void *ctx, const struct tool_call *call)
{
	struct trace *t = ctx;

	check(t, call->id.len > 0 && call->name.len > 0 && call->arguments.len > 0);
	buf_printf(&t->out, "c%zu:", call->arguments.len);
	buf_put_str(&t->out, call->id);
	buf_put_str(&t->out, call->name);
	buf_put_str(&t->out, call->arguments);
}

static void
on_lost_call(void *ctx, const struct tool_call *call)
{
	struct trace *t = ctx;

	check(t, call->id.len > 0 && call->name.len > 0 && call->arguments.len == 0);
	buf_puts(&t->out, "l:");
	buf_put_str(&t->out, call->id);
	buf_put_str(&t->out, call->name);
}

static void
on_heard(void *ctx, struct str piece, const struct usage *told)
{
	struct trace *t = ctx;

	check(t, utf8_valid(piece) && told->input >= 0 && told->output >= 0);
	buf_printf(&t->out, "s%zu:", piece.len);
}

static void
on_done(void *ctx, enum provider_stop stop, const struct usage *u)
{
	struct trace *t = ctx;

	check(t, u->input >= 0 && u->output >= 0 && u->reasoning >= 0 && u->cache_read >= 0 &&
			 u->cache_write >= 0);
	t->over = true;
	buf_printf(&t->out, "e%d:%lld,%lld", (int)stop, (long long)u->input, (long long)u->output);
}

static void
on_failed(void *ctx, const struct provider_failure *f)
{
	struct trace *t = ctx;

	check(t, f->err->text[0] != '\0' && utf8_valid(str_of(f->err->text)));
	t->over = true;
	buf_printf(&t->out, "f%d:%s", (int)f->kind, f->err->text);
}

/* step SIZE_MAX: all at once; 0: as an answer that came whole. */
static void
listen_to(const struct dialect *d, struct str bytes, size_t step, struct trace *t)
{
	static const struct provider_events EVENTS = {
		on_text,      on_thinking, on_thinking_data, on_call,
		on_lost_call, on_heard,    on_done,          on_failed,
	};
	struct answer_stream s;
	struct answer a;

	*t = (struct trace){ 0 };
	buf_init(&t->out, TRACE_MAX);
	answer_init(&a, &EVENTS, t);
	a.from = STR("a/m");
	a.secret = STR("key");
	answer_stream_init(&s, d, &a);
	if (step == 0)
		answer_stream_whole(&s, bytes);
	for (size_t take = step; step > 0 && bytes.len > 0 && !answer_is_over(&a);
	     take = step == SIZE_MAX ? step : 1 + (take * 5 + step) % 11) {
		answer_stream_feed(&s, str_slice(bytes, 0, take));
		bytes = str_slice(bytes, take, bytes.len);
	}
	if (!answer_is_over(&a))
		answer_stream_end(&s);
	answer_finish(&a, -1);
	check(&(struct trace){ 0 }, t->over);
	answer_stream_release(&s);
	answer_release(&a);
}

void
dialect_fuzz(const struct dialect *d, struct str bytes)
{
	struct trace whole, cut;

	listen_to(d, bytes, 0, &cut);
	buf_release(&cut.out);
	listen_to(d, bytes, SIZE_MAX, &whole);
	for (size_t step = 1; step < 4; step++) {
		listen_to(d, bytes, step, &cut);
		if (!str_eq(buf_str(&whole.out), buf_str(&cut.out)))
			__builtin_trap();
		buf_release(&cut.out);
	}
	buf_release(&whole.out);
}
