#include "engine/agent_prepare.h"

#include "tool_rig.h"

struct prepared {
	bool done;
	int rc;
	struct str problem, model, servers;
	struct rig *rig;
};

static void
on_prepared(void *ctx, int rc, const struct err *err, struct cached_agent *agent)
{
	struct prepared *p = ctx;
	struct buf servers;

	(void)err;
	p->done = true;
	p->rc = rc;
	if (rc != 0)
		return;
	buf_init(&servers, 1 << 10);
	for (size_t i = 0; i < agent->server_count; i++)
		buf_printf(&servers, "%s" STR_FMT, i > 0 ? " " : "",
			   STR_ARG(agent->servers[i].name));
	p->servers = arena_str(&p->rig->arena, buf_str(&servers));
	p->model = arena_str(&p->rig->arena, agent->run.model);
	p->problem = arena_str(&p->rig->arena, agent->problem);
	buf_release(&servers);
	agent_cache_release(&agent);
}

static struct prepared *
prepare(struct rig *r, struct store_session *s, const char *agent)
{
	struct prepared *p = ARENA_NEW(&r->arena, struct prepared);

	*s = (struct store_session){ .id = STR("s"),
				     .agent_id = str_of(agent),
				     .agent_version = 1,
				     .environment_id = STR("local-default") };
	p->rig = r;
	agent_prepare(r->en, s, on_prepared, p);
	return p;
}

static void
T17_it_is_made_of_the_records_and_kept(void **state)
{
	struct store_session s;
	struct prepared *p;
	struct rig r;

	(void)state;
	tool_rig_init(&r);
	p = prepare(&r, &s, "web");
	assert_false(p->done); /* never from inside */
	rig_settle_until(&r, &p->done);
	assert_int_equal(p->rc, 0);
	check_str("model", p->model, STR("demo"));
	check_str("servers", p->servers, STR("web"));
	assert_int_equal(agent_cache_count(r.en->agents), 1);
	rig_release(&r);
}

static void
T17_an_agent_that_is_gone_is_looked_for_again(void **state)
{
	struct store_session s;
	struct prepared *p;
	struct rig r;

	(void)state;
	tool_rig_init(&r);
	p = prepare(&r, &s, "late");
	rig_settle_until(&r, &p->done);
	assert_true(str_starts(p->problem, STR("the session's agent is gone: ")));
	assert_int_equal(agent_cache_count(r.en->agents), 0);
	rig_agent(&r, "late", TOOL_RIG_AGENT("late", ""));
	p = prepare(&r, &s, "late");
	rig_settle_until(&r, &p->done);
	check_str("problem", p->problem, STR(""));
	assert_int_equal(agent_cache_count(r.en->agents), 1);
	rig_release(&r);
}

/* What was read before the change must not be found after it. */
static void
T17_one_that_changes_while_it_is_read_is_not_kept(void **state)
{
	struct store_put put = { .record = { .kind = RECORD_ENVIRONMENT,
					     .id = STR("local-default") } };
	struct store_session s;
	struct prepared *p;
	struct rig r;

	(void)state;
	tool_rig_init(&r);
	p = prepare(&r, &s, "web");
	agent_cache_written(r.en->agents, &put, 1);
	rig_settle_until(&r, &p->done);
	assert_int_equal(p->rc, 0);
	assert_int_equal(agent_cache_count(r.en->agents), 0);
	rig_release(&r);
}

static void
T17_a_disk_that_cannot_be_read_leaves_nothing(void **state)
{
	struct store_session s;
	struct prepared *p;
	struct rig r;

	(void)state;
	tool_rig_init(&r);
	r.fail_reads = 1;
	p = prepare(&r, &s, "web");
	rig_settle_until(&r, &p->done);
	assert_int_equal(p->rc, ERR_NO_SPACE);
	assert_int_equal(agent_cache_count(r.en->agents), 0);
	rig_release(&r);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, T17_it_is_made_of_the_records_and_kept);
	SUITE_TEST(&s, T17_an_agent_that_is_gone_is_looked_for_again);
	SUITE_TEST(&s, T17_one_that_changes_while_it_is_read_is_not_kept);
	SUITE_TEST(&s, T17_a_disk_that_cannot_be_read_leaves_nothing);
	return suite_run(&s, "engine/agent_prepare");
}
