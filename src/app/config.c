#include "app/config.h"

#include "app/config_private.h"
#include "base/file.h"
#include "base/xalloc.h"
#include "core/source.h"

static struct config *
config_new(void)
{
	struct config *c = xcalloc(1, sizeof *c);

	c->origin = xcalloc(1, sizeof *c->origin);
	arena_init(&c->origin->a);
	c->origin->last = &c->origin->objects;
	c->limits = HTTP_LIMITS_DEFAULT; /* those that are no keys stay */
	return c;
}

void
config_free(struct config **c)
{
	if (!*c)
		return;
	arena_release(&(*c)->origin->a);
	free((*c)->origin);
	free(*c);
	*c = NULL;
}

/* The text of the file, or what stands for it. */
static int
read_text(const struct config_source *from, struct arena *a, struct str *out, struct err *e)
{
	*out = from->text;
	if (from->text.ptr || !from->file)
		return 0;
	return file_read(from->file, CONFIG_YAML_BYTES_MAX, a, out, e);
}

int
config_load_with(const struct config_source *from, struct config **out, struct config_problems *p,
		 struct err *e)
{
	AUTO(config_free) struct config *c = config_new();
	struct config_node *root;
	struct str text;
	int rc;

	config_problem_init(p, from->file);
	rc = read_text(from, &c->origin->a, &text, e);
	if (rc != 0)
		return rc;
	c->file = arena_str(&c->origin->a, str_of(from->file));
	root = config_yaml_parse(&c->origin->a, text, p);
	if (root)
		config_read(c, root, from, p);
	if (p->count == 0)
		config_check(c, from, p);
	if (p->count > 0)
		return config_problem_err(p, e);
	*out = TAKE(c);
	return 0;
}

/* ---- look-ups ---- */

const struct config_provider *
config_provider_find(const struct config *c, struct str name)
{
	for (size_t i = 0; i < c->providers.len; i++)
		if (str_eq(c->providers.ptr[i].name, name))
			return &c->providers.ptr[i];
	return NULL;
}

const struct config_model *
config_model_find(const struct config_provider *p, struct str id)
{
	for (size_t i = 0; i < p->models.len; i++)
		if (str_eq(p->models.ptr[i].id, id))
			return &p->models.ptr[i];
	return NULL;
}

const struct config_platform *
config_platform_find(const struct config *c, struct str name)
{
	for (size_t i = 0; i < c->platforms.len; i++)
		if (str_eq(c->platforms.ptr[i].name, name))
			return &c->platforms.ptr[i];
	return NULL;
}

const struct config_agent *
config_agent_find(const struct config *c, struct str id)
{
	for (size_t i = 0; i < c->agents.len; i++)
		if (str_eq(c->agents.ptr[i].id, id))
			return &c->agents.ptr[i];
	return NULL;
}

struct reset_layers
config_reset_layers(const struct config *c, const struct config_lane *lane)
{
	const struct config_platform *platform = config_platform_find(c, lane->platform);
	const struct config_agent *agent = config_agent_find(c, lane->agent_id);
	struct reset_layers layers = {
		.workspace = lane->workspace ? lane->workspace : &c->session_reset,
	};

	if (platform && platform->resets)
		layers.platform = &platform->session_reset;
	if (agent && agent->resets)
		layers.agent = &agent->session_reset;
	for (size_t i = 0; i < c->chat_types.len; i++)
		if (c->chat_types.ptr[i].resets &&
		    str_eq(c->chat_types.ptr[i].name, lane->chat_type))
			layers.chat_type = &c->chat_types.ptr[i].session_reset;
	return layers;
}

/* ---- every value ---- */

bool
config_next(const struct config *c, const struct config_object **object, size_t *at,
	    struct config_setting *out)
{
	if (!*object)
		*object = c->origin->objects;
	for (; *object; *object = (*object)->next, *at = 0)
		for (; *at < CONFIG_KEY_COUNT; (*at)++) {
			const struct config_key *key = &CONFIG_KEYS[*at];
			if (config_key_scope(key) != (*object)->scope)
				continue;
			*out = (struct config_setting){ key, *object, (*object)->spots[*at] };
			(*at)++;
			return true;
		}
	return false;
}

struct str
config_setting_path(const struct config_setting *s, struct arena *a)
{
	size_t skip = strlen(s->object->scope->pattern);

	return arena_printf(a, STR_FMT "%s", STR_ARG(s->object->path), s->key->path + skip);
}
