#include "thrifty.h"

#include "base/timestamp.h"
#include "engine/spending.h"

void
thrifty_init(struct rig *r)
{
	rig_init(r, true);
	r->price = CENT / 100;
	rig_agent(r, "thrifty",
		  "{\"id\":\"thrifty\",\"version\":1,\"model\":{\"id\":\"scripted\"},\"limits\":{"
		  "\"max_output_tokens\":50},\"system\":\"" TEN_WORDS TEN_WORDS TEN_WORDS TEN_WORDS
		  "\"}");
	rig_session(r, "s", "thrifty");
}

void
thrifty_set_day(struct rig *r, int64_t picodollars)
{
	r->day_budget = picodollars;
	rig_restart(r, 0);
}

int64_t
thrifty_day_tokens(struct rig *r)
{
	struct civil c = timestamp_to_civil(r->host.now_ms);
	const char *id =
		arena_printf(&r->arena, "day/%04d-%02d-%02d", (int)c.year, c.month, c.day).ptr;
	struct str body = rig_record(r, RECORD_SPENT, id);
	struct json_doc doc;
	struct json v;
	int64_t sum = 0;

	if (body.len == 0)
		return 0;
	assert_int_equal(json_parse(&r->arena, body, &JSON_LIMITS_DEFAULT, &doc, NULL), 0);
	assert_true(json_find(json_root(&doc), STR("picodollars"), &v) && json_int(v, &sum));
	return sum / r->price;
}

int64_t
thrifty_spent(struct rig *r, const char *session)
{
	return rig_row(r, session)->row.counters.cost_picodollars;
}

enum stop_kind
thrifty_last_stop(struct rig *r, const char *session)
{
	return rig_row(r, session)->row.last_stop;
}

void
thrifty_user(struct rig *r, const char *user, const char *session)
{
	r->owner.who = (struct principal){ .kind = TOKEN_USER,
					   .role = ROLE_USER,
					   .user_id = str_of(user) };
	rig_put(r, RECORD_PARTICIPANT, arena_printf(&r->arena, "%s/%s", session, user).ptr, user,
		"{}");
}

int
thrifty_spend_all(struct rig *r, const char *session)
{
	int turns = 0;

	do {
		rig_post(r, session, "go");
		turns++;
		assert_true(turns < 100);
	} while (thrifty_last_stop(r, session) == STOP_END_TURN);
	assert_int_equal(thrifty_last_stop(r, session), STOP_BUDGET_REACHED);
	return turns;
}

void
thrifty_allow(struct rig *r, int64_t picodollars)
{
	r->user_budget = picodollars;
	engine_reload(r->en, &(struct engine_settings){ .default_model = STR("demo"),
							.queue_depth = QUEUE_DEPTH_DEFAULT,
							.user_budget = picodollars,
							.day_budget = r->day_budget });
	rig_settle(r);
}
