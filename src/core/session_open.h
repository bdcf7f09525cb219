/* session_open - what does a request to open a session ask for?
 * The body of POST /v1/sessions, taken apart and checked as far as that goes without knowing what
 * exists. Texts stay in the document or in the arena. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "base/str.h"
#include "core/session_source.h"

enum { SESSION_TITLE_MAX = 200, SESSION_RESOURCES_MAX = 100, SESSION_VAULTS_MAX = 100 };

struct session_open {
	struct str id;             /* empty: one is made */
	struct str agent_id;       /* "main" when nothing is said */
	int64_t agent_version;     /* 0: the current one */
	struct json overrides;     /* the agent object of agent_with_overrides; absent: none */
	struct str environment_id; /* empty: where the agent's sessions usually are */
	struct str workspace_id;
	struct str title; /* empty: none */
	struct session_source source;
	bool has_source;
	struct json metadata, initial_events, resources, vault_ids, budget; /* absent: none */
	struct str webhook_url;
};

NODISCARD int
session_open_read(struct json body, struct arena *a, struct session_open *out, struct err *e);
/* A title: at most SESSION_TITLE_MAX characters, one line. */
NODISCARD int session_title_check(struct json v, struct arena *a, struct str *out, struct err *e);
/* {"type":"limit","max_list_cost":{"amount":"2500","currency":"USD"}}: whole cents in a text. */
NODISCARD int session_budget_check(struct json v, struct err *e);
/* Its limit in picodollars; one that passed the check. Absent or null: BUDGET_UNLIMITED. */
int64_t session_budget_limit(struct json v);
/* Beside a budget that no owner set: whoever may manage the session may change it. */
#define SESSION_BUDGET_OPEN "budget_open"
/* {"type":"file","file_id",…}, github_repository or memory_store; fields by type. */
NODISCARD int session_resource_check(struct json v, struct err *e);
