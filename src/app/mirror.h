/* mirror - session files beside the database, kept up to date by a thread of their own (M13).
 *
 * The loop says which sessions grew and hands the thread pages of the store; nobody waits for the
 * files, and what cannot be written is tried again later. At the start every session is looked at, so
 * what a kill cut short is completed from the log. */
#pragma once
#include "engine/engine.h"
#include "net/loop.h"

struct mirror;

struct mirror_config {
	struct loop *loop;
	struct store *store; /* borrowed, like the engine; both outlive it */
	struct engine *engine;
	struct str data; /* the directory; must stay */
};

NODISCARD int mirror_new(struct mirror **out, const struct mirror_config *config, struct err *e);
/* Writes what is known to be missing first, for a few seconds at most; the store is dispatched while it
 * waits. */
void mirror_free(struct mirror **m);
