#include "core/work_item.h"

#include "definition_rows.h"
#include "harness.h"

static const struct work_item NEW = {
	.id = { "work_1", 6 },
	.environment_id = { "env_1", 5 },
	.session_id = { "sesn_\"1", 7 },
	.metadata = { "{}", 2 },
	.created_ms = 1000,
	.not_before_ms = 1000,
};

static struct work_item
held(void)
{
	struct work_item item = NEW;

	item.metadata = STR("{\"k\":\"v\"}");
	item.state = WORK_ACTIVE;
	item.acknowledged_ms = 2000;
	item.started_ms = 3000;
	item.heartbeat_ms = 3001;
	item.stop_requested_ms = 4000;
	item.stopped_ms = 5000;
	item.handed_ms = 1500;
	item.claim = 2;
	item.ttl_ms = 60000;
	item.worker = STR("w");
	item.token = sha256_of(STR("one"));
	item.earlier = sha256_of(STR("two"));
	return item;
}

static struct work_item
again(const struct work_item *item, struct arena *a)
{
	struct work_item out;
	struct err e;

	assert_int_equal(work_item_read(json_of(work_item_write(item, a).ptr, a), a, &out, &e), 0);
	return out;
}

static void
T11_a_stored_item_reads_back(void **state)
{
	struct work_item item = held();
	struct arena a;

	(void)state;
	arena_init(&a);
	for (int s = WORK_QUEUED; s <= WORK_STOPPED; s++) {
		struct work_item back;

		item.state = (enum work_state)s;
		back = again(&item, &a);
		assert_int_equal(back.state, s);
		check_str("again", work_item_write(&back, &a), work_item_write(&item, &a));
		check_str("session", back.session_id, item.session_id);
		assert_memory_equal(&back.token, &item.token, sizeof item.token);
		assert_memory_equal(&back.earlier, &item.earlier, sizeof item.earlier);
	}
	check_str("new", work_item_write(&NEW, &a),
		  str_of(quoted(
			  &a,
			  "{'id':'work_1','type':'work','state':'queued','environment_id':'env_1',"
			  "'data':{'type':'session','id':'sesn_\\'1'},'metadata':{},"
			  "'created_at':'1970-01-01T00:00:01Z','acknowledged_at':null,"
			  "'started_at':null,'latest_heartbeat_at':null,"
			  "'stop_requested_at':null,'stopped_at':null,"
			  "'lease':{'not_before_ms':1000,'handed_ms':0,'claim':0,"
			  "'ttl_ms':0,'worker':''}}")));
	arena_release(&a);
}

typedef void show_fn(const struct work_item *item, struct jw *w);

static struct str
shown(show_fn *fn, const struct work_item *item, struct arena *a)
{
	struct buf out;
	struct str text;
	struct jw w;

	buf_init(&out, 4096);
	jw_init(&w, &out);
	fn(item, &w);
	text = arena_str(a, buf_str(&out));
	buf_release(&out);
	return text;
}

static void
show_with(const struct work_item *item, struct jw *w)
{
	work_item_show(item, STR("s3cret"), w);
}

static void
show_without(const struct work_item *item, struct jw *w)
{
	work_item_show(item, STR(""), w);
}

/* The wire has every member, and nobody is shown who holds it. */
static void
T11_an_item_as_the_wire_has_it(void **state)
{
	struct work_item item = held();
	struct str text;
	struct arena a;

	(void)state;
	arena_init(&a);
	text = shown(show_without, &item, &a);
	check_str("shown", text,
		  str_of(quoted(
			  &a,
			  "{'id':'work_1','type':'work','state':'active','environment_id':'env_1',"
			  "'data':{'type':'session','id':'sesn_\\'1'},'metadata':{'k':'v'},"
			  "'created_at':'1970-01-01T00:00:01Z',"
			  "'acknowledged_at':'1970-01-01T00:00:02Z',"
			  "'started_at':'1970-01-01T00:00:03Z',"
			  "'latest_heartbeat_at':'1970-01-01T00:00:03.001Z',"
			  "'stop_requested_at':'1970-01-01T00:00:04Z',"
			  "'stopped_at':'1970-01-01T00:00:05Z','secret':null}")));
	assert_true(str_contains(shown(show_with, &item, &a), STR("\"secret\":\"s3cret\"")));
	arena_release(&a);
}

static void
T11_what_a_heartbeat_is_answered(void **state)
{
	struct work_item item = held();
	struct arena a;

	(void)state;
	arena_init(&a);
	check_str("beat", shown(work_item_show_heartbeat, &item, &a),
		  str_of(quoted(&a, "{'type':'work_heartbeat',"
				    "'last_heartbeat':'1970-01-01T00:00:03.001Z',"
				    "'lease_extended':true,'state':'active','ttl_seconds':60}")));
	item.state = WORK_STOPPING;
	item.heartbeat_ms = 0;
	check_str(
		"stopping", shown(work_item_show_heartbeat, &item, &a),
		str_of(quoted(&a, "{'type':'work_heartbeat','last_heartbeat':'',"
				  "'lease_extended':false,'state':'stopping','ttl_seconds':60}")));
	check_str("lost", shown(work_item_show_lease, &item, &a),
		  str_of(quoted(&a, "{'last_heartbeat':null,'lease_extended':false,"
				    "'state':'stopping','ttl_seconds':60}")));
	arena_release(&a);
}

static const struct row {
	const char *name, *body;
} BROKEN[] = {
	{ "T11 no item: nothing", "{}" },
	{ "T11 no item: no session", "{'id':'w','environment_id':'e','state':'queued'}" },
	{ "T11 no item: no environment", "{'id':'w','data':{'id':'s'},'state':'queued'}" },
	{ "T11 no item: no id", "{'environment_id':'e','data':{'id':'s'},'state':'queued'}" },
	{ "T11 no item: no such state",
	  "{'id':'w','environment_id':'e','data':{'id':'s'},'state':'done'}" },
};

static void
row_holds(void **state)
{
	const struct row *row = *state;
	struct work_item item = { .claim = 7 };
	struct arena a;
	struct err e;

	arena_init(&a);
	assert_int_equal(work_item_read(json_of(quoted(&a, row->body), &a), &a, &item, &e),
			 ERR_CORRUPT);
	assert_int_equal(item.claim, 7);
	arena_release(&a);
}

static void
T11_a_digest_that_is_none_is_nobodys(void **state)
{
	static const struct sha256 NONE;
	struct work_item item;
	struct arena a;
	struct err e;

	(void)state;
	arena_init(&a);
	assert_int_equal(work_item_read(json_of(quoted(&a, "{'id':'w','environment_id':'e',"
							   "'data':{'id':'s'},'state':'queued',"
							   "'metadata':7,'lease':{'token':'zz'}}"),
						&a),
					&a, &item, &e),
			 0);
	assert_memory_equal(&item.token, &NONE, sizeof NONE);
	check_str("metadata", item.metadata, STR("{}"));
	arena_release(&a);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, T11_a_stored_item_reads_back);
	SUITE_TEST(&s, T11_an_item_as_the_wire_has_it);
	SUITE_TEST(&s, T11_what_a_heartbeat_is_answered);
	SUITE_TEST(&s, T11_a_digest_that_is_none_is_nobodys);
	SUITE_ROWS(&s, BROKEN, row_holds);
	return suite_run(&s, "work_item");
}
