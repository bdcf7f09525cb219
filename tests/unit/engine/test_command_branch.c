#include "engine/command.h"

#include "engine_rig.h"

static struct rig_answer *
run(struct engine_rig *r, struct str session, const char *line)
{
	return rig_command(r, line, (struct rig_call){ .id = session });
}

static void
say(struct engine_rig *r, struct str session, const char *text)
{
	rig_expect(rig_say(r, &(struct engine_message){ .text = str_of(text) },
			   (struct rig_call){ .id = session }),
		   0, NULL);
	virtual_host_advance(&r->host, 1000);
}

static struct str
field(struct engine_rig *r, const struct rig_answer *a, const char *name)
{
	struct json_doc *doc = ARENA_NEW(&r->arena, struct json_doc);
	struct json v;

	assert_int_equal(json_parse(&r->arena, a->data, &JSON_LIMITS_DEFAULT, doc, NULL), 0);
	assert_true(json_find(json_root(doc), str_of(name), &v));
	return arena_str(&r->arena, json_str(v, &r->arena));
}

struct view {
	struct engine_rig *r;
	struct buf text;
	bool done;
};

static bool
on_item(void *ctx, const struct store_row *row)
{
	struct view *v = ctx;
	struct json_doc doc;
	struct json content, text;
	struct json_iter it;

	if (json_parse(&v->r->arena, row->item->content.payload, &JSON_LIMITS_DEFAULT, &doc,
		       NULL) != 0 ||
	    !json_find(json_root(&doc), STR("content"), &content))
		return true;
	it = json_iter(content);
	if (json_next(&it) && json_find(it.value, STR("text"), &text))
		buf_printf(&v->text, "|" STR_FMT, STR_ARG(json_str(text, &v->r->arena)));
	return true;
}

static void
on_items(void *ctx, int rc, bool more, const struct err *err)
{
	(void)more, (void)err;
	assert_int_equal(rc, 0);
	((struct view *)ctx)->done = true;
}

static void
sees(struct engine_rig *r, struct str session, const char *want)
{
	struct view v = { .r = r };

	buf_init(&v.text, 65536);
	store_read(r->store,
		   &(struct store_query){
			   .kind = STORE_LIST_ITEMS, .session = session, .limit = 1000 },
		   on_item, on_items, &v);
	engine_rig_await(r, &v.done);
	check_str("view", buf_str(&v.text), str_of(want));
	buf_release(&v.text);
}

static void
C11_a_branch_goes_on_from_here_and_both_live_on(void **state)
{
	struct engine_rig r;
	struct rig_answer *a;
	struct str branch;

	engine_rig_init(&r, *state != NULL);
	rig_open(&r, NULL, "cli:a");
	say(&r, STR("cli:a"), "say one");
	say(&r, STR("cli:a"), "say two");
	a = run(&r, STR("cli:a"), "/branch");
	rig_expect(a, 0, NULL);
	branch = field(&r, a, "session_id");
	assert_true(str_starts(branch, STR("cli:")));
	check_str("parent", field(&r, a, "parent_session_id"), STR("cli:a"));
	check_str("log", engine_rig_log(&r, branch.ptr, 1), STR("created forked"));
	sees(&r, branch, "|say one|one|say two|two");
	say(&r, branch, "say three");
	say(&r, STR("cli:a"), "say four");
	sees(&r, branch, "|say one|one|say two|two|say three|three");
	sees(&r, STR("cli:a"), "|say one|one|say two|two|say four|four");
	rig_expect(run(&r, branch, "/undo 2"), 0, NULL);
	sees(&r, branch, "|say one|one");
	sees(&r, STR("cli:a"), "|say one|one|say two|two|say four|four");
	rig_expect(run(&r, STR("cli:a"), "/undo 9"), 0, NULL);
	sees(&r, branch, "|say one|one");
	rig_expect(run(&r, branch, "/retry"), 0, NULL);
	virtual_host_advance(&r.host, 1000);
	sees(&r, branch, "|say one|one");
	engine_rig_release(&r);
}

static void
C11_a_branch_begins_at_any_seq_also_while_busy(void **state)
{
	struct engine_rig r;
	struct rig_answer *a;
	int64_t head;

	engine_rig_init(&r, *state != NULL);
	rig_open(&r, NULL, "cli:a");
	say(&r, STR("cli:a"), "say one");
	head = engine_rig_session(&r, "cli:a")->row.head_seq;
	say(&r, STR("cli:a"), "wait 60");
	a = run(&r, STR("cli:a"), arena_printf(&r.arena, "/branch %lld", (long long)head).ptr);
	rig_expect(a, 0, NULL);
	sees(&r, field(&r, a, "session_id"), "|say one|one");
	rig_expect(run(&r, STR("cli:a"), "/branch 9999"), ERR_INVALID, "the log ends at seq");
	rig_expect(run(&r, STR("cli:a"), "/branch 0"), ERR_INVALID, NULL);
	/* in the middle of a turn: what it has of it is answered there */
	a = run(&r, STR("cli:a"), "/branch");
	rig_expect(a, 0, NULL);
	say(&r, field(&r, a, "session_id"), "say here");
	sees(&r, field(&r, a, "session_id"), "|say one|one|wait 60|say here|here");
	engine_rig_release(&r);
}

static void
C11_a_branch_outlives_its_parent(void **state)
{
	struct engine_rig r;
	struct rig_answer *a;
	struct str branch;

	engine_rig_init(&r, *state != NULL);
	rig_open(&r, NULL, "cli:a");
	say(&r, STR("cli:a"), "say one");
	a = run(&r, STR("cli:a"), "/branch");
	branch = field(&r, a, "session_id");
	rig_expect(rig_end(&r, engine_session_delete, (struct rig_call){ .id = STR("cli:a") }), 0,
		   NULL);
	engine_rig_restart(&r);
	sees(&r, branch, "|say one|one");
	say(&r, branch, "say two");
	sees(&r, branch, "|say one|one|say two|two");
	engine_rig_release(&r);
}

static void
C11_a_branch_has_the_next_name_of_its_line(void **state)
{
	struct engine_rig r;
	struct rig_answer *a, *again;

	engine_rig_init(&r, *state != NULL);
	rig_open(&r, NULL, "cli:a");
	rig_expect(run(&r, STR("cli:a"), "/title trip"), 0, NULL);
	a = rig_command(&r, "/branch", (struct rig_call){ .id = STR("cli:a"), .key = "k" });
	rig_expect(a, 0, NULL);
	check_str("second", field(&r, a, "title"), STR("trip #2"));
	again = rig_command(&r, "/branch", (struct rig_call){ .id = STR("cli:a"), .key = "k" });
	rig_expect(again, 0, NULL);
	assert_true(again->replayed);
	check_str("the same", again->data, a->data);
	a = run(&r, field(&r, a, "session_id"), "/branch");
	check_str("third", field(&r, a, "title"), STR("trip #3"));
	engine_rig_release(&r);
}

static void
P2_a_branch_is_its_makers(void **state)
{
	struct engine_rig r;
	const struct engine_caller *ann, *bob;
	struct rig_answer *a;

	engine_rig_init(&r, *state != NULL);
	ann = rig_person(&r, "ann");
	bob = rig_person(&r, "bob");
	rig_open(&r, ann, "cli:a");
	rig_expect(
		rig_command(&r, "/branch", (struct rig_call){ .caller = bob, .id = STR("cli:a") }),
		ERR_NOT_FOUND, NULL);
	a = rig_command(&r, "/branch", (struct rig_call){ .caller = ann, .id = STR("cli:a") });
	rig_expect(a, 0, NULL);
	rig_expect(
		rig_command(&r, "/status",
			    (struct rig_call){ .caller = ann, .id = field(&r, a, "session_id") }),
		0, NULL);
	rig_expect(
		rig_command(&r, "/status",
			    (struct rig_call){ .caller = bob, .id = field(&r, a, "session_id") }),
		ERR_NOT_FOUND, NULL);
	engine_rig_release(&r);
}

int
main(void)
{
	struct suite s = { 0 };
	static const int SQLITE = 1;

	SUITE_TEST(&s, C11_a_branch_goes_on_from_here_and_both_live_on);
	suite_add(&s, "C11 a branch in sqlite", C11_a_branch_goes_on_from_here_and_both_live_on,
		  &SQLITE);
	SUITE_TEST(&s, C11_a_branch_begins_at_any_seq_also_while_busy);
	SUITE_TEST(&s, C11_a_branch_outlives_its_parent);
	suite_add(&s, "C11 a branch outlives its parent in sqlite",
		  C11_a_branch_outlives_its_parent, &SQLITE);
	SUITE_TEST(&s, C11_a_branch_has_the_next_name_of_its_line);
	SUITE_TEST(&s, P2_a_branch_is_its_makers);
	return suite_run(&s, "engine/command_branch");
}
