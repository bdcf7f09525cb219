#include "sim_world.h"

#include <stdarg.h>
#include <stdio.h>

#include "core/event_make.h"
#include "engine/engine.h"
#include "sim_client.h"
#include "sim_fault.h"
#include "sim_model.h"
#include "sim_node.h"
#include "sim_referee.h"
#include "sim_rest.h"
#include "sim_store.h"
#include "sim_tools.h"
#include "store/mem/mem.h"

static const int64_t NOW_MS = INT64_C(1750000000000);
static const int64_t HORIZON_MS = INT64_C(72) * 3600 * 1000;

/* ---- for everybody ---- */

uint64_t
sim_below(struct world *w, uint64_t n)
{
	return rand_below(&w->rnd, n);
}

bool
sim_chance(struct world *w, unsigned per_mille)
{
	return per_mille > 0 && rand_below(&w->rnd, 1000) < per_mille;
}

int64_t
sim_delay_ms(struct world *w)
{
	if (!sim_chance(w, w->rules.slow))
		return 0;
	return (int64_t)sim_below(w, sim_chance(w, 100) ? 30000 : 300);
}

struct str
sim_session_id(int session)
{
	static const struct str IDS[SIM_SESSIONS] = { STR("s0"), STR("s1"), STR("s2") };

	return IDS[session];
}

int
sim_session_index(struct str id)
{
	for (int i = 0; i < SIM_SESSIONS; i++)
		if (str_eq(id, sim_session_id(i)))
			return i;
	return SIM_NONE;
}

void
sim_fail(struct world *w, enum sim_clause clause, const char *fmt, ...)
{
	va_list args;

	if (w->failed)
		return;
	w->failed = true;
	w->clause = clause;
	va_start(args, fmt);
	vsnprintf(w->problem, sizeof w->problem, fmt, args);
	va_end(args);
	sim_trace(w, "FAILED: %s", w->problem);
}

void
sim_trace(struct world *w, const char *fmt, ...)
{
	va_list args;

	if (!w->traced)
		return;
	printf("%8lld ", (long long)w->clock.steady_ms);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	printf("\n");
}

/* ---- what a session is at ---- */

static bool
has_job(const struct world *w, int session, enum sim_job kind)
{
	return w->node && sim_store_has(w->node->store, session, kind);
}

static bool
lists_tools(const struct world *w, int session)
{
	return w->node && (sim_tools_list(w->node->tools, session) ||
			   sim_tools_list(w->node->servers, session));
}

static bool
runs_tools(const struct world *w, int session)
{
	return sim_tools_run(w->node->tools, session) || sim_tools_run(w->node->servers, session);
}

static enum sim_state
state_between_turns(const struct world *w, int session)
{
	if (has_job(w, session, SIM_JOB_TAKE))
		return SIM_OPENING;
	if (lists_tools(w, session))
		return SIM_LISTING;
	if (has_job(w, session, SIM_JOB_READ))
		return SIM_LOOKING;
	return sim_referee_waiting(w, session) > 0 ? SIM_QUEUED : SIM_IDLE;
}

enum sim_state
sim_state_of(struct world *w, int session)
{
	const struct ref_session *s = sim_referee_session(w, session);

	if (!s->open)
		return state_between_turns(w, session);
	if (has_job(w, session, SIM_JOB_TAKE) || has_job(w, session, SIM_JOB_BREAK))
		return SIM_RESUMING;
	if (has_job(w, session, SIM_JOB_TURN))
		return SIM_COMMITTING;
	if (lists_tools(w, session))
		return SIM_LISTING;
	if (s->parked)
		return SIM_PARKED;
	if (!w->node || s->holder != w->node)
		return SIM_LEFT;
	if (has_job(w, session, SIM_JOB_CONTEXT))
		return SIM_CONTEXT;
	if (sim_model_open(w->node->model, session))
		return sim_model_streams(w->node->model, session) ? SIM_STREAMING : SIM_ASKED;
	if (s->rescheduled)
		return SIM_BACKOFF;
	return runs_tools(w, session) ? SIM_TOOLS : SIM_LEFT;
}

void
sim_hit(struct world *w, int session, enum sim_fault fault)
{
	if (session != SIM_NONE && !w->calm)
		w->table->hits[sim_state_of(w, session)][fault]++;
}

void
sim_saw(struct world *w, enum sim_scene scene)
{
	if (!w->calm)
		w->table->scenes[scene]++;
}

/* ---- one step ---- */

enum spring { SPRING_TASK, SPRING_TIMER, SPRING_STORE, SPRING_WATCH };
struct choice {
	enum spring source;
	struct sim_node *node;
	int session;
};
struct choices {
	struct choice all[8 + SIM_SESSIONS];
	size_t count;
	int64_t due_ms; /* of the first that is not ready yet */
};

static void
consider(struct world *w, struct choices *c, int64_t due_ms, struct choice choice)
{
	if (due_ms <= w->clock.steady_ms)
		c->all[c->count++] = choice;
	else if (due_ms < c->due_ms)
		c->due_ms = due_ms;
}

static struct choices
look_around(struct world *w)
{
	struct sim_node *nodes[] = { w->node, w->zombie };
	struct choices c = { .due_ms = INT64_MAX };

	for (size_t i = 0; i < ARRAY_LEN(nodes); i++) {
		struct sim_node *n = nodes[i];

		if (!n)
			continue;
		consider(w, &c, sim_host_has_task(&n->host) ? 0 : INT64_MAX,
			 (struct choice){ SPRING_TASK, n, SIM_NONE });
		consider(w, &c, sim_host_due_ms(&n->host),
			 (struct choice){ SPRING_TIMER, n, SIM_NONE });
		consider(w, &c, sim_store_due_ms(n->store),
			 (struct choice){ SPRING_STORE, n, SIM_NONE });
	}
	for (int i = 0; i < SIM_SESSIONS; i++)
		if (w->node && w->node->started && !w->node->draining)
			consider(w, &c, w->watch_ms[i],
				 (struct choice){ SPRING_WATCH, w->node, i });
	return c;
}

static void
let_happen(struct world *w, const struct choice *c)
{
	w->happened++;
	switch (c->source) {
	case SPRING_TASK: sim_host_run_task(&c->node->host); return;
	case SPRING_TIMER: sim_host_fire(&c->node->host); return;
	case SPRING_STORE: sim_store_run(c->node->store); return;
	case SPRING_WATCH:
		w->watch_ms[c->session] = INT64_MAX;
		sim_clients_wake(w, c->session);
		return;
	}
}

/* One callback; when nothing is ready time moves on, but not beyond until_ms. False: nothing is left
 * until then. */
static bool
run_one(struct world *w, int64_t until_ms)
{
	struct choices c = look_around(w);

	if (c.count == 0 && c.due_ms > until_ms)
		return false;
	if (c.count == 0) {
		w->clock.steady_ms = c.due_ms;
		c = look_around(w);
	}
	let_happen(w, &c.all[sim_below(w, c.count)]);
	return true;
}

/* Processes that could not start or are drained make room for the next. */
static void
tend_processes(struct world *w)
{
	if (w->node && w->node->broken)
		sim_node_crash(&w->node);
	if (w->node && w->node->draining && sim_node_is_through(w->node))
		sim_node_end(&w->node);
	if (!w->node && (w->calm || sim_chance(w, 300)))
		w->node = sim_node_new(w);
}

static void
step(struct world *w)
{
	uint64_t dice = sim_below(w, 1000);

	if (dice < w->rules.act && w->node && w->node->started)
		sim_clients_act(w);
	else if (dice < w->rules.act + w->rules.fault)
		sim_fault_inject(w);
	else if (!run_one(w, INT64_MAX - 1) && w->node && w->node->started)
		sim_clients_act(w);
	sim_fault_fall_again(w);
	tend_processes(w);
}

/* ---- the beginning ---- */

static void
on_put(void *ctx, const struct store_result *result)
{
	if (result->rc != 0)
		sim_fail(ctx, SIM_CLAUSE_LOG, "the world cannot begin: %s", result->err.text);
}

static void
put(struct world *w, const struct store_item *item)
{
	store_append(w->truth, item, on_put, w);
	while (store_dispatch(w->truth) > 0)
		;
}

static void
make_agent(struct world *w, const char *id, const char *more)
{
	struct str body = arena_printf(
		&w->arena, "{\"id\":\"%s\",\"version\":1,\"model\":\"sim\"%s}", id, more);
	struct str name = str_of(id);
	struct store_put puts[] = {
		{ .record = { .kind = RECORD_AGENT, .id = name, .body = body },
		  .if_version = STORE_VERSION_ANY },
		{ .record = { .kind = RECORD_AGENT_VERSION,
			      .id = arena_printf(&w->arena, STR_FMT "/0000000001", STR_ARG(name)),
			      .owner = name,
			      .body = body },
		  .if_version = STORE_VERSION_ANY },
	};

	put(w, &(struct store_item){ .puts = puts, .put_count = ARRAY_LEN(puts) });
}

/* Whose tools run on somebody else's machine. */
static void
make_environment(struct world *w)
{
	struct store_put made = {
		.record = { .kind = RECORD_ENVIRONMENT,
			    .id = STR("elsewhere"),
			    .body = STR("{\"id\":\"elsewhere\",\"config\":{\"type\":"
					"\"self_hosted\"}}") },
		.if_version = STORE_VERSION_ANY,
	};

	put(w, &(struct store_item){ .puts = &made, .put_count = 1 });
}

static void
make_session(struct world *w, int session, const char *agent)
{
	struct make_created m = { .agent_id = str_of(agent),
				  .agent_version = 1,
				  .environment_id = str_eq(str_of(agent), STR("asks"))
							    ? STR("elsewhere")
							    : STR("local-default"),
				  .source = STR("{\"kind\":\"api\"}") };
	struct event ev = { .id = arena_printf(&w->arena, "created-%d", session),
			    .kind = EVENT_SESSION_CREATED,
			    .author = AUTHOR_SYSTEM,
			    .created_at_ms = w->clock.steady_ms + w->clock.skew_ms };
	struct buf payload;

	buf_init(&payload, 1 << 16);
	event_make_created(&payload, &m);
	ev.payload = buf_str(&payload);
	put(w, &(struct store_item){ .session = sim_session_id(session),
				     .require.absent = true,
				     .events = &ev,
				     .event_count = 1 });
	w->referee->sessions[session].head = 1;
	buf_release(&payload);
}

static void
begin(struct world *w)
{
	static const char *const AGENTS[SIM_SESSIONS] = { "works", "asks", "reaches" };

	arena_init(&w->arena);
	w->clock = (struct sim_clock){ .steady_ms = 0, .skew_ms = NOW_MS };
	w->truth = store_mem_new((struct store_owner){ 0 }, "nobody");
	for (int i = 0; i < SIM_SESSIONS; i++)
		w->watch_ms[i] = INT64_MAX;
	sim_referee_init(w);
	sim_clients_init(w);
	make_environment(w);
	make_agent(w, "asks",
		   ",\"limits\":{\"turn_timeout_s\":600,\"max_steps\":4},\"tools\":["
		   "{\"type\":\"custom\",\"name\":\"ask\"},"
		   "{\"type\":\"custom\",\"name\":\"tell\"},"
		   "{\"type\":\"agent_toolset_20260401\",\"configs\":[{\"name\":\"bash\","
		   "\"permission_policy\":{\"type\":\"always_ask\"}}]}]");
	make_agent(w, "works",
		   ",\"limits\":{\"turn_timeout_s\":60,\"tool_timeout_s\":20},\"tools\":["
		   "{\"type\":\"agent_toolset_20260401\",\"configs\":[{\"name\":\"bash\","
		   "\"permission_policy\":{\"type\":\"always_ask\"}}]},"
		   "{\"type\":\"custom\",\"name\":\"ask\"}]");
	make_agent(w, "reaches",
		   ",\"limits\":{\"turn_timeout_s\":200,\"tool_timeout_s\":30},"
		   "\"mcp_servers\":[{\"type\":\"url\",\"name\":\"web\","
		   "\"url\":\"https://web.test\"}],\"tools\":["
		   "{\"type\":\"agent_toolset_20260401\"},{\"type\":\"mcp_toolset\","
		   "\"mcp_server_name\":\"web\"}]");
	for (int i = 0; i < SIM_SESSIONS; i++)
		make_session(w, i, AGENTS[i]);
	w->node = sim_node_new(w);
	while (!w->node->started && !w->failed && run_one(w, HORIZON_MS))
		;
	sim_fault_draw_rules(w);
}

/* ---- the end ---- */

static bool
is_open(struct world *w)
{
	for (int i = 0; i < SIM_SESSIONS; i++)
		if (sim_referee_session(w, i)->open || sim_referee_waiting(w, i) > 0)
			return true;
	return false;
}

/* Until nothing is left to happen by itself. */
static void
run_out(struct world *w)
{
	enum { CALLBACKS_MAX = 200000 };
	int64_t until = w->clock.steady_ms + HORIZON_MS;

	for (int i = 0; !w->failed; i++) {
		tend_processes(w);
		if (!run_one(w, until))
			return;
		if (i == CALLBACKS_MAX)
			sim_fail(w, SIM_CLAUSE_REST, "there is no end to it");
	}
}

/* A server whose own turns may have brought it down lets them wait: people have to ask for them. */
static void
ask_for_what_is_held(struct world *w)
{
	bool asked = false;

	for (int i = 0; i < SIM_SESSIONS && !w->failed; i++) {
		const struct ref_session *s = sim_referee_session(w, i);

		if (!s->open || s->parked || !w->node || !sim_node_holds(w->node, i))
			continue;
		sim_clients_wake(w, i);
		asked = true;
	}
	if (asked)
		run_out(w);
}

/* Whatever waits now waits for people. */
static void
judge_rest(struct world *w)
{
	for (int i = 0; i < SIM_SESSIONS; i++) {
		const struct ref_session *s = sim_referee_session(w, i);

		if (s->open && !s->parked)
			sim_fail(
				w, SIM_CLAUSE_REST,
				"session %d is left running: its turn is open, and nothing happens",
				i);
		if (!s->open && sim_referee_waiting(w, i) > 0)
			sim_fail(w, SIM_CLAUSE_REST, "session %d has %zu messages that nobody runs",
				 i, sim_referee_waiting(w, i));
		if (s->parked && !sim_referee_waiting_call(w, i))
			sim_fail(w, SIM_CLAUSE_REST,
				 "session %d is parked, although everything is answered", i);
		for (size_t k = 0; k < s->inputs.len; k++)
			if (!s->inputs.ptr[k].gone && s->inputs.ptr[k].class == INPUT_CONTROL)
				sim_fail(w, SIM_CLAUSE_REST,
					 "session %d: the interrupt of seq %lld did nothing", i,
					 (long long)s->inputs.ptr[k].seq);
	}
}

/* People come and answer until nothing waits for them; in the end they have enough. */
static void
answer_everything(struct world *w)
{
	enum { ROUNDS = 40, PATIENCE = 30 };

	for (int round = 0; round < ROUNDS && is_open(w) && !w->failed; round++) {
		for (int i = 0; i < SIM_SESSIONS; i++) {
			if (!sim_referee_session(w, i)->parked)
				continue;
			if (round < PATIENCE)
				sim_clients_answer(w, i);
			else
				sim_clients_interrupt(w, i);
		}
		run_out(w);
		judge_rest(w);
	}
	if (is_open(w))
		sim_fail(w, SIM_CLAUSE_REST, "everybody answered, and yet something is open");
}

static void
come_to_rest(struct world *w)
{
	w->calm = true;
	w->rules = (struct sim_rules){ .slow = w->rules.slow,
				       .model_calls = 40,
				       .expire_ms = w->rules.expire_ms };
	if (w->zombie)
		sim_node_crash(&w->zombie);
	run_out(w);
	ask_for_what_is_held(w);
	judge_rest(w);
	answer_everything(w);
	sim_clients_judge(w);
	sim_rest_judge_wakes(w);
	sim_rest_judge_rows(w);
}

static void
end(struct world *w)
{
	if (w->zombie)
		sim_node_crash(&w->zombie);
	if (w->node)
		sim_node_crash(&w->node);
	store_free(&w->truth);
	sim_clients_release(w);
	sim_referee_release(w);
	arena_release(&w->arena);
}

struct sim_result
sim_world_run(uint64_t seed, struct sim_table *table, bool traced)
{
	struct world w = { .seed = seed, .table = table, .traced = traced };
	struct sim_result result;

	rand_init_seed(&w.rnd, seed);
	begin(&w);
	for (int i = 0; i < SIM_STEPS && !w.failed; i++)
		step(&w);
	if (!w.failed)
		come_to_rest(&w);
	result = (struct sim_result){ .hash = sim_rest_hash(&w),
				      .happened = w.happened,
				      .events = w.referee->events };
	end(&w);
	result.failed = w.failed;
	result.clause = w.clause;
	memcpy(result.problem, w.problem, sizeof result.problem);
	return result;
}
