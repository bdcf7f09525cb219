/* test_sim - the simulator over many seeds: README.md says what it does and how a seed is replayed.
 *
 *   PERDURE_SEEDS=N        so many seeds instead of the usual number
 *   PERDURE_SEED_FIRST=N   from this one on
 *   PERDURE_SEED=N         this one alone, with every step of it */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "harness.h"
#include "sim_world.h"

enum { USUAL_SEEDS = 4000, TABLE_SEEDS = 1000, REPLAYS = 50 };

static const char *const CLAUSES[SIM_CLAUSES] = {
	[SIM_CLAUSE_TERMINAL] = "T2 a turn ends in exactly one terminal event, and nothing follows",
	[SIM_CLAUSE_CALL] = "T7 every call gets one result, and its own",
	[SIM_CLAUSE_START] = "T7 a tool starts once, after its call is in the log",
	[SIM_CLAUSE_TRANSCRIPT] = "T7 the model reads every call with its result",
	[SIM_CLAUSE_TRIGGER] = "Q2 every accepted message runs in exactly one turn",
	[SIM_CLAUSE_ORDER] = "Q3 messages run in the order of the log, one that interrupts first",
	[SIM_CLAUSE_STEER] = "Q3 a steering message reaches the model",
	[SIM_CLAUSE_INTERRUPT] = "Q5 an interrupt hits only the turn that is open at its seq",
	[SIM_CLAUSE_FENCE] = "Q7 only the holder of the lease writes for a turn",
	[SIM_CLAUSE_PARK] = "T9 a parked turn waits until it is answered",
	[SIM_CLAUSE_LOG] = "T2 the log has no gap, and the rows are its replay",
	[SIM_CLAUSE_REST] = "Q2 no wake-up is lost: everything comes to rest",
};

static struct sim_table table;
static struct sim_result first_failure[SIM_CLAUSES];
static uint64_t failing_seed[SIM_CLAUSES], failures[SIM_CLAUSES];
static uint64_t ran, happened, events;
static const char *program;

static uint64_t
number(const char *name, uint64_t usual)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 10) : usual;
}

static void
run_all(uint64_t first, uint64_t count)
{
	for (uint64_t seed = first; seed < first + count; seed++) {
		struct sim_result r = sim_world_run(seed, &table, false);

		ran++;
		happened += r.happened;
		events += r.events;
		if (r.failed && failures[r.clause]++ == 0) {
			first_failure[r.clause] = r;
			failing_seed[r.clause] = seed;
		}
	}
}

static void
check_clause(void **state)
{
	size_t clause = (size_t)((const char *const *)*state - CLAUSES);

	if (failures[clause] > 0)
		fail_msg("%llu of %llu seeds; the first:\n  %s\n  replay: PERDURE_SEED=%llu %s",
			 (unsigned long long)failures[clause], (unsigned long long)ran,
			 first_failure[clause].problem, (unsigned long long)failing_seed[clause],
			 program);
}

static void
T2_a_seed_replays_bit_for_bit(void **state)
{
	struct sim_table ignored = { 0 };

	(void)state;
	for (uint64_t i = 0; i < REPLAYS; i++) {
		uint64_t seed = i * 79 + 1;
		struct sim_result a = sim_world_run(seed, &ignored, false);
		struct sim_result b = sim_world_run(seed, &ignored, false);

		if (memcmp(&a.hash, &b.hash, sizeof a.hash) != 0 || a.happened != b.happened)
			fail_msg("seed %llu is another the second time", (unsigned long long)seed);
	}
}

/* One in a hundred thousand: the timer of a wake went off while a list from before it was being read. */
static void
Q2_worlds_that_once_went_wrong(void **state)
{
	static const uint64_t SEEDS[] = { 5503 };
	struct sim_table ignored = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(SEEDS); i++) {
		struct sim_result r = sim_world_run(SEEDS[i], &ignored, false);

		if (r.failed)
			fail_msg("seed %llu: %s", (unsigned long long)SEEDS[i], r.problem);
	}
}

static void
T2_every_state_meets_every_fault(void **state)
{
	(void)state;
	if (ran >= TABLE_SEEDS) /* fewer prove nothing about the table */
		assert_int_equal(sim_table_holes(&table, stderr), 0);
}

static int
replay_one(uint64_t seed)
{
	struct sim_result r = sim_world_run(seed, &table, true);
	char hex[2 * SHA256_BYTES + 1];

	sha256_hex(&r.hash, SHA256_BYTES, hex);
	printf("seed %llu: %s\n  %llu callbacks, %llu events, hash %s\n", (unsigned long long)seed,
	       r.failed ? r.problem : "at rest", (unsigned long long)r.happened,
	       (unsigned long long)r.events, hex);
	if (r.failed)
		printf("  broken: %s\n", CLAUSES[r.clause]);
	return r.failed;
}

int
main(int argc, char **argv)
{
	struct suite s = { 0 };
	int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

	(void)argc;
	program = argv[0];
	log_init(nowhere, LOG_ERROR);
	if (getenv("PERDURE_SEED"))
		return replay_one(number("PERDURE_SEED", 0));
	run_all(number("PERDURE_SEED_FIRST", 0), suite_seeds(USUAL_SEEDS));
	printf("%llu seeds, %llu callbacks, %llu events\n", (unsigned long long)ran,
	       (unsigned long long)happened, (unsigned long long)events);
	sim_table_print(&table, stdout);
	for (size_t i = 0; i < SIM_CLAUSES; i++)
		suite_add(&s, CLAUSES[i], check_clause, &CLAUSES[i]);
	SUITE_TEST(&s, T2_a_seed_replays_bit_for_bit);
	SUITE_TEST(&s, Q2_worlds_that_once_went_wrong);
	SUITE_TEST(&s, T2_every_state_meets_every_fault);
	return suite_run(&s, "sim");
}
