#include "engine/access.h"

#include "engine_rig.h"

struct heard {
	struct engine_rig *rig;
	bool done, has_session, takes_part;
	int rc;
	char text[ERR_TEXT_MAX];
};

static void
on_answer(void *ctx, int rc, const struct err *err, const struct store_session *session,
	  bool takes_part)
{
	struct heard *h = ctx;

	h->done = true;
	h->rc = rc;
	if (rc != 0)
		memcpy(h->text, err->text, sizeof h->text);
	h->has_session = session != NULL;
	h->takes_part = takes_part;
}

static struct heard
check(struct engine_rig *r, const struct engine_caller *who, enum access_verb verb,
      const char *session)
{
	struct heard h = { .rig = r };

	access_check(r->en, who, verb, str_of(session), on_answer, &h);
	assert_false(h.done);
	engine_rig_await(r, &h.done);
	return h;
}

/* Every denial of a session is word for word what an absent one gets. */
static void
P2_a_denial_is_not_found(void **state)
{
	static const enum access_verb VERBS[] = { ACCESS_SESSION_READ, ACCESS_SESSION_POST,
						  ACCESS_SESSION_MANAGE, ACCESS_SESSION_DELETE };
	struct engine_rig r;
	const struct engine_caller *ann, *bob;

	engine_rig_init(&r, *state != NULL);
	ann = rig_person(&r, "ann");
	bob = rig_person(&r, "bob");
	rig_open(&r, ann, "cli:x");
	for (size_t i = 0; i < ARRAY_LEN(VERBS); i++) {
		struct heard denied = check(&r, bob, VERBS[i], "cli:x");
		struct heard absent = check(&r, bob, VERBS[i], "cli:y");

		assert_int_equal(denied.rc, ERR_NOT_FOUND);
		assert_int_equal(absent.rc, ERR_NOT_FOUND);
		assert_string_equal(denied.text, "there is no session cli:x");
		assert_string_equal(absent.text, "there is no session cli:y");
	}
	engine_rig_release(&r);
}

static void
P2_participants_and_owners_may(void **state)
{
	struct engine_rig r;
	const struct engine_caller *ann;
	struct heard h;

	engine_rig_init(&r, *state != NULL);
	ann = rig_person(&r, "ann");
	rig_open(&r, ann, "cli:x");
	h = check(&r, ann, ACCESS_SESSION_READ, "cli:x");
	assert_int_equal(h.rc, 0);
	assert_true(h.takes_part && h.has_session);
	h = check(&r, &r.owner, ACCESS_SESSION_READ, "cli:x");
	assert_int_equal(h.rc, 0);
	assert_false(h.takes_part);
	engine_rig_release(&r);
}

static void
P2_a_deleted_session_is_absent_for_everybody(void **state)
{
	struct engine_rig r;
	const struct engine_caller *ann;

	engine_rig_init(&r, *state != NULL);
	ann = rig_person(&r, "ann");
	rig_open(&r, ann, "cli:x");
	rig_expect(rig_end(&r, engine_session_delete, (struct rig_call){ .id = STR("cli:x") }), 0,
		   NULL);
	assert_int_equal(check(&r, ann, ACCESS_SESSION_READ, "cli:x").rc, ERR_NOT_FOUND);
	assert_int_equal(check(&r, &r.owner, ACCESS_SESSION_READ, "cli:x").rc, ERR_NOT_FOUND);
	engine_rig_release(&r);
}

static void
P2_a_conflict_is_told_to_those_who_may_know(void **state)
{
	struct engine_rig r;
	const struct engine_caller *ann;
	struct heard h;

	engine_rig_init(&r, *state != NULL);
	ann = rig_person(&r, "ann");
	rig_open(&r, ann, "cli:x");
	rig_expect(rig_end(&r, engine_session_archive, (struct rig_call){ .id = STR("cli:x") }), 0,
		   NULL);
	h = check(&r, ann, ACCESS_SESSION_POST, "cli:x");
	assert_int_equal(h.rc, ERR_CONFLICT);
	assert_string_equal(h.text, "the session is archived");
	assert_true(h.has_session);
	assert_int_equal(check(&r, rig_person(&r, "bob"), ACCESS_SESSION_POST, "cli:x").rc,
			 ERR_NOT_FOUND);
	engine_rig_release(&r);
}

static void
P3_a_channel_has_its_prefix_and_no_more(void **state)
{
	struct engine_rig r;
	const struct engine_caller *channel;

	engine_rig_init(&r, *state != NULL);
	channel = rig_channel(&r, "slack");
	rig_open(&r, NULL, "slack:1");
	rig_open(&r, NULL, "slackers:1");
	rig_open(&r, NULL, "cli:x");
	assert_int_equal(check(&r, channel, ACCESS_SESSION_READ, "slack:1").rc, 0);
	assert_int_equal(check(&r, channel, ACCESS_SESSION_READ, "slackers:1").rc, ERR_NOT_FOUND);
	assert_int_equal(check(&r, channel, ACCESS_SESSION_READ, "cli:x").rc, ERR_NOT_FOUND);
	engine_rig_release(&r);
}

static void
P2_the_server_is_the_operators(void **state)
{
	struct engine_rig r;
	struct err e;

	engine_rig_init(&r, *state != NULL);
	assert_int_equal(access_check_now(&r.owner, ACCESS_SERVER, &e), 0);
	assert_int_equal(access_check_now(rig_person(&r, "ann"), ACCESS_SERVER, &e), ERR_NOT_FOUND);
	assert_string_equal(e.text, "there is nothing of the operator's here for this token");
	assert_int_equal(access_check_now(rig_channel(&r, "slack"), ACCESS_TOKENS, &e),
			 ERR_NOT_FOUND);
	assert_string_equal(e.text, "there is no such token here");
	engine_rig_release(&r);
}

static void
a_copy_outlives_its_row(void **state)
{
	struct arena a;
	char text[] = "cli:x";
	struct store_session from = { .id = str_of(text), .metadata = str_of(text) }, to;

	(void)state;
	arena_init(&a);
	access_copy_session(&a, &from, &to);
	text[0] = '!';
	check_str("id", to.id, STR("cli:x"));
	check_str("metadata", to.metadata, STR("cli:x"));
	arena_release(&a);
}

int
main(void)
{
	struct suite s = { 0 };
	static const int SQLITE = 1;

	SUITE_TEST(&s, P2_a_denial_is_not_found);
	suite_add(&s, "P2 a denial in sqlite", P2_a_denial_is_not_found, &SQLITE);
	SUITE_TEST(&s, P2_participants_and_owners_may);
	SUITE_TEST(&s, P2_a_deleted_session_is_absent_for_everybody);
	SUITE_TEST(&s, P2_a_conflict_is_told_to_those_who_may_know);
	SUITE_TEST(&s, P3_a_channel_has_its_prefix_and_no_more);
	SUITE_TEST(&s, P2_the_server_is_the_operators);
	SUITE_TEST(&s, a_copy_outlives_its_row);
	return suite_run(&s, "engine/access");
}
