#include "core/lane_entry.h"

#include <stddef.h>

#include "base/timestamp.h"
#include "core/cost.h"

static const double USD_MAX = 1e15;
static const double PICODOLLARS = 1e12; /* in a dollar */

enum member_kind {
	MEMBER_KEY, /* a text that must be there */
	MEMBER_TEXT,
	MEMBER_STATUS, /* a text that is never absent */
	MEMBER_INSTANT,
	MEMBER_COUNT,
	MEMBER_STARTS, /* a count kept as unsigned */
	MEMBER_COST,
	MEMBER_FLAG,
	MEMBER_CHAT_TYPE,
	MEMBER_ORIGIN,
	MEMBER_RESET_REASON,
	MEMBER_RESUME_REASON,
	MEMBER_BUSY,
};

/* The entry in the order it is written. */
static const struct member {
	const char *name;
	enum member_kind kind;
	size_t offset;
} MEMBERS[] = {
#define MEMBER(json, kind, field)                                       \
	{                                                               \
		json, MEMBER_##kind, offsetof(struct lane_entry, field) \
	}
	MEMBER("session_key", KEY, session_key),
	MEMBER("session_id", KEY, session_id),
	MEMBER("created_at", INSTANT, created_ms),
	MEMBER("updated_at", INSTANT, updated_ms),
	MEMBER("origin", ORIGIN, origin),
	MEMBER("display_name", TEXT, display_name),
	MEMBER("platform", TEXT, platform),
	MEMBER("chat_type", CHAT_TYPE, chat_type),
	MEMBER("input_tokens", COUNT, input_tokens),
	MEMBER("output_tokens", COUNT, output_tokens),
	MEMBER("cache_read_tokens", COUNT, cache_read_tokens),
	MEMBER("cache_write_tokens", COUNT, cache_write_tokens),
	MEMBER("total_tokens", COUNT, total_tokens),
	MEMBER("estimated_cost_usd", COST, estimated_cost_usd),
	MEMBER("cost_status", STATUS, cost_status),
	MEMBER("last_prompt_tokens", COUNT, last_prompt_tokens),
	MEMBER("was_auto_reset", FLAG, reset.was_auto_reset),
	MEMBER("auto_reset_reason", RESET_REASON, reset.reason),
	MEMBER("reset_had_activity", FLAG, reset.had_activity),
	MEMBER("is_fresh_reset", FLAG, is_fresh_reset),
	MEMBER("expiry_finalized", FLAG, expiry_finalized),
	MEMBER("suspended", FLAG, recover.suspended),
	MEMBER("resume_pending", FLAG, recover.resume_pending),
	MEMBER("resume_reason", RESUME_REASON, recover.reason),
	MEMBER("last_resume_marked_at", INSTANT, recover.marked_at_ms),
	MEMBER("agent_id", TEXT, agent_id),
	MEMBER("workspace_id", TEXT, workspace_id),
	MEMBER("shared", FLAG, shared),
	MEMBER("surface", TEXT, surface),
	MEMBER("surface_id", TEXT, surface_id),
	MEMBER("user_id", TEXT, user_id),
	MEMBER("previous_session_id", TEXT, previous_session_id),
	MEMBER("stuck_count", STARTS, recover.stuck_count),
	MEMBER("finalize_attempts", COUNT, finalize_attempts),
	MEMBER("busy", BUSY, busy),
#undef MEMBER
};

/* ---- reading ---- */

static int
read_instant(struct json v, struct arena *a, int64_t *out, struct err *e)
{
	struct str text;
	int rc = json_take_str(v, a, &text, e);

	if (rc != 0)
		return rc;
	if (timestamp_parse(text, out) ||
	    timestamp_parse(arena_printf(a, STR_FMT "Z", STR_ARG(text)), out))
		return 0;
	return json_fail(v, e, "must be an instant like 2026-03-29T01:00:00Z");
}

static int
read_cost(struct json v, double *out, struct err *e)
{
	double usd;

	if (!json_double(v, &usd) || !(usd >= 0 && usd <= USD_MAX))
		return json_fail(v, e, "must be dollars, not negative");
	*out = usd;
	return 0;
}

static int
read_reset_reason(struct json v, enum reset_reason *out, struct err *e)
{
	for (int i = RESET_IDLE; i <= RESET_SUSPENDED; i++)
		if (json_str_eq(v, reset_reason_name((enum reset_reason)i))) {
			*out = (enum reset_reason)i;
			return 0;
		}
	return json_fail(v, e, "must be idle, daily or suspended");
}

static int
read_resume_reason(struct json v, enum recover_reason *out, struct err *e)
{
	for (int i = RECOVER_RESTART_TIMEOUT; i <= RECOVER_RESTART_INTERRUPTED; i++)
		if (json_str_eq(v, recover_reason_name((enum recover_reason)i))) {
			*out = (enum recover_reason)i;
			return 0;
		}
	return json_fail(v, e, "must be restart_timeout, shutdown_timeout or restart_interrupted");
}

static int
read_text(const struct member *m, struct json v, struct arena *a, struct str *out, struct err *e)
{
	struct str text;
	int rc = json_take_str(v, a, &text, e);

	if (rc == 0 && text.len == 0 && m->kind == MEMBER_KEY)
		rc = json_fail(v, e, "must not be empty");
	if (rc == 0 && text.len > 0)
		*out = text;
	return rc;
}

static int
read_count(struct json v, int64_t max, int64_t *out, struct err *e)
{
	return json_take_int(v, 0, max, out, e);
}

static int
read_chat_type(struct json v, struct arena *a, enum source_chat_type *out, struct err *e)
{
	if (source_chat_type_parse(json_str(v, a), out))
		return 0;
	return json_fail(v, e, "must be dm, group, channel or thread");
}

static int
read_busy(struct json v, struct arena *a, enum busy_mode *out, struct err *e)
{
	if (busy_mode_parse(json_str(v, a), out))
		return 0;
	return json_fail(v, e, "must be queue, steer, interrupt, collect or reject");
}

static int
read_member(const struct member *m, struct json v, struct arena *a, struct lane_entry *lane,
	    struct err *e)
{
	char *at = (char *)lane + m->offset;
	int64_t starts = 0;
	int rc;

	switch (m->kind) {
	case MEMBER_KEY:
	case MEMBER_TEXT:
	case MEMBER_STATUS: return read_text(m, v, a, (struct str *)at, e);
	case MEMBER_INSTANT: return read_instant(v, a, (int64_t *)at, e);
	case MEMBER_COUNT: return read_count(v, INT64_MAX, (int64_t *)at, e);
	case MEMBER_COST: return read_cost(v, (double *)at, e);
	case MEMBER_FLAG: return json_take_bool(v, (bool *)at, e);
	case MEMBER_CHAT_TYPE: return read_chat_type(v, a, (enum source_chat_type *)at, e);
	case MEMBER_RESET_REASON: return read_reset_reason(v, (enum reset_reason *)at, e);
	case MEMBER_RESUME_REASON: return read_resume_reason(v, (enum recover_reason *)at, e);
	case MEMBER_BUSY: lane->has_busy = true; return read_busy(v, a, (enum busy_mode *)at, e);
	case MEMBER_ORIGIN:
		lane->has_origin = true;
		return source_decode(v, a, (struct source *)at, e);
	case MEMBER_STARTS: break;
	}
	rc = read_count(v, UINT32_MAX, &starts, e);
	*(unsigned *)at = (unsigned)starts;
	return rc;
}

static int
check_platform(const struct lane_entry *lane, struct json v, struct err *e)
{
	struct json platform;

	if (lane->platform.len == 0 || source_segment_valid(lane->platform) ||
	    !json_find(v, STR("platform"), &platform))
		return 0;
	return json_fail(platform, e, "must be letters, digits, dots, dashes and underscores");
}

int
lane_entry_read(struct json v, struct arena *a, struct lane_entry *out, struct err *e)
{
	struct lane_entry lane = { .cost_status = STR("unknown"),
				   .recover.reason = RECOVER_RESTART_INTERRUPTED };
	struct json value;
	int rc = 0;

	if (json_type(v) != JSON_OBJECT)
		return json_fail(v, e, "a lane's entry must be an object");
	for (size_t i = 0; rc == 0 && i < ARRAY_LEN(MEMBERS); i++) {
		if (json_find(v, str_of(MEMBERS[i].name), &value) && json_type(value) != JSON_NULL)
			rc = read_member(&MEMBERS[i], value, a, &lane, e);
		else if (MEMBERS[i].kind == MEMBER_KEY)
			rc = json_fail(v, e, "a lane's entry needs %s", MEMBERS[i].name);
	}
	if (rc == 0)
		rc = check_platform(&lane, v, e);
	if (rc == 0)
		*out = lane;
	return rc;
}

/* ---- writing ---- */

static struct str
or_null(struct str text)
{
	return text.len > 0 ? text : (struct str){ 0 };
}

static void
write_instant(struct jw *w, const char *name, int64_t ms)
{
	char text[TIMESTAMP_TEXT_MAX];

	if (ms == 0)
		jw_field_null(w, name);
	else
		jw_field_str(w, name, timestamp_format(ms, text));
}

static void
write_origin(const struct lane_entry *lane, const char *name, struct jw *w)
{
	if (!lane->has_origin) {
		jw_field_null(w, name);
		return;
	}
	jw_key(w, str_of(name));
	source_encode(&lane->origin, w);
}

static void
write_member(const struct member *m, const struct lane_entry *lane, struct jw *w)
{
	const char *at = (const char *)lane + m->offset;

	switch (m->kind) {
	case MEMBER_KEY: jw_field_str(w, m->name, *(const struct str *)at); break;
	case MEMBER_TEXT: jw_field_opt(w, m->name, or_null(*(const struct str *)at)); break;
	case MEMBER_STATUS:
		jw_field_str(w, m->name,
			     lane->cost_status.len > 0 ? lane->cost_status : STR("unknown"));
		break;
	case MEMBER_INSTANT: write_instant(w, m->name, *(const int64_t *)at); break;
	case MEMBER_COUNT: jw_field_int(w, m->name, *(const int64_t *)at); break;
	case MEMBER_STARTS: jw_field_int(w, m->name, *(const unsigned *)at); break;
	case MEMBER_COST:
		jw_key(w, str_of(m->name));
		jw_double(w, *(const double *)at);
		break;
	case MEMBER_FLAG: jw_field_bool(w, m->name, *(const bool *)at); break;
	case MEMBER_CHAT_TYPE:
		jw_field_str(w, m->name, str_of(source_chat_type_name(lane->chat_type)));
		break;
	case MEMBER_ORIGIN: write_origin(lane, m->name, w); break;
	case MEMBER_RESET_REASON:
		jw_field_opt(w, m->name, or_null(reset_reason_name(lane->reset.reason)));
		break;
	case MEMBER_RESUME_REASON: /* says something only beside the mark */
		jw_field_opt(w, m->name,
			     lane->recover.resume_pending
				     ? recover_reason_name(lane->recover.reason)
				     : (struct str){ 0 });
		break;
	case MEMBER_BUSY:
		jw_field_opt(w, m->name,
			     lane->has_busy ? str_of(busy_mode_name(lane->busy))
					    : (struct str){ 0 });
		break;
	}
}

void
lane_entry_write_members(const struct lane_entry *lane, struct jw *w)
{
	for (size_t i = 0; i < ARRAY_LEN(MEMBERS); i++)
		write_member(&MEMBERS[i], lane, w);
}

void
lane_entry_write(const struct lane_entry *lane, struct jw *w)
{
	jw_object(w);
	lane_entry_write_members(lane, w);
	jw_end_object(w);
}

bool
lane_entry_is_stale(const struct lane_entry *lane, int64_t before_ms, bool busy)
{
	return !busy && !lane->recover.suspended && lane->updated_ms < before_ms;
}

void
lane_entry_count(struct lane_entry *lane, const struct session_counters *c)
{
	if (c->last_activity_ms > lane->updated_ms)
		lane->updated_ms = c->last_activity_ms;
	if (c->priced_requests + c->unpriced_requests == 0)
		return; /* an imported entry knows more than a log without requests */
	lane->input_tokens = c->usage.input;
	lane->output_tokens = c->usage.output;
	lane->cache_read_tokens = c->usage.cache_read;
	lane->cache_write_tokens = c->usage.cache_write;
	lane->total_tokens = c->total_tokens;
	lane->estimated_cost_usd = (double)c->cost_picodollars / PICODOLLARS;
	lane->cost_status =
		str_of(cost_status_name(c->unpriced_requests == 0 ? COST_EXACT : COST_UNKNOWN));
	lane->last_prompt_tokens = c->last_prompt_tokens;
}
