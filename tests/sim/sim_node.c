#include "sim_node.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "engine/wake.h"
#include "sim_client.h"
#include "sim_model.h"
#include "sim_referee.h"
#include "sim_store.h"
#include "sim_tools.h"
#include "sim_world.h"
#include "store/mem/mem.h"

/* ---- randomness ----
 * An engine draws its seed from the kernel. Here that call is replaced (see meson.build), because a
 * run must repeat. */

static uint64_t next_engine_seed;

void __wrap_rand_init_os(struct rand *r);

void
__wrap_rand_init_os(struct rand *r)
{
	rand_init_seed(r, next_engine_seed);
}

/* ---- start ---- */

static int
find_model(void *ctx, struct str model, struct provider **provider, struct str *name, struct err *e)
{
	struct sim_node *n = ctx;

	if (!str_eq(model, STR("sim")))
		return err_set(e, ERR_INVALID, "there is no model " STR_FMT "; known: sim",
			       STR_ARG(model));
	*provider = sim_model_port(n->model);
	*name = model;
	return 0;
}

bool
sim_node_holds(const struct sim_node *n, int session)
{
	return wake_is_held(n->en, sim_session_id(session));
}

static void
on_started(void *ctx, int rc, const struct err *err)
{
	struct sim_node *n = ctx;

	sim_trace(n->w, "%s started: %s", n->name, rc == 0 ? "ok" : err->text);
	n->started = rc == 0;
	n->broken = rc != 0;
	for (int i = 0; rc == 0 && i < SIM_SESSIONS; i++)
		if (sim_node_holds(n, i))
			sim_saw(n->w, SIM_SCENE_HELD);
}

struct sim_node *
sim_node_new(struct world *w)
{
	struct sim_node *n = xcalloc(1, sizeof *n);

	n->w = w;
	n->number = ++w->started;
	snprintf(n->name, sizeof n->name, "process-%d", n->number);
	store_mem_restart(w->truth, (struct store_owner){ 0 }, n->name);
	sim_referee_leases_void(w);
	sim_host_init(&n->host, &w->clock);
	n->store = sim_store_new(n);
	n->model = sim_model_new(n);
	n->tools = sim_tools_new(n, false);
	n->servers = sim_tools_new(n, true);
	next_engine_seed = rand_u64(&w->rnd);
	n->en = engine_new(&(struct engine_config){
		.store = sim_store_port(n->store),
		.host = &n->host.host,
		.models = { find_model, n },
		.tools = sim_tools_port(n->tools),
		.servers = sim_tools_port(n->servers),
		.owner_token =
			STR("pdr_00000000000000000000000000000000000000000000000000000000000000aa"),
		.settings.default_model = STR("sim"),
		.settings.queue_depth = 4,
		.settings.quiet_ms = 1500,
		.settings.approvals = { .unattended = APPROVAL_DENY,
					.expire_after_ms = w->rules.expire_ms,
					.expired = APPROVAL_ALLOW },
		.clean = w->clean,
	});
	w->clean = false;
	sim_trace(w, "%s begins", n->name);
	engine_start(n->en, on_started, n);
	return n;
}

/* ---- end ---- */

static void
on_drained(void *ctx)
{
	((struct sim_node *)ctx)->drained = true;
}

void
sim_node_drain(struct sim_node *n, int64_t timeout_ms)
{
	n->draining = true;
	engine_drain(n->en, timeout_ms,
		     n->number % 2 == 0 ? RECOVER_SHUTDOWN_TIMEOUT : RECOVER_RESTART_TIMEOUT,
		     on_drained, n);
}

bool
sim_node_is_through(const struct sim_node *n)
{
	return n->drained && !sim_host_has_task(&n->host) &&
	       sim_store_due_ms(n->store) == INT64_MAX;
}

void
sim_node_free(struct sim_node **p)
{
	struct sim_node *n = *p;

	if (!n)
		return;
	*p = NULL;
	engine_free(&n->en);
	if (sim_model_open(n->model, SIM_NONE) || sim_tools_run(n->tools, SIM_NONE) ||
	    sim_tools_run(n->servers, SIM_NONE))
		sim_fail(n->w, SIM_CLAUSE_REST, "%s is gone, but something of its still runs",
			 n->name);
	sim_tools_free(&n->tools);
	sim_tools_free(&n->servers);
	sim_model_free(&n->model);
	sim_store_free(&n->store);
	free(n);
}

void
sim_node_end(struct sim_node **n)
{
	(*n)->w->clean = (*n)->started && engine_stats((*n)->en).put_off == 0;
	sim_node_free(n);
}

void
sim_node_crash(struct sim_node **p)
{
	enum { ROUNDS_MAX = 100000 };
	struct sim_node *n = *p;

	sim_trace(n->w, "%s dies", n->name);
	sim_clients_lost(n->w, n);
	sim_store_die(n->store);
	n->drained = false;
	sim_node_drain(n, 0);
	for (int i = 0; i < ROUNDS_MAX && !sim_node_is_through(n); i++) {
		if (sim_host_has_task(&n->host))
			sim_host_run_task(&n->host);
		else if (sim_store_due_ms(n->store) != INT64_MAX)
			sim_store_run(n->store);
		else if (sim_host_due_ms(&n->host) <= n->w->clock.steady_ms)
			sim_host_fire(&n->host);
		else
			break;
	}
	if (!sim_node_is_through(n))
		sim_fail(n->w, SIM_CLAUSE_REST, "%s cannot be drained once its store fails",
			 n->name);
	else
		sim_node_free(p);
	*p = NULL; /* one that hangs on is left alone: the run has failed */
}
