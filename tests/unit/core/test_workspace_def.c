#include "core/workspace_def.h"

#include "definition_rows.h"

static int
make(struct json current, int64_t now_ms, struct json body, struct arena *a,
     struct definition_text *out, struct err *e)
{
	struct definition_facts f = { .id = STR("acme"), .now_ms = now_ms, .current = current };

	return workspace_def_make(&f, body, a, out, e);
}

static const struct definition_row ROWS[] = {
	/* clang-format off */
	{ "T3 a workspace", "{'name':'Acme'}", NULL, "{'id':'acme','type':'workspace','name':'Acme','config':{},'created_at':'1970-01-01T00:00:01Z','updated_at':'1970-01-01T00:00:01Z'}" },
	{ "T3 a body may name it", "{'id':'other','name':'A'}", NULL, "{'id':'acme'," },
	{ "T3 it keeps its id", "{'name':'A'}", "{'id':'other'}", "error: id: unknown field" },
	{ "T3 it has a name", "{}", NULL, "error: name: is required" },
	{ "T3 nothing else", "{'name':'A','members':[]}", NULL, "error: members: unknown field" },
	{ "T3 a default model", "{'name':'A','config':{'model':'acme/big'}}", NULL, "'config':{'model':'acme/big'}" },
	{ "T3 a model is a name", "{'name':'A','config':{'model':7}}", NULL, "error: config.model: must be" },
	{ "T3 a model's name is not empty", "{'name':'A','config':{'model':''}}", NULL, "error: config.model: must have 1 to 256" },
	{ "T3 nothing else is configured", "{'name':'A','config':{'modle':'x'}}", NULL, "error: config.modle: unknown field" },
	{ "R1 resets of its own", "{'name':'A','config':{'session_reset':{'mode':'idle','idle_minutes':30}}}", NULL, "'session_reset':{'mode':'idle','at_hour':4,'idle_minutes':30,'notify':true}" },
	{ "R1 resets name their mode", "{'name':'A','config':{'session_reset':{'at_hour':3}}}", NULL, "error: config.session_reset.mode: is required" },
	{ "R1 a mode that there is", "{'name':'A','config':{'session_reset':{'mode':'weekly'}}}", NULL, "error: config.session_reset.mode: must be one of none, idle, daily, both" },
	{ "R1 an hour of the day", "{'name':'A','config':{'session_reset':{'mode':'daily','at_hour':24}}}", NULL, "error: config.session_reset.at_hour" },
	{ "R1 minutes of a year", "{'name':'A','config':{'session_reset':{'mode':'idle','idle_minutes':525601}}}", NULL, "error: config.session_reset.idle_minutes" },
	{ "R1 notify is yes or no", "{'name':'A','config':{'session_reset':{'mode':'idle','notify':'no'}}}", NULL, "error: config.session_reset.notify" },
	{ "T3 what is not given stays", "{'name':'A','config':{'model':'m','session_reset':{'mode':'idle'}}}", "{'config':{'session_reset':{'at_hour':3}}}", "'config':{'model':'m','session_reset':{'mode':'idle','at_hour':3,'idle_minutes':1440,'notify':true}}" },
	{ "T3 null takes the model away", "{'name':'A','config':{'model':'m','session_reset':{'mode':'idle'}}}", "{'config':{'model':null}}", "'config':{'session_reset':{'mode':'idle'," },
	{ "R1 null takes the resets away", "{'name':'A','config':{'model':'m','session_reset':{'mode':'idle'}}}", "{'config':{'session_reset':null}}", "'config':{'model':'m'}" },
	{ "T3 null takes all away", "{'name':'A','config':{'model':'m'}}", "{'config':null}", "'config':{}" },
	{ "T3 another name", "{'name':'A','config':{'model':'m'}}", "{'name':'B'}", "'name':'B','config':{'model':'m'}" },
	{ "T3 the same again", "{'name':'A','config':{'model':'m'}}", "{'config':{'model':'m'}}", "same" },
	/* clang-format on */
};

static void
row_holds(void **state)
{
	definition_row_holds(*state, make);
}

static void
T3_its_settings_are_read(void **state)
{
	struct workspace_settings s;
	struct arena a;

	(void)state;
	arena_init(&a);
	workspace_def_read(json_of("{\"name\":\"main\"}", &a), &a, &s);
	assert_int_equal(s.model.len, 0);
	assert_false(s.resets);
	workspace_def_read(json_of("{\"config\":{\"model\":\"m\",\"session_reset\":{\"mode\":"
				   "\"both\",\"at_hour\":5,\"idle_minutes\":9,\"notify\":false}}}",
				   &a),
			   &a, &s);
	check_str("model", s.model, STR("m"));
	assert_true(s.resets);
	assert_int_equal(s.reset.mode, RESET_MODE_BOTH);
	assert_int_equal(s.reset.at_hour, 5);
	assert_int_equal(s.reset.idle_minutes, 9);
	assert_false(s.reset.notify);
	workspace_def_read(json_of("[]", &a), &a, &s);
	assert_false(s.resets);
	arena_release(&a);
}

static const struct id_row {
	const char *name, *body;
	const char *id; /* NULL: refused, and why */
	const char *says;
} IDS[] = {
	{ "T3 no id of its own", "{\"name\":\"A\"}", "", NULL },
	{ "T3 an id of its own", "{\"id\":\"acme\",\"name\":\"A\"}", "acme", NULL },
	{ "T3 an id is not empty", "{\"id\":\"\",\"name\":\"A\"}", NULL, "id: must have 1 to 200" },
	{ "T3 no slash", "{\"id\":\"a/b\"}", NULL, "id: has a control character or a slash at" },
	{ "T3 no control", "{\"id\":\"a\\n\"}", NULL, "id: has a control character or a slash at" },
	{ "T3 an id is a text", "{\"id\":7}", NULL, "id: must be a string" },
};

static void
id_holds(void **state)
{
	const struct id_row *row = *state;
	struct err e = { 0 };
	struct arena a;
	struct str id;
	int rc;

	arena_init(&a);
	rc = workspace_def_id(json_of(row->body, &a), &a, &id, &e);
	assert_int_equal(rc, row->id ? 0 : ERR_INVALID);
	if (row->id)
		check_str("id", id, str_of(row->id));
	else if (!str_starts(str_of(e.text), str_of(row->says)))
		fail_msg("%s: %s", row->name, e.text);
	arena_release(&a);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, row_holds);
	SUITE_TEST(&s, T3_its_settings_are_read);
	SUITE_ROWS(&s, IDS, id_holds);
	return suite_run(&s, "workspace_def");
}
