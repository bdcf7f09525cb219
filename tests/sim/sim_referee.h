/* sim_referee - watches every commit, every request to the model and every start of a tool, and says
 * what must not be. It keeps its own account of the logs, made of their bytes alone: neither
 * core/replay nor the store nor the engine is asked. */
#pragma once
#include "core/input.h"
#include "provider/provider.h"
#include "sim_world.h"
#include "tool/tool.h"

/* An event of a client's. */
struct ref_input {
	struct str id;
	int64_t seq;
	enum event_kind kind;
	enum input_class class;
	enum busy_mode busy;
	int64_t marker;   /* the number in its text; -1: none */
	size_t turn_then; /* index of the turn that was open at its seq; SIZE_MAX: none */
	size_t turn_used; /* of the one that consumed it; SIZE_MAX: none did */
	bool gone;        /* consumed, cancelled, or of no more use */
	struct str call;  /* an answer: to which */
	bool allow;
};

enum ref_wait { REF_ASKS, REF_WAITS, REF_RUNS, REF_DENIED, REF_CLOSED };
struct ref_call {
	struct str id;
	size_t turn;
	bool client_side, is_custom; /* is_custom: of a tool that the definition describes */
	bool of_engine;              /* the engine carries it out itself */
	enum ref_wait state;
	bool answered; /* there is an answer that is not consumed yet */
	unsigned starts;
	unsigned started_in; /* so many continuations of its turn there were, the last time */
};

struct ref_turn {
	struct str id;
	int64_t first_seq;
	bool ended;
};

struct ref_session {
	struct str id;
	int64_t head, fence;
	struct sim_node *holder; /* only compared; NULL: nobody, or one whose lease is void */
	unsigned continuations;  /* of its turns, after deaths and drains */
	bool doubt;              /* a commit for the turn did not succeed, or nobody knows */
	bool open, parked, rescheduled;
	VEC(struct ref_turn) turns; /* the open one is the last */
	VEC(struct ref_input) inputs;
	VEC(struct ref_call) calls; /* of all turns */
};

struct sim_referee {
	struct arena kept, scratch;
	struct ref_session sessions[SIM_SESSIONS];
	uint64_t events;
};

void sim_referee_init(struct world *w);
void sim_referee_release(struct world *w);

/* A younger process has begun: whoever held a lease holds it no more. */
void sim_referee_leases_void(struct world *w);
void sim_referee_commit(struct world *w, struct sim_node *node, const struct store_item *item,
			const struct store_result *result);
/* A commit of a turn's was not acknowledged: its process may give the lease up. */
void sim_referee_doubt(struct world *w, int session);
void
sim_referee_request(struct world *w, struct sim_node *node, const struct provider_request *request);
void sim_referee_tool(struct world *w, struct sim_node *node, const struct tool_request *request);

const struct ref_session *sim_referee_session(const struct world *w, int session);
/* Pending triggers. */
size_t sim_referee_waiting(const struct world *w, int session);
/* A call that waits for an answer and has none; NULL: none does. */
const struct ref_call *sim_referee_waiting_call(const struct world *w, int session);
