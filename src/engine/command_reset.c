/* command_reset - /new, /reset: the next conversation begins. */
#include "engine/command.h"

static void
on_reset(void *ctx, const struct engine_answer *answer)
{
	struct command *c = ctx;
	struct jw w;

	if (answer->rc != 0) {
		command_fail(c, answer->rc, answer->err);
		return;
	}
	jw_init(&w, &c->data);
	jw_object(&w);
	jw_field_str(&w, "session_id", answer->id);
	jw_field_str(&w, "previous_session_id", c->session);
	jw_end_object(&w);
	command_done(c,
		     arena_printf(&c->arena, "a new conversation: " STR_FMT, STR_ARG(answer->id)),
		     answer->replayed);
}

void
command_reset_begin(struct command *c)
{
	struct engine_call call = { &c->caller, c->call.repeat, on_reset, c };

	engine_session_reset(c->en, &call, c->session);
}
