/* command_restart - /restart: the server begins anew. Only owners may, wherever they write it. */
#include "engine/access.h"
#include "engine/command.h"

static void
on_asked(void *ctx, const struct engine_answer *answer)
{
	struct command *c = ctx;
	struct err e;

	if (answer->rc == ERR_NOT_FOUND) { /* whoever is here knows that there is a server */
		command_fail(c, err_set(&e, ERR_DENIED, "/restart: only an owner may do this"), &e);
		return;
	}
	if (answer->rc != 0) {
		command_fail(c, answer->rc, answer->err);
		return;
	}
	buf_put_str(&c->data, answer->data);
	command_done(c,
		     STR("the server restarts: what runs now ends first or goes on afterwards, and "
			 "what you write meanwhile is to be sent again"),
		     answer->replayed);
}

static void
on_standing(void *ctx, int rc, const struct err *err, const struct store_session *session,
	    bool takes_part)
{
	struct command *c = ctx;

	(void)session, (void)takes_part;
	if (rc != 0)
		command_fail(c, rc, err);
	else
		engine_restart(c->en, &(struct engine_call){ .caller = &c->caller,
							     .repeat = c->call.repeat,
							     .done = on_asked,
							     .ctx = c });
}

void
command_restart_go(struct command *c)
{
	access_check(c->en, &c->caller, ACCESS_SESSION_READ, c->session, on_standing, c);
}
