/* sim_node - one process of the world: an engine with its own host, its own view of the store, its own
 * connections to the model. It starts, is drained, loses its leases, or dies at any moment. */
#pragma once
#include "engine/engine.h"
#include "sim_host.h"

struct world;
struct sim_store;
struct sim_model;

struct sim_node {
	struct world *w;
	int number;
	char name[24];
	struct sim_host host;
	struct sim_store *store;
	struct sim_model *model;
	struct sim_tools *tools, *servers;
	struct engine *en;
	bool started; /* commands may come */
	bool broken;  /* it could not start */
	bool draining, drained;
	bool is_zombie; /* a younger process holds the leases */
};

/* A younger process: leases of the older ones count for nothing from now on. */
struct sim_node *sim_node_new(struct world *w);
void sim_node_drain(struct sim_node *n, int64_t timeout_ms);
/* Drained, and nothing is on its way any more: it can go. */
bool sim_node_is_through(const struct sim_node *n);
void sim_node_free(struct sim_node **n);
/* It was drained and is through: it goes, and leaves word of it when nothing is left to be gone on with. */
void sim_node_end(struct sim_node **n);
/* Does the turn of this session wait until somebody asks for it? After too many unclean starts. */
bool sim_node_holds(const struct sim_node *n, int session);
/* Dies at once: nothing of it has an effect any more, nobody hears of it. Its memory is freed by letting
 * it find out. */
void sim_node_crash(struct sim_node **n);
