/* Preconditions: each one held and broken. They are checked in the transaction, so what a caller
 * believed when it asked does not matter.
 *
 * PostgreSQL: the function checks under the row lock it appends with; a message that another node
 * committed meanwhile counts for depth and head. Ingress requires no fence: a message on one node
 * never aborts a turn on another (part_lease). */
#include "compare.h"
#include "rig.h"

#define LIFE(l) (1u << LIFECYCLE_##l)

static const struct require_row {
	const char *name, *before, *item;
	struct store_require require;
	int want;
	const char *pending, *calls; /* ids, separated by blanks */
} ROWS[] = {
	{ "M9 head: as expected", "msg a", "msg b", { .has_head = true, .head_seq = 2 }, 0 },
	{ "M9 head: has moved",
	  "msg a; msg b",
	  "msg c",
	  { .has_head = true, .head_seq = 2 },
	  ERR_CONFLICT },
	{ "M9 head: never was there",
	  "msg a",
	  "msg c",
	  { .has_head = true, .head_seq = 3 },
	  ERR_CONFLICT },
	{ "M9 head: zero is a head too", "msg a", "msg c", { .has_head = true }, ERR_CONFLICT },

	{ "M7 lifecycle: active", "", "msg a", { .lifecycles = LIFE(ACTIVE) }, 0 },
	{ "M7 lifecycle: one of two",
	  "life inactive",
	  "title x",
	  { .lifecycles = LIFE(ACTIVE) | LIFE(INACTIVE) },
	  0 },
	{ "M7 lifecycle: another",
	  "life archived",
	  "title x",
	  { .lifecycles = LIFE(ACTIVE) },
	  ERR_CONFLICT },
	{ "M7 lifecycle: terminated",
	  "terminate",
	  "title x",
	  { .lifecycles = LIFE(ACTIVE) | LIFE(INACTIVE) | LIFE(ARCHIVED) },
	  ERR_CONFLICT },
	{ "M7 lifecycle: before the item, not after",
	  "",
	  "life archived",
	  { .lifecycles = LIFE(ACTIVE) },
	  0 },

	{ "Q1 idle: nothing waits", "", "msg a", { .idle = true }, 0 },
	{ "Q1 idle: a trigger waits", "msg a", "title x", { .idle = true }, ERR_CONFLICT },
	{ "Q1 idle: passive inputs do not wait",
	  "msg a class=passive",
	  "title x",
	  { .idle = true },
	  0 },
	{ "Q1 idle: a turn runs", "msg a; run t1 a", "title x", { .idle = true }, ERR_CONFLICT },
	{ "Q1 idle: a turn is parked",
	  "msg a; run t1 a; tool c ask; park t1 c",
	  "title x",
	  { .idle = true },
	  ERR_CONFLICT },
	{ "Q1 idle: a turn is rescheduled",
	  "msg a; run t1 a; resched t1 1",
	  "title x",
	  { .idle = true },
	  ERR_CONFLICT },
	{ "Q1 idle: the turn has ended",
	  "msg a; run t1 a; end t1 end_turn",
	  "title x",
	  { .idle = true },
	  0 },
	{ "Q1 idle: the queue was cancelled", "msg a; cancel all", "title x", { .idle = true }, 0 },

	/* Depth: pending triggers, less the next one when no turn is open. */
	{ "Q3 depth 0: the next one does not wait", "", "msg a", { .has_max_waiting = true }, 0 },
	{ "Q3 depth 0: the one behind it does",
	  "msg a",
	  "msg b",
	  { .has_max_waiting = true },
	  ERR_LIMIT },
	{ "Q3 depth 0: while a turn runs all wait",
	  "msg a; run t1 a",
	  "msg b",
	  { .has_max_waiting = true },
	  ERR_LIMIT },
	{ "Q3 depth 0: while parked all wait",
	  "msg a; run t1 a; tool c ask; park t1 c",
	  "msg b",
	  { .has_max_waiting = true },
	  ERR_LIMIT },
	{ "Q3 depth 0: passive inputs do not wait",
	  "msg a; run t1 a",
	  "msg b class=passive",
	  { .has_max_waiting = true },
	  0 },
	{ "Q3 depth 0: neither does an interrupt",
	  "msg a; run t1 a",
	  "interrupt i",
	  { .has_max_waiting = true },
	  0 },
	{ "Q3 depth 0: bound inputs do not wait",
	  "",
	  "msg a; sys b class=bound bound=a",
	  { .has_max_waiting = true },
	  0 },
	{ "Q3 depth 1: at the edge",
	  "msg a",
	  "msg b",
	  { .has_max_waiting = true, .max_waiting = 1 },
	  0 },
	{ "Q3 depth 1: past the edge",
	  "msg a; msg b",
	  "msg c",
	  { .has_max_waiting = true, .max_waiting = 1 },
	  ERR_LIMIT },
	{ "Q3 depth 1: at the edge with a turn",
	  "msg a; run t1 a",
	  "msg b",
	  { .has_max_waiting = true, .max_waiting = 1 },
	  0 },
	{ "Q3 depth 1: past the edge with a turn",
	  "msg a; run t1 a; msg b",
	  "msg c",
	  { .has_max_waiting = true, .max_waiting = 1 },
	  ERR_LIMIT },
	{ "Q3 depth: an item counts whole",
	  "",
	  "msg a; msg b; msg c",
	  { .has_max_waiting = true, .max_waiting = 1 },
	  ERR_LIMIT },
	{ "Q3 depth: what the item consumes is gone",
	  "msg a",
	  "run t1 a; end t1 end_turn; msg b",
	  { .has_max_waiting = true },
	  0 },
	{ "Q3 depth: what the item cancels is gone",
	  "msg a; msg b",
	  "cancel b; msg c",
	  { .has_max_waiting = true, .max_waiting = 1 },
	  0 },
	{ "Q3 depth 20: at the edge",
	  "msg a; msg b; msg c; msg d",
	  "msg e",
	  { .has_max_waiting = true, .max_waiting = 20 },
	  0 },

	{ "Q3 queue: as it was looked at",
	  "msg a; msg b",
	  "run t1 a",
	  { .has_queue = true, .queue = { 2, 3 } },
	  0 },
	{ "Q3 queue: empty", "", "title x", { .has_queue = true }, 0 },
	{ "Q3 queue: no longer empty", "msg a", "title x", { .has_queue = true }, ERR_CONFLICT },
	{ "Q3 queue: one more",
	  "msg a; msg b",
	  "run t1 a",
	  { .has_queue = true, .queue = { 1, 2 } },
	  ERR_CONFLICT },
	{ "Q3 queue: one less",
	  "msg a; msg b; cancel a",
	  "title x",
	  { .has_queue = true, .queue = { 2, 3 } },
	  ERR_CONFLICT },
	{ "Q3 queue: as many, but others",
	  "msg a; msg b; cancel a; msg c",
	  "title x",
	  { .has_queue = true, .queue = { 2, 3 } },
	  ERR_CONFLICT },
	{ "Q3 queue: what does not wait is no part of it",
	  "msg a; msg p class=passive; title y",
	  "run t1 a",
	  { .has_queue = true, .queue = { 1, 2 } },
	  0 },
	{ "Q3 queue: behind a turn",
	  "msg a; run t1 a; msg b; say c",
	  "title x",
	  { .has_queue = true, .queue = { 1, 4 } },
	  0 },

	{ "Q1 pending: it is", "msg a", "run t1 a", { 0 }, 0, .pending = "a" },
	{ "Q1 pending: consumed",
	  "msg a; run t1 a",
	  "title x",
	  { 0 },
	  ERR_CONFLICT,
	  .pending = "a" },
	{ "Q1 pending: cancelled",
	  "msg a; cancel a",
	  "title x",
	  { 0 },
	  ERR_CONFLICT,
	  .pending = "a" },
	{ "Q1 pending: never there", "msg a", "title x", { 0 }, ERR_CONFLICT, .pending = "b" },
	{ "Q1 pending: one of two is not",
	  "msg a; msg b; run t1 a",
	  "title x",
	  { 0 },
	  ERR_CONFLICT,
	  .pending = "b a" },
	{ "Q1 pending: both are", "msg a; msg b", "title x", { 0 }, 0, .pending = "b a" },
	{ "Q1 pending: an answer",
	  "msg a; run t1 a; tool c ask; park t1 c; allow x c",
	  "run t1 x",
	  { 0 },
	  0,
	  .pending = "x" },
	{ "Q1 pending: a passive input never is",
	  "msg a class=passive",
	  "title x",
	  { 0 },
	  ERR_CONFLICT,
	  .pending = "a" },
	{ "Q1 pending: no input at all",
	  "msg a; run t1 a; say b",
	  "title x",
	  { 0 },
	  ERR_CONFLICT,
	  .pending = "b" },

	{ "T9 call: waits for approval",
	  "msg a; run t1 a; tool c ask; park t1 c",
	  "allow x c",
	  { 0 },
	  0,
	  .calls = "c" },
	{ "T9 call: answered already",
	  "msg a; run t1 a; tool c ask; park t1 c; allow x c",
	  "title x",
	  { 0 },
	  ERR_CONFLICT,
	  .calls = "c" },
	{ "T9 call: the server runs it",
	  "msg a; run t1 a; tool c",
	  "title x",
	  { 0 },
	  ERR_CONFLICT,
	  .calls = "c" },
	{ "T9 call: a client runs it",
	  "msg a; run t1 a; ctool c; park t1 c",
	  "custom x c",
	  { 0 },
	  0,
	  .calls = "c" },
	{ "T9 call: confirmed, now its result is waited for",
	  "msg a; run t1 a; tool c ask client; park t1 c; allow x c; park t1 c - x",
	  "toolres y c",
	  { 0 },
	  0,
	  .calls = "c" },
	{ "T9 call: closed",
	  "msg a; run t1 a; tool c; result c",
	  "title x",
	  { 0 },
	  ERR_CONFLICT,
	  .calls = "c" },
	{ "T9 call: denied by policy",
	  "msg a; run t1 a; tool c deny",
	  "title x",
	  { 0 },
	  ERR_CONFLICT,
	  .calls = "c" },
	{ "T9 call: of a turn that has ended",
	  "msg a; run t1 a; tool c; result c; end t1 end_turn",
	  "title x",
	  { 0 },
	  ERR_CONFLICT,
	  .calls = "c" },
	{ "T9 call: one of two does not wait",
	  "msg a; run t1 a; tool c ask; tool d ask; park t1 c d; allow x c",
	  "title x",
	  { 0 },
	  ERR_CONFLICT,
	  .calls = "d c" },
	{ "T9 call: never there", "msg a", "title x", { 0 }, ERR_CONFLICT, .calls = "c" },
};

static struct str_list
list_of(struct arena *a, const char *words)
{
	struct str rest = str_of(words), *list = ARENA_ARRAY(a, rest.len + 1, struct str);
	size_t count = 0;

	while (rest.len > 0)
		str_cut(rest, ' ', &list[count++], &rest);
	return (struct str_list){ list, count };
}

static void
test_require(void **state)
{
	const struct require_row *row = *state;
	struct rig *r = rig_new();
	struct store_item *item;

	rig_do(r, "s", row->before);
	item = rig_item(r, "s", row->item);
	item->require = row->require;
	item->require.pending = list_of(&r->arena, row->pending);
	item->require.open_calls = list_of(&r->arena, row->calls);
	rig_expect(r, row->name, item, row->want);
	compare_session(r, STR("s"), row->name);
	rig_free(&r);
}

static void
test_absent(void **state)
{
	struct rig *r = rig_new();
	struct store_item *item = rig_item(r, "s", "msg a"), *late;

	(void)state;
	late = rig_item(r, "s", "msg b");
	rig_expect(r, "new", item, 0);
	rig_expect(r, "there already", late, ERR_CONFLICT);
	late = rig_item(r, "s", "msg b");
	late->session = STR("nobody");
	rig_model(r, "nobody");
	rig_expect(r, "not there", late, ERR_NOT_FOUND);
	rig_free(&r);
}

/* Of many that would create one session, one does. */
static void
test_absent_at_once(void **state)
{
	enum { ITEMS = 32 };
	struct rig *r = rig_new();
	struct answer *answers[ITEMS];
	int created = 0;

	(void)state;
	for (int i = 0; i < ITEMS; i++)
		answers[i] = rig_submit(r, rig_item(r, "s", "msg a"));
	for (int i = 0; i < ITEMS; i++) {
		rig_await(r, answers[i]);
		created += answers[i]->result.rc == 0;
		if (answers[i]->result.rc != 0)
			assert_int_equal(answers[i]->result.rc, ERR_CONFLICT);
	}
	assert_int_equal(created, 1);
	compare_session(r, STR("s"), "created once");
	rig_free(&r);
}

/* Depth is a bound even when all come at once. */
static void
test_depth_at_once(void **state)
{
	enum { ITEMS = 64, DEPTH = 20 };
	struct rig *r = rig_new();
	struct answer *answers[ITEMS];
	int accepted = 0;
	char script[32];

	(void)state;
	rig_do(r, "s", "");
	for (int i = 0; i < ITEMS; i++) {
		struct store_item *item;

		snprintf(script, sizeof script, "msg m%d", i);
		item = rig_item(r, "s", script);
		item->require.has_max_waiting = true;
		item->require.max_waiting = DEPTH;
		answers[i] = rig_submit(r, item);
	}
	for (int i = 0; i < ITEMS; i++) {
		rig_await(r, answers[i]);
		accepted += answers[i]->result.rc == 0;
	}
	assert_int_equal(accepted, DEPTH + 1); /* the next one does not wait */
	compare_session(r, STR("s"), "depth");
	rig_free(&r);
}

/* A record beside a session's own conditions: side rows of partial text are fenced too. */
static void
test_records_obey_the_session(void **state)
{
	struct rig *r = rig_new();
	struct store_put put = {
		.record = { .kind = STR("partial"), .id = STR("m"), .body = STR("{}") },
		.if_version = STORE_VERSION_ANY,
	};
	struct store_item item = { .session = STR("s"), .puts = &put, .put_count = 1 };

	(void)state;
	rig_do(r, "s", "msg a");
	item.require.idle = true;
	rig_expect(r, "busy", &item, ERR_CONFLICT);
	item.require.idle = false;
	item.require.fence = 1;
	rig_expect(r, "no such fence", &item, ERR_CONFLICT);
	item.require.fence = 0;
	rig_expect(r, "nothing required", &item, 0);
	compare_session(r, STR("s"), "records");
	rig_free(&r);
}

void
contract_require(struct suite *s)
{
	SUITE_ROWS(s, ROWS, test_require);
	suite_add(s, "M5 absent: held and broken", test_absent, NULL);
	suite_add(s, "M5 absent: many at once", test_absent_at_once, NULL);
	suite_add(s, "Q3 depth: many at once", test_depth_at_once, NULL);
	suite_add(s, "Q7 records obey the session", test_records_obey_the_session, NULL);
}
