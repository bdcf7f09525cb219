#include "core/work_policy.h"

#include <stdlib.h>

#include "base/rand.h"
#include "harness.h"

/* What happens to an item that was made at 1, word by word: what, when in seconds, and by whom
 * (o operator, e environment, h holder of the lease, f former holder).
 *   p10    a poll takes it          a10e       acknowledged
 *   b10h   heartbeat                b10h=5     … that expects the one at 5 (0: none)
 *   s10o   stop, S10o: by force     x70 X70    its lease is over; X: calls wait
 * What is answered: changed, same, lost (412), refused (409), a dot where nobody is. */
static const struct row {
	const char *name, *script, *answers;
	enum work_state state;
} ROWS[] = {
	{ "T11 a worker takes it, prepares, executes and ends", "p1 a2e b3h=0 b33h=3 S40h", ".cccc",
	  WORK_STOPPED },
	{ "T11 an item that nobody polled may be acknowledged", "a2e", "c", WORK_STARTING },
	{ "T11 acknowledged twice is acknowledged", "p1 a2e a3e", ".cs", WORK_STARTING },
	{ "T11 acknowledged while it runs", "p1 a2e b3h a4e", ".ccs", WORK_ACTIVE },
	{ "T11 a stopped item is not acknowledged", "p1 S2o a3e", ".cr", WORK_STOPPED },
	{ "T11 nor one that is to stop", "p1 a2e s3o a4e", ".ccr", WORK_STOPPING },
	{ "T11 nor by one who lost it", "p1 a2f", ".r", WORK_QUEUED },
	{ "T11 the first heartbeat claims", "p1 a2e b3e=0", ".cc", WORK_ACTIVE },
	{ "T11 and only one can be the first", "p1 a2e b3e=0 b4e=0", ".ccl", WORK_ACTIVE },
	{ "T11 a heartbeat names the one before", "p1 a2e b3e=0 b4e=3 b5e=3", ".cccl",
	  WORK_ACTIVE },
	{ "T11 one that names nothing extends too", "p1 a2e b3e b4e", ".ccc", WORK_ACTIVE },
	{ "T11 the first may not expect another", "p1 a2e b3e=1", ".cl", WORK_STARTING },
	{ "T11 no heartbeat before it is acknowledged", "p1 b2h=0", ".l", WORK_QUEUED },
	{ "T11 the lease may be extended until its end", "p1 a2e b3h b62h=3", ".ccc", WORK_ACTIVE },
	{ "T11 but not at it", "p1 a2e b3h b63h=3", ".ccl", WORK_ACTIVE },
	{ "T11 nor the time to prepare", "p1 a2e b62h=0", ".cl", WORK_STARTING },
	{ "T11 who lost it is told so, whatever it names", "p1 a2e b3h b4f=3", ".ccl",
	  WORK_ACTIVE },
	{ "T11 a heartbeat after the takeover", "p1 a2e b3h X63 b64e=3", ".cc.l", WORK_QUEUED },
	{ "T11 the next worker starts afresh", "p1 a2e b3h X63 p64 a65e b66e=0", ".cc..cc",
	  WORK_ACTIVE },
	{ "T11 a lost lease with nothing to do ends the item", "p1 a2e b3h x63", ".cc.",
	  WORK_STOPPED },
	{ "T11 the operator asks a worker to end", "p1 a2e b3h s4o b5h=1 S6h", ".cccsc",
	  WORK_STOPPED },
	{ "T11 asked again", "p1 a2e s4o s5o", ".ccs", WORK_STOPPING },
	{ "T11 a worker that does not hear is not waited for", "p1 a2e b3h s4o X63", ".ccc.",
	  WORK_STOPPED },
	{ "T11 by force it ends at once", "p1 a2e b3h S4o", ".ccc", WORK_STOPPED },
	{ "T11 also when a stop was asked for", "p1 a2e b3h s4o S5o", ".cccc", WORK_STOPPED },
	{ "T11 a worker that says stop has ended", "p1 a2e b3h s4e", ".ccc", WORK_STOPPED },
	{ "T11 what nobody has ends at once", "p1 s4o", ".c", WORK_STOPPED },
	{ "T11 one who lost it ends nothing", "p1 a2e b3h S4f", ".ccr", WORK_ACTIVE },
	{ "T11 stopped twice is refused", "S2o S3o", "cr", WORK_STOPPED },
	{ "T11 a worker reads that it was stopped", "p1 a2e b3h S4o b5h=1", ".cccs", WORK_STOPPED },
};

static enum work_party
party(char c)
{
	return c == 'o'   ? WORK_OPERATOR
	       : c == 'e' ? WORK_EXECUTOR
	       : c == 'h' ? WORK_HOLDER
			  : WORK_FORMER;
}

static char
play(struct work_item *item, const char *word)
{
	static const char ANSWERS[] = { 'c', 's', 'l', 'r' };
	char *rest;
	int64_t at_ms = strtol(word + 1, &rest, 10) * 1000;
	struct work_heartbeat beat = { 0 };
	struct sha256 token = sha256_of(str_of(word));

	switch (word[0]) {
	case 'p': work_policy_hand_out(item, STR("w"), &token, at_ms); return '.';
	case 'a': return ANSWERS[work_policy_acknowledge(item, party(*rest), at_ms)];
	case 'b':
		beat.has_expected = rest[1] == '=';
		if (beat.has_expected)
			beat.expected_ms = strtol(rest + 2, NULL, 10) * 1000;
		return ANSWERS[work_policy_heartbeat(item, &beat, party(*rest), at_ms)];
	case 's': return ANSWERS[work_policy_stop(item, party(*rest), false, at_ms)];
	case 'S': return ANSWERS[work_policy_stop(item, party(*rest), true, at_ms)];
	default: work_policy_expire(item, word[0] == 'X', at_ms); return '.';
	}
}

static void
row_holds(void **state)
{
	const struct row *row = *state;
	struct work_item item = { .created_ms = 1000, .not_before_ms = 1000 };
	struct str rest = str_of(row->script), word;

	for (size_t i = 0; rest.len > 0; i++) {
		char answer;

		str_cut(rest, ' ', &word, &rest);
		answer = play(&item, word.ptr);
		if (answer != row->answers[i])
			fail_msg("%s: at %s %c, not %c", row->name, word.ptr, answer,
				 row->answers[i]);
	}
	assert_string_equal(work_state_name(item.state), work_state_name(row->state));
	assert_int_equal(item.stopped_ms != 0, item.state == WORK_STOPPED);
	assert_int_equal(item.stop_requested_ms != 0,
			 item.state == WORK_STOPPED || item.state == WORK_STOPPING);
}

/* ---- is there work? ---- */

static const struct need_row {
	const char *name;
	struct work_facts f;
	bool queued;
	enum work_need want;
} NEEDS[] = {
	/*                                              remote  over   calls   queued */
	{ "T11 a call waits for its result", { true, false, true }, false, WORK_NEED_ITEM },
	{ "T11 it still waits", { true, false, true }, true, WORK_NEED_ITEM },
	{ "T11 a local environment has no queue", { false, false, true }, false, WORK_NEED_NONE },
	{ "T11 nothing waits", { true, false, false }, false, WORK_NEED_NONE },
	{ "T11 somebody else was quicker", { true, false, false }, true, WORK_NEED_STOP },
	{ "T11 the environment became a local one", { false, false, true }, true, WORK_NEED_STOP },
	{ "T11 the session is over", { true, true, true }, false, WORK_NEED_STOP },
	{ "T11 over, and nobody had begun", { true, true, true }, true, WORK_NEED_STOP },
};

static void
need_holds(void **state)
{
	const struct need_row *row = *state;

	assert_int_equal(work_policy_need(&row->f, row->queued), row->want);
}

/* ---- when may a poll have it? ---- */

static const struct free_row {
	const char *name;
	struct work_item item;
	int64_t reclaim_ms, want_ms;
} FREES[] = {
	{ "T11 a new item at once", { .not_before_ms = 7 }, 5000, 7 },
	{ "T11 handed out, not acknowledged: after a while", { .handed_ms = 100 }, 5000, 5100 },
	{ "T11 … as the poll says", { .handed_ms = 100 }, 1, 101 },
	{ "T11 … but not before its time", { .handed_ms = 100, .not_before_ms = 900 }, 1, 900 },
	{ "T11 acknowledged: never", { .state = WORK_STARTING, .handed_ms = 100 }, 1, INT64_MAX },
	{ "T11 executed: never", { .state = WORK_ACTIVE }, 1, INT64_MAX },
	{ "T11 stopped: never", { .state = WORK_STOPPED }, 1, INT64_MAX },
};

static void
free_holds(void **state)
{
	const struct free_row *row = *state;

	assert_int_equal(work_policy_free_ms(&row->item, row->reclaim_ms), row->want_ms);
}

/* ---- the lease ---- */

static void
T11_a_worker_may_ask_for_another_ttl(void **state)
{
	struct work_item item = { .created_ms = 1 };
	struct work_heartbeat beat = { .ttl_ms = 7000 };

	(void)state;
	assert_int_equal(work_policy_lease_end_ms(&item), INT64_MAX);
	assert_int_equal(work_policy_acknowledge(&item, WORK_EXECUTOR, 1000), WORK_CHANGED);
	assert_int_equal(work_policy_lease_end_ms(&item), 61000);
	assert_int_equal(work_policy_heartbeat(&item, &beat, WORK_HOLDER, 2000), WORK_CHANGED);
	assert_int_equal(work_policy_lease_end_ms(&item), 9000);
	beat.ttl_ms = 0;
	assert_int_equal(work_policy_heartbeat(&item, &beat, WORK_HOLDER, 3000), WORK_CHANGED);
	assert_int_equal(work_policy_lease_end_ms(&item), 10000);
	assert_int_equal(item.started_ms, 2000);
}

/* Two workers whose clocks stand still cannot both hold it. */
static void
T11_no_two_heartbeats_are_equal(void **state)
{
	struct work_item item = { .created_ms = 1 };
	struct work_heartbeat beat = { .has_expected = true };

	(void)state;
	assert_int_equal(work_policy_acknowledge(&item, WORK_EXECUTOR, 1000), WORK_CHANGED);
	assert_int_equal(work_policy_heartbeat(&item, &beat, WORK_EXECUTOR, 1000), WORK_CHANGED);
	beat.expected_ms = item.heartbeat_ms;
	assert_int_equal(work_policy_heartbeat(&item, &beat, WORK_EXECUTOR, 1000), WORK_CHANGED);
	assert_int_not_equal(item.heartbeat_ms, beat.expected_ms);
	assert_int_equal(work_policy_heartbeat(&item, &beat, WORK_EXECUTOR, 1000), WORK_LOST);
}

static void
T11_a_takeover_remembers_the_secret_before(void **state)
{
	struct work_item item = { 0 };
	struct sha256 one = sha256_of(STR("1")), two = sha256_of(STR("2"));

	(void)state;
	work_policy_hand_out(&item, STR("a"), &one, 10);
	work_policy_hand_out(&item, STR("b"), &two, 20);
	assert_int_equal(item.claim, 2);
	assert_int_equal(item.handed_ms, 20);
	check_str("worker", item.worker, STR("b"));
	assert_memory_equal(&item.token, &two, sizeof two);
	assert_memory_equal(&item.earlier, &one, sizeof one);
}

/* One step of whatever may happen. False: nobody said it. */
static bool
say_anything(struct work_item *item, struct rand *r, enum work_party by, int64_t now_ms)
{
	struct work_heartbeat beat = { .has_expected = rand_below(r, 2) > 0,
				       .expected_ms = item->heartbeat_ms,
				       .ttl_ms = (int64_t)rand_below(r, 3) * 4000 };
	struct sha256 token = { { (unsigned char)rand_below(r, 256) } };

	switch (rand_below(r, 5)) {
	case 0:
		if (work_policy_free_ms(item, 5000) <= now_ms)
			work_policy_hand_out(item, STR("w"), &token, now_ms);
		return false;
	case 1: work_policy_acknowledge(item, by, now_ms); return true;
	case 2:
		if (work_policy_heartbeat(item, &beat, by, now_ms) == WORK_CHANGED)
			assert_true(work_policy_lease_end_ms(item) > now_ms);
		return true;
	case 3: work_policy_stop(item, by, rand_below(r, 2) > 0, now_ms); return true;
	default:
		if (work_policy_lease_end_ms(item) <= now_ms)
			work_policy_expire(item, rand_below(r, 2) > 0, now_ms);
		return false;
	}
}

/* Who lost it changes nothing, and what is stopped stays so. */
static void
T11_whatever_is_said(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < suite_seeds(5000); seed++) {
		struct work_item item = { .created_ms = 1 };
		struct rand r;

		rand_init_seed(&r, seed);
		for (int64_t now_ms = 1000; now_ms < 60000;) {
			enum work_party by = (enum work_party)rand_below(&r, 4);
			struct work_item before = item;
			bool said = say_anything(&item, &r, by, now_ms);

			if (((said && by == WORK_FORMER) || before.state == WORK_STOPPED) &&
			    memcmp(&before, &item, sizeof item) != 0)
				fail_msg("seed %llu: changed at %lld", (unsigned long long)seed,
					 (long long)now_ms);
			now_ms += (int64_t)rand_below(&r, 9000);
		}
	}
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, row_holds);
	SUITE_ROWS(&s, NEEDS, need_holds);
	SUITE_ROWS(&s, FREES, free_holds);
	SUITE_TEST(&s, T11_a_worker_may_ask_for_another_ttl);
	SUITE_TEST(&s, T11_no_two_heartbeats_are_equal);
	SUITE_TEST(&s, T11_a_takeover_remembers_the_secret_before);
	SUITE_TEST(&s, T11_whatever_is_said);
	return suite_run(&s, "work_policy");
}
