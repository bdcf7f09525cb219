#include "base/rand.h"
#include "core/session.h"
#include "harness.h"

#define NO (-1)
/* What each move makes of (phase, lifecycle); NO: refused. Rows: phase, columns: lifecycle. */
static const struct move_case {
	const char *name;
	enum session_move move;
	int phase[4][4];     /* [phase][lifecycle] → phase */
	int lifecycle[4][4]; /* [phase][lifecycle] → lifecycle */
} MOVES[] = {
	/* clang-format off */
	{ "M7 start", MOVE_START,
	  { { 1, 1, NO, NO }, { NO, NO, NO, NO }, { 1, 1, NO, NO }, { 1, 1, NO, NO } },
	  { { 0, 1, NO, NO }, { NO, NO, NO, NO }, { 0, 1, NO, NO }, { 0, 1, NO, NO } } },
	{ "M7 park", MOVE_PARK,
	  { { NO, NO, NO, NO }, { 2, 2, 2, NO }, { 2, 2, 2, NO }, { NO, NO, NO, NO } },
	  { { NO, NO, NO, NO }, { 0, 1, 2, NO }, { 0, 1, 2, NO }, { NO, NO, NO, NO } } },
	{ "M7 end", MOVE_END,
	  { { NO, NO, NO, NO }, { 0, 0, 0, NO }, { 0, 0, 0, NO }, { 0, 0, 0, NO } },
	  { { NO, NO, NO, NO }, { 0, 1, 2, NO }, { 0, 1, 2, NO }, { 0, 1, 2, NO } } },
	{ "M7 reschedule", MOVE_RESCHEDULE,
	  { { NO, NO, NO, NO }, { 3, 3, 3, NO }, { NO, NO, NO, NO }, { 3, 3, 3, NO } },
	  { { NO, NO, NO, NO }, { 0, 1, 2, NO }, { NO, NO, NO, NO }, { 0, 1, 2, NO } } },
	{ "M7 terminate", MOVE_TERMINATE,
	  { { 0, 0, 0, NO }, { 0, 0, 0, NO }, { 0, 0, 0, NO }, { 0, 0, 0, NO } },
	  { { 3, 3, 3, NO }, { 3, 3, 3, NO }, { 3, 3, 3, NO }, { 3, 3, 3, NO } } },
	{ "M7 deactivate", MOVE_DEACTIVATE,
	  { { 0, NO, NO, NO }, { NO, NO, NO, NO }, { NO, NO, NO, NO }, { NO, NO, NO, NO } },
	  { { 1, NO, NO, NO }, { NO, NO, NO, NO }, { NO, NO, NO, NO }, { NO, NO, NO, NO } } },
	{ "R4 reactivate", MOVE_REACTIVATE,
	  { { NO, 0, NO, NO }, { NO, 1, NO, NO }, { NO, 2, NO, NO }, { NO, 3, NO, NO } },
	  { { NO, 0, NO, NO }, { NO, 0, NO, NO }, { NO, 0, NO, NO }, { NO, 0, NO, NO } } },
	{ "M7 archive", MOVE_ARCHIVE,
	  { { 0, 0, NO, NO }, { NO, NO, NO, NO }, { NO, NO, NO, NO }, { NO, NO, NO, NO } },
	  { { 2, 2, NO, NO }, { NO, NO, NO, NO }, { NO, NO, NO, NO }, { NO, NO, NO, NO } } },
	{ "R4 unarchive", MOVE_UNARCHIVE,
	  { { NO, NO, 0, NO }, { NO, NO, NO, NO }, { NO, NO, NO, NO }, { NO, NO, NO, NO } },
	  { { NO, NO, 0, NO }, { NO, NO, NO, NO }, { NO, NO, NO, NO }, { NO, NO, NO, NO } } },
	/* clang-format on */
};

static void
move_row(void **state)
{
	const struct move_case *m = *state;

	for (int p = 0; p < 4; p++) {
		for (int l = 0; l < 4; l++) {
			struct session_state s = { (enum turn_phase)p, (enum lifecycle)l };
			struct err e = { 0 };
			int rc = session_move(&s, m->move, &e);

			if ((rc == 0) != (m->phase[p][l] != NO))
				fail_msg("%s: phase %d, lifecycle %d gave %d (%s)", m->name, p, l,
					 rc, e.text);
			if (rc == 0 && ((int)s.phase != m->phase[p][l] ||
					(int)s.lifecycle != m->lifecycle[p][l]))
				fail_msg("%s: phase %d, lifecycle %d went to %d, %d", m->name, p, l,
					 (int)s.phase, (int)s.lifecycle);
			if (rc != 0 && (rc != ERR_CONFLICT || (int)s.phase != p ||
					(int)s.lifecycle != l || e.text[0] == '\0'))
				fail_msg("%s: a refused move must change nothing", m->name);
		}
	}
}

#define IN(p, l)                        \
	{                               \
		TURN_##p, LIFECYCLE_##l \
	}
static const struct projection {
	const char *name;
	struct session_facts f;
	const char *activity, *wire, *display, *record, *agent;
} PROJECTIONS[] = {
	/* clang-format off */
	{ "M7 at rest", { .state = IN(NONE, ACTIVE) }, "idle", "idle", "idle", "active", "idle" },
	{ "M7 running with a live lease", { .state = IN(RUNNING, ACTIVE), .lease_live = true }, "running", "running", "running", "active", "streaming" },
	{ "Q7 running without a lease shows as rescheduling", { .state = IN(RUNNING, ACTIVE) }, "rescheduling", "rescheduling", "running", "active", "streaming" },
	{ "M7 a tool is running", { .state = IN(RUNNING, ACTIVE), .lease_live = true, .tool_running = true }, "running", "running", "running", "active", "executing_tool" },
	{ "M7 parked on a confirmation is awaiting_approval", { .state = IN(PARKED, ACTIVE), .waits_for_approval = true, .last_stop = STOP_REQUIRES_ACTION }, "requires_action", "idle", "awaiting_approval", "active", "executing_tool" },
	{ "M7 parked on a custom tool displays running", { .state = IN(PARKED, ACTIVE), .last_stop = STOP_REQUIRES_ACTION }, "requires_action", "idle", "running", "active", "executing_tool" },
	{ "M7 backoff is rescheduling", { .state = IN(RESCHEDULED, ACTIVE), .lease_live = true }, "rescheduling", "rescheduling", "running", "active", "streaming" },
	{ "M7 a wake pending after the terminal is rescheduling", { .state = IN(NONE, ACTIVE), .wake_pending = true, .last_stop = STOP_RESCHEDULING }, "rescheduling", "rescheduling", "idle", "active", "idle" },
	{ "M7 inactive", { .state = IN(NONE, INACTIVE) }, "idle", "idle", "inactive", "active", "idle" },
	{ "M7 archived", { .state = IN(NONE, ARCHIVED) }, "idle", "idle", "inactive", "archived", "idle" },
	{ "M7 terminated", { .state = IN(NONE, TERMINATED), .wake_pending = true }, "idle", "terminated", "inactive", "archived", "error" },
	{ "M7 after an interrupt", { .state = IN(NONE, ACTIVE), .last_stop = STOP_INTERRUPTED }, "idle", "idle", "idle", "active", "aborted" },
	{ "M7 after exhausted retries", { .state = IN(NONE, ACTIVE), .last_stop = STOP_RETRIES_EXHAUSTED }, "idle", "idle", "idle", "active", "error" },
	{ "M7 after a refusal", { .state = IN(NONE, ACTIVE), .last_stop = STOP_REFUSAL }, "idle", "idle", "idle", "active", "idle" },
	{ "M7 a new turn forgets the last stop", { .state = IN(RUNNING, ACTIVE), .lease_live = true, .last_stop = STOP_INTERRUPTED }, "running", "running", "running", "active", "streaming" },
	/* clang-format on */
};

static void
projection_row(void **state)
{
	const struct projection *p = *state;

	assert_string_equal(activity_name(session_activity(&p->f)), p->activity);
	assert_string_equal(session_wire_status(&p->f), p->wire);
	assert_string_equal(session_display_status(&p->f), p->display);
	assert_string_equal(session_record_status(&p->f), p->record);
	assert_string_equal(session_agent_status(&p->f), p->agent);
}

static const struct stop_case {
	const char *name, *word, *limit;
	enum stop_kind kind;
	bool on_idle;
} STOPS[] = {
	{ "M8 end_turn", "end_turn", NULL, STOP_END_TURN, true },
	{ "M8 requires_action", "requires_action", NULL, STOP_REQUIRES_ACTION, true },
	{ "M8 rescheduling", "rescheduling", NULL, STOP_RESCHEDULING, true },
	{ "M8 terminated is never on a status_idle", "terminated", NULL, STOP_TERMINATED, false },
	{ "M8 retries_exhausted", "retries_exhausted", NULL, STOP_RETRIES_EXHAUSTED, true },
	{ "M8 budget_reached", "budget_reached", NULL, STOP_BUDGET_REACHED, true },
	{ "M8 interrupted", "interrupted", NULL, STOP_INTERRUPTED, true },
	{ "M8 refusal", "refusal", NULL, STOP_REFUSAL, true },
	{ "M8 limit steps", "limit_reached", "steps", STOP_LIMIT_STEPS, true },
	{ "M8 limit time", "limit_reached", "time", STOP_LIMIT_TIME, true },
	{ "M8 limit loop", "limit_reached", "loop", STOP_LIMIT_LOOP, true },
};

static void
stop_row(void **state)
{
	const struct stop_case *c = *state;
	enum stop_kind got = STOP_NONE;

	assert_true(stop_kind_parse(str_of(c->word), str_of(c->limit), &got));
	assert_int_equal(got, c->kind);
	assert_string_equal(stop_kind_name(got), c->word);
	if (c->limit)
		assert_string_equal(stop_kind_limit(got), c->limit);
	else
		assert_null(stop_kind_limit(got));
	assert_int_equal(stop_kind_on_idle(got), c->on_idle);
}

static void
M8_other_words_are_no_stop_reasons(void **state)
{
	enum stop_kind k;

	(void)state;
	assert_false(stop_kind_parse(STR("idle"), STR(""), &k));
	assert_false(stop_kind_parse(STR("none"), STR(""), &k));
	assert_false(stop_kind_parse(STR("limit_reached"), STR(""), &k));
	assert_false(stop_kind_parse(STR("limit_reached"), STR("money"), &k));
	assert_false(stop_kind_parse(STR("end_turn"), STR("steps"), &k));
	assert_false(stop_kind_on_idle(STOP_NONE));
}

static void
M7_lifecycle_words_round_trip(void **state)
{
	enum lifecycle l;

	(void)state;
	for (int i = LIFECYCLE_ACTIVE; i <= LIFECYCLE_TERMINATED; i++) {
		assert_true(lifecycle_parse(str_of(lifecycle_name((enum lifecycle)i)), &l));
		assert_int_equal(l, i);
	}
	assert_false(lifecycle_parse(STR("deleted"), &l));
	assert_string_equal(activity_name(ACTIVITY_REQUIRES_ACTION), "requires_action");
}

#define X10  "xxxxxxxxxx"
#define X100 X10 X10 X10 X10 X10 X10 X10 X10 X10 X10
static const struct id_case {
	const char *name, *id, *error; /* NULL: accepted */
} IDS[] = {
	{ "M5 a caller's cli id", "cli:work", NULL },
	{ "M5 a caller's web id", "web:device-1", NULL },
	{ "M5 a schedule id", "schedule:nightly", NULL },
	{ "M5 an api id", "sesn_0199f0a1b2c37d4e8f90a1b2c3d4e5f6", NULL },
	{ "M5 letters of any script", "cli:größe", NULL },
	{ "M5 a blank is fine", "cli:my work", NULL },
	{ "M5 200 bytes", X100 X100, NULL },
	{ "M5 201 bytes", X100 X100 "x", "at most 200 bytes" },
	{ "M5 empty", "", "must not be empty" },
	{ "M5 two dots", "cli:..", "must not contain '..'" },
	{ "M5 dots inside", "a..b", "must not contain '..'" },
	{ "M5 one dot is fine", "a.b", NULL },
	{ "M5 a slash", "a/b", "path separator" },
	{ "M5 a backslash", "a\\b", "path separator" },
	{ "M5 a line end", "a\nb", "control bytes" },
	{ "M5 delete", "a\x7f", "control bytes" },
	{ "M5 ill-formed text", "a\xff", "UTF-8" },
};

static void
id_row(void **state)
{
	const struct id_case *c = *state;
	struct err e = { 0 };
	int rc = session_id_check(str_of(c->id), &e);

	if (!c->error) {
		if (rc != 0)
			fail_msg("%s: %s", c->name, e.text);
		return;
	}
	assert_int_equal(rc, ERR_INVALID);
	if (!strstr(e.text, c->error))
		fail_msg("%s: '%s'", c->name, e.text);
}

/* A store may hold one of an earlier release: it can be read and deleted. */
static void
M5_a_blank_id_is_not_chosen(void **state)
{
	static const char *const BLANKS[] = { " ", "  ", "\u3000\u00a0" };
	struct err e;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(BLANKS); i++) {
		assert_int_equal(session_id_check(str_of(BLANKS[i]), &e), 0);
		assert_int_equal(session_id_check_chosen(str_of(BLANKS[i]), &e), ERR_INVALID);
	}
	assert_int_equal(session_id_check_chosen(STR(""), &e), ERR_INVALID);
	assert_int_equal(session_id_check_chosen(STR("a..b"), &e), ERR_INVALID);
	assert_int_equal(session_id_check_chosen(STR(" a"), &e), 0);
}

static void
M5_an_id_with_a_nul_byte_is_refused(void **state)
{
	struct err e;

	(void)state;
	assert_int_equal(session_id_check((struct str){ "a\0b", 3 }, &e), ERR_INVALID);
}

static void
M5_channel_lanes_get_dated_ids(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 200);
	session_id_dated(&b, STR("telegram"), INT64_C(1767323045000), 0xbeef);
	check_str("dated", buf_str(&b), STR("telegram:20260102_030405_0000beef"));
	check_str("namespace", session_id_namespace(buf_str(&b)), STR("telegram"));
	assert_int_equal(session_id_namespace(STR("sesn_1")).len, 0);
	buf_release(&b);
}

static void
M5_file_names_are_percent_encoded(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 200);
	session_id_file_name(&b, STR("azAZ09_-"));
	check_str("kept", buf_str(&b), STR("azAZ09_-"));
	buf_clear(&b);
	session_id_file_name(&b, STR("cli:My_work-1.%ü"));
	check_str("file name", buf_str(&b), STR("cli%3AMy_work-1%2E%25%C3%BC"));
	buf_release(&b);
}

static void
M5_long_file_names_are_cut_to_a_digest(void **state)
{
	char colons[201] = "", first[64] = "", second[64] = "";
	struct buf b;

	(void)state;
	memset(colons, ':', 67);
	buf_init(&b, 300);
	session_id_file_name(&b, (struct str){ colons, 66 });
	assert_int_equal(b.len, 198);
	buf_clear(&b);
	session_id_file_name(&b, (struct str){ colons, 67 });
	assert_int_equal(b.len, 117);
	memcpy(first, b.ptr + 100, 17);
	assert_int_equal(first[0], '-');
	/* An id that spells a shortened name does not lead to that folder. */
	memset(colons, 'a', 200);
	memcpy(colons + 100, first, 17);
	buf_clear(&b);
	session_id_file_name(&b, (struct str){ colons, 117 });
	assert_int_equal(b.len, 117);
	memcpy(second, b.ptr + 100, 17);
	assert_string_not_equal(first, second);
	buf_release(&b);
}

static void
M5_property_file_names_are_safe_and_distinct(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < suite_seeds(5000); seed++) {
		char a[4], b[4];
		struct buf x, y;
		struct rand r;
		struct str left = { a, 0 }, right = { b, 0 };

		rand_init_seed(&r, seed);
		rand_bytes(&r, a, sizeof a);
		rand_bytes(&r, b, sizeof b);
		left.len = rand_below(&r, 5);
		right.len = rand_below(&r, 5);
		if (rand_below(&r, 2))
			memcpy(b, a, 3);
		buf_init(&x, 64);
		buf_init(&y, 64);
		session_id_file_name(&x, left);
		session_id_file_name(&y, right);
		for (size_t i = 0; i < x.len; i++)
			if (!strchr("%0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_-"
				    "abcdefghijklmnopqrstuvwxyz",
				    x.ptr[i]))
				fail_msg("seed %llu: unsafe byte", (unsigned long long)seed);
		if (str_eq(left, right) != str_eq(buf_str(&x), buf_str(&y)))
			fail_msg("seed %llu: two ids, one name", (unsigned long long)seed);
		buf_release(&x);
		buf_release(&y);
	}
}

/* However moves are strung together: an ended turn needs a started one, terminated is final. */
static void
M7_property_turns_alternate_and_terminated_is_final(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < suite_seeds(3000); seed++) {
		struct session_state s = { 0 };
		struct rand r;
		bool open = false, terminated = false;

		rand_init_seed(&r, seed);
		for (int i = 0; i < 60; i++) {
			enum session_move m = (enum session_move)rand_below(&r, SESSION_MOVES);
			struct err e;

			if (session_move(&s, m, &e) != 0)
				continue;
			if (terminated || (m == MOVE_END && !open))
				fail_msg("seed %llu", (unsigned long long)seed);
			open = m == MOVE_START || (open && m != MOVE_END && m != MOVE_TERMINATE);
			terminated = m == MOVE_TERMINATE;
			if (open != (s.phase != TURN_NONE) ||
			    (open && s.lifecycle == LIFECYCLE_ARCHIVED))
				fail_msg("seed %llu", (unsigned long long)seed);
		}
	}
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, MOVES, move_row);
	SUITE_ROWS(&s, PROJECTIONS, projection_row);
	SUITE_ROWS(&s, STOPS, stop_row);
	SUITE_TEST(&s, M8_other_words_are_no_stop_reasons);
	SUITE_TEST(&s, M7_lifecycle_words_round_trip);
	SUITE_ROWS(&s, IDS, id_row);
	SUITE_TEST(&s, M5_a_blank_id_is_not_chosen);
	SUITE_TEST(&s, M5_an_id_with_a_nul_byte_is_refused);
	SUITE_TEST(&s, M5_channel_lanes_get_dated_ids);
	SUITE_TEST(&s, M5_file_names_are_percent_encoded);
	SUITE_TEST(&s, M5_long_file_names_are_cut_to_a_digest);
	SUITE_TEST(&s, M5_property_file_names_are_safe_and_distinct);
	SUITE_TEST(&s, M7_property_turns_alternate_and_terminated_is_final);
	return suite_run(&s, "session");
}
