/* Projections: after any history the session's row, its queue, its open calls and its transcript are
 * what core/replay makes of the log; and the store accepts exactly the steps that the replay accepts.
 *
 * PostgreSQL: the same seeds, with the items of a session alternating between two nodes. */
#include "compare.h"
#include "replay_log.h"
#include "rig.h"
#include "workload.h"

enum { STEPS = 60, ITEM_STEPS_MAX = 4, SEEDS = 200 };

struct history {
	struct rig *rig;
	struct workload work;
	uint64_t seed;
	size_t accepted, refused;
};

/* Folds a copy of what stands, then the steps of one item as they are made up. */
static struct replay *
folded(const struct model *m)
{
	struct replay *r = replay_new();

	for (size_t i = 0; i < m->events.len; i++)
		IGNORE(replay_apply(r, &m->events.ptr[i], NULL)); /* it did once */
	return r;
}

/* An item of some steps; true when the replay accepts all of them. */
static bool
make_up(struct history *h, struct buf *script)
{
	struct replay *r = folded(rig_model(h->rig, "s"));
	uint64_t steps = 1 + rand_below(&h->work.rand, ITEM_STEPS_MAX);
	char step[WORKLOAD_STEP_MAX];
	bool legal = true;

	while (legal && steps-- > 0) {
		workload_step(&h->work, r, step);
		buf_printf(script, "%s%s", script->len ? "; " : "", step);
		legal = replay_log_step(r, str_of(step), NULL) == 0;
	}
	replay_free(&r);
	return legal;
}

static void
one_item(struct history *h)
{
	struct buf script;
	const struct store_result *got;
	struct store_item *item;
	bool legal;

	buf_init(&script, (WORKLOAD_STEP_MAX + 2) * ITEM_STEPS_MAX);
	legal = make_up(h, &script);
	buf_putc(&script, '\0');
	item = rig_item(h->rig, "s", script.ptr);
	got = rig_append(h->rig, item);
	if ((got->rc == 0) != legal)
		fail_msg("seed %llu: '%s' after seq %zu: the replay %s it, the store says %s '%s'",
			 (unsigned long long)h->seed, script.ptr,
			 rig_model(h->rig, "s")->events.len, legal ? "accepts" : "refuses",
			 err_name(got->rc), got->err.text);
	h->accepted += legal;
	h->refused += !legal;
	buf_release(&script);
}

static void
one_seed(struct history *h)
{
	char what[64];

	snprintf(what, sizeof what, "seed %llu", (unsigned long long)h->seed);
	h->rig = rig_new();
	workload_init(&h->work, h->seed);
	rig_do(h->rig, "s", "");
	for (int i = 0; i < STEPS; i++) {
		one_item(h);
		if (i % 10 == 9)
			compare_session(h->rig, STR("s"), what);
	}
	rig_restart(h->rig);
	compare_session(h->rig, STR("s"), what);
	rig_free(&h->rig);
}

static void
test_seeds(void **state)
{
	struct history h = { 0 };
	uint64_t seeds = suite_seeds(SEEDS);

	(void)state;
	for (h.seed = 1; h.seed <= seeds; h.seed++)
		one_seed(&h);
	print_message("%zu items accepted, %zu refused\n", h.accepted, h.refused);
	assert_true(h.accepted > seeds * STEPS / 4); /* the workload says something */
	assert_true(h.refused > seeds);
}

/* Histories that are rare at random. */
static const struct history_row {
	const char *name, *script;
} HISTORIES[] = {
	{ "Q1 projection: a whole turn",
	  "msg a; run t1 a; tool c; result c; usage 10 5 7; say b; end t1 end_turn" },
	{ "Q1 projection: queue, steer and interrupt",
	  "msg a; run t1 a; msg b busy=steer; tool c; result c; consume t1 b; msg d busy=interrupt;"
	  " interrupt i; end t1 interrupted i; run t2 d" },
	{ "Q1 projection: parked, partly answered, answered",
	  "msg a; run t1 a; ctool c; ctool d; park t1 c d; custom x c; park t1 d - x; custom y d;"
	  " run t1 y" },
	{ "Q1 projection: confirmed, run, parked on the rest",
	  "msg a; run t1 a; tool c ask; ctool d; park t1 c d; allow x c; run t1 x; result c;"
	  " park t1 d" },
	{ "Q1 projection: answers left over at the end",
	  "msg a; run t1 a; tool c ask; park t1 c; allow x c; run t1 x; result c; end t1 "
	  "end_turn" },
	{ "Q1 projection: an answer overtaken by a result",
	  "msg a; run t1 a; tool c ask; park t1 c; deny x c; run t1 x; result c; end t1 end_turn" },
	{ "Q1 projection: a restart in mid-turn",
	  "msg a; run t1 a; tool c; result c; resched t1 1; run t1; say b; end t1 end_turn" },
	{ "Q1 projection: passives wait for the terminal",
	  "msg a; run t1 a; msg p class=passive; sys q; say b; msg r class=passive; end t1 "
	  "end_turn;"
	  " msg s class=passive" },
	{ "Q1 projection: terminated at rest with passives", "msg p class=passive; terminate" },
	{ "Q1 projection: terminated in mid-turn", "msg a; msg b; run t1 a; tool c; result c; msg "
						   "p class=passive; interrupt i; terminate t1 i" },
	{ "Q1 projection: edited, edited again, consumed",
	  "msg a; edit a; edit a; run t1 a; say b; end t1 end_turn" },
	{ "Q1 projection: cancelled with what is bound to it",
	  "msg a; sys b class=bound bound=a; msg c; cancel a; run t1 c" },
	{ "Q1 projection: compacted, undone, compacted again",
	  "msg a; run t1 a; say b; end t1 end_turn; msg c; run t2 c; say d; end t2 end_turn;"
	  " compact k c; uncompact k; compact l c; compact m" },
	{ "Q1 projection: rewound, then said anew",
	  "msg a; run t1 a; say b; end t1 end_turn; msg c; run t2 c; say d; end t2 end_turn;"
	  " rewind c; msg e; run t3 e; say f; end t3 end_turn; rewind a" },
	{ "Q1 projection: reset, unarchived, deleted",
	  "msg a; run t1 a; end t1 end_turn; reset archived; life active; msg b; cancel all; "
	  "delete" },
	{ "M12 projection: counters",
	  "msg a; run t1 a; usage 100 20 5 30; usage 7 1; say b;"
	  " end t1 end_turn; title hello; msg c; run t2 c; usage 0 0 0" },
	{ "Q1 projection: wakes start a turn", "run t1 +w1 +w2; say a; end t1 rescheduling" },
};

static void
test_history(void **state)
{
	const struct history_row *row = *state;
	struct rig *one = rig_new(), *whole = rig_new();

	rig_do(one, "s", row->script);
	compare_session(one, STR("s"), row->name);
	rig_expect(whole, row->name, rig_item(whole, "s", row->script), 0); /* all in one item */
	compare_session(whole, STR("s"), row->name);
	rig_free(&one);
	rig_free(&whole);
}

void
contract_projection(struct suite *s)
{
	SUITE_ROWS(s, HISTORIES, test_history);
	suite_add(s, "Q1 projections equal replay over seeds", test_seeds, NULL);
}
