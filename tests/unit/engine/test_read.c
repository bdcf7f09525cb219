#include "engine/engine.h"

#include "base/buf.h"
#include "engine/identity.h"
#include "engine_rig.h"

struct page {
	struct engine_rig *rig;
	struct buf text;
	size_t rows, hidden;
	bool done;
	int rc;
};

static bool
on_row(void *ctx, const struct store_row *row)
{
	struct page *p = ctx;

	p->rows++;
	if (row->session)
		buf_printf(&p->text, STR_FMT " ", STR_ARG(row->session->id));
	if (row->record)
		buf_printf(&p->text, STR_FMT " ", STR_ARG(row->record->id));
	if (row->event && row->event->session.len == 0) {
		p->hidden++;
		assert_true(row->event->change > 0);
		assert_int_equal(row->event->ev.payload.len, 0);
		assert_int_equal(row->event->ev.seq, 0);
	} else if (row->event) {
		buf_printf(&p->text, STR_FMT " ", STR_ARG(row->event->session));
	}
	return true;
}

static void
on_read(void *ctx, int rc, bool more, const struct err *err)
{
	struct page *p = ctx;

	(void)more, (void)err;
	p->done = true;
	p->rc = rc;
}

/* The ids of a page, or the name of the refusal. */
static struct str
read_as(struct engine_rig *r, const struct engine_caller *who, struct store_query q)
{
	struct page p = { .rig = r };
	struct str text;

	buf_init(&p.text, 1 << 16);
	q.limit = 100;
	engine_read(r->en, who ? who : &r->owner, &q, on_row, on_read, &p);
	assert_false(p.done);
	engine_rig_await(r, &p.done);
	text = p.rc != 0 ? str_of(err_name(p.rc)) : arena_str(&r->arena, buf_str(&p.text));
	buf_release(&p.text);
	return text;
}

/* Ann has cli:1, Bob cli:2; a channel slack:1. */
struct world {
	struct engine_rig r;
	const struct engine_caller *ann, *bob, *slack;
};

static void
world_init(struct world *w, void **state)
{
	engine_rig_init(&w->r, *state != NULL);
	w->ann = rig_person(&w->r, "ann");
	w->bob = rig_person(&w->r, "bob");
	w->slack = rig_channel(&w->r, "slack");
	rig_open(&w->r, w->ann, "cli:1");
	rig_open(&w->r, w->bob, "cli:2");
	rig_open(&w->r, w->slack, "slack:1");
}

static void
P2_lists_hold_what_is_the_callers(void **state)
{
	struct store_query list = { .kind = STORE_LIST_SESSIONS, .oldest_first = true };
	struct world w;

	world_init(&w, state);
	check_str("owner", read_as(&w.r, NULL, list), STR("cli:1 cli:2 slack:1 "));
	check_str("ann", read_as(&w.r, w.ann, list), STR("cli:1 "));
	check_str("bob", read_as(&w.r, w.bob, list), STR("cli:2 "));
	check_str("slack", read_as(&w.r, w.slack, list), STR("slack:1 "));
	list.filter.participant = w.bob->who.user_id; /* asking for another's finds nothing */
	check_str("ann asks for bob's", read_as(&w.r, w.ann, list), STR(""));
	list.filter = (struct store_session_filter){ .id_prefix = STR("cli:") };
	check_str("slack asks for others", read_as(&w.r, w.slack, list), STR(""));
	list.filter.id_prefix = STR("slack:1");
	check_str("slack narrows", read_as(&w.r, w.slack, list), STR("slack:1 "));
	engine_rig_release(&w.r);
}

static const struct query {
	const char *name;
	enum store_query_kind kind;
	bool finds; /* something in a fresh session */
} QUERIES[] = {
	{ "P2 a session", STORE_GET_SESSION, true },
	{ "P2 its events", STORE_LIST_EVENTS, true },
	{ "P2 its queue", STORE_LIST_PENDING, false },
	{ "P2 itself and its queue", STORE_LIST_QUEUE, true },
	{ "P2 its calls", STORE_LIST_CALLS, false },
	{ "P2 its transcript", STORE_LIST_ITEMS, false },
};

static void
test_query(void **state)
{
	const struct query *row = *state;
	void *mem = NULL;
	struct store_query q = { .kind = row->kind, .session = STR("cli:1") };
	struct world w;

	world_init(&w, &mem);
	check_str("ann", read_as(&w.r, w.ann, q), row->finds ? STR("cli:1 ") : STR(""));
	check_str("bob", read_as(&w.r, w.bob, q), STR("not_found"));
	check_str("slack", read_as(&w.r, w.slack, q), STR("not_found"));
	q.session = STR("cli:none");
	check_str("nobody's", read_as(&w.r, NULL, q), STR("not_found"));
	engine_rig_release(&w.r);
}

static void
A5_of_others_changes_only_the_number_is_told(void **state)
{
	struct store_query q = { .kind = STORE_LIST_CHANGES };
	struct page p = { 0 };
	struct world w;

	world_init(&w, state);
	check_str("owner", read_as(&w.r, NULL, q), STR("cli:1 cli:2 slack:1 "));
	buf_init(&p.text, 1 << 16);
	q.limit = 100;
	engine_read(w.r.en, w.ann, &q, on_row, on_read, &p);
	engine_rig_await(&w.r, &p.done);
	check_str("ann", buf_str(&p.text), STR("cli:1 "));
	assert_int_equal(p.rows, 3);
	assert_int_equal(p.hidden, 2);
	buf_release(&p.text);
	engine_rig_release(&w.r);
}

/* A channel has its sessions by their ids, not by taking part. */
static void
A5_a_channel_sees_the_changes_of_its_sessions(void **state)
{
	struct world w;

	world_init(&w, state);
	check_str("slack",
		  read_as(&w.r, w.slack, (struct store_query){ .kind = STORE_LIST_CHANGES }),
		  STR("slack:1 "));
	engine_rig_release(&w.r);
}

static const struct records {
	const char *name, *kind;
	bool ann; /* may read them */
} RECORDS[] = {
	{ "P2 agents are for everybody", "agent", true },
	{ "P2 versions of agents too", "agent_version", true },
	{ "P2 users are the operator's", "user", false },
	{ "P3 tokens are the operator's", "token", false },
	{ "P2 workspaces are the operator's", "workspace", false },
};

static void
test_records(void **state)
{
	const struct records *row = *state;
	void *mem = NULL;
	struct store_query q = { .kind = STORE_LIST_RECORDS, .record_kind = str_of(row->kind) };
	struct world w;

	world_init(&w, &mem);
	assert_true(read_as(&w.r, NULL, q).len > 0);
	if (row->ann)
		assert_false(str_eq(read_as(&w.r, w.ann, q), STR("not_found")));
	else
		check_str("ann", read_as(&w.r, w.ann, q), STR("not_found"));
	engine_rig_release(&w.r);
}

/* What belongs to a session is read with that session: not another's, whatever the query names. */
static void
P2_records_of_a_session_are_those_of_the_session(void **state)
{
	struct store_query q = { .kind = STORE_GET_RECORD,
				 .record_kind = RECORD_RESOURCE,
				 .session = STR("cli:1") };
	struct str bobs;
	struct world w;

	world_init(&w, state);
	bobs = rig_change(&w.r, engine_resource_add,
			  (struct rig_call){ .id = STR("cli:2"),
					     .body = "{'type':'file','file_id':'f'}" })
		       ->id;
	q.record_id = bobs;
	check_str("ann, through her own", read_as(&w.r, w.ann, q), STR(""));
	q.kind = STORE_LIST_RECORDS;
	q.record_id = STR("");
	q.record_owner = STR("cli:2");
	check_str("ann, by owner", read_as(&w.r, w.ann, q), STR(""));
	q.record_owner = STR("");
	check_str("ann, all of them", read_as(&w.r, w.ann, q), STR(""));
	q.session = STR("cli:2");
	check_str("ann, through bob's", read_as(&w.r, w.ann, q), STR("not_found"));
	q.record_owner = STR("cli:2");
	assert_true(str_contains(read_as(&w.r, w.bob, q), bobs));
	engine_rig_release(&w.r);
}

static void
P3_digests_of_tokens_are_for_nobody(void **state)
{
	struct store_query q = { .kind = STORE_LIST_RECORDS,
				 .record_kind = RECORD_TOKEN_DIGEST,
				 .session = STR("cli:1") };
	struct world w;

	world_init(&w, state);
	check_str("owner", read_as(&w.r, NULL, q), STR("not_found"));
	check_str("ann", read_as(&w.r, w.ann, q), STR("not_found"));
	q.record_kind = STR("made_up");
	check_str("an unknown kind", read_as(&w.r, NULL, q), STR("not_found"));
	engine_rig_release(&w.r);
}

static void
A10_keys_are_for_nobody(void **state)
{
	struct store_query q = { .kind = STORE_FIND_KEY,
				 .key_scope = STR("owner POST /v1/things"),
				 .key_name = STR("k") };
	struct world w;

	world_init(&w, state);
	check_str("owner", read_as(&w.r, NULL, q), STR("not_found"));
	engine_rig_release(&w.r);
}

int
main(void)
{
	struct suite s = { 0 };
	static const int SQLITE = 1;

	SUITE_TEST(&s, P2_lists_hold_what_is_the_callers);
	suite_add(&s, "P2 lists in sqlite", P2_lists_hold_what_is_the_callers, &SQLITE);
	SUITE_ROWS(&s, QUERIES, test_query);
	SUITE_TEST(&s, A5_of_others_changes_only_the_number_is_told);
	suite_add(&s, "A5 changes in sqlite", A5_of_others_changes_only_the_number_is_told,
		  &SQLITE);
	SUITE_TEST(&s, A5_a_channel_sees_the_changes_of_its_sessions);
	SUITE_ROWS(&s, RECORDS, test_records);
	SUITE_TEST(&s, P2_records_of_a_session_are_those_of_the_session);
	SUITE_TEST(&s, P3_digests_of_tokens_are_for_nobody);
	SUITE_TEST(&s, A10_keys_are_for_nobody);
	return suite_run(&s, "engine/read");
}
