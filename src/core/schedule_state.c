#include "core/schedule_state.h"

#include "base/timestamp.h"
#include "core/definition.h"
#include "core/wake_policy.h"

enum { WRITTEN_MAX = DEFINITION_BYTES_MAX + 64 * 1024 };

static const char *const OUTCOMES[] = {
	[SCHEDULE_RUN_PENDING] = "pending",     [SCHEDULE_RUN_RUNNING] = "running",
	[SCHEDULE_RUN_COMPLETED] = "completed", [SCHEDULE_RUN_FAILED] = "failed",
	[SCHEDULE_RUN_TIMED_OUT] = "timed_out", [SCHEDULE_RUN_CANCELLED] = "cancelled",
};
static const char *const LETTERS[] = {
	[SCHEDULE_LETTER_NONE] = "none",
	[SCHEDULE_LETTER_DELIVERED] = "delivered",
	[SCHEDULE_LETTER_DEAD] = "dead_letter",
};

enum schedule_outcome
schedule_outcome_of(enum stop_kind stop, bool by_person, const struct schedule_run *run)
{
	switch (wake_policy_turn(stop, by_person)) {
	case WAKE_TURN_SUCCEEDED: return SCHEDULE_RUN_COMPLETED;
	case WAKE_TURN_INTERRUPTED:
		return run->stopping ? SCHEDULE_RUN_TIMED_OUT : SCHEDULE_RUN_CANCELLED;
	case WAKE_TURN_FAILED:
	case WAKE_TURN_PAUSED: break;
	}
	return SCHEDULE_RUN_FAILED;
}

void
schedule_state_end(struct schedule_state *s, enum schedule_outcome outcome, int64_t now_ms)
{
	switch (outcome) {
	case SCHEDULE_RUN_COMPLETED: s->failures = 0; break;
	case SCHEDULE_RUN_FAILED:
	case SCHEDULE_RUN_TIMED_OUT: s->failures++; break;
	case SCHEDULE_RUN_PENDING:
	case SCHEDULE_RUN_RUNNING:
	case SCHEDULE_RUN_CANCELLED: break;
	}
	s->ended_ms = now_ms;
	s->run = (struct schedule_run){ 0 };
}

/* ---- reading ---- */

struct json
schedule_body_definition(struct json body)
{
	return definition_find(body, "schedule");
}

static int64_t
number_of(struct json v, const char *name)
{
	int64_t n = 0;

	IGNORE(json_int(definition_find(v, name), &n)); /* absent: 0 */
	return n > 0 ? n : 0;
}

static bool
flag_of(struct json v, const char *name)
{
	return json_type(definition_find(v, name)) == JSON_TRUE;
}

struct schedule_state
schedule_state_read(struct json body, struct arena *a)
{
	struct json v = definition_find(body, "state"), run = definition_find(v, "run");
	int64_t failures = number_of(v, "failures");

	return (struct schedule_state){
		.decided_ms = number_of(v, "decided_ms"),
		.next_ms = number_of(v, "next_ms"),
		.failures = failures < INT32_MAX ? (unsigned)failures : INT32_MAX,
		.ended_ms = number_of(v, "ended_ms"),
		.run = { .id = json_str(definition_find(run, "id"), a),
			 .slot_ms = number_of(run, "slot_ms"),
			 .manual = flag_of(run, "manual"),
			 .fired_ms = number_of(run, "fired_ms"),
			 .event_id = json_str(definition_find(run, "event_id"), a),
			 .since_seq = number_of(run, "since_seq"),
			 .stopping = flag_of(run, "stopping") },
	};
}

/* ---- writing ---- */

static struct str
finish(struct buf *text, struct arena *a)
{
	struct str out = arena_str(a, buf_str(text));

	buf_release(text);
	return out;
}

static void
write_run(struct jw *w, const struct schedule_run *run)
{
	jw_field_object(w, "run");
	jw_field_str(w, "id", run->id);
	jw_field_int(w, "slot_ms", run->slot_ms);
	jw_field_bool(w, "manual", run->manual);
	jw_field_int(w, "fired_ms", run->fired_ms);
	jw_field_str(w, "event_id", run->event_id);
	jw_field_int(w, "since_seq", run->since_seq);
	jw_field_bool(w, "stopping", run->stopping);
	jw_end_object(w);
}

struct str
schedule_body_write(struct str definition, const struct schedule_state *s, struct arena *a)
{
	struct buf text;
	struct jw w;

	buf_init(&text, WRITTEN_MAX);
	jw_init(&w, &text);
	jw_object(&w);
	jw_field_raw(&w, "schedule", definition);
	jw_field_object(&w, "state");
	jw_field_int(&w, "decided_ms", s->decided_ms);
	jw_field_int(&w, "next_ms", s->next_ms);
	jw_field_int(&w, "failures", s->failures);
	jw_field_int(&w, "ended_ms", s->ended_ms);
	if (s->run.id.len > 0)
		write_run(&w, &s->run);
	jw_end_object(&w);
	jw_end_object(&w);
	return finish(&text, a);
}

/* ---- showing ---- */

static void
field_instant(struct jw *w, const char *name, int64_t ms)
{
	char text[TIMESTAMP_TEXT_MAX];

	if (ms == 0)
		jw_field_null(w, name);
	else
		jw_field_str(w, name, timestamp_format(ms, text));
}

static void
field_text(struct jw *w, const char *name, struct str text)
{
	if (text.len == 0)
		jw_field_null(w, name);
	else
		jw_field_str(w, name, text);
}

void
schedule_body_show(struct json body, struct jw *w)
{
	struct json v = definition_find(body, "state"), run = definition_find(v, "run");
	struct json_iter it = json_iter(schedule_body_definition(body));
	struct json id = definition_find(run, "id");

	jw_object(w);
	while (json_next(&it)) {
		struct str key = json_raw(it.key); /* members' names have no escapes */

		jw_key(w, str_slice(key, 1, key.len - 1));
		jw_raw(w, json_raw(it.value));
	}
	/* while a run is open, its end decides when the next one is */
	field_instant(w, "next_run_at", json_is_set(id) ? 0 : number_of(v, "next_ms"));
	field_instant(w, "last_run_at", number_of(v, "ended_ms"));
	jw_field_int(w, "consecutive_failures", number_of(v, "failures"));
	jw_key(w, STR("open_run_id"));
	jw_raw(w, json_is_set(id) ? json_raw(id) : STR("null"));
	jw_end_object(w);
}

struct str
schedule_report_write(const struct schedule_report *r, struct arena *a)
{
	struct buf text;
	struct jw w;

	buf_init(&text, WRITTEN_MAX);
	jw_init(&w, &text);
	jw_object(&w);
	jw_field_str(&w, "id", r->run->id);
	jw_field_str(&w, "type", STR("schedule_run"));
	jw_field_str(&w, "schedule_id", r->schedule_id);
	jw_field_str(&w, "session_id", r->session_id);
	field_instant(&w, "slot", r->run->slot_ms);
	jw_field_bool(&w, "manual", r->run->manual);
	jw_field_str(&w, "status", str_of(OUTCOMES[r->outcome]));
	field_text(&w, "stop_reason", r->stop_reason);
	field_text(&w, "error", r->error);
	field_text(&w, "turn_id", r->turn_id);
	field_text(&w, "event_id", r->run->event_id);
	field_instant(&w, "fired_at", r->run->fired_ms);
	field_instant(&w, "ended_at", r->ended_ms);
	jw_field_object(&w, "delivery");
	jw_field_str(&w, "type", str_of(schedule_delivery_name(r->delivery)));
	jw_field_str(&w, "status", str_of(LETTERS[r->letter]));
	field_text(&w, "error", r->letter_error);
	jw_end_object(&w);
	jw_end_object(&w);
	return finish(&text, a);
}
