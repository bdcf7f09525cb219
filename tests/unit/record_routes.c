#include "record_routes.h"

#define RECORD "{\"id\":\"x1\",\"name\":\"made\"}"

struct api_rig RECORD_RIG;
static const struct record_routes *ROUTES;

static void
row_holds(void **state)
{
	const struct record_route *row = *state;
	struct rig_reply reply;

	fake_engine_reset();
	FAKE.answer.id = STR("x1");
	reply = api_rig_ask(&RECORD_RIG, &row->ask);
	rig_expect(row->name, &reply, 200, RECORD);
	assert_string_equal(FAKE.command, row->command);
	assert_string_equal(FAKE.id, row->id);
	assert_string_equal(FAKE.body, row->ask.body ? row->ask.body : "");
}

static void
refusal_is_passed_on(void **state)
{
	struct rig_reply reply;

	(void)state;
	fake_engine_reset();
	FAKE.answer.rc = err_set(&FAKE.err, ERR_CONFLICT, "version: moved on");
	reply = api_rig_ask(&RECORD_RIG, &ROUTES->rows[0].ask);
	rig_expect("refusal", &reply, 409, "version: moved on");
}

static struct rig_reply
get(const char *below)
{
	char path[64];

	snprintf(path, sizeof path, "%s%s", ROUTES->path, below);
	return api_rig_ask(&RECORD_RIG, &(struct rig_ask){ "GET", path, "owner" });
}

static void
reading(void **state)
{
	struct rig_reply reply = get("/x1");

	(void)state;
	rig_expect("one", &reply, 200, RECORD);
	reply = get("/x2");
	rig_expect("none", &reply, 404, ROUTES->not_found);
	reply = get("");
	rig_expect("all", &reply, 200, "{\"data\":[" RECORD "],\"next_page\":null}");
}

int
record_routes_run(struct suite *s, const struct record_routes *routes)
{
	int failed;

	ROUTES = routes;
	api_rig_init(&RECORD_RIG);
	api_rig_start(&RECORD_RIG);
	fake_engine_put(&RECORD_RIG, routes->kind, "x1", "", RECORD);
	for (size_t i = 0; i < routes->count; i++)
		suite_add(s, routes->rows[i].name, row_holds, &routes->rows[i]);
	SUITE_TEST(s, refusal_is_passed_on);
	SUITE_TEST(s, reading);
	failed = suite_run(s, routes->suite);
	api_rig_stop(&RECORD_RIG);
	return failed;
}
