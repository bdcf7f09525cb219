/* sim_world - one run of the simulator: the real engine on a memory store and a virtual clock, clients
 * who come and go, a model and tools that behave badly, a disk that fails, processes that die.
 *
 * Everything that happens is drawn from one seed, so a run repeats bit for bit. Five hundred steps,
 * each of them one thing: an act of a client, a fault, or one callback of a process. Then the faults
 * stop, time runs on, and everything must come to rest. sim_referee judges every commit on the way. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/attr.h"
#include "base/rand.h"
#include "base/sha256.h"
#include "base/vec.h"
#include "sim_host.h"
#include "sim_table.h"
#include "store/store.h"

enum { SIM_SESSIONS = 3, SIM_STEPS = 500, SIM_NONE = -1 };

/* What must hold, whatever happens. */
enum sim_clause {
	SIM_CLAUSE_TERMINAL,
	SIM_CLAUSE_CALL,
	SIM_CLAUSE_START,
	SIM_CLAUSE_TRANSCRIPT,
	SIM_CLAUSE_TRIGGER,
	SIM_CLAUSE_ORDER,
	SIM_CLAUSE_STEER,
	SIM_CLAUSE_INTERRUPT,
	SIM_CLAUSE_FENCE,
	SIM_CLAUSE_PARK,
	SIM_CLAUSE_LOG,
	SIM_CLAUSE_REST,
	SIM_CLAUSES
};

/* How likely what is in this run: a seed turns some of it off. Per mille, unless it says weight. */
struct sim_rules {
	unsigned act, fault;
	unsigned crash_weight, takeover_weight, drain_weight, jump_weight, stall_weight;
	unsigned append_fails, append_unknown, append_late, read_fails;
	unsigned model_fails, model_silent, model_calls;
	unsigned tool_fails, tool_silent;
	int64_t expire_ms; /* of questions; 0: they wait for ever */
	unsigned slow;     /* what is asked of store and model takes its time */
};

struct sim_node;
struct sim_referee;
struct sim_clients;

struct world {
	uint64_t seed;
	struct rand rnd;
	struct sim_rules rules;
	struct sim_clock clock;
	struct arena arena; /* lives as long as the run */
	struct store *truth;
	struct sim_node *node;   /* the process that clients reach; NULL: none is up */
	struct sim_node *zombie; /* one that lost its leases and goes on; NULL: none */
	int started;             /* processes so far */
	unsigned falls;          /* so often whatever brought the last one down does it again */
	bool clean; /* the last process ended in good order, and the next does not know it yet */
	int64_t watch_ms[SIM_SESSIONS]; /* when the node hears of another one's commit; INT64_MAX */
	struct sim_referee *referee;
	struct sim_clients *clients;
	struct sim_table *table;
	bool calm; /* no faults any more */
	bool traced;
	uint64_t happened; /* callbacks so far */

	bool failed;
	enum sim_clause clause;
	char problem[1024];
};

struct sim_result {
	bool failed;
	enum sim_clause clause;
	char problem[1024];
	struct sha256 hash; /* of all logs and of how they came to be */
	uint64_t happened, events;
};

/* Runs one seed. table counts on; traced prints every step. */
struct sim_result sim_world_run(uint64_t seed, struct sim_table *table, bool traced);

/* ---- for the parts of a world ---- */

uint64_t sim_below(struct world *w, uint64_t n);
bool sim_chance(struct world *w, unsigned per_mille);
/* How long something takes: usually no time at all. */
int64_t sim_delay_ms(struct world *w);
int sim_session_index(struct str id); /* SIM_NONE: it is no session of the world's */
struct str sim_session_id(int session);
/* The session's state meets a fault. SIM_NONE: nobody's. */
void sim_hit(struct world *w, int session, enum sim_fault fault);
enum sim_state sim_state_of(struct world *w, int session);
void sim_saw(struct world *w, enum sim_scene scene);
/* The run is over: a clause does not hold. The first one counts. */
void sim_fail(struct world *w, enum sim_clause clause, const char *fmt, ...) PRINTF_LIKE(3, 4);
void sim_trace(struct world *w, const char *fmt, ...) PRINTF_LIKE(2, 3);
