/* check_session_row - does the session's own row say what its log says? */
#include <string.h>

#include "app/check_session_private.h"

static void
compare_facts(struct check_session *c, const struct store_session *s)
{
	const struct check_created *k = &c->created;

	check_same_str(c, 0, "agent_id", s->agent_id, k->agent_id);
	check_same_int(c, 0, "agent_version", s->agent_version, k->agent_version);
	check_same_str(c, 0, "environment_id", s->environment_id, k->environment_id);
	check_same_str(c, 0, "workspace_id", s->workspace_id, k->workspace_id);
	check_same_str(c, 0, "lane_key", s->lane_key, k->lane_key);
	check_same_str(c, 0, "parent_id", s->parent_id, k->parent_id);
	check_same_str(c, 0, "previous_id", s->previous_id, k->previous_id);
	check_same_str(c, 0, "source", s->source, k->source);
	check_same_str(c, 0, "metadata", s->metadata, replay_metadata(c->replay));
	check_same_int(c, 0, "group", s->group, k->group);
	check_same_int(c, 0, "created_at", s->created_at_ms, k->created_at_ms);
}

static void
compare_state(struct check_session *c, const struct session_row *s, const struct session_row *r)
{
	check_same_int(c, 0, "phase", s->state.phase, r->state.phase);
	check_same_str(c, 0, "lifecycle", str_of(lifecycle_name(s->state.lifecycle)),
		       str_of(lifecycle_name(r->state.lifecycle)));
	check_same_int(c, 0, "deleted", s->deleted, r->deleted);
	check_same_str(c, 0, "last_stop", str_of(stop_kind_name(s->last_stop)),
		       str_of(stop_kind_name(r->last_stop)));
	check_same_str(c, 0, "turn", s->turn, r->turn);
	check_same_int(c, 0, "turn_seq", s->turn_seq, r->turn_seq);
	check_same_int(c, 0, "attempt", s->attempt, r->attempt);
	check_same_str(c, 0, "title", s->title, r->title);
	check_same_str(c, 0, "title_source", str_of(title_source_name(s->title_source)),
		       str_of(title_source_name(r->title_source)));
	check_same_str(c, 0, "fallback_title", s->fallback_title, r->fallback_title);
	check_same_str(c, 0, "preview", str_of(s->preview), str_of(r->preview));
}

static void
compare_counters(struct check_session *c, const struct session_counters *s,
		 const struct session_counters *r)
{
	check_same_int(c, 0, "messages", s->messages, r->messages);
	check_same_int(c, 0, "completed_turns", s->completed_turns, r->completed_turns);
	check_same_int(c, 0, "input_tokens", s->usage.input, r->usage.input);
	check_same_int(c, 0, "output_tokens", s->usage.output, r->usage.output);
	check_same_int(c, 0, "reasoning_tokens", s->usage.reasoning, r->usage.reasoning);
	check_same_int(c, 0, "cache_read", s->usage.cache_read, r->usage.cache_read);
	check_same_int(c, 0, "cache_write", s->usage.cache_write, r->usage.cache_write);
	check_same_int(c, 0, "total_tokens", s->total_tokens, r->total_tokens);
	check_same_int(c, 0, "last_prompt_tokens", s->last_prompt_tokens, r->last_prompt_tokens);
	check_same_int(c, 0, "cost_picodollars", s->cost_picodollars, r->cost_picodollars);
	check_same_int(c, 0, "priced_requests", s->priced_requests, r->priced_requests);
	check_same_int(c, 0, "unpriced_requests", s->unpriced_requests, r->unpriced_requests);
	check_same_int(c, 0, "last_activity", s->last_activity_ms, r->last_activity_ms);
}

/* Against the log as it is stored: a changed event has been told already. */
static void
compare_head(struct check_session *c, const struct session_row *s)
{
	check_same_int(c, 0, "head_seq", s->head_seq, c->last_seq);
	if (s->head_seq == c->last_seq &&
	    memcmp(&s->head_hash, &c->last_hash, sizeof s->head_hash) != 0)
		check_found(c, 0, "head_hash is not the hash of the last event");
}

static bool
on_session(void *ctx, const struct store_row *row)
{
	struct check_session *c = ctx;
	const struct session_row *replayed = replay_session(c->replay);

	compare_head(c, &row->session->row);
	compare_facts(c, row->session);
	compare_state(c, &row->session->row, replayed);
	compare_counters(c, &row->session->row.counters, &replayed->counters);
	return true;
}

int
check_session_row(struct check_session *c, struct err *e)
{
	struct store_query q = { .kind = STORE_GET_SESSION, .session = c->id };
	bool more;

	return check_read(c->store, &q, on_session, c, &more, e);
}
