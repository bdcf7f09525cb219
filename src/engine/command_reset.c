/* command_reset - /new, /reset: the next conversation begins. /undo reset: the one before comes back. */
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
		     arena_printf(&c->arena, "%s: " STR_FMT,
				  c->line.command->id == CHAT_UNDO
					  ? "back in the conversation before"
					  : "a new conversation",
				  STR_ARG(answer->id)),
		     answer->replayed);
}

void
command_reset_begin(struct command *c)
{
	struct engine_call call = { &c->caller, c->call.repeat, on_reset, c };

	engine_session_reset(c->en, &call, c->session);
}

void
command_reset_undo(struct command *c)
{
	struct engine_call call = { &c->caller, c->call.repeat, on_reset, c };

	engine_session_undo_reset(c->en, &call, c->session);
}
