/* command_model - /model: which model answers, and another one from the next turn on. */
#include "engine/command.h"
#include "engine/context.h"

/* ---- /model ---- */

static void
on_setup(void *ctx, int rc, const struct err *err, const struct context_setup *setup)
{
	struct command *c = ctx;
	struct jw w;

	if (rc != 0) {
		command_fail(c, rc, err);
		return;
	}
	jw_init(&w, &c->data);
	jw_object(&w);
	jw_field_str(&w, "model", setup->model);
	jw_end_object(&w);
	command_done(c, setup->problem.len > 0 ? setup->problem : setup->model, false);
}

/* ---- /model NAME ---- */

struct choosing {
	struct command *c;
	struct json_doc body;
};

static void
on_chosen(void *ctx, const struct engine_answer *answer)
{
	struct choosing *ch = ctx;
	struct command *c = ch->c;
	struct jw w;

	if (answer->rc != 0) {
		command_fail(c, answer->rc, answer->err);
		return;
	}
	jw_init(&w, &c->data);
	jw_object(&w);
	jw_field_str(&w, "model", c->line.text);
	jw_end_object(&w);
	command_done_once(c, arena_printf(&c->arena, STR_FMT " answers from the next turn on",
					  STR_ARG(c->line.text)));
}

static int
make_body(struct choosing *ch, struct err *e)
{
	struct arena *a = &ch->c->arena;
	struct buf text;
	struct str kept;
	struct jw w;

	buf_init(&text, STORE_INLINE_MAX);
	jw_init(&w, &text);
	jw_object(&w);
	jw_field_object(&w, "agent");
	jw_field_str(&w, "model", ch->c->line.text);
	jw_end_object(&w);
	jw_end_object(&w);
	kept = arena_str(a, buf_str(&text));
	buf_release(&text);
	return json_parse(a, kept, &JSON_LIMITS_DEFAULT, &ch->body, e);
}

static void
choose(struct command *c)
{
	struct choosing *ch = ARENA_NEW(&c->arena, struct choosing);
	struct engine_call call = { &c->caller, NULL, on_chosen, ch };
	struct err e;
	int rc;

	ch->c = c;
	rc = make_body(ch, &e);
	if (rc != 0)
		command_fail(c, rc, &e);
	else
		engine_session_update(c->en, &call, c->session, json_root(&ch->body));
}

void
command_model_choose(struct command *c)
{
	struct engine_models *models = &c->en->config.models;
	struct provider *provider;
	struct str name;
	struct err e;
	int rc;

	if (c->line.text.len == 0) {
		context_setup_load(c->en, &c->row, (struct str){ 0 }, &c->arena, on_setup, c);
		return;
	}
	rc = models->find(models->ctx, c->line.text, &provider, &name, &e);
	if (rc != 0)
		command_fail(c, rc, &e);
	else
		choose(c);
}
