#include "app/models.h"

#include <stdlib.h>

#include "base/vec.h"
#include "base/xalloc.h"
#include "net/egress.h"
#include "provider/anthropic.h"
#include "provider/demo.h"
#include "provider/openai_chat.h"
#include "provider/openai_responses.h"

enum { KNOWN_BYTES_MAX = 4096 };

struct entry {
	struct str written; /* what it was made from */
	struct provider *provider;
	bool in_force; /* else a turn may still use it */
};

struct models {
	struct host *host;
	struct egress *egress; /* one for all: connections are shared */
	struct arena arena;
	const struct config *config;
	struct provider *demo;
	VEC(struct entry) entries;
};

/* ---- the configured ones ---- */

static struct provider *
make(struct models *m, const struct config_provider *c)
{
	struct http_model_config made = {
		.host = m->host,
		.egress = m->egress,
		.name = c->name,
		.base_url = c->base_url,
		.api_key_env = c->api_key_env,
		.api_key_file = c->api_key_file,
		.idle_ms = c->idle_timeout_ms,
	};

	switch (c->kind) {
	case CONFIG_OPENAI_CHAT: return provider_openai_chat_new(&made);
	case CONFIG_OPENAI_RESPONSES: return provider_openai_responses_new(&made);
	case CONFIG_ANTHROPIC: return provider_anthropic_new(&made);
	}
	abort();
}

/* No member can hold a line end. */
static struct str
written(struct arena *a, const struct config_provider *c)
{
	return arena_printf(a, STR_FMT "\n%d\n" STR_FMT "\n" STR_FMT "\n" STR_FMT "\n%lld",
			    STR_ARG(c->name), (int)c->kind, STR_ARG(c->base_url),
			    STR_ARG(c->api_key_env), STR_ARG(c->api_key_file),
			    (long long)c->idle_timeout_ms);
}

static void
put_in_force(struct models *m, const struct config_provider *c)
{
	struct str text = written(&m->arena, c);
	struct provider *made;

	for (size_t i = 0; i < m->entries.len; i++)
		if (str_eq(m->entries.ptr[i].written, text)) {
			m->entries.ptr[i].in_force = true;
			return;
		}
	made = make(m, c);
	*vec_push(&m->entries) = (struct entry){ text, made, true };
}

void
models_reload(struct models *m, const struct config *config)
{
	m->config = config;
	for (size_t i = 0; i < m->entries.len; i++)
		m->entries.ptr[i].in_force = false;
	for (size_t i = 0; i < config->providers.len; i++)
		put_in_force(m, &config->providers.ptr[i]);
}

/* ---- look-ups ---- */

static void
list_known(const struct models *m, struct buf *out)
{
	buf_puts(out, "demo");
	for (size_t i = 0; i < m->config->providers.len; i++) {
		const struct config_provider *p = &m->config->providers.ptr[i];

		for (size_t k = 0; k < p->models.len; k++)
			buf_printf(out, ", " STR_FMT "/" STR_FMT, STR_ARG(p->name),
				   STR_ARG(p->models.ptr[k].id));
		if (p->models.len == 0)
			buf_printf(out, ", " STR_FMT "/MODEL", STR_ARG(p->name));
	}
}

static int
unknown(const struct models *m, struct str model, struct err *e)
{
	struct buf known;
	int rc;

	buf_init(&known, KNOWN_BYTES_MAX);
	list_known(m, &known);
	rc = err_set(e, ERR_INVALID, "there is no model " STR_FMT "; known: " STR_FMT,
		     STR_ARG(model), STR_ARG(buf_str(&known)));
	buf_release(&known);
	return rc;
}

static int
find(void *ctx, struct str model, struct provider **provider, struct str *name, struct err *e)
{
	struct models *m = ctx;
	struct str who, what;

	if (str_eq(model, STR("demo"))) {
		*provider = m->demo;
		*name = model;
		return 0;
	}
	str_cut(model, '/', &who, &what);
	for (size_t i = 0; what.len > 0 && i < m->entries.len; i++) {
		const struct entry *entry = &m->entries.ptr[i];

		if (entry->in_force && str_eq(entry->provider->name, who)) {
			*provider = entry->provider;
			*name = what;
			return 0;
		}
	}
	return unknown(m, model, e);
}

static struct engine_model_terms
terms(void *ctx, struct str model)
{
	struct models *m = ctx;
	struct engine_model_terms t = { HTTP_MODEL_CONTEXT_TOKENS, retry_policy_default() };
	const struct config_provider *p;
	const struct config_model *known;
	struct str who, what;

	str_cut(model, '/', &who, &what);
	p = config_provider_find(m->config, who);
	if (str_eq(model, STR("demo")))
		t.context_tokens = m->demo->context_tokens;
	if (!p)
		return t;
	t.retry = p->retry;
	known = config_model_find(p, what);
	if (known && known->context_window > 0)
		t.context_tokens = known->context_window;
	return t;
}

static int64_t
cost(void *ctx, struct str model, const struct usage *usage)
{
	struct models *m = ctx;
	struct cost c = cost_of(&m->config->prices, model, usage, false);

	return c.status == COST_UNKNOWN ? -1 : c.picodollars;
}

/* The built-in model costs nothing, so every budget allows it. */
static int64_t
ceiling(void *ctx, struct str model, int64_t prompt_tokens, int64_t output_tokens)
{
	struct models *m = ctx;
	struct cost c = cost_ceiling(&m->config->prices, model, prompt_tokens, output_tokens);

	if (str_eq(model, STR("demo")))
		return 0;
	return c.status == COST_UNKNOWN ? -1 : c.picodollars;
}

/* ---- life ---- */

struct models *
models_new(struct host *host, struct loop *loop, const struct config *config)
{
	struct models *m = xcalloc(1, sizeof *m);

	m->host = host;
	m->egress = egress_new(loop, NULL);
	arena_init(&m->arena);
	m->demo = provider_demo_new(host);
	models_reload(m, config);
	return m;
}

void
models_free(struct models **models)
{
	struct models *m = TAKE(*models);

	if (!m)
		return;
	m->demo->ops->free(m->demo);
	for (size_t i = 0; i < m->entries.len; i++)
		m->entries.ptr[i].provider->ops->free(m->entries.ptr[i].provider);
	egress_free(&m->egress);
	vec_release(&m->entries);
	arena_release(&m->arena);
	free(m);
}

struct engine_models
models_lookup(struct models *m)
{
	return (struct engine_models){ find, m, terms, cost, ceiling };
}
