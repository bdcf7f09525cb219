#include "scenario.h"

#include "base/buf.h"
#include "base/json_write.h"
#include "core/event_make.h"
#include "core/input.h"

enum { LARGE_BYTES = STORE_INLINE_MAX + 8 * 1024, SMALL_BYTES = 500 };
/* Its commit is longer than what the store gathers of the log before it writes. */
enum { HUGE_BYTES = 300 * 1024 };

static const char *const SESSIONS[] = { "s1", "s2", "s3" };

/* A turn in progress: everything it appends names it and carries its fence. */
struct turn {
	struct trial *t;
	struct str session, id;
	int64_t fence;
};

static bool
acked(const struct trial_item *it)
{
	return it->answered && it->result.rc == 0;
}

static void
write_meta(struct trial *t, struct event *ev, enum input_class class, enum busy_mode busy)
{
	struct input_meta m = { .class = class, .busy = busy, .sender = STR("user_1") };
	struct buf out;
	struct jw w;

	buf_init(&out, 1024);
	jw_init(&w, &out);
	input_meta_write(&m, &w);
	ev->meta = arena_str(&t->arena, buf_str(&out));
	buf_release(&out);
}

/* Text of that many bytes that no two events share. */
static void
put_text(struct buf *out, struct str id, size_t bytes)
{
	for (size_t end = out->len + bytes; out->len < end;)
		buf_printf(out, STR_FMT " says %zu; ", STR_ARG(id), out->len);
}

static void
add_message(struct trial_item *it, struct str id, size_t bytes, enum busy_mode busy)
{
	struct buf out;

	buf_init(&out, STORE_PAYLOAD_MAX);
	buf_puts(&out, "{\"type\":\"user.message\",\"content\":[{\"type\":\"text\",\"text\":\"");
	put_text(&out, id, bytes);
	buf_puts(&out, "\"}]}");
	write_meta(it->trial, trial_event(it, EVENT_USER_MESSAGE, id, buf_str(&out)), INPUT_TRIGGER,
		   busy);
	buf_release(&out);
}

static struct trial_item *
message(struct trial *t, const char *session, const char *id, size_t bytes, enum busy_mode busy)
{
	struct trial_item *it = trial_item(t, str_of(session));

	add_message(it, str_of(id), bytes, busy);
	it->item.require.lifecycles = 1u << LIFECYCLE_ACTIVE;
	trial_key(it, str_of(id));
	return it;
}

static bool
create_sessions(struct trial *t)
{
	for (size_t i = 0; i < ARRAY_LEN(SESSIONS); i++) {
		struct trial_item *it = trial_item(t, str_of(SESSIONS[i]));
		struct make_created m = { .agent_id = STR("main"),
					  .agent_version = 1,
					  .environment_id = STR("local-default"),
					  .workspace_id = STR("main"),
					  .source = STR("{\"kind\":\"api\"}") };
		struct str id = arena_printf(&t->arena, "created-%s", SESSIONS[i]);
		struct buf out;
		buf_init(&out, 4096);
		event_make_created(&out, &m);
		trial_event(it, EVENT_SESSION_CREATED, id, buf_str(&out));
		buf_release(&out);
		it->item.require.absent = true;
		trial_key(it, id);
		trial_send(it);
	}
	return trial_settle(t);
}

static struct trial_item *
step(struct turn *turn)
{
	struct trial_item *it = trial_item(turn->t, turn->session);

	it->item.require.fence = turn->fence;
	return it;
}

/* The made payload becomes an event of the turn; out is emptied for the next. */
static void
add(struct trial_item *it, struct turn *turn, enum event_kind kind, const char *id, struct buf *out)
{
	trial_event(it, kind, str_of(id), buf_str(out))->turn = turn->id;
	buf_clear(out);
}

/* Opens or continues the turn: consumes the input (empty: none) and takes the lease. */
static bool
turn_run(struct turn *turn, const char *id, const char *input, bool *going)
{
	struct trial_item *it = trial_item(turn->t, turn->session);
	struct str *consumed = ARENA_NEW(&turn->t->arena, struct str);
	struct buf out;

	*consumed = str_of(input);
	it->item.require.pending = (struct str_list){ consumed, 1 };
	it->item.lease = STORE_LEASE_TAKE;
	buf_init(&out, 4096);
	event_make_running(&out, turn->id, it->item.require.pending, (struct str_list){ 0 },
			   (struct str){ 0 });
	add(it, turn, EVENT_STATUS_RUNNING, id, &out);
	buf_release(&out);
	if (!trial_do(it))
		return false;
	turn->fence = it->result.fence;
	*going = acked(it);
	return true;
}

static bool
turn_call(struct turn *turn, const char *id, bool ask, bool *going)
{
	struct make_tool_use m = { .kind = EVENT_AGENT_TOOL_USE,
				   .name = STR("bash"),
				   .input = STR("{\"command\":\"ls\"}"),
				   .permission = ask ? STR("ask") : STR("allow") };
	struct trial_item *it = step(turn);
	struct str waits = str_of(id);
	struct buf out;

	buf_init(&out, 4096);
	event_make_request_start(&out, STR("demo"), STR("abc"));
	add(it, turn, EVENT_MODEL_REQUEST_START, arena_printf(&turn->t->arena, "%s-start", id).ptr,
	    &out);
	event_make_tool_use(&out, &m);
	add(it, turn, EVENT_AGENT_TOOL_USE, id, &out);
	if (ask) {
		event_make_idle(&out, turn->id, STOP_REQUIRES_ACTION,
				(struct str_list){ &waits, 1 }, (struct str_list){ 0 });
		add(it, turn, EVENT_STATUS_IDLE, arena_printf(&turn->t->arena, "%s-park", id).ptr,
		    &out);
		it->item.lease = STORE_LEASE_RELEASE;
	}
	buf_release(&out);
	if (!trial_do(it))
		return false;
	*going = acked(it);
	return true;
}

static bool
turn_result(struct turn *turn, const char *id, const char *call, size_t bytes, bool *going)
{
	struct trial_item *it = step(turn);
	struct str *open = ARENA_NEW(&turn->t->arena, struct str);
	struct buf out, text;

	buf_init(&out, STORE_PAYLOAD_MAX);
	buf_init(&text, STORE_PAYLOAD_MAX);
	put_text(&text, str_of(id), bytes);
	*open = str_of(call);
	event_make_tool_result(&out, false, *open, OUTCOME_OK, buf_str(&text));
	add(it, turn, EVENT_AGENT_TOOL_RESULT, id, &out);
	buf_release(&text);
	buf_release(&out);
	if (!trial_do(it))
		return false;
	*going = acked(it);
	return true;
}

static bool
turn_steer(struct turn *turn, const char *id, const char *input, bool *going)
{
	struct trial_item *it = step(turn);
	struct str *consumed = ARENA_NEW(&turn->t->arena, struct str);
	struct buf out;

	*consumed = str_of(input);
	it->item.require.pending = (struct str_list){ consumed, 1 };
	buf_init(&out, 4096);
	event_make_input_consumed(&out, turn->id, it->item.require.pending);
	add(it, turn, EVENT_INPUT_CONSUMED, id, &out);
	buf_release(&out);
	if (!trial_do(it))
		return false;
	*going = acked(it);
	return true;
}

static bool
turn_end(struct turn *turn, const char *id)
{
	struct trial_item *it = step(turn);
	struct usage usage = { .input = 1200, .output = 80, .cache_read = 900 };
	struct buf out;

	it->item.lease = STORE_LEASE_RELEASE;
	buf_init(&out, 4096);
	event_make_agent_message(&out, STR("All done."), STR("demo"), false);
	add(it, turn, EVENT_AGENT_MESSAGE, arena_printf(&turn->t->arena, "%s-said", id).ptr, &out);
	event_make_request_end(&out, STR("e0"), false, &usage, 4200);
	add(it, turn, EVENT_MODEL_REQUEST_END, arena_printf(&turn->t->arena, "%s-end", id).ptr,
	    &out);
	event_make_idle(&out, turn->id, STOP_END_TURN, (struct str_list){ 0 },
			(struct str_list){ 0 });
	add(it, turn, EVENT_STATUS_IDLE, id, &out);
	buf_release(&out);
	return trial_do(it);
}

/* A call whose result is a blob, then a message that was steered in. */
static bool
first_turn(struct trial *t)
{
	struct turn turn = { t, STR("s1"), STR("turn_1"), 0 };
	bool going;

	if (!turn_run(&turn, "run-1", "m1", &going))
		return false;
	if (going && !turn_call(&turn, "call-1", false, &going))
		return false;
	if (going && !turn_result(&turn, "result-1", "call-1", LARGE_BYTES, &going))
		return false;
	if (going && !turn_steer(&turn, "steer-1", "m1b", &going))
		return false;
	return !going || turn_end(&turn, "idle-1");
}

static struct trial_item *
confirmation(struct trial *t, const char *session, const char *id, const char *call)
{
	struct trial_item *it = trial_item(t, str_of(session));
	struct str *open = ARENA_NEW(&t->arena, struct str);
	struct buf out;

	*open = str_of(call);
	it->item.require.open_calls = (struct str_list){ open, 1 };
	buf_init(&out, 4096);
	event_make_confirmation(&out, *open, true, (struct str){ 0 });
	write_meta(t, trial_event(it, EVENT_USER_TOOL_CONFIRMATION, str_of(id), buf_str(&out)),
		   INPUT_ANSWER, BUSY_QUEUE);
	buf_release(&out);
	trial_key(it, str_of(id));
	return it;
}

/* Parks on a question, is answered, goes on under a new fence. */
static bool
second_turn(struct trial *t)
{
	struct turn turn = { t, STR("s2"), STR("turn_2"), 0 };
	struct trial_item *answer;
	bool going;

	if (!turn_run(&turn, "run-2", "m2", &going))
		return false;
	if (going && !turn_call(&turn, "call-2", true, &going))
		return false;
	if (!going)
		return true;
	answer = confirmation(t, "s2", "yes-2", "call-2");
	if (!trial_do(answer))
		return false;
	if (!acked(answer))
		return true;
	if (!turn_run(&turn, "run-2b", "yes-2", &going))
		return false;
	if (going && !turn_result(&turn, "result-2", "call-2", SMALL_BYTES, &going))
		return false;
	return !going || turn_end(&turn, "idle-2");
}

static bool
edit_queue(struct trial *t)
{
	struct trial_item *it = trial_item(t, STR("s3"));
	struct str *pending = ARENA_NEW(&t->arena, struct str);
	struct buf out;

	*pending = STR("m3");
	it->item.require.pending = (struct str_list){ pending, 1 };
	buf_init(&out, 4096);
	event_make_input_edited(&out, *pending, STR("[{\"type\":\"text\",\"text\":\"edited\"}]"));
	trial_event(it, EVENT_INPUT_EDITED, STR("edit-3"), buf_str(&out));
	buf_clear(&out);
	event_make_title(&out, STR("A title"), STR("user"));
	trial_event(it, EVENT_SESSION_UPDATED, STR("title-3"), buf_str(&out));
	trial_send(it);

	it = trial_item(t, STR("s2"));
	buf_clear(&out);
	event_make_input_cancelled(&out, (struct str_list){ 0 });
	trial_event(it, EVENT_INPUT_CANCELLED, STR("cancel-2"), buf_str(&out));
	it->item.require.idle = false;
	trial_send(it);
	buf_release(&out);
	return trial_settle(t);
}

/* Written three times: what is there afterwards is one of the versions that were acknowledged. */
static bool
put_records(struct trial *t)
{
	for (int i = 0; i < 3; i++) {
		struct trial_item *it = trial_item(t, (struct str){ 0 });
		it->put = (struct store_put){
			.record = { .kind = STR("lane"),
				    .id = STR("lane-1"),
				    .owner = STR("main"),
				    .body = arena_printf(&t->arena, "{\"step\":%d}", i) },
			.if_version = STORE_VERSION_ANY,
		};
		it->item.put_count = 1;
		trial_send(it);
	}
	return trial_settle(t);
}

static bool
send_messages(struct trial *t)
{
	trial_send(message(t, "s1", "m1", SMALL_BYTES, BUSY_QUEUE));
	trial_send(message(t, "s2", "m2", SMALL_BYTES, BUSY_QUEUE));
	trial_send(message(t, "s3", "m3", SMALL_BYTES, BUSY_QUEUE));
	trial_send(message(t, "s1", "m1b", SMALL_BYTES, BUSY_STEER));
	return trial_settle(t);
}

struct trial_item *
scenario_probe(struct trial *t)
{
	struct str id = arena_printf(&t->arena, "probe-%zu", t->items.len);

	return message(t, "s1", id.ptr, SMALL_BYTES, BUSY_QUEUE);
}

bool
scenario_run(struct trial *t)
{
	return create_sessions(t) && send_messages(t) && first_turn(t) &&
	       trial_do(message(t, "s2", "m2b", HUGE_BYTES, BUSY_QUEUE)) && put_records(t) &&
	       second_turn(t) && edit_queue(t) && trial_do(scenario_probe(t));
}
