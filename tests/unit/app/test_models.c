#include "app/models.h"

#include "app/host_loop.h"
#include "harness.h"

#define CONFIG                                                                       \
	"providers:\n"                                                               \
	"  - {name: acme, kind: openai-chat, base_url: 'http://127.0.0.1:1/v1', "    \
	"api_key_env: ACME_KEY, retry: {attempts: 2, base_ms: 5 ms, max_ms: 9 ms}, " \
	"prices: {input: 1, output: 2}, models: [{id: big, context_window: 200000, " \
	"prices: {input: 3, output: 15, cache_read: 0.3}}, {id: org/small}]}\n"      \
	"  - {name: other, kind: anthropic, api_key_env: OTHER_KEY}\n"
#define CHANGED                                                                        \
	"providers:\n"                                                                 \
	"  - {name: acme, kind: openai-responses, base_url: 'http://127.0.0.1:1/v1', " \
	"api_key_env: ACME_KEY}\n"                                                     \
	"  - {name: other, kind: anthropic, api_key_env: OTHER_KEY}\n"

struct rig {
	struct loop *loop;
	struct host *host;
	struct config *config, *changed;
	struct models *models;
	struct engine_models look;
};

static struct config *
load(const char *text)
{
	struct config_problems problems;
	struct config *c = NULL;
	struct err e;

	if (config_load_with(&(struct config_source){ .file = "c.yaml", .text = str_of(text) }, &c,
			     &problems, &e) != 0)
		fail_msg("%s", e.text);
	return c;
}

static void
begin(struct rig *r)
{
	r->loop = loop_new();
	r->host = host_loop_new(r->loop);
	r->config = load(CONFIG);
	r->changed = load(CHANGED);
	r->models = models_new(r->host, r->loop, r->config);
	r->look = models_lookup(r->models);
}

static void
end(struct rig *r)
{
	models_free(&r->models);
	loop_settle(r->loop);
	host_loop_free(&r->host);
	loop_free(&r->loop);
	config_free(&r->config);
	config_free(&r->changed);
}

static const struct row {
	const char *name, *model;
	const char *provider, *sent; /* NULL: unknown */
	int64_t window, attempts;
	int64_t cost; /* of a million tokens each way, in microdollars; -1: unknown */
} ROWS[] = {
	{ "T3 the built-in one", "demo", "demo", "demo", 32000, 5, -1 },
	{ "T3 a known model, without its prefix", "acme/big", "acme", "big", 200000, 2, 18000000 },
	{ "T3 a model with a path", "acme/org/small", "acme", "org/small", 128000, 2, 3000000 },
	{ "T3 a model nobody listed", "acme/new", "acme", "new", 128000, 2, 3000000 },
	{ "T3 a provider without prices", "other/m", "other", "m", 128000, 5, -1 },
	{ "T3 an unknown provider", "nobody/m", NULL },
	{ "T3 a provider alone", "acme", NULL },
	{ "T3 no model", "acme/", NULL },
	{ "T3 the demo has no models", "demo/x", NULL },
};

static void
check_row(void **state)
{
	const struct row *row = *state;
	struct usage usage = { .input = 1000000, .output = 1000000 };
	struct engine_model_terms terms;
	struct provider *provider;
	struct str sent;
	struct rig r;
	struct err e;
	int rc;

	begin(&r);
	rc = r.look.find(r.look.ctx, str_of(row->model), &provider, &sent, &e);
	if (!row->provider) {
		assert_int_equal(rc, ERR_INVALID);
		assert_true(str_ends(str_of(e.text),
				     STR("; known: demo, acme/big, acme/org/small, other/MODEL")));
	} else {
		assert_int_equal(rc, 0);
		check_str("provider", provider->name, str_of(row->provider));
		check_str("sent", sent, str_of(row->sent));
		terms = r.look.terms(r.look.ctx, str_of(row->model));
		assert_int_equal(terms.context_tokens, row->window);
		assert_int_equal(terms.retry.attempts, row->attempts);
		assert_int_equal(r.look.cost(r.look.ctx, str_of(row->model), &usage),
				 row->cost < 0 ? -1 : row->cost * 1000000);
		if (str_eq(str_of(row->model), STR("demo"))) /* free: every budget allows it */
			assert_int_equal(r.look.ceiling(r.look.ctx, STR("demo"), 9, 9), 0);
		else
			assert_int_equal(r.look.ceiling(r.look.ctx, str_of(row->model), 1000000,
							1000000) < 0,
					 row->cost < 0);
	}
	end(&r);
}

static void
T3_a_reload_changes_what_changed(void **state)
{
	struct provider *acme, *other, *now;
	struct str sent;
	struct rig r;
	struct err e;

	(void)state;
	begin(&r);
	assert_int_equal(r.look.find(r.look.ctx, STR("acme/m"), &acme, &sent, &e), 0);
	assert_int_equal(r.look.find(r.look.ctx, STR("other/m"), &other, &sent, &e), 0);
	models_reload(r.models, r.changed);
	assert_int_equal(r.look.find(r.look.ctx, STR("acme/m"), &now, &sent, &e), 0);
	assert_ptr_not_equal(now, acme);
	check_str("the old one is still there", acme->name, STR("acme"));
	assert_int_equal(r.look.find(r.look.ctx, STR("other/m"), &now, &sent, &e), 0);
	assert_ptr_equal(now, other);
	assert_int_equal(r.look.terms(r.look.ctx, STR("acme/big")).context_tokens, 128000);
	models_reload(r.models, r.config);
	assert_int_equal(r.look.find(r.look.ctx, STR("acme/m"), &now, &sent, &e), 0);
	assert_ptr_equal(now, acme);
	end(&r);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, check_row);
	SUITE_TEST(&s, T3_a_reload_changes_what_changed);
	return suite_run(&s, "app/models");
}
