#include "compare.h"

/* One comparison under way: which rows of which session. */
struct place {
	const char *what, *rows;
	size_t at;
};

static void
same_int(const struct place *p, const char *field, int64_t got, int64_t want)
{
	if (got != want)
		fail_msg("%s: %s %zu: %s is %lld, the replay says %lld", p->what, p->rows, p->at,
			 field, (long long)got, (long long)want);
}

static void
same_str(const struct place *p, const char *field, struct str got, struct str want)
{
	if (!str_eq(got, want))
		fail_msg("%s: %s %zu: %s is '" STR_FMT "', the replay says '" STR_FMT "'", p->what,
			 p->rows, p->at, field, STR_ARG(got), STR_ARG(want));
}

static void
same_hash(const struct place *p, const struct sha256 *got, const struct sha256 *want)
{
	if (memcmp(got, want, sizeof *got) != 0)
		fail_msg("%s: %s %zu: the chain hash differs from the replay's", p->what, p->rows,
			 p->at);
}

static void
same_event(const struct place *p, const struct event *got, const struct event *want)
{
	same_int(p, "seq", got->seq, want->seq);
	same_str(p, "id", got->id, want->id);
	same_int(p, "kind", got->kind, want->kind);
	same_int(p, "author", got->author, want->author);
	same_int(p, "created_at", got->created_at_ms, want->created_at_ms);
	same_str(p, "turn", got->turn, want->turn);
	same_str(p, "meta", got->meta, want->meta);
	if (!str_eq(got->payload, want->payload)) /* may be large: not printed */
		fail_msg("%s: %s %zu: the payload's bytes differ", p->what, p->rows, p->at);
}

static void
same_counters(const struct place *p, const struct session_counters *g,
	      const struct session_counters *w)
{
	same_int(p, "messages", g->messages, w->messages);
	same_int(p, "completed_turns", g->completed_turns, w->completed_turns);
	same_int(p, "input tokens", g->usage.input, w->usage.input);
	same_int(p, "output tokens", g->usage.output, w->usage.output);
	same_int(p, "reasoning tokens", g->usage.reasoning, w->usage.reasoning);
	same_int(p, "cache reads", g->usage.cache_read, w->usage.cache_read);
	same_int(p, "cache writes", g->usage.cache_write, w->usage.cache_write);
	same_int(p, "total_tokens", g->total_tokens, w->total_tokens);
	same_int(p, "last_prompt_tokens", g->last_prompt_tokens, w->last_prompt_tokens);
	same_int(p, "cost", g->cost_picodollars, w->cost_picodollars);
	same_int(p, "priced_requests", g->priced_requests, w->priced_requests);
	same_int(p, "unpriced_requests", g->unpriced_requests, w->unpriced_requests);
	same_int(p, "last_activity", g->last_activity_ms, w->last_activity_ms);
}

static void
same_session(const struct place *p, const struct session_row *g, const struct session_row *w)
{
	same_int(p, "head_seq", g->head_seq, w->head_seq);
	same_hash(p, &g->head_hash, &w->head_hash);
	same_int(p, "phase", g->state.phase, w->state.phase);
	same_int(p, "lifecycle", g->state.lifecycle, w->state.lifecycle);
	same_int(p, "deleted", g->deleted, w->deleted);
	same_int(p, "last_stop", g->last_stop, w->last_stop);
	same_str(p, "turn", g->turn, w->turn);
	same_int(p, "turn_seq", g->turn_seq, w->turn_seq);
	same_int(p, "attempt", g->attempt, w->attempt);
	same_str(p, "title", g->title, w->title);
	same_int(p, "title_source", g->title_source, w->title_source);
	same_str(p, "fallback_title", g->fallback_title, w->fallback_title);
	same_str(p, "preview", str_of(g->preview), str_of(w->preview));
	same_counters(p, &g->counters, &w->counters);
}

static void
same_input(const struct place *p, const struct input_row *g, const struct input_row *w)
{
	same_str(p, "id", g->id, w->id);
	same_int(p, "seq", g->seq, w->seq);
	same_int(p, "kind", g->kind, w->kind);
	same_int(p, "class", g->meta.class, w->meta.class);
	same_int(p, "busy", g->meta.busy, w->meta.busy);
	same_str(p, "sender", g->meta.sender, w->meta.sender);
	same_str(p, "route", g->meta.route, w->meta.route);
	same_str(p, "bound_to", g->meta.bound_to, w->meta.bound_to);
	same_str(p, "group", g->meta.group, w->meta.group);
	same_int(p, "media", g->meta.media, w->meta.media);
	same_int(p, "due_at", g->meta.due_at_ms, w->meta.due_at_ms);
	same_int(p, "created_at", g->created_at_ms, w->created_at_ms);
	same_int(p, "processed_at", g->processed_at_ms, w->processed_at_ms);
	same_int(p, "content_seq", g->content_seq, w->content_seq);
	same_int(p, "cancelled", g->cancelled, w->cancelled);
}

static void
same_call(const struct place *p, const struct call_row *g, const struct call_row *w)
{
	same_str(p, "id", g->id, w->id);
	same_int(p, "seq", g->seq, w->seq);
	same_int(p, "kind", g->kind, w->kind);
	same_int(p, "state", g->state, w->state);
	same_int(p, "client_side", g->client_side, w->client_side);
	same_str(p, "answer_id", g->answer_id, w->answer_id);
	same_int(p, "closed_seq", g->closed_seq, w->closed_seq);
}

static void
same_item(const struct place *p, const struct item_row *g, const struct item_row *w)
{
	same_int(p, "seq", g->seq, w->seq);
	same_int(p, "content_seq", g->content_seq, w->content_seq);
	same_int(p, "at_seq", g->at_seq, w->at_seq);
	same_int(p, "at_index", g->at_index, w->at_index);
	same_int(p, "role", g->role, w->role);
	same_int(p, "rewound", g->rewound, w->rewound);
	same_int(p, "archived_by", g->archived_by_seq, w->archived_by_seq);
	same_int(p, "depth", g->depth, w->depth);
}

static void
compare_row(struct rig *r, const struct model *m, const char *what)
{
	struct place p = { what, "session row", 0 };
	struct rows got = { 0 };

	rig_list(r, STORE_GET_SESSION, m->session.ptr, &got);
	same_int(&p, "count", (int64_t)got.sessions.len, m->events.len > 0);
	if (got.sessions.len > 0) {
		same_session(&p, &got.sessions.ptr[0].row, replay_session(m->replay));
		same_str(&p, "metadata", got.sessions.ptr[0].metadata, replay_metadata(m->replay));
	}
	rows_release(&got);
}

/* The log itself, with the instants at which its inputs were processed. */
/* In the queue: behind the open turn and the triggers that came before. */
static int64_t
position_of(const struct model *m, const struct input_row *own)
{
	size_t count;
	const struct input_row *in = replay_inputs(m->replay, &count);
	int64_t ahead = replay_session(m->replay)->state.phase != TURN_NONE;

	if (!own || own->processed_at_ms != 0 || own->meta.class != INPUT_TRIGGER)
		return 0;
	for (size_t i = 0; i < count && in[i].seq < own->seq; i++)
		ahead += in[i].meta.class == INPUT_TRIGGER && in[i].processed_at_ms == 0;
	return ahead;
}

static void
compare_events(struct rig *r, const struct model *m, const char *what)
{
	struct place p = { what, "event", 0 };
	struct rows got = { 0 };
	struct replay *chain = replay_new();

	rig_list(r, STORE_LIST_EVENTS, m->session.ptr, &got);
	same_int(&p, "count", (int64_t)got.events.len, (int64_t)m->events.len);
	for (; p.at < got.events.len; p.at++) {
		const struct store_event *g = &got.events.ptr[p.at];
		const struct event *w = &m->events.ptr[p.at];
		const struct input_row *in = replay_input_find(m->replay, w->id);

		IGNORE(replay_apply(chain, w, NULL)); /* it did once */
		same_event(&p, &g->ev, w);
		same_str(&p, "session", g->session, m->session);
		same_hash(&p, &g->hash, &replay_session(chain)->head_hash);
		same_int(&p, "processed_at", g->processed_at_ms,
			 in ? in->processed_at_ms : w->created_at_ms);
		same_int(&p, "position", g->position, position_of(m, in));
	}
	replay_free(&chain);
	rows_release(&got);
}

static void
compare_pending(struct rig *r, const struct model *m, const char *what)
{
	struct place p = { what, "pending input", 0 };
	struct rows got = { 0 };
	size_t count;
	const struct input_row *in = replay_inputs(m->replay, &count);

	rig_list(r, STORE_LIST_PENDING, m->session.ptr, &got);
	for (size_t i = 0; i < count; i++) {
		if (in[i].processed_at_ms != 0)
			continue;
		if (p.at < got.inputs.len)
			same_input(&p, &got.inputs.ptr[p.at], &in[i]);
		p.at++;
	}
	same_int(&p, "count", (int64_t)got.inputs.len, (int64_t)p.at);
	rows_release(&got);
}

static void
compare_calls(struct rig *r, const struct model *m, const char *what)
{
	struct place p = { what, "call", 0 };
	struct rows got = { 0 };
	size_t count;
	const struct call_row *calls = replay_calls(m->replay, &count);

	rig_list(r, STORE_LIST_CALLS, m->session.ptr, &got);
	same_int(&p, "count", (int64_t)got.calls.len, (int64_t)count);
	for (; p.at < count; p.at++)
		same_call(&p, &got.calls.ptr[p.at], &calls[p.at]);
	rows_release(&got);
}

/* What has no place yet is only queue. */
static void
compare_items(struct rig *r, const struct model *m, const char *what)
{
	struct place p = { what, "transcript entry", 0 };
	struct rows got = { 0 };
	size_t count;
	const struct item_row *items = replay_items(m->replay, &count);

	while (count > 0 && items[count - 1].at_seq == 0)
		count--;
	rig_list(r, STORE_LIST_ITEMS, m->session.ptr, &got);
	same_int(&p, "count", (int64_t)got.items.len, (int64_t)count);
	for (; p.at < count; p.at++) {
		const struct store_item_row *g = &got.items.ptr[p.at];

		same_item(&p, &g->item, &items[p.at]);
		if (items[p.at].depth > 0)
			continue; /* of another log: part_fork looks at the texts */
		same_event(&p, &g->ev, &m->events.ptr[items[p.at].seq - 1]);
		same_event(&p, &g->content, &m->events.ptr[items[p.at].content_seq - 1]);
		if (items[p.at].role == ITEM_USER)
			same_str(&p, "turn", g->at_turn,
				 m->events.ptr[items[p.at].at_seq - 1].turn);
	}
	rows_release(&got);
}

void
compare_session(struct rig *r, struct str session, const char *what)
{
	const struct model *m = rig_model(r, arena_str(&r->arena, session).ptr);

	compare_row(r, m, what);
	compare_events(r, m, what);
	compare_pending(r, m, what);
	compare_calls(r, m, what);
	compare_items(r, m, what);
}
