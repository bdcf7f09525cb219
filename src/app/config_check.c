/* config_check - what several values of the configuration must agree on, and what follows from them:
 * addresses parsed, prices as one table, who resets what. */
#include <string.h>

#include "app/config_address.h"
#include "app/config_folder.h"
#include "app/config_private.h"

enum { KNOWN_BYTES = ERR_TEXT_MAX / 4 }; /* of a list in a sentence */

struct checker {
	struct config *c;
	struct arena *a;
	struct config_problems *p;
	const struct config_source *from;
	struct config_object *file;
};

static bool
is_of(const struct config_object *o, const char *scope)
{
	return str_eq(str_of(o->scope->pattern), str_of(scope));
}

/* ---- listening ---- */

/* The command line's sockets start at the working directory, the file's at its folder. */
static void
resolve_socket(const struct checker *k, struct config_listen *l)
{
	bool from_file = config_spot_of(k->file, "listen").line > 0;
	struct str folder = config_folder_of(str_of(from_file ? k->from->file : NULL));
	struct config_listen absolute;
	struct err e;

	if (l->path.len == 0)
		return;
	l->path = config_value_path(k->a, folder, l->path);
	l->text = arena_printf(k->a, "unix:" STR_FMT, STR_ARG(l->path));
	if (config_address_parse(l->text, k->a, &absolute, &e) != 0)
		config_problem_add(k->p, config_spot_of(k->file, "listen"), "listen: %s", e.text);
}

static void
check_exposure(const struct checker *k, const struct config_listen *l)
{
	if (l->loopback || k->c->tls.certificate.len > 0 || k->c->insecure_listen)
		return;
	config_problem_add(
		k->p, config_spot_of(k->file, "listen"),
		"listen: " STR_FMT " can be reached from other machines, and without tls "
		"everybody on the way reads the tokens: set tls.certificate and tls.key, or "
		"insecure_listen: true when something in front encrypts",
		STR_ARG(l->text));
}

/* What is shown and compared is where it listens, not how that was written. */
static struct str_list
texts_of(const struct checker *k, const struct config_listen *list, size_t count)
{
	struct str *texts = ARENA_ARRAY(k->a, count, struct str);

	for (size_t i = 0; i < count; i++)
		texts[i] = list[i].text;
	return (struct str_list){ texts, count };
}

static void
check_listen(const struct checker *k)
{
	struct str_list written = k->c->listen_written;
	struct config_listen *list = ARENA_ARRAY(k->a, written.len, struct config_listen);
	struct err e;

	if (written.len == 0)
		config_problem_add(k->p, config_spot_of(k->file, "listen"),
				   "listen: needs at least one address");
	for (size_t i = 0; i < written.len; i++) {
		IGNORE(config_address_parse(written.ptr[i], k->a, &list[i], &e)); /* was checked */
		resolve_socket(k, &list[i]);
		check_exposure(k, &list[i]);
		for (size_t j = 0; j < i; j++)
			if (str_eq(list[i].text, list[j].text))
				config_problem_add(k->p, config_spot_of(k->file, "listen"),
						   "listen: " STR_FMT " stands twice",
						   STR_ARG(list[i].text));
	}
	k->c->listen.ptr = list;
	k->c->listen.len = written.len;
	k->c->listen_written = texts_of(k, list, written.len);
}

static void
check_tls(const struct checker *k)
{
	bool certificate = k->c->tls.certificate.len > 0, key = k->c->tls.key.len > 0;

	if (certificate == key)
		return;
	config_problem_add(k->p,
			   config_spot_of(k->file, certificate ? "tls.certificate" : "tls.key"),
			   "%s: needs %s beside it", certificate ? "tls.certificate" : "tls.key",
			   certificate ? "tls.key" : "tls.certificate");
}

/* Requests spell them as they like; the server compares lower case. */
static struct str_list
lower_case(const struct checker *k, struct str_list texts)
{
	struct str *out = ARENA_ARRAY(k->a, texts.len, struct str);

	for (size_t i = 0; i < texts.len; i++) {
		char *copy = arena_alloc(k->a, texts.ptr[i].len + 1);
		for (size_t j = 0; j < texts.ptr[i].len; j++) {
			char c = texts.ptr[i].ptr[j];
			copy[j] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
		}
		out[i] = (struct str){ copy, texts.ptr[i].len };
	}
	return (struct str_list){ out, texts.len };
}

static void
check_data(const struct checker *k)
{
	if (k->c->data.len == 0)
		k->c->data = config_folder_data(k->a);
	if (k->c->data.len == 0)
		config_problem_add(k->p, (struct config_spot){ 0 },
				   "data: there is no default, because neither $XDG_STATE_HOME nor "
				   "$HOME is set: say where the data goes");
}

/* ---- providers ---- */

static void
fill_base_url(const struct checker *k, struct config_provider *p)
{
	static const struct str PUBLIC[] = {
		[CONFIG_OPENAI_CHAT] = { "https://api.openai.com/v1", 25 },
		[CONFIG_OPENAI_RESPONSES] = { "https://api.openai.com/v1", 25 },
		[CONFIG_ANTHROPIC] = { "https://api.anthropic.com", 25 },
	};
	struct str url = p->base_url.len > 0 ? p->base_url : PUBLIC[p->kind];

	while (url.ptr[url.len - 1] == '/')
		url.len--;
	p->base_url = arena_str(k->a, url);
}

static void
check_prices(const struct checker *k, const struct config_object *o, struct config_prices *prices)
{
	bool any = prices->input >= 0 || prices->output >= 0 || prices->cache_read >= 0 ||
		   prices->cache_write >= 0;

	if (any && (prices->input < 0 || prices->output < 0))
		config_problem_add(k->p, o->at, STR_FMT ".prices: needs input and output",
				   STR_ARG(o->path));
}

static void
check_provider(const struct checker *k, struct config_object *o)
{
	struct config_provider *p = o->base;
	bool by_env = p->api_key_env.len > 0, by_file = p->api_key_file.len > 0;

	for (const struct config_provider *q = k->c->providers.ptr; q < p; q++)
		if (str_eq(q->name, p->name))
			config_problem_add(k->p, config_spot_of(o, "providers[].name"),
					   STR_FMT ".name: '" STR_FMT "' stands twice",
					   STR_ARG(o->path), STR_ARG(p->name));
	if (by_env == by_file)
		config_problem_add(k->p, o->at,
				   STR_FMT ": needs %s of api_key_env and api_key_file",
				   STR_ARG(o->path), by_env ? "only one" : "one");
	if (p->retry.base_ms > p->retry.max_ms)
		config_problem_add(k->p, o->at, STR_FMT ".retry: base_ms must not be above max_ms",
				   STR_ARG(o->path));
	check_prices(k, o, &p->prices);
	fill_base_url(k, p);
}

static void
check_models(const struct checker *k, const struct config_object *o)
{
	const struct config_provider *p = o->base;

	for (size_t i = 0; i < p->models.len; i++)
		for (size_t j = 0; j < i; j++)
			if (str_eq(p->models.ptr[i].id, p->models.ptr[j].id))
				config_problem_add(k->p, o->at,
						   STR_FMT ".models: '" STR_FMT "' stands twice",
						   STR_ARG(o->path), STR_ARG(p->models.ptr[i].id));
}

/* A long list is cut: it has to fit into a sentence. */
static void
list_model(struct buf *out, struct str provider, struct str model)
{
	if (out->len < KNOWN_BYTES)
		buf_printf(out, ", " STR_FMT "/" STR_FMT, STR_ARG(provider), STR_ARG(model));
}

static void
list_models(const struct checker *k, struct buf *out)
{
	buf_puts(out, "demo");
	for (size_t i = 0; i < k->c->providers.len; i++) {
		const struct config_provider *p = &k->c->providers.ptr[i];

		for (size_t j = 0; j < p->models.len; j++)
			list_model(out, p->name, p->models.ptr[j].id);
		if (p->models.len == 0)
			list_model(out, p->name, STR("MODEL"));
	}
	if (out->len >= KNOWN_BYTES)
		buf_puts(out, ", ...");
}

static void
check_model(const struct checker *k)
{
	char shown[CONFIG_SHOWN_MAX];
	struct str name, rest;
	struct buf known;

	k->c->model_said = config_spot_of(k->file, "model").line != 0;
	if (str_eq(k->c->model, STR("demo")))
		return;
	if (str_cut(k->c->model, '/', &name, &rest) && rest.len > 0 &&
	    config_provider_find(k->c, name))
		return;
	buf_init(&known, ERR_TEXT_MAX);
	list_models(k, &known);
	config_problem_add(k->p, config_spot_of(k->file, "model"),
			   "model: '%s' is not known; there are " STR_FMT,
			   config_problem_quote(k->c->model, shown), STR_ARG(buf_str(&known)));
	buf_release(&known);
}

/* ---- what follows ---- */

static void
put_price(struct cost_price *row, struct str model, const struct config_prices *p)
{
	*row = (struct cost_price){
		.model = model,
		.input = p->input,
		.output = p->output,
		.cache_read = p->cache_read >= 0 ? p->cache_read : p->input,
		.cache_write = p->cache_write >= 0 ? p->cache_write : p->input,
	};
}

static void
make_price_table(const struct checker *k)
{
	struct cost_price *rows;
	size_t count = 0, at = 0;

	for (size_t i = 0; i < k->c->providers.len; i++)
		count += 1 + k->c->providers.ptr[i].models.len;
	rows = ARENA_ARRAY(k->a, count, struct cost_price);
	for (size_t i = 0; i < k->c->providers.len; i++) {
		const struct config_provider *p = &k->c->providers.ptr[i];
		if (p->prices.input >= 0)
			put_price(&rows[at++], arena_printf(k->a, STR_FMT "/*", STR_ARG(p->name)),
				  &p->prices);
		for (size_t j = 0; j < p->models.len; j++) {
			const struct config_model *m = &p->models.ptr[j];
			if (m->prices.input >= 0)
				put_price(&rows[at++],
					  arena_printf(k->a, STR_FMT "/" STR_FMT, STR_ARG(p->name),
						       STR_ARG(m->id)),
					  &m->prices);
		}
	}
	k->c->prices = (struct cost_table){ rows, at };
}

/* Whether any of the object's own keys below session_reset was said. */
static bool
says_reset(const struct config_object *o)
{
	for (size_t i = 0; i < CONFIG_KEY_COUNT; i++)
		if (o->spots[i].line != 0 && strstr(CONFIG_KEYS[i].path, ".session_reset."))
			return true;
	return false;
}

static void
fill_agent(const struct checker *k, struct config_agent *g)
{
	bool idle = g->idle_timeout_minutes > 0, daily = g->daily_reset_hour >= 0;

	g->resets = g->idle_timeout_minutes >= 0 || daily;
	g->session_reset = k->c->session_reset;
	g->session_reset.mode = idle && daily ? RESET_MODE_BOTH
				: idle        ? RESET_MODE_IDLE
				: daily       ? RESET_MODE_DAILY
					      : RESET_MODE_NONE;
	if (idle)
		g->session_reset.idle_minutes = g->idle_timeout_minutes;
	if (daily)
		g->session_reset.at_hour = g->daily_reset_hour;
}

static void
check_hook(const struct checker *k, struct config_object *o)
{
	const struct config_hook *h = o->base;
	struct config_spot at = config_spot_of(o, "hooks[].command");

	if (h->command.len == 0 && at.line != 0) /* else it is missing, which was told */
		config_problem_add(k->p, at, STR_FMT ".command: names no program",
				   STR_ARG(o->path));
}

static void
check_object(const struct checker *k, struct config_object *o)
{
	if (is_of(o, "providers[]")) {
		check_provider(k, o);
		check_models(k, o);
	} else if (is_of(o, "providers[].models[]")) {
		check_prices(k, o, &((struct config_model *)o->base)->prices);
	} else if (is_of(o, "hooks[]")) {
		check_hook(k, o);
	} else if (is_of(o, "platforms.<name>")) {
		((struct config_platform *)o->base)->resets = says_reset(o);
	} else if (is_of(o, "chat_types.<type>")) {
		((struct config_chat_type *)o->base)->resets = says_reset(o);
	} else if (is_of(o, "agents.<id>")) {
		fill_agent(k, o->base);
	}
}

void
config_check(struct config *c, const struct config_source *from, struct config_problems *p)
{
	const struct checker k = { c, &c->origin->a, p, from, c->origin->objects };

	check_listen(&k);
	check_tls(&k);
	check_data(&k);
	c->hosts = lower_case(&k, c->hosts);
	c->origins = lower_case(&k, c->origins);
	for (struct config_object *o = c->origin->objects; o; o = o->next)
		check_object(&k, o);
	check_model(&k);
	make_price_table(&k);
}
