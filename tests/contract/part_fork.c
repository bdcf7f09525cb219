/* Forks: a session begins with what another one showed at a seq, and stays with that whatever becomes of
 * the other; what it takes back or summarises of it is its own affair. Nothing is copied.
 *
 * PostgreSQL: the same, with parent and child on different nodes. */
#include "compare.h"
#include "rig.h"
#include "workload.h"

enum { STEPS = 25, SEEDS = 60, NAMES = 1000, SCRIPT_MAX = 512 };

/* ---- what one sees ---- */

/* Ids of the transcript in view, page by page; "/" where the log changes. */
static struct str
view(struct rig *r, const char *session, bool down, size_t page)
{
	struct store_query q = { .kind = STORE_LIST_ITEMS,
				 .session = str_of(session),
				 .descending = down,
				 .limit = page };
	struct buf out;
	struct str text;
	bool more = true;

	buf_init(&out, 65536);
	while (more) {
		struct rows got = { 0 };

		rig_read(r, &q, &got);
		for (size_t i = 0; i < got.items.len; i++) {
			const struct store_item_row *row = &got.items.ptr[i];

			buf_printf(&out, "%s" STR_FMT, out.len > 0 ? " " : "", STR_ARG(row->ev.id));
			if (row->content.seq != row->ev.seq)
				buf_printf(&out, "~");
			q.after_item = row->item;
		}
		more = got.more;
		rows_release(&got);
	}
	text = arena_str(&r->arena, buf_str(&out));
	buf_release(&out);
	return text;
}

static void
sees(struct rig *r, const char *session, const char *want)
{
	check_str(session, view(r, session, false, 1000), str_of(want));
	check_str("in pages of one", view(r, session, false, 1), str_of(want));
	compare_session(r, str_of(session), session);
}

#define TURN(n, in, out) "msg " in "; run t" n " " in "; say " out "; end t" n " end_turn; "

static struct rig *
begin(void)
{
	struct rig *r = rig_new();

	/* seq 1 created; a is consumed at 3, b at 7, c at 11 */
	rig_do(r, "p", TURN("1", "a", "A") TURN("2", "b", "B") TURN("3", "c", "C"));
	return r;
}

static void
C11_a_fork_begins_with_what_its_parent_showed(void **state)
{
	struct rig *r = begin();

	(void)state;
	rig_do(r, "end", "fork p 13");
	rig_do(r, "early", "fork p 5");
	rig_do(r, "nothing", "fork p 1");
	rig_do(r, "midway", "fork p 7"); /* b is consumed, nothing was said yet */
	sees(r, "end", "a A b B c C");
	sees(r, "early", "a A");
	sees(r, "nothing", "");
	sees(r, "midway", "a A b");
	rig_do(r, "early", TURN("9", "x", "X"));
	sees(r, "early", "a A x X");
	check_str("backwards", view(r, "early", true, 1), STR("X x A a"));
	check_str("backwards", view(r, "early", true, 3), STR("X x A a"));
	sees(r, "p", "a A b B c C");
	rig_free(&r);
}

static void
C11_it_stays_with_that_whatever_becomes_of_the_parent(void **state)
{
	struct rig *r = begin();

	(void)state;
	rig_do(r, "f", "fork p 13");
	rig_do(r, "p", "rewind b");
	sees(r, "p", "a A");
	sees(r, "f", "a A b B c C");
	rig_do(r, "g", "fork p 14");
	sees(r, "g", "a A");
	rig_do(r, "h", "fork p 13"); /* as it was, although it is not so any more */
	sees(r, "h", "a A b B c C");
	rig_do(r, "p", TURN("4", "d", "D") "compact S d");
	sees(r, "p", "S d D");
	sees(r, "f", "a A b B c C");
	rig_do(r, "p", "life archived");
	sees(r, "f", "a A b B c C");
	rig_do(r, "p", "life active; delete");
	rig_restart(r);
	sees(r, "f", "a A b B c C");
	rig_do(r, "f", TURN("9", "x", "X"));
	sees(r, "f", "a A b B c C x X");
	rig_free(&r);
}

static void
C11_summaries_are_those_of_then(void **state)
{
	struct rig *r = begin();

	(void)state;
	rig_do(r, "p", "compact S b"); /* seq 14 */
	rig_do(r, "f", "fork p 14");
	sees(r, "f", "S b B c C");
	rig_do(r, "p", "uncompact S"); /* 15 */
	sees(r, "p", "a A b B c C");
	sees(r, "f", "S b B c C");
	rig_do(r, "g", "fork p 14");
	sees(r, "g", "S b B c C");
	rig_do(r, "h", "fork p 15");
	sees(r, "h", "a A b B c C");
	rig_do(r, "p", "compact T c"); /* 16 */
	rig_do(r, "p", "compact U");   /* 17 */
	sees(r, "p", "U");
	rig_do(r, "i", "fork p 16");
	sees(r, "i", "T c C");
	rig_do(r, "j", "fork p 14");
	sees(r, "j", "S b B c C");
	rig_do(r, "k", "fork p 13");
	sees(r, "k", "a A b B c C");
	rig_free(&r);
}

static void
C11_what_it_takes_back_is_its_own_affair(void **state)
{
	struct rig *r = begin();

	(void)state;
	rig_do(r, "f", "fork p 13; " TURN("9", "x", "X"));
	rig_do(r, "f", "rewind b"); /* seq 7 of f: into what it inherited */
	sees(r, "f", "a A");
	sees(r, "p", "a A b B c C");
	rig_do(r, "f", TURN("10", "y", "Y"));
	sees(r, "f", "a A y Y");
	rig_do(r, "g", "fork f 6");
	sees(r, "g", "a A b B c C x X");
	rig_do(r, "h", "fork f 7");
	sees(r, "h", "a A");
	rig_do(r, "f", "rewind a");
	sees(r, "f", "");
	sees(r, "g", "a A b B c C x X");
	rig_free(&r);
}

static void
C11_what_it_summarises_is_its_own_affair(void **state)
{
	struct rig *r = begin();

	(void)state;
	rig_do(r, "f", "fork p 13; " TURN("9", "x", "X"));
	rig_do(r, "f", "compact S c"); /* seq 7: what is kept begins in what it inherited */
	sees(r, "f", "S c C x X");
	rig_do(r, "g", "fork f 7");
	sees(r, "g", "S c C x X");
	rig_do(r, "f", "rewind c");
	sees(r, "f", "S");
	sees(r, "g", "S c C x X");
	rig_do(r, "f", "uncompact S"); /* what was taken back stays so */
	sees(r, "f", "a A b B");
	rig_do(r, "g", "compact T x");
	sees(r, "g", "T x X");
	rig_do(r, "g", "uncompact T; rewind c");
	sees(r, "g", "S");
	rig_do(r, "h", "fork f 6");
	sees(r, "h", "a A b B c C x X");
	rig_do(r, "h", "compact U");
	sees(r, "h", "U");
	sees(r, "p", "a A b B c C");
	rig_free(&r);
}

static void
C11_forks_of_forks(void **state)
{
	struct rig *r = begin();

	(void)state;
	rig_do(r, "f", "fork p 9; " TURN("9", "x", "X"));
	rig_do(r, "g", "fork f 6; " TURN("10", "y", "Y"));
	rig_do(r, "h", "fork g 6; " TURN("11", "z", "Z"));
	sees(r, "h", "a A b B x X y Y z Z");
	check_str("backwards", view(r, "h", true, 2), STR("Z z Y y X x B b A a"));
	rig_do(r, "h", "compact S b");
	sees(r, "h", "S b B x X y Y z Z");
	rig_do(r, "i", "fork h 7");
	sees(r, "i", "S b B x X y Y z Z");
	rig_do(r, "i", "rewind x");
	sees(r, "i", "S b B");
	rig_do(r, "h", "uncompact S; rewind y");
	sees(r, "h", "a A b B x X");
	sees(r, "i", "S b B");
	rig_do(r, "j", "fork i 3");
	sees(r, "j", "S b B");
	rig_free(&r);
}

static void
C11_an_edited_message_is_read_as_it_was_said(void **state)
{
	struct rig *r = rig_new();

	(void)state;
	rig_do(r, "p", "msg a; edit a; run t1 a; say A; end t1 end_turn");
	rig_do(r, "f", "fork p 6");
	sees(r, "f", "a~ A");
	rig_free(&r);
}

/* ---- refusals ---- */

static const struct refusal {
	const char *name, *script;
} REFUSALS[] = {
	{ "C11 a fork of what is not there", "fork nobody 1" },
	{ "C11 a fork of itself", "fork f 1" },
	{ "C11 a fork of what is yet to come", "fork p 14" },
	{ "C11 a fork before the beginning", "fork p 0" },
	{ "C11 a fork of a session that has begun", "msg x; fork p 3" },
	{ "C11 a fork of a fork", "fork p 3; fork p 3" },
	{ "C11 back to what it does not show", "fork p 5; rewind b" },
	{ "C11 back to what nobody said", "fork p 5; rewind A" },
	{ "C11 keeping what it does not show", "fork p 5; compact S c" },
	{ "C11 keeping a summary", "fork p 5; compact S a; compact T S" },
};

static void
check_refusal(void **state)
{
	const struct refusal *row = *state;
	struct rig *r = begin();

	rig_expect(r, row->name, rig_item(r, "f", row->script), ERR_CONFLICT);
	rig_do(r, "f", "fork p 5");
	sees(r, "f", "a A");
	rig_free(&r);
}

/* ---- over seeds ---- */

struct family {
	struct rig *rig;
	struct rand rand;
	struct workload work[4];
	uint64_t seed;
	size_t reached; /* events that went into what was inherited */
};
static const char *const MEMBERS[] = { "s0", "s1", "s2", "s3" };

/* Any input of any of them: the workload knows only those of its own log. */
static struct str
foreign_input(struct family *f)
{
	const struct model *m = rig_model(f->rig, MEMBERS[rand_below(&f->rand, 4)]);
	size_t count;
	const struct input_row *in = replay_inputs(m->replay, &count);

	return count > 0 ? in[rand_below(&f->rand, count)].id : STR("nobody");
}

static void
live_on(struct family *f, size_t who)
{
	struct replay *r = rig_fold(f->rig, MEMBERS[who], INT64_MAX);
	char step[WORKLOAD_STEP_MAX];
	const struct store_result *got;
	bool reaches = rand_below(&f->rand, 8) == 0;

	if (!reaches)
		workload_step(&f->work[who], r, step);
	else if (rand_below(&f->rand, 3) > 0)
		snprintf(step, sizeof step, "rewind " STR_FMT, STR_ARG(foreign_input(f)));
	else
		snprintf(step, sizeof step, "compact m%d " STR_FMT, ++f->work[who].names,
			 STR_ARG(foreign_input(f)));
	replay_free(&r);
	if (strncmp(step, "delete", 6) == 0)
		return;
	got = rig_append(f->rig, rig_item(f->rig, MEMBERS[who], step));
	f->reached += reaches && got->rc == 0;
}

static void
one_family(struct family *f)
{
	char what[64], script[SCRIPT_MAX];

	snprintf(what, sizeof what, "seed %llu", (unsigned long long)f->seed);
	f->rig = rig_new();
	rand_init_seed(&f->rand, f->seed);
	for (int i = 0; i < 4; i++) {
		workload_init(&f->work[i], f->seed * 4 + (uint64_t)i);
		f->work[i].names = f->work[i].turns = NAMES * i;
	}
	rig_do(f->rig, "s0", "");
	for (size_t born = 1; born <= 4; born++) {
		for (int i = 0; i < STEPS * (int)born; i++)
			live_on(f, rand_below(&f->rand, born));
		for (size_t i = 0; i < born; i++)
			compare_session(f->rig, str_of(MEMBERS[i]), what);
		if (born < 4) {
			size_t parent = rand_below(&f->rand, born);
			size_t head = rig_model(f->rig, MEMBERS[parent])->events.len;

			snprintf(script, sizeof script, "fork %s %llu", MEMBERS[parent],
				 (unsigned long long)(1 + rand_below(&f->rand, head)));
			rig_do(f->rig, MEMBERS[born], script);
			compare_session(f->rig, str_of(MEMBERS[born]), what);
		}
	}
	rig_restart(f->rig);
	for (size_t i = 0; i < 4; i++)
		compare_session(f->rig, str_of(MEMBERS[i]), what);
	rig_free(&f->rig);
}

static void
C11_property_forks_equal_the_replay_of_their_logs(void **state)
{
	struct family f = { 0 };
	uint64_t seeds = suite_seeds(SEEDS);

	(void)state;
	for (f.seed = 1; f.seed <= seeds; f.seed++)
		one_family(&f);
	print_message("%zu events reached into what was inherited, or beyond\n", f.reached);
	assert_true(f.reached > seeds);
}

void
contract_fork(struct suite *s)
{
	SUITE_TEST(s, C11_a_fork_begins_with_what_its_parent_showed);
	SUITE_TEST(s, C11_it_stays_with_that_whatever_becomes_of_the_parent);
	SUITE_TEST(s, C11_summaries_are_those_of_then);
	SUITE_TEST(s, C11_what_it_takes_back_is_its_own_affair);
	SUITE_TEST(s, C11_what_it_summarises_is_its_own_affair);
	SUITE_TEST(s, C11_forks_of_forks);
	SUITE_TEST(s, C11_an_edited_message_is_read_as_it_was_said);
	SUITE_ROWS(s, REFUSALS, check_refusal);
	SUITE_TEST(s, C11_property_forks_equal_the_replay_of_their_logs);
}
