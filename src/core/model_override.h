/* model_override - a person chose another model for a session, or had it think harder: what was it before,
 * and how does the session get that back? Model and effort are one member of an agent.
 *
 * What a session has beyond its log (extra) holds its agent as it is now and, while somebody's choice
 * holds, "model_before": the agent's model as the session began. Everything else it changed of its agent
 * is no part of this. */
#pragma once
#include "base/arena.h"
#include "base/json.h"
#include "base/str.h"

#define MODEL_OVERRIDE_BEFORE STR("model_before")
#define MODEL_OVERRIDE_CHOSEN STR("model_chosen") /* true: as the session was opened */

/* Was the model of the session's agent chosen for the session, when it was opened or since? */
bool model_override_is_chosen(struct json extra);
/* What is to be remembered when a choice is made: JSON. agent: as it is without the choice. */
struct str model_override_before(struct json extra, struct json agent);
/* extra without the choice. False: there is none, or nothing to go back to. agent: the one inside body. */
bool model_override_clear(struct json extra, struct arena *a, struct str *body, struct str *agent);
