#include "rows.h"

struct event
rows_keep_event(struct arena *a, const struct event *ev)
{
	struct event kept = *ev;

	kept.id = arena_str(a, ev->id);
	kept.turn = arena_str(a, ev->turn);
	kept.meta = arena_str(a, ev->meta);
	kept.payload = arena_str(a, ev->payload);
	return kept;
}

static void
take_session(struct rows *out, const struct store_session *from)
{
	struct arena *a = &out->arena;
	struct store_session s = *from;

	s.id = arena_str(a, s.id);
	s.agent_id = arena_str(a, s.agent_id);
	s.environment_id = arena_str(a, s.environment_id);
	s.workspace_id = arena_str(a, s.workspace_id);
	s.lane_key = arena_str(a, s.lane_key);
	s.parent_id = arena_str(a, s.parent_id);
	s.previous_id = arena_str(a, s.previous_id);
	s.source = arena_str(a, s.source);
	s.metadata = arena_str(a, s.metadata);
	s.row.turn = arena_str(a, s.row.turn);
	s.row.title = arena_str(a, s.row.title);
	s.row.fallback_title = arena_str(a, s.row.fallback_title);
	*vec_push(&out->sessions) = s;
}

static void
take_input(struct rows *out, const struct input_row *from)
{
	struct input_row in = *from;

	in.id = arena_str(&out->arena, in.id);
	in.meta.sender = arena_str(&out->arena, in.meta.sender);
	in.meta.route = arena_str(&out->arena, in.meta.route);
	in.meta.bound_to = arena_str(&out->arena, in.meta.bound_to);
	in.meta.group = arena_str(&out->arena, in.meta.group);
	*vec_push(&out->inputs) = in;
}

static void
take_record(struct rows *out, const struct store_record *from)
{
	struct store_record rec = *from;

	rec.kind = arena_str(&out->arena, rec.kind);
	rec.id = arena_str(&out->arena, rec.id);
	rec.owner = arena_str(&out->arena, rec.owner);
	rec.body = arena_str(&out->arena, rec.body);
	*vec_push(&out->records) = rec;
}

static void
take_key(struct rows *out, const struct store_key *from)
{
	struct store_key key = *from;

	key.scope = arena_str(&out->arena, key.scope);
	key.name = arena_str(&out->arena, key.name);
	key.answer = arena_str(&out->arena, key.answer);
	*vec_push(&out->keys) = key;
}

static void
take_call(struct rows *out, const struct call_row *from)
{
	struct call_row call = *from;

	call.id = arena_str(&out->arena, call.id);
	call.answer_id = arena_str(&out->arena, call.answer_id);
	*vec_push(&out->calls) = call;
}

static void
take_item(struct rows *out, const struct store_item_row *from)
{
	*vec_push(&out->items) = (struct store_item_row){
		.item = from->item,
		.ev = rows_keep_event(&out->arena, &from->ev),
		.content = rows_keep_event(&out->arena, &from->content),
		.at_turn = arena_str(&out->arena, from->at_turn),
	};
}

static void
take_event(struct rows *out, const struct store_event *from)
{
	struct store_event ev = *from;

	ev.session = arena_str(&out->arena, ev.session);
	ev.ev = rows_keep_event(&out->arena, &ev.ev);
	*vec_push(&out->events) = ev;
}

static size_t
rows_count(const struct rows *out)
{
	return out->sessions.len + out->events.len + out->inputs.len + out->calls.len +
	       out->items.len + out->records.len + out->keys.len;
}

bool
rows_take(void *ctx, const struct store_row *row)
{
	struct rows *out = ctx;

	if (row->session)
		take_session(out, row->session);
	if (row->event)
		take_event(out, row->event);
	if (row->input)
		take_input(out, row->input);
	if (row->call)
		take_call(out, row->call);
	if (row->item)
		take_item(out, row->item);
	if (row->record)
		take_record(out, row->record);
	if (row->key)
		take_key(out, row->key);
	return out->stop_after == 0 || rows_count(out) < out->stop_after;
}

void
rows_release(struct rows *rows)
{
	vec_release(&rows->sessions);
	vec_release(&rows->events);
	vec_release(&rows->inputs);
	vec_release(&rows->calls);
	vec_release(&rows->items);
	vec_release(&rows->records);
	vec_release(&rows->keys);
	arena_release(&rows->arena);
}
