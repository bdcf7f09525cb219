#include "engine/record_purge.h"

#include "engine/identity.h"
#include "engine/spending.h"
#include "engine_rig.h"

static const int64_t DAY_MS = 86400000;

static void
on_stored(void *ctx, const struct store_result *result)
{
	assert_int_equal(result->rc, 0);
	*(bool *)ctx = true;
}

static void
put(struct engine_rig *r, struct str kind, const char *id, const char *body)
{
	struct store_put record = {
		.record = { .kind = kind, .id = str_of(id), .body = str_of(body) },
		.if_version = STORE_VERSION_ANY
	};
	struct store_item item = { .puts = &record, .put_count = 1 };
	bool done = false;

	store_append(r->store, &item, on_stored, &done);
	engine_rig_await(r, &done);
}

static void
day_passes(struct engine_rig *r)
{
	virtual_host_advance(&r->host, DAY_MS + 1200 * 1000);
}

static void
P3_tokens_go_a_month_after_their_end(void **state)
{
	struct engine_rig r;
	struct rig_answer *revoked, *expires, *kept;
	size_t before;

	engine_rig_init(&r, *state != NULL);
	before = engine_rig_count(&r, RECORD_TOKEN);
	revoked =
		rig_make(&r, engine_token_create, (struct rig_call){ .body = "{'kind':'worker'}" });
	kept = rig_make(&r, engine_token_create, (struct rig_call){ .body = "{'kind':'worker'}" });
	expires = rig_make(&r, engine_token_create,
			   (struct rig_call){ .body = "{'kind':'worker','expires_at':"
						      "'1970-01-13T00:00:00Z'}" });
	rig_expect(expires, 0, NULL);
	rig_expect(rig_end(&r, engine_token_revoke, (struct rig_call){ .id = revoked->id }), 0,
		   NULL);
	virtual_host_advance(&r.host, 29 * DAY_MS);
	assert_int_equal(engine_rig_count(&r, RECORD_TOKEN), before + 3);
	day_passes(&r);
	day_passes(&r);
	day_passes(&r);
	assert_int_equal(engine_rig_count(&r, RECORD_TOKEN), before + 1);
	assert_int_equal(engine_rig_count(&r, RECORD_TOKEN_DIGEST), before + 1);
	assert_true(engine_rig_record(&r, RECORD_TOKEN, kept->id).len > 0);
	engine_rig_caller(&r, kept->secret);
	rig_expect(rig_end(&r, engine_token_revoke, (struct rig_call){ .id = revoked->id }),
		   ERR_NOT_FOUND, NULL);
	engine_rig_restart(&r);
	engine_rig_caller(&r, kept->secret);
	engine_rig_release(&r);
}

/* It would come back to life: the file is read at every start. */
static void
P3_the_token_of_the_file_stays_revoked(void **state)
{
	struct engine_rig r;
	struct engine_caller out;
	struct err e;

	engine_rig_init(&r, *state != NULL);
	rig_expect(rig_end(&r, engine_token_revoke, (struct rig_call){ .id = r.owner.token_id }), 0,
		   NULL);
	virtual_host_advance(&r.host, 40 * DAY_MS);
	assert_int_equal(engine_rig_count(&r, RECORD_TOKEN), 1);
	assert_int_equal(engine_authenticate(r.en, STR(RIG_OWNER_TOKEN), &out, &e), ERR_AUTH);
	engine_rig_release(&r);
}

static void
T15_days_long_past_go_and_users_stay(void **state)
{
	struct engine_rig r;

	engine_rig_init(&r, *state != NULL);
	put(&r, RECORD_SPENT, "day/1969-11-01", "{\"picodollars\":1}");
	put(&r, RECORD_SPENT, "day/1969-12-01", "{\"picodollars\":1}");
	put(&r, RECORD_SPENT, "day/1970-01-12", "{\"picodollars\":1}");
	put(&r, RECORD_SPENT, "user/kim", "{\"picodollars\":1}");
	day_passes(&r);
	assert_int_equal(engine_rig_count(&r, RECORD_SPENT), 2);
	assert_true(engine_rig_record(&r, RECORD_SPENT, STR("user/kim")).len > 0);
	assert_true(engine_rig_record(&r, RECORD_SPENT, STR("day/1970-01-12")).len > 0);
	engine_rig_release(&r);
}

static void
P3_more_than_a_page(void **state)
{
	struct engine_rig r;
	size_t before;

	engine_rig_init(&r, *state != NULL);
	before = engine_rig_count(&r, RECORD_TOKEN);
	for (int i = 0; i < 250; i++) {
		struct rig_answer *a = rig_make(&r, engine_token_create,
						(struct rig_call){ .body = "{'kind':'worker'}" });

		if (i % 5 != 0)
			rig_expect(
				rig_end(&r, engine_token_revoke, (struct rig_call){ .id = a->id }),
				0, NULL);
	}
	virtual_host_advance(&r.host, 32 * DAY_MS);
	assert_int_equal(engine_rig_count(&r, RECORD_TOKEN), before + 50);
	assert_int_equal(engine_rig_count(&r, RECORD_TOKEN_DIGEST), before + 50);
	engine_rig_release(&r);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, P3_tokens_go_a_month_after_their_end);
	SUITE_TEST(&s, P3_the_token_of_the_file_stays_revoked);
	SUITE_TEST(&s, T15_days_long_past_go_and_users_stay);
	SUITE_TEST(&s, P3_more_than_a_page);
	return suite_run(&s, "engine/record_purge");
}
