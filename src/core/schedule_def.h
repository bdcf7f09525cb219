/* schedule_def - a schedule as requests make and change it, and what the engine needs of it.
 *
 * Members: id, type, name, agent_id, environment_id, prompt, rule, missed, timeout_ms, delivery, origin,
 * enabled, metadata, created_at, updated_at. Unions name their type:
 *   rule      {"type":"cron","expression","time_zone"} | {"type":"at","at"} |
 *             {"type":"every","every_ms","first_at"}
 *   missed    {"type":"skip"} | {"type":"latest"} | {"type":"all","limit"}
 *   delivery  {"type":"silent"} | {"type":"session","session_id"} | {"type":"origin"} |
 *             {"type":"home","platform"} | {"type":"target","platform","chat_id","thread_id"}
 *   origin    {"platform","chat_id","thread_id"}: where it was asked for; null: nowhere
 * Agent and environment stay what they were: the session that the runs share is bound to them.
 * Whether a time zone exists is the caller's to find out. */
#pragma once
#include "core/definition.h"
#include "core/schedule_rule.h"

enum { SCHEDULE_PROMPT_MAX = 32 * 1024 /* characters */ };
static const int64_t SCHEDULE_TIMEOUT_MIN_MS = 1000,
		     SCHEDULE_TIMEOUT_MAX_MS = 7 * INT64_C(86400000);

enum schedule_delivery_kind {
	SCHEDULE_DELIVER_SILENT,
	SCHEDULE_DELIVER_SESSION,
	SCHEDULE_DELIVER_ORIGIN,
	SCHEDULE_DELIVER_HOME,
	SCHEDULE_DELIVER_TARGET,
};
const char *schedule_delivery_name(enum schedule_delivery_kind kind);

struct schedule_delivery {
	enum schedule_delivery_kind kind; /* origin without one reads as silent */
	struct str session_id;
	struct str platform, chat_id; /* of home, target and a known origin */
};

struct schedule_def {
	struct str id, name, agent_id, environment_id, prompt;
	struct schedule_rule rule;
	struct str time_zone; /* of cron: an IANA name */
	struct schedule_catch_up missed;
	int64_t timeout_ms;
	struct schedule_delivery delivery;
	bool enabled;
};

/* f->facts: a struct str, the environment of one that names none; NULL: local-default. A change of agent_id or environment_id is ERR_CONFLICT. */
NODISCARD int schedule_def_make(const struct definition_facts *f, struct json body, struct arena *a,
				struct definition_text *out, struct err *e);
/* Of a stored schedule; texts stay in the document or in a. ERR_CORRUPT when it is none. */
NODISCARD int
schedule_def_read(struct json v, struct arena *a, struct schedule_def *out, struct err *e);
