#include "engine/command.h"

#include "engine_rig.h"

static void
start(struct engine_rig *r, void **state)
{
	engine_rig_init(r, *state != NULL);
	rig_open(r, NULL, "cli:a");
}

static struct rig_answer *
run(struct engine_rig *r, const char *line)
{
	return rig_command(r, line, (struct rig_call){ .id = STR("cli:a") });
}

static void
say(struct engine_rig *r, const char *text)
{
	rig_expect(rig_say(r, &(struct engine_message){ .text = str_of(text) },
			   (struct rig_call){ .id = STR("cli:a") }),
		   0, NULL);
	virtual_host_advance(&r->host, 1000);
	while (engine_rig_session(r, "cli:a")->row.state.phase != TURN_NONE)
		virtual_host_advance(&r->host, 1000);
}

struct view {
	struct arena *a;
	struct str text;
	bool done;
};

static struct json
first_of(struct json array)
{
	struct json_iter it = json_iter(array);

	assert_true(json_next(&it));
	return it.value;
}

static bool
on_item(void *ctx, const struct store_row *row)
{
	struct view *v = ctx;
	struct json_doc doc;
	struct json content, text;

	if (json_parse(v->a, row->item->content.payload, &JSON_LIMITS_DEFAULT, &doc, NULL) == 0 &&
	    json_find(json_root(&doc), STR("content"), &content) &&
	    json_find(first_of(content), STR("text"), &text))
		v->text = arena_printf(v->a, STR_FMT "|" STR_FMT, STR_ARG(v->text),
				       STR_ARG(json_str(text, v->a)));
	return true;
}

static void
on_items(void *ctx, int rc, bool more, const struct err *err)
{
	(void)more, (void)err;
	assert_int_equal(rc, 0);
	((struct view *)ctx)->done = true;
}

/* What people and the model see of it. */
static struct str
view(struct engine_rig *r)
{
	struct view v = { .a = &r->arena };

	store_read(r->store,
		   &(struct store_query){
			   .kind = STORE_LIST_ITEMS, .session = STR("cli:a"), .limit = 1000 },
		   on_item, on_items, &v);
	engine_rig_await(r, &v.done);
	return v.text;
}

static void
C11_undo_takes_the_last_turn_back_and_says_what_it_was(void **state)
{
	struct engine_rig r;
	struct rig_answer *a;

	start(&r, state);
	say(&r, "say one");
	say(&r, "say two");
	check_str("before", view(&r), STR("|say one|one|say two|two"));
	a = run(&r, "/undo");
	rig_expect(a, 0, NULL);
	check_str("said", a->said, STR("took 1 turn back (2 messages)"));
	assert_true(str_contains(a->data, STR("\"turns_undone\":1,\"messages_undone\":2,")));
	assert_true(str_contains(a->data, STR("\"target_text\":\"say two\"")));
	check_str("after", view(&r), STR("|say one|one"));
	assert_true(str_ends(engine_rig_log(&r, "cli:a", 1), STR("rewound")));
	assert_int_equal(engine_rig_session(&r, "cli:a")->row.counters.messages, 4);
	engine_rig_release(&r);
}

static void
C11_undo_takes_several_back_or_all_there_are(void **state)
{
	struct engine_rig r;
	struct rig_answer *a;

	start(&r, state);
	for (int i = 0; i < 4; i++)
		say(&r, i < 2 ? "say a" : "say b");
	a = run(&r, "/undo 2");
	rig_expect(a, 0, NULL);
	check_str("view", view(&r), STR("|say a|a|say a|a"));
	a = run(&r, "/undo 9");
	rig_expect(a, 0, NULL);
	assert_true(str_contains(a->data, STR("\"turns_undone\":2,")));
	check_str("view", view(&r), STR(""));
	rig_expect(run(&r, "/undo"), ERR_CONFLICT, "nothing to take back");
	rig_expect(run(&r, "/retry"), ERR_CONFLICT, "nothing to take back");
	say(&r, "say again");
	check_str("view", view(&r), STR("|say again|again"));
	engine_rig_release(&r);
}

static void
C11_messages_that_shared_a_turn_go_together(void **state)
{
	struct engine_rig r;
	struct engine_message m = { .text = STR("say x"), .has_busy = true, .busy = BUSY_COLLECT };
	struct rig_answer *a;

	start(&r, state);
	engine_reload(r.en, &(struct engine_settings){ .default_model = STR("demo"),
						       .queue_depth = 20,
						       .quiet_ms = 1500 });
	say(&r, "say one");
	rig_expect(rig_say(&r, &m, (struct rig_call){ .id = STR("cli:a") }), 0, NULL);
	m.text = STR("say y");
	rig_expect(rig_say(&r, &m, (struct rig_call){ .id = STR("cli:a") }), 0, NULL);
	virtual_host_advance(&r.host, 10000);
	a = run(&r, "/retry");
	rig_expect(a, 0, NULL);
	virtual_host_advance(&r.host, 10000);
	assert_true(str_starts(view(&r), STR("|say one|one|say x|say y|")));
	a = run(&r, "/undo");
	rig_expect(a, 0, NULL);
	assert_true(str_contains(a->data, STR("\"target_text\":\"say x\"")));
	check_str("view", view(&r), STR("|say one|one"));
	engine_rig_release(&r);
}

static void
C11_history_stands_while_the_session_is_busy(void **state)
{
	struct engine_rig r;

	start(&r, state);
	say(&r, "say one");
	rig_expect(rig_say(&r, &(struct engine_message){ .text = STR("wait 60") },
			   (struct rig_call){ .id = STR("cli:a") }),
		   0, NULL);
	rig_expect(run(&r, "/undo"), ERR_CONFLICT, "busy");
	rig_expect(run(&r, "/retry"), ERR_CONFLICT, "busy");
	assert_false(str_contains(engine_rig_log(&r, "cli:a", 1), STR("rewound")));
	virtual_host_advance(&r.host, 60000);
	rig_expect(run(&r, "/undo"), 0, NULL);
	engine_rig_release(&r);
}

static void
C11_retry_asks_the_same_again_in_one_item(void **state)
{
	struct engine_rig r;
	struct rig_answer *a;
	struct str log;
	int64_t head;

	start(&r, state);
	say(&r, "say one");
	rig_expect(rig_say(&r,
			   &(struct engine_message){ .text = STR("say two"),
						     .message_id = STR("m1"),
						     .metadata = engine_rig_json(&r, "{'k':'v'}") },
			   (struct rig_call){ .id = STR("cli:a") }),
		   0, NULL);
	virtual_host_advance(&r.host, 1000);
	head = engine_rig_session(&r, "cli:a")->row.head_seq;
	a = run(&r, "/retry");
	rig_expect(a, 0, NULL);
	virtual_host_advance(&r.host, 1000);
	check_str("view", view(&r), STR("|say one|one|say two|two"));
	log = engine_rig_log(&r, "cli:a", 1);
	assert_true(str_contains(log, STR("rewound message status_running")));
	/* the sender's own id names the first one alone; the rest of what was said is the same */
	check_str("payload", engine_rig_payload(&r, "cli:a", head + 2),
		  STR("{\"type\":\"user.message\",\"content\":[{\"type\":\"text\",\"text\":\"say "
		      "two\"}],\"metadata\":{\"k\":\"v\"}}"));
	engine_rig_release(&r);
}

static void
C11_the_head_that_was_seen_is_the_head_that_is_taken_back(void **state)
{
	struct engine_rig r;
	struct rig_answer answers[2] = { { .rig = &r }, { .rig = &r } };

	start(&r, state);
	say(&r, "say one");
	say(&r, "say two");
	for (int i = 0; i < 2; i++) {
		struct engine_call call = { .caller = &r.owner,
					    .done = rig_answered,
					    .ctx = &answers[i] };

		engine_command(r.en, &call, STR("cli:a"), STR("/undo"));
	}
	engine_rig_await(&r, &answers[0].done);
	engine_rig_await(&r, &answers[1].done);
	assert_int_equal(answers[0].rc, 0);
	assert_int_equal(answers[1].rc, ERR_CONFLICT);
	check_str("view", view(&r), STR("|say one|one"));
	engine_rig_release(&r);
}

int
main(void)
{
	struct suite s = { 0 };
	static const int SQLITE = 1;

	SUITE_TEST(&s, C11_undo_takes_the_last_turn_back_and_says_what_it_was);
	suite_add(&s, "C11 undo in sqlite", C11_undo_takes_the_last_turn_back_and_says_what_it_was,
		  &SQLITE);
	SUITE_TEST(&s, C11_undo_takes_several_back_or_all_there_are);
	SUITE_TEST(&s, C11_messages_that_shared_a_turn_go_together);
	SUITE_TEST(&s, C11_history_stands_while_the_session_is_busy);
	SUITE_TEST(&s, C11_retry_asks_the_same_again_in_one_item);
	suite_add(&s, "C11 retry in sqlite", C11_retry_asks_the_same_again_in_one_item, &SQLITE);
	SUITE_TEST(&s, C11_the_head_that_was_seen_is_the_head_that_is_taken_back);
	return suite_run(&s, "engine/command_history");
}
