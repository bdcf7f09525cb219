#include "base/rand.h"
#include "replay_log.h"

static const struct replay_row ROWS[] = {
	{ "M10 a log begins with session.created", "bare; msg a",
	  "error: begins with session.created" },
	{ "M10 a session is created once", "create; create", "error: created once" },
	{ "M8 a turn ends with its reason", "msg a; run t a; end t refusal",
	  "none active refusal | a | |" },
	{ "M8 a limit ends a turn", "msg a; run t a; end t steps",
	  "none active limit_reached | a | |" },
	{ "M8 rescheduling ends a turn with a wake queued", "msg a; run t a; end t rescheduling",
	  "none active rescheduling | a | |" },
	{ "M8 budget_reached is terminal", "msg a; run t a; end t budget_reached",
	  "none active budget_reached | a | |" },
	{ "M7 a turn ends once", "msg a; run t a; end t end_turn; end t end_turn",
	  "error: names turn 't'" },
	{ "M7 a turn starts once at a time", "msg a; msg b; run t a; run t b",
	  "error: a turn is running" },
	{ "M7 the open turn goes on under its own id", "msg a; run t a; resched t 1; run u",
	  "error: names turn 'u'" },
	{ "M7 terminated is final", "terminate; msg a", "error: that is terminated" },
	{ "M7 a terminated turn needs no results", "msg a; run t a; tool c; terminate t",
	  "none terminated terminated | a #4 | |" },
	{ "M7 archive needs a free session", "msg a; run t a; life archived",
	  "error: a turn is running" },
	{ "M7 unarchive brings it back", "life archived; life active", "none active none |  | |" },
	{ "M7 nobody is terminated by an update", "life terminated",
	  "error: only status_terminated" },
	{ "M7 deactivate and reactivate", "life inactive; life active; life inactive",
	  "none inactive none |  | |" },
	{ "R3 a reset archives", "msg a; run t a; end t end_turn; reset archived",
	  "none archived end_turn | a | |" },
	{ "R4 a reset without a lane makes it inactive", "reset inactive",
	  "none inactive none |  | |" },
	{ "R2 no reset with a pending trigger", "msg a; reset archived",
	  "error: a trigger is pending" },
	{ "R2 no reset with an open turn", "msg a; run t a; reset archived",
	  "error: a turn is running" },
	{ "R4 a manual reset cancels the queue first", "msg a; cancel all; reset archived",
	  "none archived none | a? | |" },
	{ "P6 after the tombstone nothing follows", "delete; sys s", "error: nothing follows" },
	{ "Q6 a due wake starts a turn without input", "run t +w; say x; end t end_turn",
	  "none active end_turn | #3 | |" },
	{ "Q2 nothing starts a turn by itself", "run t", "error: that nothing started" },
	{ "M7 a terminate names the open turn", "msg a; run t a; terminate",
	  "error: names turn ''" },
	{ "M9 ids of interrupts are unique", "interrupt a; interrupt a", "error: empty or taken" },
	{ "M9 ids of replies are unique", "run t +w; say x; say x", "error: empty or taken" },
	{ "M9 ids are unique", "msg a; msg a", "error: empty or taken" },
	{ "C11 a fork is a beginning", "msg a; fork", "error: right after it is created" },
	{ "C11 a fork begins somewhere", "fork p 0", "error: at_seq: must be" },
	{ "C11 a fork whose parent is not known is believed",
	  "fork p 9; msg a; run t a; say x; end t end_turn; compact S elsewhere; rewind elsewhere",
	  "none active end_turn | S7 (a) (#5) | |" },
	{ "C11 no fork is believed of nothing", "rewind elsewhere", "error: no user message" },
	{ "C11 a summary keeps messages, no summaries",
	  "msg a; run t a; say x; end t end_turn; compact S; compact T S", "error: not in view" },
	{ "M10 what is only told changes nothing", "check; error; sent; thread; spent",
	  "none active none |  | |" },
};

static struct replay *
run(const char *script)
{
	struct replay *r = replay_new();
	struct err e = { 0 };

	if (replay_log_run(r, script, &e) != 0)
		fail_msg("%s", e.text);
	return r;
}

static void
M12_counters_add_up(void **state)
{
	struct replay *r =
		run("msg a; run t a; usage 100 20 5000 30; tool c; result c; usage 150 10;"
		    "say x; end t end_turn; msg b; run u b; usage 7 3 1; say y; end u end_turn");
	const struct session_counters *c = &replay_session(r)->counters;

	(void)state;
	assert_int_equal(c->messages, 4);
	assert_int_equal(c->completed_turns, 2);
	assert_int_equal(c->usage.input, 257);
	assert_int_equal(c->usage.output, 33);
	assert_int_equal(c->usage.cache_read, 30);
	assert_int_equal(c->total_tokens, 320);
	assert_int_equal(c->last_prompt_tokens, 7);
	assert_int_equal(c->cost_picodollars, 5001);
	assert_int_equal(c->priced_requests, 2);
	assert_int_equal(c->unpriced_requests, 1);
	replay_free(&r);
	r = run("sys s; run t +w; usage 5 0; usage 0 0; end t end_turn; terminate");
	c = &replay_session(r)->counters;
	assert_int_equal(c->messages, 0);
	assert_int_equal(c->completed_turns, 1);
	assert_int_equal(c->last_prompt_tokens, 5);
	assert_int_equal(c->last_activity_ms, 1000000 + 2);
	replay_free(&r);
}

static void
M12_message_count_survives_rewind_and_compaction(void **state)
{
	struct replay *r = run("msg a; run t a; say x; end t end_turn; compact S; msg b; run u b; "
			       "end u end_turn; rewind b");

	(void)state;
	assert_int_equal(replay_session(r)->counters.messages, 3);
	replay_free(&r);
}

static void
M12_preview_and_activity_follow_the_talk(void **state)
{
	struct replay *r = run("title new");

	(void)state;
	assert_int_equal(replay_session(r)->counters.last_activity_ms, 1000000 + 1);
	replay_free(&r);
	r = run("msg a text=hello; run t a; say world; end t end_turn; title x; sent");
	assert_string_equal(replay_session(r)->preview, "world");
	assert_int_equal(replay_session(r)->counters.last_activity_ms, 1000000 + 4);
	check_str("title", replay_session(r)->title, STR("x"));
	check_str("fallback", replay_session(r)->fallback_title, STR("hello"));
	replay_free(&r);
}

static void
M4_metadata_is_what_the_last_update_says(void **state)
{
	struct replay *r = run("title x");

	(void)state;
	check_str("none", replay_metadata(r), STR(""));
	replay_free(&r);
	r = run("meta {\"a\":1}; meta {\"b\":[2]}; title x; life inactive");
	check_str("the last", replay_metadata(r), STR("{\"b\":[2]}"));
	replay_free(&r);
}

static void
M4_a_title_says_who_gave_it(void **state)
{
	struct replay *r = run("msg a");

	(void)state;
	assert_int_equal(replay_session(r)->title_source, TITLE_FALLBACK);
	replay_free(&r);
	r = run("title x; title y ai");
	assert_int_equal(replay_session(r)->title_source, TITLE_AI);
	replay_free(&r);
	r = run("title y ai; title x; meta {}");
	assert_int_equal(replay_session(r)->title_source, TITLE_USER);
	replay_free(&r);
}

static void
M12_titles_come_from_people_and_previews_from_text(void **state)
{
	struct replay *r =
		run("run t +w; say x; end t end_turn; msg a text=two\\u0020\\u0020words");
	struct event picture = {
		.seq = 6,
		.id = STR("p"),
		.kind = EVENT_USER_MESSAGE,
		.meta = STR("{\"class\":\"passive\"}"),
		.payload = STR("{\"type\":\"user.message\",\"content\":[{\"type\":\"image\","
			       "\"source\":{\"type\":\"url\",\"url\":\"u\"}}]}"),
	};
	struct err e = { 0 };

	(void)state;
	check_str("fallback", replay_session(r)->fallback_title, STR("two words"));
	assert_int_equal(replay_apply(r, &picture, &e), 0);
	assert_string_equal(replay_session(r)->preview, "two words");
	replay_free(&r);
}

static void
M11_results_are_tool_entries(void **state)
{
	struct replay *r = run(
		"msg a; run t a; ctool c; tool d client; custom r c; toolres q d; consume t r q");
	const struct item_row *items;
	size_t count;

	(void)state;
	items = replay_items(r, &count);
	assert_int_equal(count, 5);
	assert_int_equal(items[0].role, ITEM_USER);
	assert_int_equal(items[1].role, ITEM_ASSISTANT);
	assert_int_equal(items[3].role, ITEM_TOOL);
	assert_int_equal(items[4].role, ITEM_TOOL);
	replay_free(&r);
}

static void
T9_a_call_knows_the_event_that_closed_it(void **state)
{
	struct replay *r =
		run("msg a; run t a; ctool c; ctool d ask; custom r c; allow y d; consume t r y");
	const struct call_row *calls;
	size_t count;

	(void)state;
	calls = replay_calls(r, &count);
	assert_int_equal(count, 2);
	assert_int_equal(calls[0].closed_seq, 8);
	assert_int_equal(calls[1].closed_seq, 0);
	replay_free(&r);
}

static void
M12_preview_is_one_short_line(void **state)
{
	struct replay *r = run("msg a "
			       "text="
			       "0123456789\\n0123456789\\t01234567890123456789012345678901234567890"
			       "12345678901234567890123456789");

	(void)state;
	assert_string_equal(
		replay_session(r)->preview,
		"0123456789 0123456789 0123456789012345678901234567890123456789012345678901234...");
	assert_int_equal(strlen(replay_session(r)->preview), PREVIEW_CHARS);
	replay_free(&r);
	r = run("msg a "
		"text="
		"01234567890123456789012345678901234567890123456789012345678901234567890123456789");
	assert_string_equal(
		replay_session(r)->preview,
		"01234567890123456789012345678901234567890123456789012345678901234567890123456789");
	replay_free(&r);
}

static void
M9_processed_at_is_the_instant_of_the_consuming_event(void **state)
{
	struct replay *r = run("msg a; msg b; run t a; sys s; cancel b");

	(void)state;
	assert_int_equal(replay_input_find(r, STR("a"))->processed_at_ms, 1000000 + 4);
	assert_int_equal(replay_input_find(r, STR("s"))->processed_at_ms, 1000000 + 5);
	assert_int_equal(replay_input_find(r, STR("b"))->processed_at_ms, 1000000 + 6);
	assert_true(replay_input_find(r, STR("b"))->cancelled);
	assert_null(replay_input_find(r, STR("zz")));
	replay_free(&r);
}

static void
H5_attempts_are_counted_per_turn(void **state)
{
	struct replay *r = run("msg a; run t a; resched t 2");

	(void)state;
	assert_int_equal(replay_session(r)->attempt, 2);
	check_str("turn", replay_session(r)->turn, STR("t"));
	assert_int_equal(replay_session(r)->turn_seq, 3);
	replay_free(&r);
	r = run("msg a; run t a; resched t 2; run t; end t end_turn");
	assert_int_equal(replay_session(r)->attempt, 0);
	assert_int_equal(replay_session(r)->turn.len, 0);
	replay_free(&r);
}

static struct event
message_event(int64_t seq)
{
	return (struct event){
		.seq = seq,
		.id = STR("a"),
		.kind = EVENT_USER_MESSAGE,
		.created_at_ms = 1,
		.meta = STR("{\"class\":\"trigger\"}"),
		.payload = STR("{\"type\":\"user.message\",\"content\":[{\"type\":\"text\","
			       "\"text\":\"x\"}]}"),
	};
}

static int
apply_after_created(struct event ev, struct err *e)
{
	struct replay *r = run("create");
	int rc = replay_apply(r, &ev, e);

	replay_free(&r);
	return rc;
}

static void
M9_envelope_and_payload_must_agree(void **state)
{
	struct event ev = message_event(2);
	struct err e = { 0 };

	(void)state;
	assert_int_equal(apply_after_created(ev, &e), 0);
	ev.seq = 3;
	assert_int_equal(apply_after_created(ev, &e), ERR_CORRUPT);
	assert_string_equal(e.text, "seq 3 (user.message): follows seq 1");
	ev = message_event(2);
	ev.kind = EVENT_SYSTEM_MESSAGE;
	assert_int_equal(apply_after_created(ev, &e), ERR_CORRUPT);
	assert_non_null(strstr(e.text, "payload is of type user.message"));
	ev = message_event(2);
	ev.payload = STR("{\"type\":\"user.message\"}");
	assert_int_equal(apply_after_created(ev, &e), ERR_CORRUPT);
	assert_non_null(strstr(e.text, "content"));
	ev = message_event(2);
	ev.meta = (struct str){ 0 };
	assert_int_equal(apply_after_created(ev, &e), ERR_CORRUPT);
	ev.meta = STR("{\"class\":\"nonsense\"}");
	assert_int_equal(apply_after_created(ev, &e), ERR_CORRUPT);
	ev = message_event(2);
	ev.id = (struct str){ 0 };
	assert_int_equal(apply_after_created(ev, &e), ERR_CORRUPT);
}

static void
T7_what_the_agent_does_belongs_to_the_open_turn(void **state)
{
	struct replay *r = run("msg a; run t a");
	struct event ev = {
		.seq = 4,
		.id = STR("x"),
		.kind = EVENT_AGENT_MESSAGE,
		.turn = STR("other"),
		.payload = STR("{\"type\":\"agent.message\",\"content\":[{\"type\":\"text\","
			       "\"text\":\"x\"}]}"),
	};
	struct err e = { 0 };

	(void)state;
	assert_int_equal(replay_apply(r, &ev, &e), ERR_CORRUPT);
	replay_free(&r);
}

static void
M9_the_chain_covers_every_part_of_the_envelope(void **state)
{
	struct event ev = message_event(2), other;
	struct sha256 zero = { { 0 } }, first, second;
	struct sha256_ctx ctx;

	(void)state;
	sha256_init(&ctx);
	first = event_hash(&ctx, &zero, &ev);
#define DIFFERS(field, value)                                           \
	do {                                                            \
		other = ev;                                             \
		other.field = (value);                                  \
		second = event_hash(&ctx, &zero, &other);               \
		assert_memory_not_equal(&first, &second, sizeof first); \
	} while (0)
	DIFFERS(seq, 3);
	DIFFERS(id, STR("b"));
	DIFFERS(kind, EVENT_SYSTEM_MESSAGE);
	DIFFERS(created_at_ms, 2);
	DIFFERS(author, AUTHOR_SYSTEM);
	DIFFERS(turn, STR("t"));
	DIFFERS(meta, STR("{}"));
	DIFFERS(payload, STR("{}"));
	second = event_hash(&ctx, &first, &ev);
	assert_memory_not_equal(&first, &second, sizeof first);
	other = ev; /* moving bytes between neighbouring parts must show */
	other.turn = STR("ab");
	ev.turn = STR("a");
	ev.meta = STR("b{\"class\":\"trigger\"}");
	first = event_hash(&ctx, &zero, &ev);
	second = event_hash(&ctx, &zero, &other);
	assert_memory_not_equal(&first, &second, sizeof first);
	sha256_release(&ctx);
}

/* Random steps over few ids: whatever is refused is left out, what is accepted must keep the rules
 * below however it came about. */
static const char *const POOL[] = {
	"msg %d",        "msg %d",           "msg %d busy=steer",   "msg %d class=passive",
	"sys %d",        "interrupt %d",     "run t%d i%d",         "run t%d i%d",
	"run t%d",       "end t%d end_turn", "end t%d interrupted", "resched t%d 1",
	"say %d",        "tool %d",          "tool %d ask",         "ctool %d",
	"result i%d",    "result i%d",       "park t%d i%d",        "allow %d i%d",
	"custom %d i%d", "consume t%d i%d",  "cancel i%d",          "edit i%d",
	"rewind i%d",    "compact %d i%d",   "life archived",       "life active",
	"life inactive",
};

static void
random_step(struct rand *rand, const struct replay *r, char *out, size_t size)
{
	const char *form = POOL[rand_below(rand, ARRAY_LEN(POOL))];
	int fresh = (int)replay_session(r)->head_seq + 1, old = (int)rand_below(rand, 12) + 2;
	char turn[16], step[64];
	struct str f = str_of(form), rest;

	snprintf(turn, sizeof turn, "%d",
		 replay_session(r)->turn.len ? replay_session(r)->turn.ptr[1] - '0'
					     : (int)rand_below(rand, 10));
	out[0] = '\0';
	step[0] = '\0';
	for (struct str w; f.len > 0; f = rest) {
		size_t len = strlen(step);
		str_cut(f, ' ', &w, &rest);
		if (str_eq(w, STR("%d")))
			snprintf(step + len, sizeof step - len, "i%d ", fresh);
		else if (str_eq(w, STR("i%d")))
			snprintf(step + len, sizeof step - len, "i%d ", old);
		else if (str_eq(w, STR("t%d")))
			snprintf(step + len, sizeof step - len, "t%s ", turn);
		else
			snprintf(step + len, sizeof step - len, STR_FMT " ", STR_ARG(w));
	}
	snprintf(out, size, "%s", step);
}

static void
check_rules(struct replay *r, uint64_t seed)
{
	size_t inputs, count;
	const struct input_row *in = replay_inputs(r, &inputs);
	const struct item_row *items = replay_items(r, &count);
	const struct session_row *s = replay_session(r);

	for (size_t i = 0; i < count; i++) {
		bool pending = false, cancelled = false;
		for (size_t k = 0; k < inputs; k++)
			if (in[k].seq == items[i].seq) {
				pending = in[k].processed_at_ms == 0;
				cancelled = in[k].cancelled;
			}
		if ((pending || cancelled) && items[i].at_seq != 0)
			fail_msg("seed %llu: a pending or cancelled input has a place",
				 (unsigned long long)seed);
		if (i > 0 && items[i].at_seq != 0 &&
		    (items[i - 1].at_seq == 0 || items[i - 1].at_seq > items[i].at_seq))
			fail_msg("seed %llu: the transcript is out of order",
				 (unsigned long long)seed);
		if (items[i].at_seq != 0 && items[i].at_seq < items[i].seq &&
		    items[i].role != ITEM_SUMMARY)
			fail_msg("seed %llu: placed before it arrived", (unsigned long long)seed);
	}
	if ((s->turn.len > 0) != (s->state.phase != TURN_NONE))
		fail_msg("seed %llu: open turn and phase disagree", (unsigned long long)seed);
}

static void
M9_property_accepted_logs_keep_the_rules(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < suite_seeds(120); seed++) {
		char log[40][64];
		size_t len = 0;
		struct rand rand;
		struct replay *r = run("create");

		rand_init_seed(&rand, seed);
		for (int tries = 0; tries < 200 && len < ARRAY_LEN(log); tries++) {
			struct err e;
			random_step(&rand, r, log[len], sizeof log[len]);
			if (replay_log_step(r, str_of(log[len]), &e) == 0) {
				len++;
				continue;
			}
			replay_free(&r); /* refused: start again from what was accepted */
			r = run("create");
			for (size_t i = 0; i < len; i++)
				if (replay_log_step(r, str_of(log[i]), &e) != 0)
					fail_msg("seed %llu: not repeatable",
						 (unsigned long long)seed);
		}
		check_rules(r, seed);
		replay_free(&r);
	}
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, replay_row_check);
	SUITE_TEST(&s, M12_counters_add_up);
	SUITE_TEST(&s, M12_message_count_survives_rewind_and_compaction);
	SUITE_TEST(&s, M12_preview_and_activity_follow_the_talk);
	SUITE_TEST(&s, T9_a_call_knows_the_event_that_closed_it);
	SUITE_TEST(&s, M12_preview_is_one_short_line);
	SUITE_TEST(&s, M4_metadata_is_what_the_last_update_says);
	SUITE_TEST(&s, M4_a_title_says_who_gave_it);
	SUITE_TEST(&s, M12_titles_come_from_people_and_previews_from_text);
	SUITE_TEST(&s, M11_results_are_tool_entries);
	SUITE_TEST(&s, M9_processed_at_is_the_instant_of_the_consuming_event);
	SUITE_TEST(&s, H5_attempts_are_counted_per_turn);
	SUITE_TEST(&s, M9_envelope_and_payload_must_agree);
	SUITE_TEST(&s, T7_what_the_agent_does_belongs_to_the_open_turn);
	SUITE_TEST(&s, M9_the_chain_covers_every_part_of_the_envelope);
	SUITE_TEST(&s, M9_property_accepted_logs_keep_the_rules);
	return suite_run(&s, "replay");
}
