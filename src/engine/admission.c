#include "engine/admission.h"

#include <stdlib.h>

#include "base/vec.h"
#include "base/xalloc.h"
#include "engine/fanout.h"

/* An agent that grants something of its own. */
struct kept {
	struct str agent; /* its own copy, and the key */
	struct arena arena;
	struct agent_rights rights;
};

struct admission {
	struct engine *en;
	struct map by_agent;
};

struct admission *
admission_new(struct engine *en)
{
	struct admission *ad = xcalloc(1, sizeof *ad);

	ad->en = en;
	map_init(&ad->by_agent, rand_u64(&en->rand));
	return ad;
}

static void
kept_free(struct kept *k)
{
	if (!k)
		return;
	arena_release(&k->arena);
	free(k);
}

void
admission_free(struct admission **p)
{
	struct admission *ad = *p;
	struct str agent;
	void *kept;

	if (!ad)
		return;
	for (size_t at = 0; map_next(&ad->by_agent, &at, &agent, &kept);)
		kept_free(kept);
	map_release(&ad->by_agent);
	free(ad);
	*p = NULL;
}

const struct agent_rights *
admission_rights(const struct admission *ad, struct str agent)
{
	static const struct agent_rights USUAL = { .level = ACCESS_PUBLIC };
	const struct kept *k = map_find(&ad->by_agent, agent);

	return k ? &k->rights : &USUAL;
}

void
admission_put(struct admission *ad, struct str agent, struct json current)
{
	struct kept *k = xcalloc(1, sizeof *k);
	enum access_level before = admission_rights(ad, agent)->level;

	kept_free(map_remove(&ad->by_agent, agent));
	arena_init(&k->arena);
	k->agent = arena_str(&k->arena, agent);
	agent_rights_read(current, &k->arena, &k->rights);
	if (k->rights.level != before)
		fanout_rights_changed(ad->en);
	if (agent_rights_are_usual(&k->rights))
		kept_free(k);
	else
		map_put(&ad->by_agent, k->agent, k);
}

/* ---- who is admitted ---- */

static struct access_decision
admission_decide(const struct engine_caller *caller, enum access_verb verb,
		 const struct agent_rights *rights)
{
	struct access_target target = { .level = rights->level };

	return access_policy_decide(&caller->who, verb, &target);
}

int
admission_check(struct engine *en, const struct engine_caller *caller, enum access_verb verb,
		struct str agent, struct err *e)
{
	struct access_decision d =
		admission_decide(caller, verb, admission_rights(en->admission, agent));

	switch (d.answer) {
	case ACCESS_ALLOW: return 0;
	case ACCESS_NOT_FOUND:
		return err_set(e, ERR_NOT_FOUND, "there is no agent " STR_FMT, STR_ARG(agent));
	case ACCESS_FORBIDDEN:
		return err_set(e, ERR_DENIED, "only an owner of the agent " STR_FMT " may do that",
			       STR_ARG(agent));
	case ACCESS_CONFLICT: return err_set(e, ERR_CONFLICT, "%s", access_reason_text(d.reason));
	}
	abort();
}

bool
admission_admits(struct engine *en, const struct engine_caller *caller, struct str agent)
{
	return admission_decide(caller, ACCESS_AGENT_READ, admission_rights(en->admission, agent))
		       .answer == ACCESS_ALLOW;
}

struct str_list
admission_hidden(struct engine *en, const struct engine_caller *caller, struct arena *a)
{
	VEC(struct str) hidden = { 0 };
	struct str_list out;
	struct str agent, *copy;
	void *value;

	for (size_t at = 0; map_next(&en->admission->by_agent, &at, &agent, &value);)
		if (!admission_admits(en, caller, agent))
			*vec_push(&hidden) = arena_str(a, agent);
	copy = ARENA_ARRAY(a, hidden.len + 1, struct str);
	for (size_t i = 0; i < hidden.len; i++)
		copy[i] = hidden.ptr[i];
	out = (struct str_list){ copy, hidden.len };
	vec_release(&hidden);
	return out;
}

/* ---- the start ---- */

/* Rows arrive on a thread of the store's: what they grant is gathered there, and kept afterwards. */
struct found {
	struct str agent, body;
};
struct loading {
	struct admission *ad;
	struct arena arena;
	struct str last; /* the page goes on behind it */
	VEC(struct found) found;
	void (*done)(void *ctx, int rc, const struct err *err);
	void *ctx;
};

static void admission_load_page(struct loading *l);

static void
admission_load_end(struct loading *l, int rc, const struct err *err)
{
	for (size_t i = 0; rc == 0 && i < l->found.len; i++) {
		struct json_doc doc;

		if (json_parse(&l->arena, l->found.ptr[i].body, &JSON_LIMITS_DEFAULT, &doc, NULL) ==
		    0)
			admission_put(l->ad, l->found.ptr[i].agent, json_root(&doc));
	}
	l->done(l->ctx, rc, err);
	vec_release(&l->found);
	arena_release(&l->arena);
	free(l);
}

/* A public agent without lists, which most are, is not worth keeping until the end. */
static bool
admission_on_row(void *ctx, const struct store_row *row)
{
	struct loading *l = ctx;
	struct agent_rights rights;
	struct json_doc doc;
	struct arena scratch;

	l->last = arena_str(&l->arena, row->record->id);
	arena_init(&scratch);
	if (json_parse(&scratch, row->record->body, &JSON_LIMITS_DEFAULT, &doc, NULL) == 0) {
		agent_rights_read(json_root(&doc), &scratch, &rights);
		if (!agent_rights_are_usual(&rights))
			*vec_push(&l->found) =
				(struct found){ l->last, arena_str(&l->arena, row->record->body) };
	}
	arena_release(&scratch);
	return true;
}

static void
admission_on_page(void *ctx, int rc, bool more, const struct err *err)
{
	if (rc == 0 && more)
		admission_load_page(ctx);
	else
		admission_load_end(ctx, rc, err);
}

static void
admission_load_page(struct loading *l)
{
	store_read(l->ad->en->store,
		   &(struct store_query){ .kind = STORE_LIST_RECORDS,
					  .record_kind = RECORD_AGENT,
					  .record_id = l->last,
					  .limit = STORE_PAGE_ROWS_MAX },
		   admission_on_row, admission_on_page, l);
}

void
admission_load(struct admission *ad, void (*done)(void *ctx, int rc, const struct err *err),
	       void *ctx)
{
	struct loading *l = xcalloc(1, sizeof *l);

	*l = (struct loading){ .ad = ad, .done = done, .ctx = ctx };
	arena_init(&l->arena);
	admission_load_page(l);
}
