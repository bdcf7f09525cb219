/* replay_item - the transcript part of a replay: who stands where, what was rewound or summarised. */
#include "core/replay_private.h"

void
replay_item_add(struct replay *r, const struct replay_step *s, enum item_role role)
{
	*vec_push(&r->items) = (struct item_row){
		.seq = s->ev->seq,
		.content_seq = s->ev->seq,
		.role = role,
	};
	*vec_push(&r->item_ids) = s->id;
	map_put(&r->item_by_id, s->id, (void *)(uintptr_t)r->items.len);
}

static struct item_row *
item_find(struct replay *r, struct str id)
{
	size_t at = (size_t)(uintptr_t)map_find(&r->item_by_id, id);

	return at ? &r->items.ptr[at - 1] : NULL;
}

void
replay_item_place(struct replay *r, struct str id, int64_t at_seq, int32_t at_index)
{
	struct item_row *item = item_find(r, id);

	if (!item)
		return; /* interrupts and confirmations are no part of the transcript */
	item->at_seq = at_seq;
	item->at_index = at_index;
}

void
replay_item_edited(struct replay *r, struct str id, int64_t content_seq)
{
	struct item_row *item = item_find(r, id);

	if (item)
		item->content_seq = content_seq;
}

/* Unplaced entries come last, in seq order; what is inherited comes before what is not, a summary before
 * what shares its place, one at the top before everything. */
static int
compare_places(const struct item_row *a, const struct item_row *b)
{
	int64_t a_seq = a->at_seq ? a->at_seq : INT64_MAX;
	int64_t b_seq = b->at_seq ? b->at_seq : INT64_MAX;

	if ((a_seq == ITEM_TOP_SEQ) != (b_seq == ITEM_TOP_SEQ))
		return a_seq == ITEM_TOP_SEQ ? -1 : 1;
	if (a->depth != b->depth)
		return a->depth > b->depth ? -1 : 1;
	if (a_seq != b_seq)
		return a_seq < b_seq ? -1 : 1;
	if (a->at_index != b->at_index)
		return a->at_index < b->at_index ? -1 : 1;
	if ((a->role == ITEM_SUMMARY) != (b->role == ITEM_SUMMARY))
		return a->role == ITEM_SUMMARY ? -1 : 1;
	return (a->seq > b->seq) - (a->seq < b->seq);
}

static bool
in_view(const struct item_row *item)
{
	return item->at_seq != 0 && !item->rewound && item->archived_by_seq == 0;
}

/* Two logs may use the same id: the one that is shown is meant, this log's own first. */
static struct item_row *
find_shown(struct replay *r, struct str id)
{
	struct item_row *own = item_find(r, id);
	size_t at = (size_t)(uintptr_t)map_find(&r->inherited_by_id, id);

	return at && (!own || !in_view(own)) ? &r->items.ptr[at - 1] : own;
}

int
replay_item_rewind(struct replay *r, const struct replay_step *s, struct err *e)
{
	struct item_row *target = find_shown(r, replay_text(r, s, "target_id"));
	struct item_row inherited = { .at_seq = INT64_MAX, .role = ITEM_USER, .depth = 1 };

	if (r->session.state.phase != TURN_NONE)
		return replay_corrupt(s, e, "rewound while a turn is open");
	if (!target && r->believes)
		target = &inherited;
	if (!target || !in_view(target) || target->role != ITEM_USER)
		return replay_corrupt(s, e, "the rewind's target is no user message in view");
	for (size_t i = 0; i < r->items.len; i++) {
		struct item_row *item = &r->items.ptr[i];
		if (item != target && in_view(item) && compare_places(item, target) > 0)
			item->rewound = true;
	}
	target->rewound = true;
	return 0;
}

static int
undo_compaction(struct replay *r, const struct replay_step *s, struct str undoes, struct err *e)
{
	struct item_row *summary = item_find(r, undoes);

	if (!summary || summary->role != ITEM_SUMMARY || !in_view(summary))
		return replay_corrupt(s, e, "undoes a compaction that is not in effect");
	for (size_t i = 0; i < r->items.len; i++)
		if (r->items.ptr[i].archived_by_seq == summary->seq)
			r->items.ptr[i].archived_by_seq = 0;
	summary->archived_by_seq = s->ev->seq;
	return 0;
}

/* Everything in view before the first kept entry is archived; the summary stands in its place. */
int
replay_item_compact(struct replay *r, const struct replay_step *s, struct err *e)
{
	struct str undoes = replay_text(r, s, "undoes_id");
	struct str kept_id = replay_text(r, s, "kept_from_id");
	const struct item_row *kept;
	struct item_row edge = { .at_seq = s->ev->seq, .seq = s->ev->seq };
	struct item_row inherited = { .at_seq = ITEM_TOP_SEQ + 1, .role = ITEM_USER, .depth = 1 };

	if (undoes.len > 0)
		return undo_compaction(r, s, undoes, e);
	if (kept_id.len > 0) {
		kept = find_shown(r, kept_id);
		if (!kept && r->believes)
			kept = &inherited;
		if (!kept || !in_view(kept) || kept->role == ITEM_SUMMARY)
			return replay_corrupt(s, e, "the first kept message is not in view");
		edge = *kept;
	}
	for (size_t i = 0; i < r->items.len; i++) {
		struct item_row *item = &r->items.ptr[i];
		if (in_view(item) && compare_places(item, &edge) < 0)
			item->archived_by_seq = s->ev->seq;
	}
	replay_item_add(r, s, ITEM_SUMMARY);
	if (edge.depth > 0)
		replay_item_place(r, s->id, ITEM_TOP_SEQ, 0);
	else
		replay_item_place(r, s->id, edge.at_seq, edge.at_index);
	return 0;
}

void
replay_inherit(struct replay *r, struct replay *parent)
{
	r->parent = parent;
}

/* Of the parent as it is now, which is as it was at that seq. */
static void
take_view(struct replay *r, const struct replay *parent)
{
	for (size_t i = 0; i < parent->items.len; i++) {
		struct str id = arena_str(&r->kept, parent->item_ids.ptr[i]);

		if (!in_view(&parent->items.ptr[i]))
			continue;
		*vec_push(&r->item_ids) = id;
		*vec_push(&r->items) = parent->items.ptr[i];
		r->items.ptr[r->items.len - 1].depth++;
		map_put(&r->inherited_by_id, id, (void *)(uintptr_t)r->items.len);
	}
}

int
replay_item_fork(struct replay *r, const struct replay_step *s, struct err *e)
{
	struct replay *parent = r->parent;
	int64_t at_seq = 0;
	struct json v;

	r->parent = NULL;
	if (s->ev->seq != 2)
		return replay_corrupt(s, e, "a session is forked right after it is created");
	if (json_find(s->payload, STR("at_seq"), &v))
		json_int(v, &at_seq);
	if (!parent) {
		r->believes = true;
		return 0;
	}
	if (parent->session.head_seq != at_seq)
		return replay_corrupt(s, e, "forked at seq %lld, which its parent does not have",
				      (long long)at_seq);
	r->believes = parent->believes;
	take_view(r, parent);
	return 0;
}

static int
compare_for_sort(const void *a, const void *b)
{
	return compare_places(a, b);
}

const struct item_row *
replay_items(struct replay *r, size_t *count)
{
	struct item_row *sorted;

	*count = r->items.len;
	sorted = ARENA_ARRAY(&r->scratch, r->items.len + 1, struct item_row);
	if (r->items.len > 0)
		memcpy(sorted, r->items.ptr, r->items.len * sizeof *sorted);
	qsort(sorted, r->items.len, sizeof *sorted, compare_for_sort);
	return sorted;
}
