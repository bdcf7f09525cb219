#include "engine/identity_use.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/xalloc.h"
#include "engine/record_change.h"

enum { PAUSE_MS = 60 * 1000, TOGETHER_MAX = 16 };

struct identity_use {
	struct identity *id;
	struct host_timer *timer;
	bool armed;
	size_t writing; /* on their way to the store */
};

/* One token's last use on its way. */
struct use {
	struct identity_use *u;
	struct str token;
	int64_t used_ms;
};

static int
prepare(struct record_change *ch, struct err *e)
{
	(void)e;
	record_change_read(ch, RECORD_TOKEN, ch->id);
	return 0;
}

static int
decide(struct record_change *ch, struct commit *c, struct err *e)
{
	const struct use *use = ch->call.ctx;
	struct token_def t;
	int rc;

	if (!ch->reads[0].found)
		return err_set(e, ERR_NOT_FOUND, "there is no token " STR_FMT, STR_ARG(ch->id));
	rc = token_def_read(ch->reads[0].body, &ch->arena, &t, e);
	if (rc != 0 || t.last_used_ms >= use->used_ms)
		return rc;
	t.last_used_ms = use->used_ms;
	record_change_put(ch, c,
			  &(struct store_record){ .kind = RECORD_TOKEN,
						  .id = ch->id,
						  .body = token_def_write(&t, &ch->arena) },
			  ch->reads[0].version);
	return 0;
}

static void write_some(struct identity_use *u);

static void
on_written(void *ctx, const struct engine_answer *answer)
{
	struct use *use = ctx;
	struct identity_use *u = use->u;
	struct engine *en = identity_engine(u->id);

	/* Nothing depends on it: the next use is written again. */
	if (answer->rc != 0)
		log_write(LOG_WARN, "identity.last_use_not_written", LOG_STR("id", use->token),
			  LOG_STR("reason", str_of(answer->err->text)));
	free(use);
	u->writing--;
	en->open_turns--;
	write_some(u);
	engine_turn_closed(en);
}

static void
write_some(struct identity_use *u)
{
	static const struct record_plan PLAN = { .prepare = prepare, .decide = decide };
	struct engine *en = identity_engine(u->id);
	struct str token;
	int64_t used_ms;

	while (u->writing < TOGETHER_MAX && !en->draining &&
	       identity_take_used(u->id, &token, &used_ms)) {
		struct use *use = xcalloc(1, sizeof *use);
		struct engine_call call = { .done = on_written, .ctx = use };

		*use = (struct use){ u, token, used_ms };
		u->writing++;
		en->open_turns++; /* a drain waits for it as for a turn */
		record_change_start(en, &PLAN, &call, token, (struct json){ 0 });
	}
}

static void
on_timer(void *ctx)
{
	struct identity_use *u = ctx;

	u->armed = false;
	write_some(u);
}

struct identity_use *
identity_use_new(struct identity *id)
{
	struct identity_use *u = xcalloc(1, sizeof *u);
	struct host *host = identity_engine(id)->host;

	u->id = id;
	u->timer = host->ops->timer_new(host, on_timer, u);
	return u;
}

void
identity_use_free(struct identity_use **u)
{
	if (!*u)
		return;
	identity_engine((*u)->id)->host->ops->timer_free((*u)->timer);
	free(TAKE(*u));
}

void
identity_use_due(struct identity_use *u)
{
	if (u->armed)
		return;
	u->armed = true;
	identity_engine(u->id)->host->ops->timer_set(u->timer, PAUSE_MS);
}
