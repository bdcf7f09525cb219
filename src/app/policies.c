#include "app/policies.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/xalloc.h"
#include "core/redact.h"
#include "core/zone.h"

struct policies {
	const struct config *config;
	struct engine_zones zones;
	struct arena reloaded; /* of this configuration: */
	struct str *platforms;
	struct context_home *homes;
	size_t home_count;
};

static void
list_platforms(struct policies *p)
{
	struct config_platforms all = p->config->platforms;

	arena_reset(&p->reloaded);
	p->platforms = ARENA_ARRAY(&p->reloaded, all.len + 1, struct str);
	p->homes = ARENA_ARRAY(&p->reloaded, all.len + 1, struct context_home);
	p->home_count = 0;
	for (size_t i = 0; i < all.len; i++) {
		p->platforms[i] = all.ptr[i].name;
		if (all.ptr[i].home_channel.len > 0)
			p->homes[p->home_count++] =
				(struct context_home){ .platform = all.ptr[i].name,
						       .chat_id = all.ptr[i].home_channel };
	}
}

struct policies *
policies_new(const struct config *config, struct engine_zones zones)
{
	struct policies *p = xcalloc(1, sizeof *p);

	p->zones = zones;
	arena_init(&p->reloaded);
	policies_reload(p, config);
	return p;
}

void
policies_reload(struct policies *p, const struct config *config)
{
	p->config = config;
	list_platforms(p);
}

void
policies_free(struct policies **p)
{
	if (!*p)
		return;
	arena_release(&(*p)->reloaded);
	free(TAKE(*p));
}

/* ---- what the engine asks ---- */

static struct reset_settings
reset(void *ctx, const struct engine_lane *lane)
{
	struct policies *p = ctx;
	struct config_lane asked = { .platform = lane->platform,
				     .chat_type = str_of(source_chat_type_name(lane->chat_type)),
				     .agent_id = lane->agent,
				     .workspace = lane->workspace };
	struct reset_layers layers = config_reset_layers(p->config, &asked);

	return *reset_policy_choose(&layers);
}

/* Its rules were there when the configuration was read; if they are not any more, days begin in UTC. */
static const struct zone *
zone(void *ctx, struct str agent)
{
	struct policies *p = ctx;
	const struct config_agent *own = config_agent_find(p->config, agent);
	struct str name = own && own->time_zone.len > 0 ? own->time_zone : p->config->time_zone;
	const struct zone *found;
	struct err e;

	if (str_eq(name, STR("UTC")))
		return &ZONE_UTC;
	if (p->zones.find(p->zones.ctx, name, &found, &e) == 0)
		return found;
	log_write(LOG_ERROR, "policies.time_zone", LOG_STR("zone", name),
		  LOG_STR("reason", str_of(e.text)));
	return &ZONE_UTC;
}

static struct engine_surroundings
around(void *ctx, struct str platform)
{
	struct policies *p = ctx;
	const struct config_platform *here = config_platform_find(p->config, platform);

	return (struct engine_surroundings){
		.platforms = p->platforms,
		.platform_count = p->config->platforms.len,
		.homes = p->homes,
		.home_count = p->home_count,
		.redact = redact_applies(platform, p->config->privacy.redact_pii,
					 here && here->pii_safe),
	};
}

static enum busy_mode
busy(void *ctx, struct str platform)
{
	struct policies *p = ctx;
	const struct config_platform *here = config_platform_find(p->config, platform);

	return here ? here->busy : p->config->queue.busy;
}

struct engine_policies
policies_port(struct policies *p)
{
	return (struct engine_policies){ reset, zone, around, busy, p };
}
