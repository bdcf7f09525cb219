#include "core/input.h"
#include "harness.h"

static const struct class_case {
	const char *name;
	struct classify_facts f; /* kind, append_only, routed, with_trigger */
	bool is_input;
	enum input_class want;
} CLASSES[] = {
	/* clang-format off */
	{ "M9 a routed user message triggers",      { EVENT_USER_MESSAGE, false, true, false }, true, INPUT_TRIGGER },
	{ "P4 an unrouted one is passive",          { EVENT_USER_MESSAGE, false, false, false }, true, INPUT_PASSIVE },
	{ "A7 append never triggers",               { EVENT_USER_MESSAGE, true, true, false }, true, INPUT_PASSIVE },
	{ "M10 an outcome triggers",                { EVENT_USER_DEFINE_OUTCOME, false, true, false }, true, INPUT_TRIGGER },
	{ "H3 a fired schedule triggers",           { EVENT_SCHEDULE_FIRED, false, false, false }, true, INPUT_TRIGGER },
	{ "M9 a lone system message is passive",    { EVENT_SYSTEM_MESSAGE, false, true, false }, true, INPUT_PASSIVE },
	{ "M9 with a trigger it is bound to it",    { EVENT_SYSTEM_MESSAGE, false, true, true }, true, INPUT_BOUND },
	{ "T8 a confirmation is an answer",         { EVENT_USER_TOOL_CONFIRMATION, false, true, false }, true, INPUT_ANSWER },
	{ "T11 a worker's result is an answer",     { EVENT_USER_TOOL_RESULT, false, true, false }, true, INPUT_ANSWER },
	{ "T9 a custom result is an answer",        { EVENT_USER_CUSTOM_TOOL_RESULT, false, true, false }, true, INPUT_ANSWER },
	{ "Q5 an interrupt is control",             { EVENT_USER_INTERRUPT, false, true, false }, true, INPUT_CONTROL },
	{ "M10 what the agent says is no input",    { EVENT_AGENT_MESSAGE, false, true, false }, false, 0 },
	{ "M10 what the session does is no input",  { EVENT_STATUS_IDLE, false, true, false }, false, 0 },
	/* clang-format on */
};

static void
class_row(void **state)
{
	const struct class_case *c = *state;
	enum input_class got;

	assert_int_equal(input_classify(&c->f, &got), c->is_input);
	if (c->is_input)
		assert_int_equal(got, c->want);
}

static const struct meta_case {
	const char *name, *json, *error;
	struct input_meta m;
} METAS[] = {
	/* clang-format off */
	{ "M9 meta of a plain trigger", "{\"class\":\"trigger\"}", NULL, { .class = INPUT_TRIGGER } },
	{ "M9 meta with everything",
	  "{\"class\":\"trigger\",\"busy\":\"collect\",\"sender\":\"us\\\"r\",\"route\":{\"to\":1},\"group\":\"g\",\"model\":\"demo\",\"media\":true,\"due_at\":12}", NULL,
	  { .class = INPUT_TRIGGER, .busy = BUSY_COLLECT, .sender = { "us\"r", 4 }, .route = { "{\"to\":1}", 8 }, .group = { "g", 1 }, .model = { "demo", 4 }, .media = true, .due_at_ms = 12 } },
	{ "M9 meta of a bound input", "{\"class\":\"bound\",\"bound_to\":\"a\"}", NULL, { .class = INPUT_BOUND, .bound_to = { "a", 1 } } },
	{ "M9 meta without a class", "{}", "class", { 0 } },
	{ "M9 meta of an unknown class", "{\"class\":\"x\"}", "class", { 0 } },
	{ "M9 meta of an unknown mode", "{\"class\":\"trigger\",\"busy\":\"x\"}", "busy", { 0 } },
	{ "M9 meta with an unknown field", "{\"class\":\"trigger\",\"x\":1}", "x", { 0 } },
	{ "M9 meta with a negative due time", "{\"class\":\"trigger\",\"due_at\":-1}", "due_at", { 0 } },
	{ "M9 meta with a route that is no object", "{\"class\":\"trigger\",\"route\":1}", "route", { 0 } },
	{ "M9 meta with a wrong sender", "{\"class\":\"trigger\",\"sender\":1}", "sender", { 0 } },
	/* clang-format on */
};

static void
meta_row(void **state)
{
	const struct meta_case *c = *state;
	struct arena a;
	struct json_doc doc;
	struct input_meta got = { 0 };
	struct err e = { 0 };
	struct buf out;
	struct jw w;
	int rc;

	arena_init(&a);
	buf_init(&out, 1000);
	assert_int_equal(json_parse(&a, str_of(c->json), &JSON_LIMITS_DEFAULT, &doc, &e), 0);
	rc = input_meta_read(json_root(&doc), &a, &got, &e);
	if (c->error) {
		assert_int_equal(rc, ERR_INVALID);
		assert_non_null(strstr(e.text, c->error));
	} else {
		assert_int_equal(rc, 0);
		assert_int_equal(got.class, c->m.class);
		assert_int_equal(got.busy, c->m.busy);
		check_str("sender", got.sender, c->m.sender);
		check_str("route", got.route, c->m.route);
		check_str("bound_to", got.bound_to, c->m.bound_to);
		check_str("group", got.group, c->m.group);
		check_str("model", got.model, c->m.model);
		assert_int_equal(got.media, c->m.media);
		assert_int_equal(got.due_at_ms, c->m.due_at_ms);
		jw_init(&w, &out);
		input_meta_write(&got, &w);
		check_str("written again", buf_str(&out), str_of(c->json));
	}
	buf_release(&out);
	arena_release(&a);
}

static void
Q3_busy_words_round_trip(void **state)
{
	enum busy_mode m;

	(void)state;
	for (int i = BUSY_QUEUE; i <= BUSY_REJECT; i++) {
		assert_true(busy_mode_parse(str_of(busy_mode_name((enum busy_mode)i)), &m));
		assert_int_equal(m, i);
	}
	assert_false(busy_mode_parse(STR("wait"), &m));
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, CLASSES, class_row);
	SUITE_ROWS(&s, METAS, meta_row);
	SUITE_TEST(&s, Q3_busy_words_round_trip);
	return suite_run(&s, "input");
}
