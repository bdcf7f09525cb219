#include "engine/context_lane.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "core/context_text.h"
#include "engine/lane.h"

enum { TEXT_MAX = 1024 * 1024 };

struct loading {
	struct engine *en;
	struct arena *arena;
	struct context_lane lane;
	context_lane_fn *done;
	void *ctx;
};

static void
loading_end(struct loading *l, int rc, const struct err *err)
{
	l->done(l->ctx, rc, err, &l->lane);
	free(l);
}

/* A lane by composite key has no descriptor: its surface is where it is. */
static struct source
source_of(const struct lane_entry *entry)
{
	if (entry->has_origin)
		return entry->origin;
	return (struct source){
		.platform = entry->platform.len > 0 ? entry->platform : STR("api"),
		.chat_type = entry->chat_type,
		.chat_id = entry->surface_id,
		.user_id = entry->user_id,
	};
}

static void
write_text(struct loading *l, const struct lane_entry *entry)
{
	const struct engine_policies *p = &l->en->config.policies;
	struct source source = source_of(entry);
	struct engine_surroundings around = { 0 };
	struct context_facts facts;
	struct buf out;

	if (p->around)
		around = p->around(p->ctx, source.platform);
	facts = (struct context_facts){
		.source = &source,
		.shared = entry->shared,
		.session_key = entry->session_key,
		.session_id = entry->session_id,
		.created_ms = entry->created_ms,
		.platforms = around.platforms,
		.platform_count = around.platform_count,
		.homes = around.homes,
		.home_count = around.home_count,
		.redact = around.redact,
	};
	buf_init(&out, TEXT_MAX);
	context_text_write(&facts, &out);
	l->lane.text = arena_str(l->arena, buf_str(&out));
	l->lane.redact = around.redact;
	buf_release(&out);
}

static void
on_lane(void *ctx, int rc, const struct err *err, const struct lane *lane)
{
	struct loading *l = ctx;

	if (rc == ERR_CORRUPT) /* no reason not to answer */
		rc = 0;
	else if (rc == 0 && lane->version > 0)
		write_text(l, &lane->entry);
	loading_end(l, rc, err);
}

void
context_lane_load(struct engine *en, const struct store_session *session, struct arena *a,
		  context_lane_fn *done, void *ctx)
{
	struct loading *l = xcalloc(1, sizeof *l);

	*l = (struct loading){ .en = en, .arena = a, .done = done, .ctx = ctx };
	lane_find_by_session(en, session->id, on_lane, l);
}
