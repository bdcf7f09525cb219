#include "lane_rig.h"

static void
import_text(struct engine *en, const struct engine_call *call, struct json body)
{
	engine_lane_import(en, call, json_raw(body));
}

static struct rig_answer *
import(struct engine_rig *r, const char *body)
{
	return rig_make(r, import_text, (struct rig_call){ .body = body });
}

static void
check_import(struct engine_rig *r, struct str body, const char *want)
{
	struct rig_answer *a = import(r, body.ptr);

	rig_expect(a, 0, NULL);
	check_str("report", a->data, str_of(want));
}

static const char FROM_ORIGIN[] =
	"{'agent:main:telegram:dm:1':{'session_key':'agent:main:telegram:dm:1','session_id':'%s',"
	"'created_at':'2026-06-16T04:00:00','platform':'telegram','suspended':true,"
	"'origin':{'platform':'telegram','chat_id':'1','user_name':'Ann'}}}";

/* A lane that was forgotten comes back with its flags, and its key leads to it again. */
static void
K5_an_imported_entry_is_the_lane_again(void **state)
{
	static const char DM[] = "{'source':{'platform':'telegram','chat_id':'1'}}";
	struct engine_rig r;
	struct rig_answer *a;
	struct str body;

	engine_rig_init(&r, *state != NULL);
	a = resolve(&r, DM);
	virtual_host_advance(&r.host, INT64_C(3) * 24 * 3600 * 1000);
	rig_make(&r, engine_lane_prune, (struct rig_call){ .body = "{'max_age_days':1}" });
	assert_int_equal(engine_rig_count(&r, RECORD_LANE), 0);
	body = arena_printf(&r.arena, FROM_ORIGIN, a->id.ptr);
	check_import(&r, body, "{\"imported\":1,\"skipped\":0,\"missing\":0,\"refused\":0}");
	assert_true(stored_entry(&r, a->lane).recover.suspended);
	check_import(&r, body, "{\"imported\":0,\"skipped\":1,\"missing\":0,\"refused\":0}");
	check_str("resets", resolve(&r, DM)->reset_reason, STR("suspended"));
	check_import(&r, body, "{\"imported\":0,\"skipped\":0,\"missing\":0,\"refused\":1}");
	engine_rig_release(&r);
}

static void
K5_an_entry_without_its_session_is_missing(void **state)
{
	struct engine_rig r;

	(void)state;
	engine_rig_init(&r, false);
	check_import(&r, arena_printf(&r.arena, FROM_ORIGIN, "telegram:none"),
		     "{\"imported\":0,\"skipped\":0,\"missing\":1,\"refused\":0}");
	check_import(&r, STR("{}"), "{\"imported\":0,\"skipped\":0,\"missing\":0,\"refused\":0}");
	engine_rig_release(&r);
}

/* Isolated or shared: the key says which, whatever the settings are now. */
static void
K5_the_key_says_how_a_group_was_shared(void **state)
{
	static const char ENTRY[] =
		"{'k':{'session_key':'agent:main:irc:group:g%s','session_id':'%s',"
		"'origin':{'platform':'irc','chat_type':'group','chat_id':'g','user_id':'u'}}}";
	struct engine_rig r;
	struct str isolated, shared;

	(void)state;
	engine_rig_init(&r, false);
	isolated = rig_open(&r, NULL, "irc:1");
	shared = rig_open(&r, NULL, "irc:2");
	check_import(&r, arena_printf(&r.arena, ENTRY, ":u", isolated.ptr),
		     "{\"imported\":1,\"skipped\":0,\"missing\":0,\"refused\":0}");
	check_import(&r, arena_printf(&r.arena, ENTRY, "", shared.ptr),
		     "{\"imported\":1,\"skipped\":0,\"missing\":0,\"refused\":0}");
	r.en->config.settings.group_per_user = true;
	check_str("isolated",
		  resolve(&r, "{'source':{'platform':'irc','chat_type':'group',"
			      "'chat_id':'g','user_id':'u'}}")
			  ->id,
		  isolated);
	r.en->config.settings.group_per_user = false;
	check_str("shared",
		  resolve(&r, "{'source':{'platform':'irc','chat_type':'group',"
			      "'chat_id':'g','user_id':'u'}}")
			  ->id,
		  shared);
	engine_rig_release(&r);
}

static void
K5_of_a_file_with_a_bad_entry_nothing_is_taken(void **state)
{
	struct engine_rig r;
	struct str session;

	(void)state;
	engine_rig_init(&r, false);
	session = rig_open(&r, NULL, "irc:1");
	rig_expect(import(&r, arena_printf(&r.arena,
					   "{'a':{'session_key':'agent:main:irc:dm:1',"
					   "'session_id':'%s','origin':{'platform':'irc',"
					   "'chat_id':'1'}},'b':{'session_key':'x',"
					   "'session_id':'y'}}",
					   session.ptr)
				      .ptr),
		   ERR_INVALID, "\"b\" (at offset 110): has neither");
	assert_int_equal(engine_rig_count(&r, RECORD_LANE), 0);
	rig_expect(rig_make(&r, import_text,
			    (struct rig_call){ .caller = rig_person(&r, "ann"), .body = "{}" }),
		   ERR_NOT_FOUND, NULL);
	engine_rig_release(&r);
}

/* More entries than are under way at once, some about the same session, one lane twice. */
static void
K5_entries_about_one_session_take_their_turn(void **state)
{
	enum { COUNT = 150 };
	struct engine_rig r;
	struct buf body;
	char name[32];

	engine_rig_init(&r, *state != NULL);
	buf_init(&body, 1 << 20);
	for (int i = 0; i < COUNT; i++) {
		struct str id;

		snprintf(name, sizeof name, "irc:%d", i);
		id = rig_open(&r, NULL, name);
		for (int twin = 0; twin < 2; twin++) /* of two lanes the first gets the session */
			buf_printf(&body,
				   "%s'%d.%d':{'session_key':'agent:main:irc:dm:%d%d','session_id':"
				   "'%s','origin':{'platform':'irc','chat_id':'%d%d'}}",
				   body.len > 0 ? "," : "{", i, twin, i, twin, id.ptr, i, twin);
	}
	buf_putc(&body, '}');
	buf_putc(&body, '\0');
	check_import(&r, str_of(body.ptr),
		     "{\"imported\":150,\"skipped\":0,\"missing\":0,\"refused\":150}");
	check_import(&r, str_of(body.ptr),
		     "{\"imported\":0,\"skipped\":150,\"missing\":0,\"refused\":150}");
	buf_release(&body);
	engine_rig_release(&r);
}

static const struct bad_row {
	const char *name, *text, *says;
} BAD[] = {
	{ "K5 no text", "", "ends too early" },
	{ "K5 a text that ends in the middle", "{\"a\":{", "ends too early" },
	{ "K5 no JSON", "{\"a\":{x}}", "\"a\" (at offset 5): " },
	{ "K5 no object", "{\"a\":1}", "a lane's entry must be an object" },
	{ "K5 a name twice",
	  "{\"a\":{\"session_key\":\"k\",\"session_id\":\"s\",\"surface\":\"web\",\"surface_id\":"
	  "\"1\"},"
	  "\"\\u0061\":{\"session_key\":\"k\",\"session_id\":\"s\",\"surface\":\"web\","
	  "\"surface_id\":\"1\"}}",
	  "two members of this name" },
	{ "K5 a name that is none",
	  "{\"\\ud800\":{\"session_key\":\"k\",\"session_id\":\"s\","
	  "\"surface\":\"web\",\"surface_id\":\"1\"}}",
	  "the name of a member" },
};

static void
check_bad(void **state)
{
	const struct bad_row *row = *state;
	struct engine_rig r;
	struct rig_answer a = { .rig = &r };

	engine_rig_init(&r, false);
	engine_lane_import(
		r.en, &(struct engine_call){ .caller = &r.owner, .done = rig_answered, .ctx = &a },
		str_of(row->text));
	rig_expect(&a, ERR_INVALID, row->says);
	engine_rig_release(&r);
}

int
main(void)
{
	struct suite s = { 0 };

	suite_add(&s, "K5 an imported entry is the lane again, in memory",
		  K5_an_imported_entry_is_the_lane_again, NULL);
	suite_add(&s, "K5 an imported entry is the lane again, on disk",
		  K5_an_imported_entry_is_the_lane_again, "");
	suite_add(&s, "K5 entries about one session take their turn, in memory",
		  K5_entries_about_one_session_take_their_turn, NULL);
	suite_add(&s, "K5 entries about one session take their turn, on disk",
		  K5_entries_about_one_session_take_their_turn, "");
	SUITE_ROWS(&s, BAD, check_bad);
	SUITE_TEST(&s, K5_an_entry_without_its_session_is_missing);
	SUITE_TEST(&s, K5_the_key_says_how_a_group_was_shared);
	SUITE_TEST(&s, K5_of_a_file_with_a_bad_entry_nothing_is_taken);
	return suite_run(&s, "lane_import");
}
