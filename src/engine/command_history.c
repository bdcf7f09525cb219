/* command_history - /undo, /retry: what was said last is taken back. The log keeps it; the transcript and
 * the model's view do not show it any more. */
#include "base/vec.h"
#include "core/event_make.h"
#include "engine/command.h"
#include "engine/ingress.h"

enum { PAGE_ROWS = 200 };

/* A message that began, or came into, a turn. */
struct said {
	struct str id, payload, content; /* content: JSON array as it was last edited */
	struct input_meta meta;
	enum event_kind kind;
};

struct rewind {
	struct command *c;
	int64_t wanted, found;             /* turns */
	int64_t group;                     /* place of those that share the turn at hand */
	int64_t messages, messages_behind; /* seen so far; behind the target, itself included */
	bool full;
	struct item_row last;
	VEC(struct said) said; /* of the turn at hand, the last first */
};

static void
rewind_fail(struct rewind *r, int rc, const struct err *err)
{
	vec_release(&r->said);
	command_fail(r->c, rc, err);
}

static struct str
content_of(struct arena *a, struct str payload)
{
	struct json_doc doc;
	struct json v;

	if (json_parse(a, payload, &EVENT_PAYLOAD_LIMITS, &doc, NULL) != 0 ||
	    !json_find(json_root(&doc), STR("content"), &v))
		return STR("[]");
	return json_raw(v);
}

static struct str
text_of(struct arena *a, struct str content)
{
	struct json_doc doc;
	struct json v;
	struct buf out;
	struct str text;

	if (json_parse(a, content, &EVENT_PAYLOAD_LIMITS, &doc, NULL) != 0)
		return (struct str){ 0 };
	buf_init(&out, STORE_PAYLOAD_MAX);
	for (struct json_iter it = json_iter(json_root(&doc)); json_next(&it);)
		if (json_find(it.value, STR("text"), &v)) {
			if (out.len > 0)
				buf_putc(&out, '\n');
			buf_put_str(&out, json_str(v, a));
		}
	text = arena_str(a, buf_str(&out));
	buf_release(&out);
	return text;
}

static bool
read_meta(struct arena *a, const struct event *ev, struct input_meta *out)
{
	struct json_doc doc;

	return json_parse(a, arena_str(a, ev->meta), &JSON_LIMITS_DEFAULT, &doc, NULL) == 0 &&
	       input_meta_read(json_root(&doc), a, out, NULL) == 0;
}

static void
take_said(struct rewind *r, const struct store_item_row *row, const struct input_meta *meta)
{
	struct arena *a = &r->c->arena;

	*vec_push(&r->said) = (struct said){
		.id = arena_str(a, row->ev.id),
		.payload = arena_str(a, row->ev.payload),
		.content = content_of(a, arena_str(a, row->content.payload)),
		.meta = *meta,
		.kind = row->ev.kind,
	};
}

/* From the end of the transcript: the messages that share a place were answered together. */
static bool
on_item(void *ctx, const struct store_row *row)
{
	struct rewind *r = ctx;
	const struct store_item_row *item = row->item;
	struct input_meta meta;

	r->last = item->item;
	if (item->item.role == ITEM_SUMMARY)
		return true;
	if (item->ev.kind == EVENT_USER_MESSAGE || item->ev.kind == EVENT_AGENT_MESSAGE)
		r->messages++;
	if (item->item.role != ITEM_USER || !read_meta(&r->c->arena, &item->ev, &meta) ||
	    meta.class != INPUT_TRIGGER)
		return true;
	if (r->found == 0 || item->item.at_seq != r->group) {
		if (r->found == r->wanted) {
			r->full = true;
			return false;
		}
		r->found++;
		r->group = item->item.at_seq;
		r->said.len = 0;
	}
	r->messages_behind = r->messages;
	take_said(r, item, &meta);
	return true;
}

/* ---- what is written ---- */

static struct commit *
rewind_commit(struct rewind *r)
{
	struct command *c = r->c;
	const struct session_row *row = &c->row.row;
	struct commit *commit = commit_new(c->en, c->session);
	struct store_require *need = commit_require(commit);
	struct buf payload;

	need->lifecycles = 1u << row->state.lifecycle;
	need->idle = true;
	need->has_head = true; /* what was counted is what is taken back */
	need->head_seq = row->head_seq;
	if (c->line.command->id == CHAT_RETRY && row->state.lifecycle == LIFECYCLE_INACTIVE) {
		buf_init(&payload, STORE_INLINE_MAX);
		event_make_lifecycle(&payload, LIFECYCLE_ACTIVE, STR("message"));
		commit_append_made(commit, EVENT_SESSION_UPDATED, STR(""), &payload);
	}
	buf_init(&payload, STORE_INLINE_MAX);
	event_make_rewound(&payload, r->said.ptr[r->said.len - 1].id, r->found);
	commit_append_made(commit, EVENT_SESSION_REWOUND, STR(""), &payload);
	return commit;
}

static void
write_counts(struct rewind *r, struct jw *w)
{
	const struct said *target = &r->said.ptr[r->said.len - 1];

	jw_field_int(w, "turns_undone", r->found);
	jw_field_int(w, "messages_undone", r->messages_behind);
	jw_field_str(w, "target_id", target->id);
	jw_field_str(w, "target_text", text_of(&r->c->arena, target->content));
}

static void
undo(struct rewind *r)
{
	struct command *c = r->c;
	struct commit *commit = rewind_commit(r);
	struct str said =
		arena_printf(&c->arena, "took %lld turn%s back (%lld message%s)",
			     (long long)r->found, r->found == 1 ? "" : "s",
			     (long long)r->messages_behind, r->messages_behind == 1 ? "" : "s");
	struct jw w;

	jw_init(&w, &c->data);
	jw_object(&w);
	write_counts(r, &w);
	jw_end_object(&w);
	vec_release(&r->said);
	command_submit(c, commit, said);
}

/* The payload as it came, with the content as it was last edited and without the sender's id for it:
 * that names the first one. */
static struct str
payload_again(struct arena *a, const struct said *s)
{
	struct json_doc doc;
	struct buf out;
	struct str text;
	struct jw w;

	if (json_parse(a, s->payload, &EVENT_PAYLOAD_LIMITS, &doc, NULL) != 0)
		return s->payload;
	buf_init(&out, STORE_PAYLOAD_MAX);
	jw_init(&w, &out);
	jw_object(&w);
	for (struct json_iter it = json_iter(json_root(&doc)); json_next(&it);) {
		if (json_str_eq(it.key, STR("message_id")))
			continue;
		jw_key(&w, json_str(it.key, a));
		jw_raw(&w, json_str_eq(it.key, STR("content")) ? s->content : json_raw(it.value));
	}
	jw_end_object(&w);
	text = arena_str(a, buf_str(&out));
	buf_release(&out);
	return text;
}

static void
retry(struct rewind *r)
{
	struct command *c = r->c;
	struct commit *commit = rewind_commit(r);
	struct str group = { 0 }, id = { 0 };
	struct jw w;

	if (r->said.len > 1)
		group = engine_make_id(c->en, &c->arena, "grp");
	for (size_t i = r->said.len; i-- > 0;) {
		struct said *s = &r->said.ptr[i];
		struct input_meta meta = { .class = INPUT_TRIGGER,
					   .sender = s->meta.sender,
					   .route = s->meta.route,
					   .group = group,
					   .model = s->meta.model,
					   .media = s->meta.media };

		id = commit_append(commit, &(struct commit_event){
						   .kind = EVENT_USER_MESSAGE,
						   .author = AUTHOR_USER,
						   .meta = ingress_meta(c->en, &c->arena, &meta),
						   .payload = payload_again(&c->arena, s),
					   });
	}
	jw_init(&w, &c->data);
	jw_object(&w);
	jw_field_str(&w, "event_id", id);
	write_counts(r, &w);
	jw_end_object(&w);
	vec_release(&r->said);
	c->wakes = true;
	command_submit(c, commit, STR("asked again"));
}

/* ---- what is there to take back? ---- */

static bool
can_ask_again(const struct rewind *r)
{
	for (size_t i = 0; i < r->said.len; i++)
		if (r->said.ptr[i].kind != EVENT_USER_MESSAGE)
			return false;
	return true;
}

static void read_items(struct rewind *r);

static void
on_items(void *ctx, int rc, bool more, const struct err *err)
{
	struct rewind *r = ctx;
	bool again = r->c->line.command->id == CHAT_RETRY;
	struct err e;

	if (rc != 0) {
		rewind_fail(r, rc, err);
	} else if (more && !r->full) {
		read_items(r);
	} else if (r->found == 0) {
		rewind_fail(
			r,
			err_set(&e, ERR_CONFLICT, "there is nothing to take back in this session"),
			&e);
	} else if (again && !can_ask_again(r)) {
		rewind_fail(
			r,
			err_set(&e, ERR_CONFLICT,
				"the last turn was not begun by a message: /undo takes it back"),
			&e);
	} else if (again) {
		retry(r);
	} else {
		undo(r);
	}
}

static void
read_items(struct rewind *r)
{
	store_read(r->c->en->store,
		   &(struct store_query){ .kind = STORE_LIST_ITEMS,
					  .session = r->c->session,
					  .descending = true,
					  .after_item = r->last,
					  .limit = PAGE_ROWS },
		   on_item, on_items, r);
}

static void
start(struct command *c, int64_t turns)
{
	struct rewind *r = ARENA_NEW(&c->arena, struct rewind);
	struct err e;

	if (c->row.row.state.phase != TURN_NONE) {
		command_fail(c,
			     err_set(&e, ERR_CONFLICT,
				     "the session is busy: wait for the answer, or /stop it first"),
			     &e);
		return;
	}
	if (c->row.row.state.lifecycle == LIFECYCLE_ARCHIVED ||
	    c->row.row.state.lifecycle == LIFECYCLE_TERMINATED) {
		command_fail(c,
			     err_set(&e, ERR_CONFLICT, "the session is %s",
				     lifecycle_name(c->row.row.state.lifecycle)),
			     &e);
		return;
	}
	r->c = c;
	r->wanted = turns;
	read_items(r);
}

void
command_history_undo(struct command *c)
{
	if (c->line.flag)
		command_reset_undo(c);
	else
		start(c, c->line.count > 0 ? c->line.count : 1);
}

void
command_history_retry(struct command *c)
{
	start(c, 1);
}
