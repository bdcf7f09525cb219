#include "engine_rig.h"

static struct str SESSION;

static void
start(struct engine_rig *r, void **state)
{
	SESSION = STR("cli:a");
	engine_rig_init(r, *state != NULL);
	rig_open(r, NULL, "cli:a");
}

static struct rig_answer *
say(struct engine_rig *r, const char *text, const char *message_id)
{
	struct rig_answer *a = rig_say(
		r,
		&(struct engine_message){ .text = str_of(text), .message_id = str_of(message_id) },
		(struct rig_call){ .id = SESSION });

	rig_expect(a, 0, NULL);
	return a;
}

static struct rig_answer *
change(struct engine_rig *r, const struct engine_caller *who, struct str message, const char *text)
{
	struct rig_answer *a = ARENA_NEW(&r->arena, struct rig_answer);
	struct engine_call call = { .caller = who ? who : &r->owner,
				    .done = rig_answered,
				    .ctx = a };

	a->rig = r;
	if (text)
		engine_queue_edit(r->en, &call, SESSION, message, str_of(text));
	else
		engine_queue_cancel(r->en, &call, SESSION, message);
	engine_rig_await(r, &a->done);
	return a;
}

static void
Q9_a_message_is_edited_until_its_turn_starts(void **state)
{
	struct engine_rig r;
	struct str id;

	start(&r, state);
	say(&r, "wait 60", NULL);
	id = say(&r, "say before", NULL)->event_id;
	rig_expect(change(&r, NULL, id, "say after"), 0, NULL);
	rig_expect(change(&r, NULL, id, ""), ERR_INVALID, "text: must not be empty");
	virtual_host_advance(&r.host, 61000);
	check_str("answer", str_of(engine_rig_session(&r, "cli:a")->row.preview), STR("after"));
	rig_expect(change(&r, NULL, id, "say late"), ERR_CONFLICT, "its turn has begun");
	rig_expect(change(&r, NULL, id, NULL), ERR_CONFLICT, "its turn has begun");
	engine_rig_release(&r);
}

static void
Q9_a_message_is_cancelled_alone(void **state)
{
	struct engine_rig r;

	start(&r, state);
	say(&r, "wait 60", NULL);
	say(&r, "say two", "m2");
	say(&r, "say three", "m3");
	rig_expect(change(&r, NULL, STR("m2"), NULL), 0, NULL); /* by the sender's own id */
	rig_expect(change(&r, NULL, STR("m2"), NULL), ERR_CONFLICT, NULL);
	rig_expect(change(&r, NULL, STR("m4"), NULL), ERR_NOT_FOUND, "there is no message m4");
	virtual_host_advance(&r.host, 61000);
	assert_int_equal(engine_rig_session(&r, "cli:a")->row.counters.completed_turns, 2);
	check_str("answer", str_of(engine_rig_session(&r, "cli:a")->row.preview), STR("three"));
	engine_rig_release(&r);
}

static void
Q9_strangers_find_no_queue(void **state)
{
	struct engine_rig r;
	struct str id;

	start(&r, state);
	say(&r, "wait 60", NULL);
	id = say(&r, "say two", NULL)->event_id;
	rig_expect(change(&r, rig_person(&r, "bob"), id, NULL), ERR_NOT_FOUND,
		   "there is no session cli:a");
	rig_expect(change(&r, rig_person(&r, "eve"), id, "say x"), ERR_NOT_FOUND,
		   "there is no session cli:a");
	engine_rig_release(&r);
}

int
main(void)
{
	struct suite s = { 0 };
	static const int SQLITE = 1;

	SUITE_TEST(&s, Q9_a_message_is_edited_until_its_turn_starts);
	SUITE_TEST(&s, Q9_a_message_is_cancelled_alone);
	suite_add(&s, "Q9 cancelled alone in sqlite", Q9_a_message_is_cancelled_alone, &SQLITE);
	SUITE_TEST(&s, Q9_strangers_find_no_queue);
	return suite_run(&s, "engine/queue_change");
}
