#include "engine/command.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "engine/access.h"
#include "engine/repeat.h"
#include "engine/wake.h"

enum { DATA_MAX = 16 << 20 };

/* clang-format off */
static command_fn *const RUN[CHAT_COMMANDS] = {
	[CHAT_APPROVE] = command_queue_approve,
	[CHAT_BRANCH] = command_branch_off,
	[CHAT_DENY] = command_queue_deny,
	[CHAT_HELP] = command_show_help,
	[CHAT_MODEL] = command_model_choose,
	[CHAT_NEW] = command_reset_begin,
	[CHAT_QUEUE] = command_queue_say,
	[CHAT_RESET] = command_reset_begin,
	[CHAT_RESTART] = command_restart_go,
	[CHAT_RESUME] = command_resume_go,
	[CHAT_RETRY] = command_history_retry,
	[CHAT_SESSIONS] = command_show_sessions,
	[CHAT_STATUS] = command_show_status,
	[CHAT_STEER] = command_queue_steer,
	[CHAT_STOP] = command_queue_stop,
	[CHAT_TITLE] = command_title_set,
	[CHAT_UNDO] = command_history_undo,
	[CHAT_USAGE] = command_show_usage,
	[CHAT_WHOAMI] = command_show_whoami,
};
/* clang-format on */

static void
command_free(struct command *c)
{
	buf_release(&c->data);
	arena_release(&c->arena);
	free(c);
}

static void
command_end(struct command *c, const struct engine_answer *answer)
{
	c->call.done(c->call.ctx, answer);
	command_free(c);
}

void
command_fail(struct command *c, int rc, const struct err *err)
{
	command_end(c, &(struct engine_answer){ .rc = rc, .err = err });
}

static struct str
data_of(const struct command *c)
{
	return c->data.len > 0 ? buf_str(&c->data) : STR("{}");
}

void
command_done(struct command *c, struct str said, bool replayed)
{
	command_end(c, &(struct engine_answer){
			       .id = c->session,
			       .replayed = replayed,
			       .queue_position = -1,
			       .command = str_of(c->line.command->name),
			       .text = said,
			       .data = data_of(c),
		       });
}

/* ---- what a repeat is told ---- */

/* The texts of an answer that would not fit a key are left out: what was done is done. */
static struct str
remembered(struct command *c, struct str said)
{
	struct str data = data_of(c), text;
	struct buf out;
	struct jw w;

	if (said.len + data.len > COMMAND_REMEMBERED_MAX / 2)
		data = STR("{}");
	buf_init(&out, STORE_INLINE_MAX);
	jw_init(&w, &out);
	jw_object(&w);
	jw_field_str(&w, "text", said.len < COMMAND_REMEMBERED_MAX / 2 ? said : STR("done"));
	jw_field_raw(&w, "data", data);
	jw_end_object(&w);
	text = buf_str(&out).len <= COMMAND_REMEMBERED_MAX ? buf_str(&out)
							   : STR("{\"text\":\"done\"}");
	text = arena_str(&c->arena, text);
	buf_release(&out);
	return text;
}

static void
answer_again(struct command *c, struct str first)
{
	struct json_doc doc;
	struct json text = { 0 }, data = { 0 };
	struct err e;

	if (json_parse(&c->arena, first, &JSON_LIMITS_DEFAULT, &doc, NULL) != 0 ||
	    !json_find(json_root(&doc), STR("text"), &text)) {
		command_fail(c, err_set(&e, ERR_CORRUPT, "a remembered answer cannot be read"), &e);
		return;
	}
	if (json_find(json_root(&doc), STR("data"), &data))
		buf_put_str(&c->data, json_raw(data));
	command_done(c, json_str(text, &c->arena), true);
}

static void
on_submitted(void *ctx, const struct commit_result *result)
{
	const struct store_result *r = result->store;
	struct command *c = ctx;

	bool stored = r->rc == 0 || r->rc == ERR_UNAVAILABLE; /* it may be */

	if (stored && c->wakes)
		wake_asked(c->en, c->session);
	if (stored && c->after)
		c->after(c);
	if (r->rc == ERR_CONFLICT && c->again) {
		command_fn *again = TAKE(c->again);

		buf_clear(&c->data);
		again(c);
	} else if (r->rc == STORE_REPLAYED) {
		buf_clear(&c->data);
		answer_again(c, r->answer);
	} else if (r->rc != 0) {
		command_fail(c, r->rc, &r->err);
	} else {
		command_done(c, c->said, false);
	}
}

void
command_submit(struct command *c, struct commit *commit, struct str said)
{
	c->said = arena_str(&c->arena, said);
	commit_repeat(commit, c->call.repeat, remembered(c, said));
	commit_submit(commit, on_submitted, c);
}

static void
on_remembered(void *ctx, const struct commit_result *result)
{
	struct command *c = ctx;

	(void)result; /* the change is in: a key that could not be kept does not take it back */
	command_done(c, c->said, false);
}

void
command_done_once(struct command *c, struct str said)
{
	c->said = arena_str(&c->arena, said);
	if (repeat_is_keyed(c->call.repeat))
		repeat_remember(c->en, c->call.repeat, remembered(c, said), on_remembered, c);
	else
		command_done(c, c->said, false);
}

/* ---- on its way ---- */

static void
on_standing(void *ctx, int rc, const struct err *err, const struct store_session *session,
	    bool takes_part)
{
	struct command *c = ctx;

	if (rc != 0) {
		command_fail(c, rc, err);
		return;
	}
	access_copy_session(&c->arena, session, &c->row);
	c->takes_part = takes_part;
	RUN[c->line.command->id](c);
}

/* What is said goes the way of all messages, a reset that of all resets, and so a restart: those ask for the standing and
 * for repeats themselves. */
static bool
goes_its_own_way(const struct chat_line *line)
{
	return (line->command->verb == ACCESS_SESSION_POST && line->text.len > 0) ||
	       line->command->id == CHAT_NEW || line->command->id == CHAT_RESET ||
	       line->command->id == CHAT_RESTART || (line->command->id == CHAT_UNDO && line->flag);
}

static enum access_verb
verb_of(const struct chat_line *line)
{
	bool shows = line->text.len == 0 && line->count == 0 &&
		     (line->command->takes == CHAT_TAKES_ANY_TEXT ||
		      line->command->takes == CHAT_TAKES_NAME);

	return shows ? ACCESS_SESSION_READ : line->command->verb;
}

static void
ask_standing(struct command *c)
{
	access_check(c->en, &c->caller, verb_of(&c->line), c->session, on_standing, c);
}

static void
on_repeat(void *ctx, int rc, const struct err *err, const struct str *first)
{
	struct command *c = ctx;

	if (rc != 0)
		command_fail(c, rc, err);
	else if (first)
		answer_again(c, *first);
	else
		ask_standing(c);
}

void
engine_command(struct engine *en, const struct engine_call *call, struct str session,
	       struct str text)
{
	struct command *c;
	struct err e;
	int rc;

	if (engine_is_closed(en, call))
		return;
	c = xcalloc(1, sizeof *c);
	c->en = en;
	c->call = *call;
	c->caller = *call->caller;
	c->session = session;
	arena_init(&c->arena);
	buf_init(&c->data, DATA_MAX);
	rc = chat_command_parse(text, &c->arena, &c->line, &e);
	if (rc != 0) {
		engine_refuse(en, call, rc, &e);
		command_free(c);
	} else if (goes_its_own_way(&c->line)) {
		RUN[c->line.command->id](c);
	} else if (c->line.command->undo && repeat_is_keyed(call->repeat)) {
		repeat_find(en, call->repeat, on_repeat, c);
	} else {
		ask_standing(c);
	}
}
