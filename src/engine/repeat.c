#include "engine/repeat.h"

#include <stdlib.h>

#include "base/xalloc.h"

struct search {
	const struct engine_repeat *repeat;
	struct arena arena;
	bool found, matches;
	struct str first;
	repeat_fn *done;
	void *ctx;
};

bool
repeat_is_keyed(const struct engine_repeat *repeat)
{
	return repeat && repeat->key.len > 0;
}

static bool
on_row(void *ctx, const struct store_row *row)
{
	struct search *s = ctx;

	s->found = true;
	s->matches = store_key_is_of(row->key, &s->repeat->request);
	s->first = arena_str(&s->arena, row->key->answer);
	return false;
}

static void
on_found(void *ctx, int rc, bool more, const struct err *err)
{
	struct search *s = ctx;
	struct err e;

	(void)more;
	if (rc == 0 && s->found && !s->matches) {
		rc = err_set(&e, ERR_MISMATCH, "this Idempotency-Key was used with another body");
		err = &e;
	}
	s->done(s->ctx, rc, err, rc == 0 && s->found ? &s->first : NULL);
	arena_release(&s->arena);
	free(s);
}

void
repeat_find(struct engine *en, const struct engine_repeat *repeat, repeat_fn *done, void *ctx)
{
	struct search *s = xcalloc(1, sizeof *s);

	*s = (struct search){ .repeat = repeat, .done = done, .ctx = ctx };
	arena_init(&s->arena);
	store_read(en->store,
		   &(struct store_query){ .kind = STORE_FIND_KEY,
					  .key_kind = STORE_KEY_IDEMPOTENCY,
					  .key_scope = repeat->scope,
					  .key_name = repeat->key,
					  .limit = 1 },
		   on_row, on_found, s);
}

void
repeat_remember(struct engine *en, const struct engine_repeat *repeat, struct str answer,
		commit_fn *done, void *ctx)
{
	struct commit *c = commit_new(en, STR(""));

	commit_repeat(c, repeat, answer);
	commit_submit(c, done, ctx);
}
