#include "provider/demo.h"

#include "base/buf.h"
#include "harness.h"
#include "virtual_host.h"

/* A request's answer on one line: text, <thinking>, NAME(args) id, then how it ended. */
struct answer {
	struct buf out;
	bool over, thinking;
	size_t texts;
	struct usage usage;
};

static void
close_thinking(struct answer *a)
{
	buf_puts(&a->out, a->thinking ? ">" : "");
	a->thinking = false;
}

static void
on_text(void *ctx, struct str piece)
{
	struct answer *a = ctx;

	close_thinking(a);
	buf_put_str(&a->out, piece);
	a->texts++;
}

static void
on_thinking(void *ctx, struct str piece)
{
	struct answer *a = ctx;

	buf_puts(&a->out, a->thinking ? "" : "<");
	a->thinking = true;
	buf_put_str(&a->out, piece);
}

static void
on_thinking_data(void *ctx, struct str data)
{
	(void)ctx, (void)data;
}

static void
on_call(void *ctx, const struct tool_call *call)
{
	struct answer *a = ctx;

	close_thinking(a);
	buf_printf(&a->out, " %.*s(%.*s)%.*s", STR_ARG(call->name), STR_ARG(call->arguments),
		   STR_ARG(call->id));
}

static void
on_lost_call(void *ctx, const struct tool_call *call)
{
	(void)ctx, (void)call;
	fail_msg("it knows no limit");
}

static void
on_heard(void *ctx, struct str piece, const struct usage *told)
{
	(void)ctx, (void)piece, (void)told;
}

static void
on_done(void *ctx, enum provider_stop stop, const struct usage *usage)
{
	struct answer *a = ctx;

	close_thinking(a);
	buf_puts(&a->out, stop == PROVIDER_STOP_TOOLS ? " /tools" : " /end");
	a->usage = *usage;
	a->over = true;
}

static void
on_failed(void *ctx, const struct provider_failure *failure)
{
	struct answer *a = ctx;

	buf_printf(&a->out, " /fail %s", model_failure_error_type(failure->kind));
	a->over = true;
}

static const struct provider_events EVENTS = { on_text, on_thinking,  on_thinking_data,
					       on_call, on_lost_call, on_heard,
					       on_done, on_failed };

/* A transcript on one line: entries separated by '|', the first letter says who. */
enum { ENTRIES_MAX = 8 };

static size_t
transcript(const char *script, struct message *out, struct tool_call *call)
{
	struct str rest = str_of(script), entry;
	size_t count = 0;

	while (rest.len > 0) {
		struct message *m = &out[count++];

		str_cut(rest, '|', &entry, &rest);
		*m = (struct message){ .content = str_slice(entry, 2, entry.len) };
		switch (entry.ptr[0]) {
		case 'U': m->role = MESSAGE_USER; break;
		case 'N':
			m->role = MESSAGE_USER;
			m->synthetic = true;
			break;
		case 'A': m->role = MESSAGE_ASSISTANT; break;
		case 'C':
			m->role = MESSAGE_ASSISTANT;
			m->tool_calls = call;
			m->tool_call_count = 1;
			break;
		default: m->role = MESSAGE_TOOL; m->name = STR("look");
		}
	}
	return count;
}

static const struct {
	const char *name, *script, *want;
} ROWS[] = {
	{ "T3 demo says what it is told", "U say hello", "hello /end" },
	{ "T3 demo lines in order", "U say a\nthink b\nsay c", "a<b>\nc /end" },
	{ "T3 demo takes no notice of other lines", "U please\nsay a\nthanks", "a /end" },
	{ "T3 demo tool ends the request", "U say a\ntool look {\"x\":1}\nsay b",
	  "a look({\"x\":1})call_1 /tools" },
	{ "T3 demo tool without arguments", "U tool look", " look({})call_1 /tools" },
	{ "T3 demo reports the result and goes on", "U say a\ntool look {}\nsay b|C a|T found|",
	  "look: found\nb /end" },
	{ "T3 demo second tool", "U tool look {}\ntool see {}\nsay b|C|T found",
	  "look: found see({})call_2 /tools" },
	{ "T3 demo both results are behind it",
	  "U tool look {}\ntool see {}\nsay b|C|T one|C|T two", "look: two\nb /end" },
	{ "T3 demo answers the last user text", "U say a|A a|U say b", "b /end" },
	{ "Q3 demo messages of one turn all count", "U say z|A z|U say a|U say b", "a\nb /end" },
	{ "Q3 demo a steer comes after the rest", "U tool look {}\nsay a|C|T x|U say b",
	  "look: x\na\nb /end" },
	{ "Q5 demo what was cancelled is not taken up again",
	  "U tool look {}\nsay a|C|T cancelled|N [The turn above ended without an answer.]|U say b",
	  "b /end" },
	{ "Q5 demo what was interrupted is not taken up again",
	  "U wait 60|N [The turn above ended without an answer.]|U say b", "b /end" },
	{ "H5 demo goes on after a restart", "U tool look {}\nsay a|C|T x|A half|N note",
	  "a /end" },
	{ "T6 demo overloaded", "U say a\nfail overloaded", "a /fail model_overloaded_error" },
	{ "T6 demo rate limit", "U fail rate_limit", " /fail model_rate_limited_error" },
	{ "T6 demo disconnect", "U fail disconnect", " /fail model_request_failed_error" },
	{ "T6 demo malformed", "U fail malformed", " /fail model_request_failed_error" },
	{ "T6 demo context length", "U fail context_length",
	  " /fail compaction_limit_reached_error" },
	{ "K8 demo sees through a sender's name", "U [Ann] say a\nsay b", "a\nb /end" },
	{ "T3 demo says something in any case", "N note", "Done. /end" },
};

static void
ask(struct answer *a, const char *script, struct str system, int64_t wait_ms)
{
	struct message messages[ENTRIES_MAX];
	struct tool_call call = { STR("call_1"), STR("look"), STR("{}") };
	struct provider_request q = { .model = STR("demo"),
				      .system = system,
				      .messages = messages };
	struct virtual_host host;
	struct provider *p;

	*a = (struct answer){ 0 };
	buf_init(&a->out, 1 << 16);
	virtual_host_init(&host, 1000000);
	p = provider_demo_new(&host.host);
	assert_int_equal(p->context_tokens, 32000);
	q.message_count = transcript(script, messages, &call);
	p->ops->start(p, &q, &EVENTS, a);
	virtual_host_advance(&host, wait_ms);
	assert_true(a->over);
	p->ops->free(p);
}

static void
check_row(void **state)
{
	const __typeof__(ROWS[0]) *row = *state;
	struct answer a;

	ask(&a, row->script, (struct str){ 0 }, 0);
	check_str(row->name, buf_str(&a.out), str_of(row->want));
	buf_release(&a.out);
}

static void
T3_demo_answers_other_text_with_what_it_knows(void **state)
{
	struct answer a;

	(void)state;
	ask(&a, "U hi|A hello|U wait for me",
	    STR("be kind\n\n## Current Session Context\n"
		"- Agent: main\n- User: Ann\n\nmore"),
	    0);
	assert_true(str_contains(buf_str(&a.out), STR("You wrote: wait for me\n")));
	assert_true(str_contains(buf_str(&a.out), STR("3 messages, 2 of them from people")));
	assert_true(str_contains(buf_str(&a.out), STR("- Agent: main\n- User: Ann\n")));
	assert_false(str_contains(buf_str(&a.out), STR("more")));
	assert_true(str_contains(buf_str(&a.out), STR("api_key_env")));
	assert_true(a.texts > 10); /* in small pieces */
	buf_release(&a.out);
}

static void
T3_demo_waits_decimals(void **state)
{
	struct answer a;

	(void)state;
	ask(&a, "U wait 0.25\nwait .5\nwait 1\nsay a", (struct str){ 0 }, 1750);
	check_str("answer", buf_str(&a.out), STR("a /end"));
	buf_release(&a.out);
}

static void
M12_demo_usage_is_the_estimate(void **state)
{
	struct answer a;

	(void)state;
	ask(&a, "U say abcdefgh", (struct str){ 0 }, 0);
	assert_int_equal(a.usage.output, 2);
	assert_int_equal(a.usage.input, 3 + 12); /* the text and its frame */
	buf_release(&a.out);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, check_row);
	SUITE_TEST(&s, T3_demo_answers_other_text_with_what_it_knows);
	SUITE_TEST(&s, T3_demo_waits_decimals);
	SUITE_TEST(&s, M12_demo_usage_is_the_estimate);
	return suite_run(&s, "provider/demo");
}
