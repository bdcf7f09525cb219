#include "engine/ingress.h"

#include "engine_rig.h"

#define MESSAGE(text) "{'type':'user.message','content':[{'type':'text','text':'" text "'}]}"
#define SYSTEM        "{'type':'system.message','content':[{'type':'text','text':'s'}]}"

static const struct row {
	const char *name, *events;
	struct ingress_facts facts;
	const char *classes; /* t trigger, p passive, b bound, c control, a answer */
	bool wakes;
} ROWS[] = {
	{ "Q1 a message triggers", "[" MESSAGE("a") "]", { .routed = true }, "t", true },
	{ "P4 one that is not routed is stored",
	  "[" MESSAGE("a") "]",
	  { .routed = false },
	  "p",
	  false },
	{ "A7 append never triggers",
	  "[" MESSAGE("a") "]",
	  { .routed = true, .append_only = true },
	  "p",
	  false },
	{ "Q1 several triggers",
	  "[" MESSAGE("a") "," MESSAGE("b") "]",
	  { .routed = true },
	  "tt",
	  true },
	{ "M10 a system message alone is passive", "[" SYSTEM "]", { .routed = true }, "p", false },
	{ "M10 behind a trigger it is bound to it",
	  "[" MESSAGE("a") "," SYSTEM "]",
	  { .routed = true },
	  "tb",
	  true },
	{ "Q5 an interrupt is looked at",
	  "[{'type':'user.interrupt'}]",
	  { .routed = true },
	  "c",
	  true },
	{ "T9 so is an answer",
	  "[{'type':'user.custom_tool_result','custom_tool_use_id':'sevt_1','content':[]}]",
	  { .routed = true },
	  "a",
	  true },
};

static char letter(enum input_class class)
{
	switch (class) {
	case INPUT_TRIGGER: return 't';
	case INPUT_PASSIVE: return 'p';
	case INPUT_BOUND: return 'b';
	case INPUT_CONTROL: return 'c';
	case INPUT_ANSWER: return 'a';
	}
	return '?';
}

static void
test_row(void **state)
{
	const struct row *row = *state;
	struct engine_rig r;
	struct ingress_batch b;
	char classes[16] = "";
	struct err e;

	engine_rig_init(&r, false);
	if (ingress_read(r.en, &r.arena, engine_rig_json(&r, row->events), &row->facts, &b, &e) !=
	    0)
		fail_msg("%s", e.text);
	for (size_t i = 0; i < b.count; i++) {
		classes[i] = letter(b.inputs[i].class);
		assert_true(str_starts(b.inputs[i].id, STR("sevt_")));
		assert_true(b.inputs[i].meta.len > 0);
	}
	assert_string_equal(classes, row->classes);
	assert_int_equal(b.wakes, row->wakes);
	assert_int_equal(b.has_trigger, strchr(row->classes, 't') != NULL);
	engine_rig_release(&r);
}

static const struct verb_row {
	const char *name, *events;
	enum access_verb want;
} VERBS[] = {
	{ "T11 a result", "[{'type':'user.tool_result'}]", ACCESS_SESSION_ANSWER },
	{ "T11 results", "[{'type':'user.custom_tool_result'},{'type':'user.tool_result'}]",
	  ACCESS_SESSION_ANSWER },
	{ "T11 a confirmation is no result", "[{'type':'user.tool_confirmation'}]",
	  ACCESS_SESSION_CONTROL },
	{ "T11 a result and more", "[{'type':'user.tool_result'},{'type':'user.interrupt'}]",
	  ACCESS_SESSION_CONTROL },
	{ "T11 a result and a message", "[{'type':'user.tool_result'},{'type':'user.message'}]",
	  ACCESS_SESSION_POST },
	{ "P2 an interrupt behind a message", "[{'type':'user.message'},{'type':'user.interrupt'}]",
	  ACCESS_SESSION_CONTROL },
	{ "T11 no events", "[]", ACCESS_SESSION_POST },
	{ "T11 no list", "{'type':'user.tool_result'}", ACCESS_SESSION_POST },
	{ "T11 no event", "[7]", ACCESS_SESSION_POST },
};

static void
verb_holds(void **state)
{
	const struct verb_row *row = *state;
	struct engine_rig r;

	engine_rig_init(&r, false);
	assert_int_equal(ingress_verb(engine_rig_json(&r, row->events)), row->want);
	engine_rig_release(&r);
}

static void
M10_what_is_bound_names_its_trigger(void **state)
{
	struct engine_rig r;
	struct ingress_batch b;
	struct ingress_facts facts = { .routed = true };
	struct err e;

	(void)state;
	engine_rig_init(&r, false);
	assert_int_equal(ingress_read(r.en, &r.arena,
				      engine_rig_json(&r, "[" MESSAGE("a") "," SYSTEM "]"), &facts,
				      &b, &e),
			 0);
	assert_true(str_contains(b.inputs[1].meta, b.inputs[0].id));
	engine_rig_release(&r);
}

static void
A2_the_payload_is_what_was_sent(void **state)
{
	struct engine_rig r;
	struct ingress_batch b;
	struct ingress_facts facts = { .routed = true };
	struct json events;
	struct err e;

	(void)state;
	engine_rig_init(&r, false);
	events = engine_rig_json(&r, "[ { 'type' : 'user.message' , 'content':[ { 'type':'text',"
				     "'text':'a' } ] } ]");
	assert_int_equal(ingress_read(r.en, &r.arena, events, &facts, &b, &e), 0);
	check_str("payload", b.inputs[0].payload,
		  STR("{ \"type\" : \"user.message\" , \"content\":[ { \"type\":\"text\",\"text\":"
		      "\"a\" } ] }"));
	engine_rig_release(&r);
}

static void
A2_five_hundred_at_most(void **state)
{
	struct engine_rig r;
	struct ingress_facts facts = { .routed = true };
	struct ingress_batch b;
	struct err e;

	(void)state;
	engine_rig_init(&r, false);
	for (size_t count = INGRESS_EVENTS_MAX; count <= INGRESS_EVENTS_MAX + 1; count++) {
		char *text = arena_alloc(&r.arena, count * sizeof MESSAGE("a") + 3);
		size_t at = 0;
		int rc;

		text[at++] = '[';
		for (size_t i = 0; i < count; i++) {
			if (i > 0)
				text[at++] = ',';
			memcpy(text + at, MESSAGE("a"), sizeof MESSAGE("a") - 1);
			at += sizeof MESSAGE("a") - 1;
		}
		text[at++] = ']';
		text[at] = '\0';
		rc = ingress_read(r.en, &r.arena, engine_rig_json(&r, text), &facts, &b, &e);
		assert_int_equal(rc, count <= INGRESS_EVENTS_MAX ? 0 : ERR_INVALID);
	}
	assert_non_null(strstr(e.text, "at most 500"));
	engine_rig_release(&r);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, test_row);
	SUITE_ROWS(&s, VERBS, verb_holds);
	SUITE_TEST(&s, M10_what_is_bound_names_its_trigger);
	SUITE_TEST(&s, A2_the_payload_is_what_was_sent);
	SUITE_TEST(&s, A2_five_hundred_at_most);
	return suite_run(&s, "engine/ingress_batch");
}
