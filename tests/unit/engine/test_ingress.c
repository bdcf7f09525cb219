#include "engine/ingress.h"

#include "core/queue_policy.h"
#include "engine_rig.h"

#define SAY(words) (&(struct engine_message){ .text = STR(words) })

static struct rig_answer *
say_as(struct engine_rig *r, const struct engine_caller *who, const char *session, const char *text)
{
	return rig_say(r, &(struct engine_message){ .text = str_of(text) },
		       (struct rig_call){ .caller = who, .id = str_of(session) });
}

static struct rig_answer *
say(struct engine_rig *r, const char *text)
{
	return say_as(r, NULL, "cli:a", text);
}

static struct rig_answer *
say_busy(struct engine_rig *r, const char *text, enum busy_mode busy)
{
	return rig_say(
		r, &(struct engine_message){ .text = str_of(text), .has_busy = true, .busy = busy },
		(struct rig_call){ .id = STR("cli:a") });
}

static struct rig_answer *
send(struct engine_rig *r, const char *key, const char *events)
{
	return rig_events(r, (struct rig_call){ .id = STR("cli:a"), .key = key, .body = events });
}

static void
start(struct engine_rig *r, void **state)
{
	engine_rig_init(r, *state != NULL);
	rig_open(r, NULL, "cli:a");
}

/* ---- Q1, Q3: the queue ---- */

static void
Q1_accepted_is_in_the_log(void **state)
{
	struct engine_rig r;
	struct rig_answer *a;

	start(&r, state);
	a = say(&r, "wait 60");
	rig_expect(a, 0, NULL);
	assert_true(a->triggered);
	assert_int_equal(a->first_seq, 2);
	assert_int_equal(a->event_count, 1);
	assert_int_equal(a->position, 0);
	assert_true(str_starts(engine_rig_log(&r, "cli:a", 1), STR("created message")));
	engine_rig_release(&r);
}

static void
Q3_places_are_counted_and_the_21st_waiting_message_is_refused(void **state)
{
	struct engine_rig r;
	struct str before;

	start(&r, state);
	assert_int_equal(say(&r, "wait 60")->position, 0);
	for (int i = 1; i <= 20; i++)
		assert_int_equal(say(&r, "say x")->position, i);
	before = engine_rig_log(&r, "cli:a", 1);
	rig_expect(say(&r, "say too much"), ERR_LIMIT, NULL);
	rig_expect(send(&r, NULL,
			"[{'type':'user.message','content':[{'type':'text','text':'say x'}]}]"),
		   ERR_LIMIT, NULL);
	check_str("nothing is stored", engine_rig_log(&r, "cli:a", 1), before);
	/* what runs nothing takes no place */
	rig_expect(rig_say(&r, &(struct engine_message){ .text = STR("note"), .append_only = true },
			   (struct rig_call){ .id = STR("cli:a") }),
		   0, NULL);
	rig_expect(send(&r, NULL, "[{'type':'user.interrupt'}]"), 0, NULL);
	engine_rig_release(&r);
}

static void
Q3_a_depth_that_was_reloaded_counts_from_then_on(void **state)
{
	struct engine_rig r;

	start(&r, state);
	rig_expect(say(&r, "wait 60"), 0, NULL);
	rig_expect(say(&r, "say x"), 0, NULL);
	engine_reload(r.en,
		      &(struct engine_settings){ .default_model = STR("demo"), .queue_depth = 1 });
	rig_expect(say(&r, "say x"), ERR_LIMIT, NULL);
	engine_rig_release(&r);
}

/* What the operator says holds for messages that say nothing, and for those alone. */
static void
Q3_the_mode_of_messages_that_name_none_is_a_setting(void **state)
{
	struct engine_rig r;

	start(&r, state);
	rig_expect(say(&r, "wait 60"), 0, NULL);
	engine_reload(r.en, &(struct engine_settings){ .default_model = STR("demo"),
						       .queue_depth = 20,
						       .busy = BUSY_REJECT });
	rig_expect(say(&r, "say x"), ERR_CONFLICT, NULL);
	rig_expect(say_busy(&r, "say y", BUSY_QUEUE), 0, NULL);
	rig_expect(send(&r, NULL,
			"[{'type':'user.message','content':[{'type':'text','text':'say z'}]}]"),
		   0, NULL);
	engine_reload(r.en, &(struct engine_settings){ .default_model = STR("demo"),
						       .queue_depth = 20,
						       .busy = BUSY_INTERRUPT });
	assert_int_equal(say(&r, "say now")->position, 1);
	virtual_host_advance(&r.host, 1000);
	assert_int_equal(engine_rig_session(&r, "cli:a")->row.counters.completed_turns, 4);
	engine_rig_release(&r);
}

static void
Q3_reject_wants_a_session_at_rest(void **state)
{
	struct engine_rig r;

	start(&r, state);
	rig_expect(say_busy(&r, "wait 60", BUSY_REJECT), 0, NULL);
	rig_expect(say_busy(&r, "say x", BUSY_REJECT), ERR_CONFLICT, NULL);
	assert_false(str_contains(engine_rig_log(&r, "cli:a", 3), STR("message ")));
	virtual_host_advance(&r.host, 60000);
	rig_expect(say_busy(&r, "say x", BUSY_REJECT), 0, NULL);
	engine_rig_release(&r);
}

static void
Q3_interrupt_puts_an_interrupt_before_the_message(void **state)
{
	struct engine_rig r;
	struct rig_answer *a;

	start(&r, state);
	rig_expect(say(&r, "wait 60"), 0, NULL);
	rig_expect(say(&r, "say queued"), 0, NULL);
	a = say_busy(&r, "say now", BUSY_INTERRUPT);
	rig_expect(a, 0, NULL);
	assert_int_equal(a->event_count, 2);
	assert_int_equal(a->position, 1);
	check_str("log", engine_rig_log(&r, "cli:a", a->first_seq),
		  STR("interrupt message model_request_end status_idle status_running "
		      "model_request_start message model_request_end status_idle status_running "
		      "model_request_start message model_request_end status_idle"));
	engine_rig_release(&r);
}

/* ---- M7, R4: lifecycles ---- */

static void
R4_a_message_makes_an_inactive_session_active(void **state)
{
	struct engine_rig r;
	struct rig_answer *a, *again;
	struct rig_call call = { .id = STR("cli:a"), .key = "k" };

	start(&r, state);
	engine_rig_append(&r, "cli:a", EVENT_SESSION_UPDATED,
			  "{'type':'session.updated','lifecycle':'inactive'}");
	a = rig_say(&r, SAY("wait 60"), call);
	rig_expect(a, 0, NULL);
	assert_int_equal(a->first_seq, 4); /* of the message, not of what it needed */
	assert_int_equal(a->event_count, 1);
	assert_true(str_starts(engine_rig_log(&r, "cli:a", 2), STR("updated updated message")));
	assert_int_equal(engine_rig_session(&r, "cli:a")->row.state.lifecycle, LIFECYCLE_ACTIVE);
	again = rig_say(&r, SAY("wait 60"), call);
	assert_true(again->replayed);
	assert_int_equal(again->first_seq, a->first_seq);
	assert_int_equal(again->event_count, 1);
	engine_rig_release(&r);
}

static void
R4_passive_events_do_it_too(void **state)
{
	struct engine_rig r;

	start(&r, state);
	engine_rig_append(&r, "cli:a", EVENT_SESSION_UPDATED,
			  "{'type':'session.updated','lifecycle':'inactive'}");
	rig_expect(send(&r, NULL,
			"[{'type':'system.message','content':[{'type':'text','text':'x'}]}]"),
		   0, NULL);
	check_str("log", engine_rig_log(&r, "cli:a", 2), STR("updated updated message"));
	engine_rig_release(&r);
}

static void
A7_an_archived_session_names_the_current_one(void **state)
{
	struct engine_rig r;
	struct rig_answer *a;

	start(&r, state);
	rig_open(&r, NULL, "cli:b");
	engine_rig_append(&r, "cli:a", EVENT_SESSION_RESET,
			  "{'type':'session.reset','reason':'manual','lifecycle':'archived','new_"
			  "session_id':'cli:b'}");
	if (engine_rig_session(&r, "cli:a")->row.state.lifecycle != LIFECYCLE_ARCHIVED)
		rig_expect(rig_end(&r, engine_session_archive,
				   (struct rig_call){ .id = STR("cli:a") }),
			   0, NULL);
	a = say(&r, "say x");
	rig_expect(a, ERR_CONFLICT, "goes on in cli:b");
	check_str("current", a->current, STR("cli:b"));
	a = say_as(&r, rig_person(&r, "ann"), "cli:a", "say x");
	rig_expect(a, ERR_NOT_FOUND, "there is no session cli:a"); /* she learns nothing */
	check_str("current", a->current, STR(""));
	engine_rig_release(&r);
}

static void
A7_an_archived_session_without_a_successor_says_what_to_do(void **state)
{
	struct engine_rig r;

	start(&r, state);
	rig_expect(rig_end(&r, engine_session_archive, (struct rig_call){ .id = STR("cli:a") }), 0,
		   NULL);
	rig_expect(say(&r, "say x"), ERR_CONFLICT, "resume it");
	engine_rig_release(&r);
}

/* ---- P2, P3: who ---- */

static void
P2_who_does_not_take_part_is_told_that_there_is_nothing(void **state)
{
	struct engine_rig r;
	const struct engine_caller *ann, *bob;
	struct rig_answer *a, *b;

	start(&r, state);
	ann = rig_person(&r, "ann");
	bob = rig_person(&r, "bob");
	rig_open(&r, ann, "cli:hers");
	rig_expect(say_as(&r, ann, "cli:hers", "wait 60"), 0, NULL);
	a = say_as(&r, bob, "cli:hers", "say x");
	b = say_as(&r, bob, "cli:gone", "say x");
	rig_expect(a, ERR_NOT_FOUND, "there is no session cli:hers");
	rig_expect(b, ERR_NOT_FOUND, "there is no session cli:gone");
	assert_int_equal(engine_rig_count(&r, RECORD_PARTICIPANT), 1);
	rig_expect(say(&r, "wait 60"), 0, NULL); /* the operator may, and takes no part by it */
	assert_int_equal(engine_rig_count(&r, RECORD_PARTICIPANT), 1);
	rig_expect(say_as(&r, NULL, "cli:gone", "say x"), ERR_NOT_FOUND, NULL);
	engine_rig_release(&r);
}

/* Who may see everything takes part by speaking, not by looking or opening. */
static void
P2_speaking_makes_a_participant(void **state)
{
	struct engine_rig r;
	struct engine_caller eve;

	start(&r, state);
	eve = *rig_person(&r, "eve");
	rig_expect(
		rig_change(&r, engine_user_update,
			   (struct rig_call){ .id = eve.who.user_id, .body = "{'role':'owner'}" }),
		0, NULL);
	eve.who.role = ROLE_OWNER; /* as the next request is told */
	rig_open(&r, &eve, "cli:a");
	assert_int_equal(engine_rig_count(&r, RECORD_PARTICIPANT), 0);
	rig_expect(say_as(&r, &eve, "cli:a", "wait 60"), 0, NULL);
	assert_int_equal(engine_rig_count(&r, RECORD_PARTICIPANT), 1);
	rig_expect(say_as(&r, &eve, "cli:a", "say x"), 0, NULL);
	assert_int_equal(engine_rig_count(&r, RECORD_PARTICIPANT), 1);
	engine_rig_release(&r);
}

static void
P3_a_channel_speaks_only_for_its_senders_in_its_sessions(void **state)
{
	struct engine_rig r;
	const struct engine_caller *channel;
	struct engine_message m = { .text = STR("wait 60") };
	struct rig_call call = { .id = STR("telegram:1") };

	start(&r, state);
	channel = rig_channel(&r, "telegram");
	rig_open(&r, channel, "telegram:1");
	call.caller = channel;
	m.sender = engine_rig_json(&r, "{'channel':'telegram','channel_user_id':'7'}");
	rig_expect(rig_say(&r, &m, call), 0, NULL);
	assert_true(str_contains(engine_rig_payload(&r, "telegram:1", 2),
				 STR("\"channel_user_id\":\"7\"")));
	m.sender = engine_rig_json(&r, "{'channel':'slack','channel_user_id':'7'}");
	rig_expect(rig_say(&r, &m, call), ERR_INVALID, "channel");
	m.sender = engine_rig_json(&r, "{'channel_user_id':'7'}");
	rig_expect(rig_say(&r, &m, call), ERR_INVALID, "channel");
	m.sender = engine_rig_json(&r, "{'channel':'telegram','channel_user_id':'7'}");
	call.id = STR("cli:a");
	rig_expect(rig_say(&r, &m, call), ERR_NOT_FOUND, NULL);
	call.caller = rig_person(&r, "ann");
	rig_open(&r, call.caller, "cli:hers");
	call.id = STR("cli:hers");
	rig_expect(rig_say(&r, &m, call), ERR_INVALID, "only an owner or a channel");
	engine_rig_release(&r);
}

/* ---- A10: repeats ---- */

static void
A10_a_repeated_message_is_said_once(void **state)
{
	struct engine_rig r;
	struct rig_answer *a, *b;
	struct rig_call call = { .id = STR("cli:a"), .key = "k" };

	start(&r, state);
	rig_expect(say(&r, "wait 60"), 0, NULL);
	a = rig_say(&r, SAY("say one"), call);
	rig_expect(a, 0, NULL);
	assert_int_equal(a->position, 1);
	b = rig_say(&r, SAY("say one"), call);
	assert_true(b->replayed);
	assert_true(b->triggered);
	assert_int_equal(b->first_seq, a->first_seq);
	assert_int_equal(b->position, 1);
	rig_expect(rig_say(&r, SAY("say two"), call), ERR_MISMATCH, NULL);
	/* it has run meanwhile, the session is archived: still the same answer */
	virtual_host_advance(&r.host, 60000);
	b = rig_say(&r, SAY("say one"), call);
	assert_true(b->replayed);
	assert_int_equal(b->first_seq, a->first_seq);
	assert_int_equal(b->position, 0);
	rig_expect(rig_end(&r, engine_session_archive, (struct rig_call){ .id = STR("cli:a") }), 0,
		   NULL);
	b = rig_say(&r, SAY("say one"), call);
	rig_expect(b, 0, NULL);
	assert_true(b->replayed);
	engine_rig_restart(&r);
	b = rig_say(&r, SAY("say one"), call);
	assert_true(b->replayed);
	assert_int_equal(b->first_seq, a->first_seq);
	engine_rig_release(&r);
}

static void
A10_a_repeat_is_told_although_the_queue_is_full(void **state)
{
	struct engine_rig r;
	struct rig_answer *b;
	struct rig_call call = { .id = STR("cli:a"), .key = "k" };

	start(&r, state);
	rig_expect(rig_say(&r, SAY("wait 60"), call), 0, NULL);
	for (int i = 0; i < 20; i++)
		rig_expect(say(&r, "say x"), 0, NULL);
	rig_expect(say(&r, "say x"), ERR_LIMIT, NULL);
	b = rig_say(&r, SAY("wait 60"), call);
	rig_expect(b, 0, NULL);
	assert_true(b->replayed);
	assert_int_equal(b->position, 0);
	engine_rig_release(&r);
}

static void
A7_a_message_id_is_said_once_in_its_session(void **state)
{
	struct engine_rig r;
	struct engine_message m = { .text = STR("wait 60"), .message_id = STR("m1") };
	struct rig_call call = { .id = STR("cli:a") };
	struct rig_answer *a, *b;

	start(&r, state);
	rig_open(&r, NULL, "cli:b");
	a = rig_say(&r, &m, call);
	rig_expect(a, 0, NULL);
	b = rig_say(&r, &m, call);
	assert_true(b->replayed);
	assert_int_equal(b->first_seq, a->first_seq);
	call.key = "another key"; /* the sender's id tells it all the same */
	b = rig_say(&r, &m, call);
	assert_true(b->replayed);
	assert_int_equal(b->first_seq, a->first_seq);
	call.key = NULL;
	m.text = STR("say other");
	rig_expect(rig_say(&r, &m, call), ERR_MISMATCH, NULL);
	call.id = STR("cli:b");
	b = rig_say(&r, &m, call);
	rig_expect(b, 0, NULL);
	assert_false(b->replayed);
	engine_rig_release(&r);
}

static void
A10_repeated_events_are_written_once(void **state)
{
	const char *two = "[{'type':'user.message','content':[{'type':'text','text':'wait 60'}]},"
			  "{'type':'system.message','content':[{'type':'text','text':'b'}]}]";
	struct engine_rig r;
	struct rig_answer *a, *b;

	start(&r, state);
	a = send(&r, "k", two);
	rig_expect(a, 0, NULL);
	assert_int_equal(a->event_count, 2);
	b = send(&r, "k", two);
	assert_true(b->replayed);
	assert_int_equal(b->first_seq, a->first_seq);
	assert_int_equal(b->event_count, 2);
	rig_expect(send(&r, "k", "[{'type':'user.interrupt'}]"), ERR_MISMATCH, NULL);
	engine_rig_release(&r);
}

/* ---- A2: batches ---- */

static const struct batch {
	const char *name, *events, *says;
} BATCHES[] = {
	{ "A2 all or nothing: the second is wrong",
	  "[{'type':'user.message','content':[{'type':'text','text':'a'}]},{'type':'user.massage'}"
	  "]",
	  "[1].type" },
	{ "A2 an event of the server's own", "[{'type':'session.status_idle'}]", "[0].type" },
	{ "A2 no event at all", "[]", "at least one event" },
	{ "A2 not an array", "{}", "array" },
	{ "A2 a number among them", "[1]", "[0]" },
	{ "A2 a system message in the middle",
	  "[{'type':'system.message','content':[{'type':'text','text':'a'}]},"
	  "{'type':'user.message','content':[{'type':'text','text':'b'}]}]",
	  "must be the last" },
};

static void
test_batch(void **state)
{
	const struct batch *row = *state;
	struct engine_rig r;

	engine_rig_init(&r, false);
	rig_open(&r, NULL, "cli:a");
	rig_expect(send(&r, NULL, row->events), ERR_INVALID, row->says);
	check_str("log", engine_rig_log(&r, "cli:a", 1), STR("created"));
	engine_rig_release(&r);
}

static void
A2_answers_need_a_call_that_waits(void **state)
{
	struct engine_rig r;

	start(&r, state);
	rig_expect(send(&r, NULL,
			"[{'type':'user.custom_tool_result','custom_tool_use_id':'sevt_none',"
			"'content':[]}]"),
		   ERR_NOT_FOUND, "there is no call sevt_none");
	check_str("log", engine_rig_log(&r, "cli:a", 1), STR("created"));
	engine_rig_release(&r);
}

int
main(void)
{
	struct suite s = { 0 };
	static const int SQLITE = 1;

	SUITE_TEST(&s, Q1_accepted_is_in_the_log);
	SUITE_TEST(&s, Q3_places_are_counted_and_the_21st_waiting_message_is_refused);
	suite_add(&s, "Q3 the 21st waiting message in sqlite",
		  Q3_places_are_counted_and_the_21st_waiting_message_is_refused, &SQLITE);
	SUITE_TEST(&s, Q3_a_depth_that_was_reloaded_counts_from_then_on);
	SUITE_TEST(&s, Q3_the_mode_of_messages_that_name_none_is_a_setting);
	SUITE_TEST(&s, Q3_reject_wants_a_session_at_rest);
	SUITE_TEST(&s, Q3_interrupt_puts_an_interrupt_before_the_message);
	SUITE_TEST(&s, R4_a_message_makes_an_inactive_session_active);
	SUITE_TEST(&s, R4_passive_events_do_it_too);
	SUITE_TEST(&s, A7_an_archived_session_names_the_current_one);
	SUITE_TEST(&s, A7_an_archived_session_without_a_successor_says_what_to_do);
	SUITE_TEST(&s, P2_who_does_not_take_part_is_told_that_there_is_nothing);
	SUITE_TEST(&s, P2_speaking_makes_a_participant);
	SUITE_TEST(&s, P3_a_channel_speaks_only_for_its_senders_in_its_sessions);
	SUITE_TEST(&s, A10_a_repeated_message_is_said_once);
	suite_add(&s, "A10 a repeated message in sqlite", A10_a_repeated_message_is_said_once,
		  &SQLITE);
	SUITE_TEST(&s, A10_a_repeat_is_told_although_the_queue_is_full);
	SUITE_TEST(&s, A7_a_message_id_is_said_once_in_its_session);
	suite_add(&s, "A7 a message id in sqlite", A7_a_message_id_is_said_once_in_its_session,
		  &SQLITE);
	SUITE_TEST(&s, A10_repeated_events_are_written_once);
	SUITE_ROWS(&s, BATCHES, test_batch);
	SUITE_TEST(&s, A2_answers_need_a_call_that_waits);
	return suite_run(&s, "engine/ingress");
}
