/* config - what the operator wants: one YAML file, every key in one table (config_key.c), as plain
 * members with all defaults filled in.
 *
 * Reading it. A struct config never changes: it is built by config_load_with, read by anyone, and freed as a
 * whole. A reload builds a second one, asks config_reloadable what changed, and swaps a pointer.
 *   struct config *c = NULL;
 *   config_load_with(&(struct config_source){ .file = path, .overrides = given, ... }, &c, &p, &e);
 * Texts and paths are NUL-terminated; an absent one is empty. Numbers that may be absent are -1 then.
 * Whatever loads has been checked: members are in the range their comment names, names are unique,
 * references point at something.
 *
 * Secrets. None is in here: a provider names the environment variable or the file that holds its key,
 * and a key written into the file is refused.
 *
 * Adding a key: a member here and a row in config_key.c; everything else (parsing, defaults, messages,
 * `config show`, docs/CONFIG.md) follows from the row. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "app/config_problem.h"
#include "base/arena.h"
#include "base/log.h"
#include "base/str.h"
#include "core/approval_policy.h"
#include "core/cost.h"
#include "core/hook_event.h"
#include "core/input.h"
#include "core/reset_policy.h"
#include "core/retry_policy.h"
#include "net/http_server.h"

struct config_listen {
	struct str text; /* for messages: "127.0.0.1:7340", "[::1]:7340", "unix:/run/p.sock" */
	struct str host; /* IPv4 or IPv6 address without brackets; empty: a Unix socket */
	int port;        /* 0: any free one */
	struct str path; /* of a Unix socket; absolute or from the working directory */
	bool loopback;   /* only this machine can reach it: 127.0.0.0/8, ::1, a Unix socket */
};

/* Microdollars per million tokens, -1: not said. struct config.prices is what to compute with. */
struct config_prices {
	int64_t input, output, cache_read, cache_write;
};

struct config_model {
	struct str id;          /* without the provider's name */
	int64_t context_window; /* tokens; -1: not said */
	struct config_prices prices;
};

enum config_provider_kind { CONFIG_OPENAI_CHAT, CONFIG_OPENAI_RESPONSES, CONFIG_ANTHROPIC };

struct config_provider {
	struct str name; /* the part of a model's name before '/'; unique, never "demo" */
	enum config_provider_kind kind;
	struct str base_url;                  /* http or https, without a '/' at the end */
	struct str api_key_env, api_key_file; /* exactly one is set */
	struct config_prices prices;          /* of models that have none of their own */
	struct config_models {
		const struct config_model *ptr;
		size_t len;
	} models; /* those of which something is known; others may be used too */
	struct retry_policy retry;
	int64_t idle_timeout_ms; /* silence on an open answer after which it counts as broken */
};

struct config_platform {
	struct str name;
	bool resets; /* session_reset says something for this platform */
	struct reset_settings session_reset;
	struct str home_channel; /* chat id for deliveries; empty: none */
	bool pii_safe;           /* ids may be hashed for the model (core/redact) */
	enum busy_mode busy;     /* of messages that name none */
};

struct config_chat_type {
	struct str name; /* dm, group, channel, thread */
	bool resets;
	struct reset_settings session_reset;
};

struct config_agent {
	struct str id;
	bool resets; /* one of the two below is set */
	struct reset_settings session_reset;
	int idle_timeout_minutes; /* session.idleTimeoutMinutes; 0: never; -1: not said */
	int daily_reset_hour;     /* session.dailyResetHour 0..23; -1: not said */
	struct str time_zone;     /* IANA name; empty: not said */
};

/* A program that is told, or asked, when something happens (core/hook_event). */
struct config_hook {
	enum hook_event event;
	struct str_list command; /* argv; at least the program */
	int64_t timeout_ms;
	bool fails_closed; /* no answer is a no, for those that are asked */
};

enum config_log_format { CONFIG_LOG_JSON, CONFIG_LOG_TEXT };

struct config {
	struct str file; /* where it was read; empty: nowhere, all defaults */

	/* where it listens, and what it trusts */
	struct config_listens {
		const struct config_listen *ptr;
		size_t len;
	} listen; /* at least one; not loopback only with tls or insecure_listen */
	struct str_list listen_written; /* their texts */
	bool insecure_listen;
	struct str data;         /* absolute or from the working directory; may not exist yet */
	struct str_list hosts;   /* lower case, without port; beside loopback names and listen */
	struct str_list origins; /* lower case, "https://example.org[:8443]" */
	struct {
		struct str certificate, key; /* PEM files; both or neither */
	} tls;
	struct http_limits limits; /* ready for http_server_new */
	struct {
		int64_t processes;       /* calls at once, over the whole server */
		int64_t workspace_bytes; /* of a session's own folder; 0: no limit */
	} tools;                         /* limits.tool_processes, limits.workspace_bytes */

	struct {
		enum log_level level;
		enum config_log_format format;
		struct str file; /* empty: standard error */
	} log;

	/* models */
	struct str model; /* the server's default: "demo" or "provider/model" */
	bool model_said;  /* else it is demo because nobody said anything */
	struct config_providers {
		const struct config_provider *ptr;
		size_t len;
	} providers;
	struct cost_table prices; /* rows "provider/model" and "provider/" with '*' behind it */

	/* sessions */
	struct {
		int64_t depth;       /* messages that may wait in a session; one more: 429 */
		int64_t quiet_ms;    /* collect: a burst ends after this much silence */
		enum busy_mode busy; /* of messages that name none */
	} queue;
	struct {
		struct config_approval_rules {
			const struct approval_rule *ptr;
			size_t len;
		} rules;
		bool unattended_denies; /* a question in a session without a person */
		int64_t expire_after_s; /* 0: questions wait for ever */
		bool expired_denies;
	} approvals;
	struct {
		int64_t user, day; /* microdollars; 0: no limit */
	} budgets;
	struct config_hooks {
		const struct config_hook *ptr;
		size_t len;
	} hooks; /* those of one event run in this order */
	bool group_sessions_per_user, thread_sessions_per_user;
	struct {
		int64_t deleted_days;
	} retention;
	int64_t session_store_max_age_days; /* 0: lanes are never pruned */
	struct {
		int64_t gateway_auto_continue_freshness_s;
		int64_t gateway_timeout_s; /* of a turn, at most */
		int64_t drain_timeout_s;
	} agent;
	struct str time_zone;                /* IANA name, of agents that have none of their own */
	struct reset_settings session_reset; /* where nothing more specific speaks */
	struct config_platforms {
		const struct config_platform *ptr;
		size_t len;
	} platforms;
	struct config_chat_types {
		const struct config_chat_type *ptr;
		size_t len;
	} chat_types;
	struct config_agents {
		const struct config_agent *ptr;
		size_t len;
	} agents;
	struct {
		bool redact_pii;
	} privacy;
	bool mirror; /* session files beside the database (M13) */

	struct config_origin *origin; /* config's own: memory, and where each value was said */
};

/* What the command line says instead of the file: --data, --listen. Several of a list's key add up. */
struct config_override {
	const char *key, *value;
};
struct config_source {
	const char *file; /* NULL: none */
	struct str text;  /* when set it is taken instead of reading file, which is its name only */
	const struct config_override *overrides; /* paths in them start at the working directory */
	size_t override_count;
};

/* ERR_INVALID with the first problem and the number of others; ERR_NOT_FOUND, ERR_IO, ERR_TOO_LARGE
 * when the file cannot be read. *out only on success. p has every problem: it is initialised here, stays
 * empty when the file could not be read, and its file name points into from. */
NODISCARD int config_load_with(const struct config_source *from, struct config **out,
			       struct config_problems *p, struct err *e);
void config_free(struct config **c);

/* Look-ups; NULL: the file says nothing of it. */
const struct config_provider *config_provider_find(const struct config *c, struct str name);
const struct config_model *config_model_find(const struct config_provider *p, struct str id);
const struct config_platform *config_platform_find(const struct config *c, struct str name);
const struct config_agent *config_agent_find(const struct config *c, struct str id);

/* Who has a say about resets of this conversation, for reset_policy_choose. workspace NULL: nothing
 * was set there; then session_reset stands in its place, so that the choice never falls through. */
struct config_lane {
	struct str platform, chat_type, agent_id;
	const struct reset_settings *workspace;
};
struct reset_layers config_reset_layers(const struct config *c, const struct config_lane *lane);

/* May the running server take over `now` where it has `old`? False: some change needs a restart. The
 * changed keys with their full paths, in the order of the table; texts live in a. */
struct config_change {
	struct str path;
	bool needs_restart;
};
struct config_changes {
	const struct config_change *ptr;
	size_t len;
};
bool config_reloadable(const struct config *old, const struct config *now, struct arena *a,
		       struct config_changes *changes);
