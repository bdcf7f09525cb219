#include "core/session.h"

#include "base/sha256.h"
#include "base/timestamp.h"
#include "base/utf8.h"

#define PHASE(p)    (1u << (p))
#define LIFE(l)     (1u << (l))
#define LIFE_OPEN   (LIFE(LIFECYCLE_ACTIVE) | LIFE(LIFECYCLE_INACTIVE))
#define LIFE_EXISTS (LIFE_OPEN | LIFE(LIFECYCLE_ARCHIVED))
#define PHASE_ANY \
	(PHASE(TURN_NONE) | PHASE(TURN_RUNNING) | PHASE(TURN_PARKED) | PHASE(TURN_RESCHEDULED))
#define PHASE_OPEN (PHASE_ANY & ~PHASE(TURN_NONE))

enum { KEEP = -1 };
enum { ID_NAME_MAX = 200, ID_NAME_HEAD = 100, ID_NAME_DIGITS = 16 }; /* of file names */

/* The table of legal moves: from which phases and lifecycles, and to which. */
static const struct move_row {
	const char *name;
	unsigned phases, lifecycles;
	int to_phase, to_lifecycle;
} MOVES[SESSION_MOVES] = {
	[MOVE_START] = { "start a turn", PHASE_ANY & ~PHASE(TURN_RUNNING), LIFE_OPEN, TURN_RUNNING,
			 KEEP },
	[MOVE_PARK] = { "park the turn", PHASE(TURN_RUNNING) | PHASE(TURN_PARKED), LIFE_EXISTS,
			TURN_PARKED, KEEP },
	[MOVE_END] = { "end the turn", PHASE_OPEN, LIFE_EXISTS, TURN_NONE, KEEP },
	[MOVE_RESCHEDULE] = { "reschedule the turn", PHASE(TURN_RUNNING) | PHASE(TURN_RESCHEDULED),
			      LIFE_EXISTS, TURN_RESCHEDULED, KEEP },
	[MOVE_TERMINATE] = { "terminate", PHASE_ANY, LIFE_EXISTS, TURN_NONE, LIFECYCLE_TERMINATED },
	[MOVE_DEACTIVATE] = { "deactivate", PHASE(TURN_NONE), LIFE(LIFECYCLE_ACTIVE), KEEP,
			      LIFECYCLE_INACTIVE },
	[MOVE_REACTIVATE] = { "reactivate", PHASE_ANY, LIFE(LIFECYCLE_INACTIVE), KEEP,
			      LIFECYCLE_ACTIVE },
	[MOVE_ARCHIVE] = { "archive", PHASE(TURN_NONE), LIFE_OPEN, KEEP, LIFECYCLE_ARCHIVED },
	[MOVE_UNARCHIVE] = { "unarchive", PHASE(TURN_NONE), LIFE(LIFECYCLE_ARCHIVED), KEEP,
			     LIFECYCLE_ACTIVE },
};

static const char *
phase_sentence(enum turn_phase p)
{
	switch (p) {
	case TURN_NONE: return "no turn is open";
	case TURN_RUNNING: return "a turn is running";
	case TURN_PARKED: return "a turn waits for an answer";
	case TURN_RESCHEDULED: return "a turn is rescheduled";
	}
	return "?";
}

int
session_move(struct session_state *s, enum session_move move, struct err *e)
{
	const struct move_row *row = &MOVES[move];

	if (!(row->lifecycles & LIFE(s->lifecycle)))
		return err_set(e, ERR_CONFLICT, "cannot %s: the session is %s", row->name,
			       lifecycle_name(s->lifecycle));
	if (!(row->phases & PHASE(s->phase)))
		return err_set(e, ERR_CONFLICT, "cannot %s: %s", row->name,
			       phase_sentence(s->phase));
	if (row->to_phase != KEEP)
		s->phase = (enum turn_phase)row->to_phase;
	if (row->to_lifecycle != KEEP)
		s->lifecycle = (enum lifecycle)row->to_lifecycle;
	return 0;
}

static const struct stop_row {
	const char *name, *limit;
	bool on_idle;
} STOPS[] = {
	[STOP_NONE] = { "none", NULL, false },
	[STOP_END_TURN] = { "end_turn", NULL, true },
	[STOP_REQUIRES_ACTION] = { "requires_action", NULL, true },
	[STOP_RESCHEDULING] = { "rescheduling", NULL, true },
	[STOP_TERMINATED] = { "terminated", NULL, false },
	[STOP_RETRIES_EXHAUSTED] = { "retries_exhausted", NULL, true },
	[STOP_BUDGET_REACHED] = { "budget_reached", NULL, true },
	[STOP_INTERRUPTED] = { "interrupted", NULL, true },
	[STOP_REFUSAL] = { "refusal", NULL, true },
	[STOP_LIMIT_STEPS] = { "limit_reached", "steps", true },
	[STOP_LIMIT_TIME] = { "limit_reached", "time", true },
	[STOP_LIMIT_LOOP] = { "limit_reached", "loop", true },
};

const char *
stop_kind_name(enum stop_kind k)
{
	return STOPS[k].name;
}

const char *
stop_kind_limit(enum stop_kind k)
{
	return STOPS[k].limit;
}

bool
stop_kind_on_idle(enum stop_kind k)
{
	return STOPS[k].on_idle;
}

bool
stop_kind_parse(struct str name, struct str limit, enum stop_kind *out)
{
	for (size_t i = STOP_END_TURN; i < ARRAY_LEN(STOPS); i++) {
		if (str_eq(str_of(STOPS[i].name), name) && str_eq(str_of(STOPS[i].limit), limit)) {
			*out = (enum stop_kind)i;
			return true;
		}
	}
	return false;
}

enum activity
session_activity(const struct session_facts *f)
{
	if (f->state.lifecycle == LIFECYCLE_TERMINATED)
		return ACTIVITY_IDLE;
	switch (f->state.phase) {
	case TURN_NONE: return f->wake_pending ? ACTIVITY_RESCHEDULING : ACTIVITY_IDLE;
	case TURN_RUNNING: return f->lease_live ? ACTIVITY_RUNNING : ACTIVITY_RESCHEDULING;
	case TURN_PARKED: return ACTIVITY_REQUIRES_ACTION;
	case TURN_RESCHEDULED: return ACTIVITY_RESCHEDULING;
	}
	return ACTIVITY_IDLE;
}

const char *
activity_name(enum activity a)
{
	switch (a) {
	case ACTIVITY_IDLE: return "idle";
	case ACTIVITY_RUNNING: return "running";
	case ACTIVITY_REQUIRES_ACTION: return "requires_action";
	case ACTIVITY_RESCHEDULING: return "rescheduling";
	}
	return "?";
}

static const char *const LIFECYCLES[] = {
	[LIFECYCLE_ACTIVE] = "active",
	[LIFECYCLE_INACTIVE] = "inactive",
	[LIFECYCLE_ARCHIVED] = "archived",
	[LIFECYCLE_TERMINATED] = "terminated",
};

const char *
lifecycle_name(enum lifecycle l)
{
	return LIFECYCLES[l];
}

bool
lifecycle_parse(struct str name, enum lifecycle *out)
{
	for (size_t i = 0; i < ARRAY_LEN(LIFECYCLES); i++) {
		if (str_eq(str_of(LIFECYCLES[i]), name)) {
			*out = (enum lifecycle)i;
			return true;
		}
	}
	return false;
}

const char *
session_wire_status(const struct session_facts *f)
{
	if (f->state.lifecycle == LIFECYCLE_TERMINATED)
		return "terminated";
	switch (session_activity(f)) {
	case ACTIVITY_IDLE:
	case ACTIVITY_REQUIRES_ACTION: return "idle"; /* the stop reason tells them apart */
	case ACTIVITY_RUNNING: return "running";
	case ACTIVITY_RESCHEDULING: return "rescheduling";
	}
	return "?";
}

const char *
session_display_status(const struct session_facts *f)
{
	bool hidden = f->state.lifecycle != LIFECYCLE_ACTIVE;

	switch (session_activity(f)) {
	case ACTIVITY_REQUIRES_ACTION:
		return f->waits_for_approval ? "awaiting_approval" : "running";
	case ACTIVITY_RUNNING: return "running";
	case ACTIVITY_RESCHEDULING:
		if (f->state.phase != TURN_NONE)
			return "running";
		break; /* only a wake is queued: nothing is going on */
	case ACTIVITY_IDLE: break;
	}
	return hidden ? "inactive" : "idle";
}

const char *
session_record_status(const struct session_facts *f)
{
	switch (f->state.lifecycle) {
	case LIFECYCLE_ACTIVE:
	case LIFECYCLE_INACTIVE: return "active";
	case LIFECYCLE_ARCHIVED:
	case LIFECYCLE_TERMINATED: return "archived";
	}
	return "?";
}

static const char *
agent_status_at_rest(enum stop_kind last)
{
	switch (last) {
	case STOP_INTERRUPTED: return "aborted";
	case STOP_RETRIES_EXHAUSTED:
	case STOP_TERMINATED: return "error";
	case STOP_NONE:
	case STOP_END_TURN:
	case STOP_REQUIRES_ACTION:
	case STOP_RESCHEDULING:
	case STOP_BUDGET_REACHED:
	case STOP_REFUSAL:
	case STOP_LIMIT_STEPS:
	case STOP_LIMIT_TIME:
	case STOP_LIMIT_LOOP: return "idle";
	}
	return "?";
}

const char *
session_agent_status(const struct session_facts *f)
{
	if (f->state.lifecycle == LIFECYCLE_TERMINATED)
		return "error";
	if (f->state.phase == TURN_NONE)
		return agent_status_at_rest(f->last_stop);
	if (f->state.phase == TURN_PARKED || f->tool_running)
		return "executing_tool";
	return "streaming";
}

/* Letters, digits, '_', '-' and ':' alone, as ids of our own making are. */
static bool
is_plain_id(struct str id)
{
	static const bool PLAIN[256] = {
		['0' ... ':'] = true, ['A' ... 'Z'] = true, ['a' ... 'z'] = true,
		['_'] = true,         ['-'] = true,
	};
	size_t i = 0;

	while (i < id.len && PLAIN[(unsigned char)id.ptr[i]])
		i++;
	return i == id.len;
}

int
session_id_check(struct str id, struct err *e)
{
	if (id.len == 0)
		return err_set(e, ERR_INVALID, "a session id must not be empty");
	if (id.len > SESSION_ID_MAX)
		return err_set(e, ERR_INVALID, "a session id has at most %d bytes, this one %zu",
			       SESSION_ID_MAX, id.len);
	if (is_plain_id(id))
		return 0;
	if (str_contains(id, STR("..")))
		return err_set(e, ERR_INVALID, "a session id must not contain '..'");
	for (size_t i = 0; i < id.len; i++) {
		unsigned char c = (unsigned char)id.ptr[i];
		if (c == '/' || c == '\\')
			return err_set(e, ERR_INVALID,
				       "a session id must not contain a path separator ('%c')", c);
		if (c < 0x20 || c == 0x7f)
			return err_set(e, ERR_INVALID,
				       "a session id must not contain control bytes (0x%02x)", c);
	}
	if (!utf8_valid(id))
		return err_set(e, ERR_INVALID, "a session id must be valid UTF-8");
	return 0;
}

int
session_id_check_chosen(struct str id, struct err *e)
{
	int rc = session_id_check(id, e);

	if (rc == 0 && utf8_is_blank(id))
		rc = err_set(e, ERR_INVALID, "a session id must not be blank");
	return rc;
}

void
session_id_dated(struct buf *out, struct str prefix, int64_t now_ms, uint32_t random)
{
	struct civil c = timestamp_to_civil(now_ms);

	buf_put_str(out, prefix);
	buf_printf(out, ":%04lld%02d%02d_%02d%02d%02d_%08x", (long long)c.year, c.month, c.day,
		   c.hour, c.minute, c.second, random);
}

struct str
session_id_namespace(struct str id)
{
	struct str head, tail;

	return str_cut(id, ':', &head, &tail) ? head : (struct str){ 0 };
}

/* "<head>-<digest>": the form of a shortened name. A whole name of that form is shortened too, or its id
 * could lead to the folder of a longer one. */
static bool
id_name_looks_cut(struct str name)
{
	if (name.len != ID_NAME_HEAD + 1 + ID_NAME_DIGITS || name.ptr[ID_NAME_HEAD] != '-')
		return false;
	for (size_t i = ID_NAME_HEAD + 1; i < name.len; i++)
		if (!strchr("0123456789abcdef", name.ptr[i]))
			return false;
	return true;
}

void
session_id_file_name(struct buf *out, struct str id)
{
	static const char HEX[] = "0123456789ABCDEF";
	char name[ID_NAME_MAX + 3], digits[ID_NAME_DIGITS + 1];
	struct sha256 digest;
	size_t len = 0;

	for (size_t i = 0; i < id.len && len <= ID_NAME_MAX; i++) {
		unsigned char c = (unsigned char)id.ptr[i];
		bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			     (c >= '0' && c <= '9') || c == '_' || c == '-';

		name[len++] = plain ? (char)c : '%';
		if (!plain) {
			name[len++] = HEX[c >> 4];
			name[len++] = HEX[c & 15];
		}
	}
	if (len <= ID_NAME_MAX && !id_name_looks_cut((struct str){ name, len })) {
		buf_put(out, name, len);
		return;
	}
	digest = sha256_of(id);
	sha256_hex(&digest, ID_NAME_DIGITS / 2, digits);
	buf_put(out, name, ID_NAME_HEAD);
	buf_printf(out, "-%s", digits);
}
