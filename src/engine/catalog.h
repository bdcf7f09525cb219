/* catalog - agents and environments: versioned definitions as records, and how others look them up.
 * Changed by engine/agent_change and engine/environment_change. */
#pragma once
#include "base/json_write.h"
#include "engine/engine_private.h"

struct catalog *catalog_new(struct engine *en);
void catalog_free(struct catalog **c);
struct engine *catalog_engine(struct catalog *c);
/* Makes agent main, environment local-default and workspace main where they are missing. */
void
catalog_load(struct catalog *c, void (*done)(void *ctx, int rc, const struct err *err), void *ctx);

/* The definition as a version froze it: the wire's agent object (JSON). Versions never change, so
 * recent ones are kept. version 0: the current one. ERR_NOT_FOUND when there is none. */
struct catalog_agent {
	struct str id;
	int64_t version;
	bool archived;   /* by now */
	struct str body; /* good during the call */
};
typedef void
catalog_agent_fn(void *ctx, int rc, const struct err *err, const struct catalog_agent *agent);
void
catalog_agent(struct catalog *c, struct str id, int64_t version, catalog_agent_fn *done, void *ctx);
/* An environment that exists and is not archived? unconfined: it is this machine, without a sandbox. */
typedef void catalog_check_fn(void *ctx, int rc, const struct err *err, bool unconfined);
void catalog_environment_check(struct catalog *c, struct str id, catalog_check_fn *done, void *ctx);
/* The agent object with the members of overrides (model, system, tools, mcp_servers, skills) in place;
 * *out is empty when there is nothing to override. Errors name the path inside overrides. */
NODISCARD int catalog_override(struct arena *a, struct str body, struct json overrides,
			       struct str *out, struct err *e);

/* Writes the agent that a session of this workspace has of its own as people see it: with the model that
 * answers by now. chosen: it was chosen for the session. */
struct catalog_own_agent {
	struct str workspace, text;
	bool chosen;
};
void catalog_show(const struct catalog *c, const struct catalog_own_agent *own, struct arena *a,
		  struct jw *w);

/* The id of the record that holds one version: "<agent>/<version, 10 digits>". */
struct str catalog_version_id(struct arena *a, struct str agent, int64_t version);
/* The agent was changed: current is its record's body from now on. */
void catalog_agent_changed(struct catalog *c, struct str id, struct json current);

/* What every data directory holds. */
#define CATALOG_AGENT       STR("main")
#define CATALOG_ENVIRONMENT STR("local-default")
#define CATALOG_WORKSPACE   STR("main")
