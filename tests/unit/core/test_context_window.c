#include "core/context_window.h"

#include "core/compact_policy.h"
#include "core/event_make.h"
#include "core/replay.h"
#include "replay_log.h"

/* A log as a script (replay_log.h); `raw KIND ID JSON` writes an event's payload out. */
enum { EVENTS_MAX = 64 };

struct log {
	struct arena arena;
	struct replay *replay;
	struct event events[EVENTS_MAX];
};

static void
log_add(struct log *l, struct str step)
{
	struct replay_log_event made;
	struct str open = replay_session(l->replay)->turn;
	int64_t seq = replay_session(l->replay)->head_seq + 1;
	struct str word, rest;
	struct err e;

	str_cut(step, ' ', &word, &rest);
	replay_log_make(&made, str_eq(word, STR("raw")) ? STR("msg x") : step, seq, open);
	if (str_eq(word, STR("raw"))) {
		struct str type;
		str_cut(rest, ' ', &type, &rest);
		str_cut(rest, ' ', &made.ev.id, &rest);
		assert_true(event_kind_parse(type, &made.ev.kind));
		made.ev.payload = rest;
		if (made.ev.kind != EVENT_USER_MESSAGE && made.ev.kind != EVENT_USER_DEFINE_OUTCOME)
			made.ev.meta = (struct str){ 0 };
	}
	if (str_eq(word, STR("run"))) /* what opens a turn is already of it, as in a real log */
		str_cut(rest, ' ', &made.ev.turn, &rest);
	made.ev.id = arena_str(&l->arena, made.ev.id);
	made.ev.payload = arena_str(&l->arena, made.ev.payload);
	made.ev.meta = arena_str(&l->arena, made.ev.meta);
	made.ev.turn = arena_str(&l->arena, made.ev.turn);
	if (replay_apply(l->replay, &made.ev, &e) != 0)
		fail_msg(STR_FMT ": %s", STR_ARG(step), e.text);
	assert_true(seq < EVENTS_MAX);
	l->events[seq] = made.ev;
	replay_log_release(&made);
}

static void
log_init(struct log *l, const char *script)
{
	struct str rest = str_of(script), step;

	arena_init(&l->arena);
	l->replay = replay_new();
	log_add(l, STR("create"));
	while (rest.len > 0) {
		str_cut(rest, ';', &step, &rest);
		log_add(l, str_trim(step));
	}
}

static void
log_release(struct log *l)
{
	replay_free(&l->replay);
	arena_release(&l->arena);
}

static void
view_of(struct log *l, bool shared, const struct context_limits *limits, struct context_view *out)
{
	struct context_window w;
	size_t count;
	const struct item_row *items = replay_items(l->replay, &count);

	context_window_init(&w, &l->arena, shared);
	for (size_t i = 0; i < count; i++)
		if (items[i].at_seq > 0 && !items[i].rewound && items[i].archived_by_seq == 0)
			context_window_add(&w, &items[i], &l->events[items[i].seq],
					   &l->events[items[i].content_seq],
					   l->events[items[i].at_seq].turn);
	context_window_finish(&w, limits, out);
	context_window_release(&w);
}

/* u:text a:text(call id=args,…) t[id]:text; * before what the server made, - behind what was cut. */
static void
show(const struct context_view *v, struct buf *out)
{
	static const char LETTERS[] = "uast";

	for (size_t i = 0; i < v->count; i++) {
		const struct message *m = &v->messages[i];

		buf_printf(out, "%s%s%c", i > 0 ? " | " : "", m->synthetic ? "*" : "",
			   LETTERS[m->role]);
		if (m->role == MESSAGE_TOOL)
			buf_printf(out, "[%.*s %.*s]", STR_ARG(m->tool_call_id), STR_ARG(m->name));
		buf_printf(out, "%s:%.*s", m->cut ? "-" : "", STR_ARG(m->content));
		for (size_t k = 0; k < m->tool_call_count; k++)
			buf_printf(out, "(%.*s %.*s %.*s)", STR_ARG(m->tool_calls[k].id),
				   STR_ARG(m->tool_calls[k].name),
				   STR_ARG(m->tool_calls[k].arguments));
		for (size_t k = 0; k < m->images; k++)
			buf_printf(out, "<%.*s%.*s%.*s>", STR_ARG(m->image_list[k].url),
				   STR_ARG(m->image_list[k].media_type),
				   STR_ARG(m->image_list[k].data));
		if (m->reasoning.len > 0)
			buf_printf(out, "~%.*s", STR_ARG(m->reasoning));
	}
}

#define CALL(id, provider)                                                          \
	"raw agent.tool_use " id " {\"type\":\"agent.tool_use\",\"name\":\"look\"," \
	"\"input\":{\"q\":1},\"provider_call_id\":\"" provider "\"}"

#define CUT(id)                                                               \
	"raw agent.message " id " {\"type\":\"agent.message\",\"content\":[{" \
	"\"type\":\"text\",\"text\":\"half\"}],\"interrupted\":true}"
#define IMAGE(data)                                                                   \
	"{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":\"image/" \
	"png\",\"data\":"                                                             \
	"\"" data "\"}}"
#define THINKING                                                                \
	"raw agent.thinking h {\"type\":\"agent.thinking\",\"provider_data\":{" \
	"\"from\":\"x\"}}"

static const struct row {
	const char *name, *script, *want;
	bool shared;
	const char *note;
} ROWS[] = {
	{ "T1 a turn", "msg a; run t a; say b; end t end_turn", "u:a | a:b" },
	{ "T1 what is not consumed is not shown", "msg a; run t a; msg b", "u:a" },
	{ "T5 a note comes last and is the server's", "msg a; run t a", "u:a | *u:mind", false,
	  "mind" },
	{ "T7 text and calls are one message",
	  "msg a; run t a; say b; " CALL("c", "p") "; result c",
	  "u:a | a:b(p look {\"q\":1}) | t[p look]:done" },
	{ "T7 parallel calls, results in the order of the calls",
	  "msg a; run t a; " CALL("c", "p") "; " CALL("d", "q") "; result d; result c",
	  "u:a | a:(p look {\"q\":1})(q look {\"q\":1}) | t[p look]:done | t[q look]:done" },
	{ "T7 steps are messages of their own",
	  "msg a; run t a; " CALL("c", "p") "; result c; " CALL("d", "q") "; result d; say e",
	  "u:a | a:(p look {\"q\":1}) | t[p look]:done | a:(q look {\"q\":1}) | t[q look]:done | "
	  "a:e" },
	{ "T7 a provider's id that comes again gives way",
	  "msg a; run t a; " CALL("c", "p") "; result c; " CALL("d", "p") "; result d",
	  "u:a | a:(p look {\"q\":1}) | t[p look]:done | a:(d look {\"q\":1}) | t[d look]:done" },
	{ "T7 a call without a result gets one", "msg a; run t a; tool c",
	  "u:a | a:(c bash {}) | t[c bash]:no result was recorded" },
	{ "T7 a call in every state has one result",
	  "msg a; run t a; tool c; tool d ask; tool e deny; tool f client; ctool g; mcp h; tool i; "
	  "result i; result e",
	  "u:a | a:(c bash {})(d bash {})(e bash {})(f bash {})(g bash {})(h bash {})(i bash {}) | "
	  "t[c bash]:no result was recorded | t[d bash]:no result was recorded | t[e bash]:done | "
	  "t[f bash]:no result was recorded | t[g bash]:no result was recorded | "
	  "t[h bash]:no result was recorded | t[i bash]:done" },
	{ "T7 an answer that nobody consumed yet is no result",
	  "msg a; run t a; ctool g; tool d ask; park t g d; custom r g; allow y d",
	  "u:a | a:(g bash {})(d bash {}) | t[g bash]:no result was recorded | "
	  "t[d bash]:no result was recorded" },
	{ "T7 a result without its call is left out",
	  "msg a; run t a; tool c; say k; result c; compact s k; end t end_turn",
	  "*u:BOUNDARY | *a:sum | a:k" },
	{ "T9 a client's result stands where it was consumed",
	  "msg a; run t a; ctool c; park t c; custom r c; run t r; say b",
	  "u:a | a:(c bash {}) | t[c bash]: | a:b" },
	{ "Q3 a steer stands where it entered",
	  "msg a; run t a; tool c; msg s busy=steer; result c; consume t s; say b",
	  "u:a | a:(c bash {}) | t[c bash]:done | u:s | a:b" },
	{ "Q3 a steer into a turn that went on after a restart asks with its request",
	  "msg a; run t a; msg s busy=steer; resched t 1; run t; consume t s", "u:a | u:s" },
	{ "Q3 so do two, one after the other",
	  "msg a; run t a; msg s busy=steer; resched t 1; run t; consume t s; msg r busy=steer; "
	  "resched t 2; run t; consume t r",
	  "u:a | u:s | u:r" },
	{ "Q3 and the next turn is told of neither",
	  "msg a; run t a; msg s busy=steer; resched t 1; run t; consume t s; say b; end t "
	  "end_turn; msg c; run u c",
	  "u:a | u:s | a:b | u:c" },
	{ "Q3 a steer into a parked turn",
	  "msg a; run t a; ctool c; park t c; msg s busy=steer; custom r c; run t r; consume t s",
	  "u:a | a:(c bash {}) | t[c bash]: | u:s" },
	{ "Q3 a steer behind an answer that a restart cut short",
	  "msg a; run t a; msg s busy=steer; " CUT("x") "; resched t 1; run t; consume t s",
	  "u:a | a-:half | u:s" },
	{ "Q3 an answer that was cut short and begun again",
	  "msg a; run t a; " CUT("x") "; resched t 1; run t; say b", "u:a | a-:half | a:b" },
	{ "Q3 one that was never ended is told from the next",
	  "msg a; run t a; msg s busy=steer; " CUT("x") "; resched t 1; run t; consume t s; "
							"end t interrupted; msg b; run u b",
	  "u:a | a-:half | u:s | *u:UNANSWERED | u:b" },
	{ "Q5 a steer that found no turn is told from what was never answered",
	  "msg a; run t a; end t interrupted; msg s busy=steer; run u s",
	  "u:a | *u:UNANSWERED | u:s" },
	{ "Q5 also behind calls",
	  "msg a; run t a; tool c; result c; end t steps; msg s busy=steer; run u s",
	  "u:a | a:(c bash {}) | t[c bash]:done | *u:UNANSWERED | u:s" },
	{ "Q5 what was cut short by a person is an answer",
	  "msg a; run t a; " CUT("x") "; end t interrupted; msg b; run u b", "u:a | a:half | u:b" },
	{ "Q5 a message that was never answered is told from the next",
	  "msg a; run t a; end t interrupted; msg b; run u b", "u:a | *u:UNANSWERED | u:b" },
	{ "Q5 so is one whose turn ended among its calls",
	  "msg a; run t a; tool c; result c; end t steps; msg b; run u b",
	  "u:a | a:(c bash {}) | t[c bash]:done | *u:UNANSWERED | u:b" },
	{ "Q5 what was cut short is an answer",
	  "msg a; run t a; say x; end t interrupted; msg b; run u b", "u:a | a:x | u:b" },
	{ "Q3 messages of one turn ask together", "msg a; msg b; run t a b", "u:a | u:b" },
	{ "Q3 what only listens asks for nothing", "msg a class=passive; msg b; run t b",
	  "u:a | u:b" },
	{ "Q9 an edited message is shown as edited", "msg a; edit a; run t a", "u:edited" },
	{ "T1 thinking is not shown again", "msg a; run t a; think h; say b", "u:a | a:b" },
	{ "M10 a system message", "sys s; msg a; run t a", "s:s | u:a" },
	{ "M10 an outcome", "outcome o; run t o", "u:The outcome to reach: d\nIt is judged by: r" },
	{ "M10 a schedule's words", "fired f; run t f", "u:go" },
	{ "C5 a summary stands as a pair before what it kept",
	  "msg a; run t a; say b; end t end_turn; msg c; run u c; compact s c",
	  "*u:BOUNDARY | *a:sum | u:c" },
	{ "M11 images, documents and attachments",
	  "raw user.message m {\"type\":\"user.message\",\"content\":[{\"type\":\"text\",\"text\":"
	  "\"see\"},{\"type\":\"image\",\"source\":{\"type\":\"url\",\"url\":\"x\"}},{\"type\":"
	  "\"document\",\"title\":\"T\",\"source\":{\"type\":\"url\",\"url\":\"y\"}}],"
	  "\"attachments\":[{\"path\":\"/a.txt\",\"name\":\"A\"},{\"file_id\":\"f1\"}]}; run t m",
	  "u:see\n[document: T]\n[attachment: /a.txt] A\n[attachment: f1]<x>" },
	{ "M11 images by their bytes, and one that is only named",
	  "raw user.message m {\"type\":\"user.message\",\"content\":[" IMAGE("AA") "," IMAGE(
		  "BB") "," IMAGE("CC") ",{\"type\":\"image\",\"source\":{\"type\":\"file\","
					"\"file_id\":\"f9\"}}]}; run t m",
	  "u:[image: f9]<image/pngAA><image/pngBB><image/pngCC>" },
	{ "T3 thinking goes back with the answer it led to",
	  "msg a; run t a; " THINKING "; say b; " CALL("c", "p") "; result c; say d",
	  "u:a | a:b(p look {\"q\":1})~{\"from\":\"x\"} | t[p look]:done | a:d" },
	{ "T3 and with a call that has no text", "msg a; run t a; " THINKING "; " CALL("c", "p"),
	  "u:a | a:(p look {\"q\":1})~{\"from\":\"x\"} | t[p look]:no result was recorded" },
	{ "T3 thinking of another turn goes nowhere",
	  "msg a; run t a; " THINKING "; end t end_turn; msg b; run u b; say c",
	  "u:a | *u:[The turn above ended without an answer.] | u:b | a:c" },
	{ "K8 a sender's name in shared sessions",
	  "raw user.message m {\"type\":\"user.message\",\"content\":[{\"type\":\"text\",\"text\":"
	  "\"hi\"}],\"sender\":{\"channel\":\"telegram\",\"channel_user_id\":\"7\","
	  "\"display_name\":\"Ann\"}}; run t m",
	  "u:[Ann] hi", true },
	{ "K8 no name elsewhere",
	  "raw user.message m {\"type\":\"user.message\",\"content\":[{\"type\":\"text\",\"text\":"
	  "\"hi\"}],\"sender\":{\"channel\":\"telegram\",\"channel_user_id\":\"7\"}}; run t m",
	  "u:hi" },
};

static void
check_row(void **state)
{
	static const struct {
		struct str word;
		const struct str *text;
	} WORDS[] = { { STR("BOUNDARY"), &COMPACT_BOUNDARY },
		      { STR("UNANSWERED"), &CONTEXT_UNANSWERED } };
	const struct row *row = *state;
	struct context_limits limits = { .window_tokens = 32000, .note = str_of(row->note) };
	struct context_view view;
	struct str want = str_of(row->want), before, after;
	struct log l;
	struct buf out;
	size_t at;

	log_init(&l, row->script);
	view_of(&l, row->shared, &limits, &view);
	buf_init(&out, 1 << 16);
	show(&view, &out);
	for (size_t i = 0; i < ARRAY_LEN(WORDS); i++) {
		if (!str_find(want, WORDS[i].word, 0, &at))
			continue;
		before = str_slice(want, 0, at);
		after = str_slice(want, at + WORDS[i].word.len, want.len);
		want = arena_printf(&l.arena, STR_FMT STR_FMT STR_FMT, STR_ARG(before),
				    STR_ARG(*WORDS[i].text), STR_ARG(after));
	}
	check_str(row->name, buf_str(&out), want);
	buf_release(&out);
	log_release(&l);
}

static void
C2_a_prompt_that_was_too_long_loses_its_old_results(void **state)
{
	struct context_limits limits = { .window_tokens = 32000 };
	struct context_view whole, pruned;
	struct log l;

	(void)state;
	log_init(&l,
		 "msg a; run t a; tool c; raw agent.tool_result r {\"type\":"
		 "\"agent.tool_result\",\"tool_use_id\":\"c\",\"content\":[{\"type\":\"text\","
		 "\"text\":\"a result that is longer than the notice in its place would be\"}]}; "
		 "say d; say e; say f; end t end_turn");
	view_of(&l, false, &limits, &whole);
	limits.aggressive = true;
	view_of(&l, false, &limits, &pruned);
	assert_int_equal(whole.count, pruned.count);
	assert_true(pruned.tokens < whole.tokens);
	log_release(&l);
}

static void
T7_a_long_result_shows_its_head_and_tail(void **state)
{
	size_t long_bytes = 100000;
	struct context_limits limits = { .window_tokens = 1000000 };
	struct context_view view;
	struct log l;
	struct buf b;

	(void)state;
	log_init(&l, "msg a; run t a; tool c");
	buf_init(&b, 200000);
	buf_puts(&b,
		 "raw agent.tool_result r {\"type\":\"agent.tool_result\",\"tool_use_id\":\"c\","
		 "\"content\":[{\"type\":\"text\",\"text\":\"head");
	for (size_t i = 0; i < long_bytes; i++)
		buf_putc(&b, 'x');
	buf_puts(&b, "tail\"}],\"outcome\":\"ok\"}");
	log_add(&l, buf_str(&b));
	buf_release(&b);
	view_of(&l, false, &limits, &view);
	assert_int_equal(view.count, 3);
	assert_true(view.messages[2].content.len <= 32 * 1024);
	assert_true(str_starts(view.messages[2].content, STR("headxxx")));
	assert_true(str_ends(view.messages[2].content, STR("xtail")));
	assert_true(str_contains(view.messages[2].content, STR("of 100008 bytes are left out")));
	log_release(&l);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, check_row);
	SUITE_TEST(&s, C2_a_prompt_that_was_too_long_loses_its_old_results);
	SUITE_TEST(&s, T7_a_long_result_shows_its_head_and_tail);
	return suite_run(&s, "core/context_window");
}
