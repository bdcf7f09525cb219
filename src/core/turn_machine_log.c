/* turn_machine_log - the commit being put together: its events, its lease, and what ends a turn. */
#include "core/turn_machine_private.h"
#include "core/turn_mutant.h"

struct buf
turn_machine_payload(void)
{
	struct buf b;

	buf_init(&b, 8 * TURN_TEXT_BYTES_MAX); /* every byte of a text may need an escape */
	return b;
}

/* Random for whoever does not know the seed, and the same again for whoever replays the turn. */
static struct sha256
draw(struct turn_machine *m)
{
	unsigned char bytes[sizeof m->plan.seed.bytes + sizeof m->drawn];

	memcpy(bytes, m->plan.seed.bytes, sizeof m->plan.seed.bytes);
	memcpy(bytes + sizeof m->plan.seed.bytes, &m->drawn, sizeof m->drawn);
	m->drawn++;
	return sha256_of((struct str){ (const char *)bytes, sizeof bytes });
}

/* An event id as base/id makes them: a UUIDv7, its random part drawn from the seed. */
struct str
turn_machine_id(struct turn_machine *m)
{
	enum { UUID_BYTES = 16, TIME_BYTES = 6 };
	struct sha256 d = draw(m);
	char hex[2 * UUID_BYTES + 1];

	for (int i = 0; i < TIME_BYTES; i++)
		d.bytes[i] = (unsigned char)(m->now_ms >> 8 * (TIME_BYTES - 1 - i));
	d.bytes[6] = (unsigned char)(0x70 | (d.bytes[6] & 0x0f));
	d.bytes[8] = (unsigned char)(0x80 | (d.bytes[8] & 0x3f));
	sha256_hex(&d, UUID_BYTES, hex);
	return arena_printf(m->kept, "sevt_%s", hex);
}

struct str
turn_machine_hex(struct arena *a, const struct sha256 *digest)
{
	char hex[2 * sizeof digest->bytes + 1];

	sha256_hex(digest, sizeof digest->bytes, hex);
	return arena_str(a, str_of(hex));
}

int
turn_machine_jitter(struct turn_machine *m)
{
	struct sha256 d = draw(m);

	return (d.bytes[0] << 8 | d.bytes[1]) % 1000;
}

struct turn_effect *
turn_machine_do(struct turn_machine *m, enum turn_effect_kind kind)
{
	struct turn_effect *e = vec_push(&m->effects);

	*e = (struct turn_effect){ .kind = kind };
	return e;
}

void
turn_machine_timer(struct turn_machine *m, enum turn_timer timer, int64_t delay_ms)
{
	struct turn_effect *e = turn_machine_do(m, TURN_DO_TIMER);

	e->timer = timer;
	e->delay_ms = delay_ms;
}

void
turn_machine_log(struct turn_machine *m, enum event_kind kind, struct str id, struct buf *payload)
{
	*vec_push(&m->events) = (struct turn_event){
		.kind = kind,
		.id = id,
		.payload = arena_str(&m->step, buf_str(payload)),
	};
	buf_release(payload);
}

void
turn_machine_log_running(struct turn_machine *m, struct str_list consumes)
{
	struct buf b = turn_machine_payload();
	bool opens = m->plan.how == TURN_OPENS && !m->leased; /* else it runs again */

	event_make_running(&b, m->plan.turn, consumes,
			   opens ? m->plan.wakes : (struct str_list){ 0 },
			   opens ? m->plan.prompt_model : (struct str){ 0 });
	turn_machine_log(m, EVENT_STATUS_RUNNING, (struct str){ 0 }, &b);
}

void
turn_machine_log_request_start(struct turn_machine *m)
{
	struct buf b = turn_machine_payload();

	m->request_id = turn_machine_id(m);
	event_make_request_start(&b, m->plan.model, (struct str){ 0 });
	turn_machine_log(m, EVENT_MODEL_REQUEST_START, m->request_id, &b);
}

void
turn_machine_log_error(struct turn_machine *m, const char *type, struct str message,
		       const char *retry)
{
	struct buf b = turn_machine_payload();

	event_make_error(&b, str_of(type), message, str_of(retry));
	turn_machine_log(m, EVENT_SESSION_ERROR, (struct str){ 0 }, &b);
}

void
turn_machine_log_rescheduled(struct turn_machine *m, struct str reason, int64_t attempt,
			     int64_t retry_at_ms)
{
	struct buf b = turn_machine_payload();

	event_make_rescheduled(&b, m->plan.turn, reason, attempt, retry_at_ms);
	turn_machine_log(m, EVENT_STATUS_RESCHEDULED, (struct str){ 0 }, &b);
}

void
turn_machine_log_result(struct turn_machine *m, const struct turn_call *call,
			enum tool_outcome outcome, struct str text)
{
	bool mcp = call->kind == EVENT_AGENT_MCP_TOOL_USE;
	struct buf b = turn_machine_payload();

	event_make_tool_result(&b, mcp, call->id, outcome, text);
	turn_machine_log(m, mcp ? EVENT_AGENT_MCP_TOOL_RESULT : EVENT_AGENT_TOOL_RESULT,
			 (struct str){ 0 }, &b);
}

void
turn_machine_log_idle(struct turn_machine *m, enum stop_kind stop, struct str_list waits_for,
		      struct str_list consumes)
{
	struct buf b = turn_machine_payload();

	event_make_idle(&b, m->plan.turn, stop, waits_for, consumes);
	turn_machine_log(m, EVENT_STATUS_IDLE, (struct str){ 0 }, &b);
}

void
turn_machine_submit(struct turn_machine *m, enum turn_lease lease, enum turn_after after)
{
	struct turn_effect *e = turn_machine_do(m, TURN_DO_COMMIT);
	struct turn_event *events = ARENA_ARRAY(&m->step, m->events.len, struct turn_event);

	memcpy(events, m->events.ptr, m->events.len * sizeof *events);
	e->events = events;
	e->event_count = m->events.len;
	e->lease = lease;
	e->pending = m->pending;
	e->has_queue = m->has_queue;
	e->queue = m->queue;
	e->drop_partial = m->drop_partial;
	e->ends = after == AFTER_FINISH && m->finish == TURN_FINISH_ENDED;
	e->by_person = e->ends && m->waiting.interrupts.len > 0;
	e->stop = e->ends ? m->stop : STOP_NONE;
	vec_clear(&m->events);
	m->pending = (struct str_list){ 0 };
	m->has_queue = false;
	m->drop_partial = false;
	m->stage = STAGE_COMMITTING;
	m->after = after;
}

void
turn_machine_end(struct turn_machine *m, enum stop_kind stop)
{
	if (stop == STOP_END_TURN && m->reschedules)
		stop = STOP_RESCHEDULING;
	turn_machine_cut_request(m);
	turn_machine_close_calls(m, OUTCOME_CANCELLED, true);
	turn_machine_log_idle(m, stop, (struct str_list){ 0 }, m->waiting.interrupts);
	if (MUTANT(TERMINAL_TWICE))
		turn_machine_log_idle(m, stop, (struct str_list){ 0 }, (struct str_list){ 0 });
	m->finish = TURN_FINISH_ENDED;
	m->stop = stop;
	turn_machine_submit(m, m->leased ? TURN_LEASE_RELEASE : TURN_LEASE_BREAK, AFTER_FINISH);
}

void
turn_machine_finish(struct turn_machine *m, enum turn_finish how)
{
	struct turn_effect *e;

	turn_machine_end_previews(m);
	e = turn_machine_do(m, TURN_DO_FINISH);
	e->finish = how;
	e->stop = m->stop;
	m->stage = STAGE_OVER;
}
