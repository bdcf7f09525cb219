#include "engine/successor.h"

#include "engine_rig.h"

struct watcher {
	bool done;
	int rc;
	char current[201];
};

static void
on_found(void *ctx, int rc, const struct err *err, struct str current)
{
	struct watcher *w = ctx;

	(void)err;
	w->done = true;
	w->rc = rc;
	memcpy(w->current, current.ptr ? current.ptr : "", current.len);
}

static void
check_current(struct engine_rig *r, const char *session, const char *want)
{
	struct watcher w = { 0 };

	successor_find(r->en, str_of(session), on_found, &w);
	assert_false(w.done);
	engine_rig_await(r, &w.done);
	assert_int_equal(w.rc, 0);
	assert_string_equal(w.current, want);
}

static void
reset_to(struct engine_rig *r, const char *session, const char *next)
{
	struct str payload = arena_printf(&r->arena,
					  "{'type':'session.reset','reason':'manual','lifecycle':"
					  "'archived','new_session_id':'%s'}",
					  next);

	engine_rig_append(r, session, EVENT_SESSION_RESET, payload.ptr);
}

static void
R4_the_chain_of_resets_is_followed(void **state)
{
	struct engine_rig r;

	engine_rig_init(&r, *state != NULL);
	rig_open(&r, NULL, "cli:a");
	rig_open(&r, NULL, "cli:b");
	rig_open(&r, NULL, "cli:c");
	check_current(&r, "cli:a", "");
	reset_to(&r, "cli:a", "cli:b");
	check_current(&r, "cli:a", "cli:b");
	reset_to(&r, "cli:b", "cli:c");
	check_current(&r, "cli:a", "cli:c");
	check_current(&r, "cli:b", "cli:c");
	rig_expect(rig_end(&r, engine_session_archive, (struct rig_call){ .id = STR("cli:c") }), 0,
		   NULL);
	check_current(&r, "cli:a", ""); /* put away by hand: it goes on nowhere */
	engine_rig_release(&r);
}

static void
R4_a_circle_leads_nowhere(void **state)
{
	struct engine_rig r;

	(void)state;
	engine_rig_init(&r, false);
	rig_open(&r, NULL, "cli:a");
	rig_open(&r, NULL, "cli:b");
	reset_to(&r, "cli:a", "cli:b");
	reset_to(&r, "cli:b", "cli:a");
	check_current(&r, "cli:a", "");
	check_current(&r, "cli:b", "");
	engine_rig_release(&r);
}

int
main(void)
{
	struct suite s = { 0 };
	static const int SQLITE = 1;

	SUITE_TEST(&s, R4_the_chain_of_resets_is_followed);
	suite_add(&s, "R4 the chain of resets in sqlite", R4_the_chain_of_resets_is_followed,
		  &SQLITE);
	SUITE_TEST(&s, R4_a_circle_leads_nowhere);
	return suite_run(&s, "engine/successor");
}
