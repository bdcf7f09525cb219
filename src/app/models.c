#include "app/models.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "provider/demo.h"

struct models {
	struct provider *demo;
	const struct config *config;
};

static int
find(void *ctx, struct str model, struct provider **provider, struct str *name, struct err *e)
{
	struct models *m = ctx;

	if (str_eq(model, STR("demo"))) {
		*provider = m->demo;
		*name = model;
		return 0;
	}
	return err_set(e, ERR_INVALID, "there is no model " STR_FMT "; known: demo",
		       STR_ARG(model));
}

struct models *
models_new(struct host *host, const struct config *config)
{
	struct models *m = xcalloc(1, sizeof *m);

	m->config = config;
	m->demo = provider_demo_new(host);
	return m;
}

void
models_free(struct models **m)
{
	if (!*m)
		return;
	(*m)->demo->ops->free((*m)->demo);
	free(TAKE(*m));
}

struct engine_models
models_lookup(struct models *m)
{
	return (struct engine_models){ find, m };
}
