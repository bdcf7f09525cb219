/* model_choice - which model answers: what the message, the session, its workspace, the agent or the server
 * names?
 *
 * The nearest one that names a model counts. Asked for every turn and for every agent that is shown, so that
 * an agent that names none follows the server's default. */
#pragma once
#include <stdbool.h>
#include "base/arena.h"
#include "base/json.h"
#include "base/json_write.h"
#include "base/str.h"

#define MODEL_BUILT_IN STR("demo") /* where nobody names one */

enum model_source {
	MODEL_SOURCE_MESSAGE,
	MODEL_SOURCE_SESSION,
	MODEL_SOURCE_WORKSPACE,
	MODEL_SOURCE_AGENT,
	MODEL_SOURCE_SERVER,
	MODEL_SOURCE_DEFAULT, /* nobody names one */
};
/* The wire's word: "message", "session", "workspace", "agent", "server", "default". */
const char *model_source_name(enum model_source source);

/* What each of them names; empty: nothing. */
struct model_facts {
	struct str message;
	struct str own; /* the agent's, as the session runs it */
	bool chosen;    /* own was chosen for the session */
	struct str workspace;
	struct str server;
};
struct model_choice {
	struct str model;
	enum model_source source;
};
struct model_choice model_choice_decide(const struct model_facts *f);

/* The agent object as people see it: its model is the one that answers, with the agent's own settings, and
 * "model_source" says who named it. f->own is not looked at. An object without a model stays as it is. */
void
model_choice_write(struct jw *w, struct json agent, const struct model_facts *f, struct arena *a);
