#include "base/rand.h"
#include "core/queue_policy.h"
#include "harness.h"

static void
Q3_depth_leaves_out_the_next_one_when_no_turn_is_open(void **state)
{
	(void)state;
	assert_int_equal(queue_depth(0, false), 0);
	assert_int_equal(queue_depth(1, false), 0);
	assert_int_equal(queue_depth(3, false), 2);
	assert_int_equal(queue_depth(3, true), 3);
}

/* Inputs as letters: q queue, s steer, i interrupt, c collect of A, C collect of B, m media of A,
 * g group, G the same collecting; a digit behind a letter is its arrival (seconds), default its index; !5 due at 5 s;
 * - held. */
static size_t
inputs_of(const char *text, struct queue_input *out)
{
	size_t count = 0;

	for (; *text; text++) {
		struct queue_input *in = &out[count];
		if (*text >= '0' && *text <= '9') {
			out[count - 1].created_at_ms = (*text - '0') * 1000;
			continue;
		}
		if (*text == '!') {
			out[count - 1].due_at_ms = (*++text - '0') * 1000;
			continue;
		}
		if (*text == '-') {
			out[count - 1].held = true;
			continue;
		}
		*in = (struct queue_input){ .seq = (int64_t)count + 1 };
		in->busy = *text == 's'                          ? BUSY_STEER
			   : *text == 'i'                        ? BUSY_INTERRUPT
			   : (*text | 32) == 'c' || *text == 'G' ? BUSY_COLLECT
								 : BUSY_QUEUE;
		in->sender = *text == 'C' ? STR("B") : STR("A");
		in->media = *text == 'm';
		if ((*text | 32) == 'g')
			in->group = STR("g1");
		count++;
	}
	return count;
}

static const struct pick_case {
	const char *name, *inputs;
	struct queue_facts f; /* phase, interrupt, answer, paused, wake, now, quiet */
	enum queue_pick pick;
	size_t first, count;
	int64_t look_again_ms;
} PICKS[] = {
	/* clang-format off */
	{ "Q2 nothing pending, nothing due: nothing", "", { TURN_NONE, false, false, false, false, 9000, 1500 }, PICK_NOTHING, 0, 0, 0 },
	{ "Q3 first in, first out, one turn each", "qqq", { TURN_NONE, false, false, false, false, 9000, 1500 }, PICK_TRIGGERS, 0, 1, 0 },
	{ "Q3 a running turn is left alone", "qi", { TURN_RUNNING, true, true, false, true, 9000, 1500 }, PICK_NOTHING, 0, 0, 0 },
	{ "Q3 a rescheduled turn goes on before anything else", "i", { TURN_RESCHEDULED, false, false, false, true, 9000, 1500 }, PICK_OPEN_TURN, 0, 0, 0 },
	{ "T8 a parked turn waits", "qi", { TURN_PARKED, false, false, false, true, 9000, 1500 }, PICK_NOTHING, 0, 0, 0 },
	{ "T8 an answer resumes a parked turn", "q", { TURN_PARKED, false, true, false, false, 9000, 1500 }, PICK_OPEN_TURN, 0, 0, 0 },
	{ "Q5 an interrupt ends a parked turn", "q", { TURN_PARKED, true, true, false, false, 9000, 1500 }, PICK_INTERRUPT, 0, 0, 0 },
	{ "Q5 an interrupt ends a rescheduled turn", "q", { TURN_RESCHEDULED, true, false, false, false, 9000, 1500 }, PICK_INTERRUPT, 0, 0, 0 },
	{ "Q3 an interrupting message goes before the queue", "qqi", { TURN_NONE, false, false, false, false, 9000, 1500 }, PICK_TRIGGERS, 2, 1, 0 },
	{ "Q3 the oldest interrupting message first", "qiqi", { TURN_NONE, false, false, false, false, 9000, 1500 }, PICK_TRIGGERS, 1, 1, 0 },
	{ "Q3 an unconsumed steer is ordinary queue", "sq", { TURN_NONE, false, false, false, false, 9000, 1500 }, PICK_TRIGGERS, 0, 1, 0 },
	{ "Q3 collect merges a burst once quiet", "c1c2c3", { TURN_NONE, false, false, false, false, 4500, 1500 }, PICK_TRIGGERS, 0, 3, 0 },
	{ "Q3 collect waits for quiet", "c1c2c3", { TURN_NONE, false, false, false, false, 4499, 1500 }, PICK_NOTHING, 0, 0, 4500 },
	{ "Q3 collect merges one sender only", "c1c1C1", { TURN_NONE, false, false, false, false, 1000, 1500 }, PICK_TRIGGERS, 0, 2, 0 },
	{ "Q3 collect merges neighbours only", "c1qc1", { TURN_NONE, false, false, false, false, 1000, 1500 }, PICK_TRIGGERS, 0, 1, 0 },
	{ "Q3 a burst behind the queue head waits its turn", "qc1c1", { TURN_NONE, false, false, false, false, 1000, 1500 }, PICK_TRIGGERS, 0, 1, 0 },
	{ "Q4 media collapses without collect", "m1m1m1", { TURN_NONE, false, false, false, false, 9000, 1500 }, PICK_TRIGGERS, 0, 3, 0 },
	{ "Q4 a plain message behind media is not merged", "m1q1", { TURN_NONE, false, false, false, false, 9000, 1500 }, PICK_TRIGGERS, 0, 1, 0 },
	{ "Q4 plain messages never merge", "q1q1", { TURN_NONE, false, false, false, false, 9000, 1500 }, PICK_TRIGGERS, 0, 1, 0 },
	{ "M9 a group shares its turn", "ggq", { TURN_NONE, false, false, false, false, 9000, 1500 }, PICK_TRIGGERS, 0, 2, 0 },
	{ "T15 a reached budget pauses the queue", "qi", { TURN_NONE, false, false, true, true, 9000, 1500 }, PICK_NOTHING, 0, 0, 0 },
	{ "T15 who has money left goes past who has none", "q-q", { TURN_NONE, false, false, false, false, 9000, 1500 }, PICK_TRIGGERS, 1, 1, 0 },
	{ "T15 nor does who has none interrupt the queue", "qi-", { TURN_NONE, false, false, false, false, 9000, 1500 }, PICK_TRIGGERS, 0, 1, 0 },
	{ "T15 who has no money is not waited for", "q-!9", { TURN_NONE, false, false, false, false, 8000, 1500 }, PICK_NOTHING, 0, 0, 0 },
	{ "T15 a wake runs while messages are held", "q-", { TURN_NONE, false, false, false, true, 9000, 1500 }, PICK_WAKES, 0, 0, 0 },
	{ "Q6 pending inputs come before wakes", "q", { TURN_NONE, false, false, false, true, 9000, 1500 }, PICK_TRIGGERS, 0, 1, 0 },
	{ "Q6 a due wake runs when nothing is pending", "", { TURN_NONE, false, false, false, true, 9000, 1500 }, PICK_WAKES, 0, 0, 0 },
	{ "Q3 a message not due yet does not run", "q!9", { TURN_NONE, false, false, false, false, 8999, 1500 }, PICK_NOTHING, 0, 0, 9000 },
	{ "Q3 a message runs at its due time", "q!9", { TURN_NONE, false, false, false, false, 9000, 1500 }, PICK_TRIGGERS, 0, 1, 0 },
	{ "M9 a group takes no stranger along", "Gc1", { TURN_NONE, false, false, false, false, 9000, 1500 }, PICK_TRIGGERS, 0, 1, 0 },
	{ "Q3 a due message passes one that is not", "q!9q", { TURN_NONE, false, false, false, false, 8000, 1500 }, PICK_TRIGGERS, 1, 1, 0 },
	{ "Q6 a wake runs while messages are not due", "q!9", { TURN_NONE, false, false, false, true, 8000, 1500 }, PICK_WAKES, 0, 0, 0 },
	/* clang-format on */
};

static void
pick_row(void **state)
{
	const struct pick_case *c = *state;
	struct queue_input in[16];
	size_t count = inputs_of(c->inputs, in);
	struct queue_plan got = queue_pick(in, count, &c->f);

	assert_int_equal(got.pick, c->pick);
	assert_int_equal(got.look_again_ms, c->look_again_ms);
	if (c->pick == PICK_TRIGGERS) {
		assert_int_equal(got.first, c->first);
		assert_int_equal(got.count, c->count);
	}
}

static void
Q3_steers_enter_in_seq_order(void **state)
{
	struct queue_input in[16];
	size_t out[16], count = inputs_of("qsqs!9s", in);

	(void)state;
	assert_int_equal(queue_steers(in, count, 8000, out), 2);
	assert_int_equal(out[0], 1);
	assert_int_equal(out[1], 4);
	assert_int_equal(queue_steers(in, count, 9000, out), 3);
}

static void
T15_who_has_no_money_steers_nobody(void **state)
{
	struct queue_input in[16];
	size_t out[16], count = inputs_of("s-s", in);

	(void)state;
	assert_int_equal(queue_steers(in, count, 8000, out), 1);
	assert_int_equal(out[0], 1);
}

static const struct let_go_row {
	const char *name, *inputs;
	size_t max_depth;
	const char *held; /* afterwards: - held, . not */
} LET_GO[] = {
	{ "T15 half of the queue may wait for money", "q-q-", 4, "--" },
	{ "T15 more than that lets the oldest go", "qq-q-q-", 4, "..--" },
	{ "T15 what is not held takes no part in it", "qqqqq-q-", 4, "....--" },
	{ "T15 one may always wait where one has room", "q-", 1, "-" },
	{ "T15 a second one not", "q-q-", 1, ".-" },
	{ "T15 where nobody waits for others nobody waits for money", "q-", 0, "." },
	{ "T15 nothing is held", "qq", 1, ".." },
	{ "T15 nothing is there", "", 0, "" },
};

static void
let_go_row(void **state)
{
	const struct let_go_row *row = *state;
	struct queue_input in[16];
	size_t count = inputs_of(row->inputs, in);

	queue_let_go(in, count, row->max_depth);
	assert_int_equal(count, strlen(row->held));
	for (size_t i = 0; i < count; i++)
		assert_int_equal(in[i].held, row->held[i] == '-');
}

/* Draining by picks: every message is consumed exactly once; among those that do not jump the
 * queue the order is the order of arrival; what never merges gets a turn of its own. */
static void
Q4_property_nothing_is_lost_overwritten_or_reordered(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < suite_seeds(5000); seed++) {
		struct queue_input in[16];
		struct queue_facts f = { .now_ms = 100000, .quiet_ms = 1500 };
		char text[17] = { 0 };
		struct rand r;
		size_t count, taken = 0, total;
		int64_t last_plain = 0;

		rand_init_seed(&r, seed);
		total = rand_below(&r, 16);
		for (size_t i = 0; i < total; i++)
			text[i] = "qsicCmg"[rand_below(&r, 7)];
		count = inputs_of(text, in);
		while (count > 0) {
			struct queue_plan p = queue_pick(in, count, &f);

			if (p.pick != PICK_TRIGGERS || p.count == 0 || p.first + p.count > count)
				fail_msg("seed %llu: '%s' got stuck", (unsigned long long)seed,
					 text);
			if (in[p.first].busy != BUSY_INTERRUPT) {
				if (in[p.first].seq < last_plain)
					fail_msg("seed %llu: reordered", (unsigned long long)seed);
				last_plain = in[p.first].seq;
			}
			if (p.count > 1 && in[p.first].busy == BUSY_QUEUE && !in[p.first].media &&
			    in[p.first].group.len == 0)
				fail_msg("seed %llu: merged a plain message",
					 (unsigned long long)seed);
			taken += p.count;
			memmove(in + p.first, in + p.first + p.count,
				(count - p.first - p.count) * sizeof *in);
			count -= p.count;
		}
		if (taken != total)
			fail_msg("seed %llu: lost", (unsigned long long)seed);
	}
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, Q3_depth_leaves_out_the_next_one_when_no_turn_is_open);
	SUITE_ROWS(&s, PICKS, pick_row);
	SUITE_TEST(&s, Q3_steers_enter_in_seq_order);
	SUITE_TEST(&s, T15_who_has_no_money_steers_nobody);
	SUITE_ROWS(&s, LET_GO, let_go_row);
	SUITE_TEST(&s, Q4_property_nothing_is_lost_overwritten_or_reordered);
	return suite_run(&s, "queue_policy");
}
