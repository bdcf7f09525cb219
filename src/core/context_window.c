#include "core/context_window.h"

#include "base/buf.h"
#include "base/json.h"
#include "base/map.h"
#include "core/call_state.h"
#include "core/compact_policy.h"
#include "core/context_text.h"
#include "core/input.h"
#include "core/prune_policy.h"
#include "core/result_view.h"
#include "core/token_estimate.h"

const struct str CONTEXT_UNANSWERED = STR("[The turn above ended without an answer.]");

static const size_t TEXT_BYTES_MAX = 64u << 20; /* an event is no larger */

void
context_window_init(struct context_window *w, struct arena *kept, bool shared)
{
	*w = (struct context_window){ .kept = kept, .shared = shared };
	arena_init(&w->scratch);
}

void
context_window_release(struct context_window *w)
{
	arena_release(&w->scratch);
	vec_release(&w->entries);
}

/* ---- one entry ---- */

static struct json
parse(struct context_window *w, struct str payload)
{
	struct json_doc *doc = ARENA_NEW(&w->scratch, struct json_doc);

	if (json_parse(&w->scratch, payload, &EVENT_PAYLOAD_LIMITS, doc, NULL) != 0)
		return (struct json){ 0 };
	return json_root(doc);
}

static struct json
field(struct json v, const char *name)
{
	struct json out = { 0 };

	if (json_is_set(v))
		IGNORE(json_find(v, str_of(name), &out)); /* absent stays absent */
	return out;
}

static struct str
text_field(struct context_window *w, struct json v, const char *name)
{
	struct json value = field(v, name);

	return json_is_set(value) ? json_str(value, &w->scratch) : (struct str){ 0 };
}

static void
new_line(struct buf *out)
{
	if (out->len > 0)
		buf_putc(out, '\n');
}

static void
keep_image(struct context_window *w, struct context_entry *entry, struct message_image image)
{
	size_t n = entry->images, size = sizeof *entry->image_list;

	if (n == 0)
		entry->image_list = ARENA_NEW(w->kept, struct message_image);
	else if ((n & (n - 1)) == 0) /* full: room for twice as many */
		entry->image_list =
			arena_resize(w->kept, entry->image_list, n * size, 2 * n * size);
	entry->image_list[entry->images++] = (struct message_image){
		.media_type = arena_str(w->kept, image.media_type),
		.data = arena_str(w->kept, image.data),
		.url = arena_str(w->kept, image.url),
	};
}

/* One that is only named cannot be shown: its name stands in the text. */
static void
put_image(struct context_window *w, struct json source, struct context_entry *entry,
	  struct buf *out)
{
	struct message_image image = {
		.media_type = text_field(w, source, "media_type"),
		.data = text_field(w, source, "data"),
		.url = text_field(w, source, "url"),
	};

	if (image.data.len > 0 || image.url.len > 0) {
		keep_image(w, entry, image);
		return;
	}
	new_line(out);
	buf_printf(out, "[image: %.*s]", STR_ARG(text_field(w, source, "file_id")));
}

static void
put_block(struct context_window *w, struct json block, struct context_entry *entry, struct buf *out)
{
	struct str type = text_field(w, block, "type");
	struct str title = text_field(w, block, "title");

	if (str_eq(type, STR("text"))) {
		new_line(out);
		buf_put_str(out, text_field(w, block, "text"));
	} else if (str_eq(type, STR("image"))) {
		put_image(w, field(block, "source"), entry, out);
	} else if (str_eq(type, STR("document"))) {
		new_line(out);
		buf_printf(out, "[document: %.*s]",
			   STR_ARG(title.len > 0 ? title : STR("untitled")));
	}
}

static void
put_blocks(struct context_window *w, struct json blocks, struct context_entry *entry,
	   struct buf *out)
{
	if (!json_is_set(blocks))
		return;
	for (struct json_iter it = json_iter(blocks); json_next(&it);)
		put_block(w, it.value, entry, out);
}

static void
put_attachments(struct context_window *w, struct json list, struct buf *out)
{
	if (!json_is_set(list))
		return;
	for (struct json_iter it = json_iter(list); json_next(&it);) {
		struct str name = text_field(w, it.value, "name");
		struct str where = text_field(w, it.value, "path");

		if (where.len == 0)
			where = text_field(w, it.value, "file_id");
		new_line(out);
		buf_printf(out, "[attachment: %.*s]", STR_ARG(where));
		if (name.len > 0)
			buf_printf(out, " %.*s", STR_ARG(name));
	}
}

static struct str
poster_of(struct context_window *w, const struct event *ev)
{
	struct json meta = parse(w, ev->meta);

	return text_field(w, meta, "sender");
}

static void
put_sender(struct context_window *w, const struct event *ev, struct json payload, struct buf *out)
{
	struct json sender = field(payload, "sender");
	struct source who = {
		.platform = text_field(w, sender, "channel"),
		.user_id = text_field(w, sender, "channel_user_id"),
		.user_name = text_field(w, sender, "display_name"),
	};

	if (w->shared && who.user_id.len == 0 && who.user_name.len == 0)
		who.user_id = poster_of(w, ev); /* nobody else spoke through their token */
	if (w->shared)
		context_sender_prefix(&who, w->redact, out);
}

static void
put_outcome(struct context_window *w, struct json payload, struct buf *out)
{
	struct json rubric = field(payload, "rubric");

	buf_printf(out, "The outcome to reach: %.*s",
		   STR_ARG(text_field(w, payload, "description")));
	if (text_field(w, rubric, "content").len > 0)
		buf_printf(out, "\nIt is judged by: %.*s",
			   STR_ARG(text_field(w, rubric, "content")));
}

static bool
is_trigger(struct context_window *w, const struct event *ev)
{
	struct json meta = parse(w, ev->meta);
	struct input_meta in = { .class = INPUT_PASSIVE };

	if (json_is_set(meta))
		IGNORE(input_meta_read(meta, &w->scratch, &in,
				       NULL)); /* else it asks for nothing */
	return in.class == INPUT_TRIGGER;
}

static void
read_user(struct context_window *w, const struct event *ev, const struct event *content,
	  struct context_entry *entry, struct buf *out)
{
	struct json payload = parse(w, ev->payload);
	struct json body = content->seq == ev->seq ? payload : parse(w, content->payload);

	if (ev->kind == EVENT_USER_DEFINE_OUTCOME) {
		put_outcome(w, payload, out);
		return;
	}
	if (ev->kind == EVENT_USER_MESSAGE)
		put_sender(w, ev, payload, out);
	if (out->len > 0) { /* the name stands on the first line of what was said */
		struct buf said;
		buf_init(&said, TEXT_BYTES_MAX);
		put_blocks(w, field(body, "content"), entry, &said);
		buf_put_str(out, buf_str(&said));
		buf_release(&said);
	} else {
		put_blocks(w, field(body, "content"), entry, out);
	}
	put_attachments(w, field(payload, "attachments"), out);
}

static void
read_call(struct context_window *w, const struct event *ev, struct context_entry *entry)
{
	struct json payload = parse(w, ev->payload);
	struct json input = field(payload, "input");

	entry->call_id = arena_str(w->kept, ev->id);
	entry->name = arena_str(w->kept, text_field(w, payload, "name"));
	entry->arguments = json_is_set(input) ? arena_str(w->kept, json_raw(input)) : STR("{}");
	entry->provider_id = arena_str(w->kept, text_field(w, payload, "provider_call_id"));
}

static bool
is_call(enum event_kind kind)
{
	return kind == EVENT_AGENT_TOOL_USE || kind == EVENT_AGENT_CUSTOM_TOOL_USE ||
	       kind == EVENT_AGENT_MCP_TOOL_USE;
}

static void
keep_thought(struct context_window *w, const struct event *ev)
{
	struct json data;

	arena_reset(&w->scratch);
	data = field(parse(w, ev->payload), "provider_data");
	w->thought = json_is_set(data) ? arena_str(w->kept, json_raw(data)) : (struct str){ 0 };
	w->thought_turn = arena_str(w->kept, ev->turn);
}

/* It belongs to what comes next, and to nothing else. */
static struct str
take_thought(struct context_window *w, enum item_role role, struct str turn)
{
	bool led_here = role == ITEM_ASSISTANT && str_eq(w->thought_turn, turn);
	struct str thought = led_here ? w->thought : (struct str){ 0 };

	w->thought = (struct str){ 0 };
	return thought;
}

void
context_window_add(struct context_window *w, const struct item_row *item, const struct event *ev,
		   const struct event *content, struct str turn)
{
	struct context_entry entry = { .role = item->role, .at_seq = item->at_seq };
	struct json payload;
	struct buf text;

	if (ev->kind == EVENT_AGENT_THINKING) {
		keep_thought(w, ev);
		return;
	}
	arena_reset(&w->scratch);
	buf_init(&text, TEXT_BYTES_MAX);
	entry.turn = arena_str(w->kept, item->role == ITEM_USER ? turn : ev->turn);
	entry.reasoning = take_thought(w, item->role, entry.turn);
	if (is_call(ev->kind)) {
		read_call(w, ev, &entry);
	} else if (item->role == ITEM_USER) {
		read_user(w, ev, content, &entry, &text);
		entry.trigger = is_trigger(w, ev);
	} else {
		payload = parse(w, ev->payload);
		put_blocks(w, field(payload, "content"), &entry, &text);
		entry.interrupted = json_type(field(payload, "interrupted")) == JSON_TRUE;
		if (item->role == ITEM_TOOL)
			entry.answers = arena_str(
				w->kept, text_field(w, payload, call_state_field(ev->kind)));
		if (item->role == ITEM_SUMMARY)
			buf_put_str(&text, text_field(w, payload, "summary"));
	}
	entry.text =
		item->role == ITEM_TOOL ? result_view(buf_str(&text), &w->scratch) : buf_str(&text);
	entry.text = arena_str(w->kept, entry.text);
	buf_release(&text);
	*vec_push(&w->entries) = entry;
}

/* ---- messages ---- */

struct making {
	struct context_window *w;
	struct map results; /* call's event id -> its result's entry */
	struct map ids;     /* what calls are named by, so that no name is used twice */
	VEC(struct message) messages;
	const struct context_entry
		*asked; /* the last that asks for an answer; NULL: it was given */
};

static void
say(struct making *k, enum message_role role, const struct context_entry *e)
{
	*vec_push(&k->messages) = (struct message){
		.role = role, .content = e->text, .images = e->images, .image_list = e->image_list
	};
}

/* A message may begin a turn although the one before was never answered. One that enters an open turn
 * asks together with what is there. */
static void
say_user(struct making *k, const struct context_entry *e)
{
	if (e->trigger && k->asked && !str_eq(k->asked->turn, e->turn))
		*vec_push(&k->messages) = (struct message){ .role = MESSAGE_USER,
							    .content = CONTEXT_UNANSWERED,
							    .synthetic = true };
	if (e->trigger)
		k->asked = e;
	say(k, MESSAGE_USER, e);
}

static void
say_summary(struct making *k, const struct context_entry *e)
{
	*vec_push(&k->messages) = (struct message){ .role = MESSAGE_USER,
						    .content = COMPACT_BOUNDARY,
						    .synthetic = true,
						    .summary = true };
	*vec_push(&k->messages) = (struct message){
		.role = MESSAGE_ASSISTANT, .content = e->text, .synthetic = true, .summary = true
	};
}

/* Some models start their ids anew in every step: a name that is taken gives way to the event's. */
static struct str
name_call(struct making *k, struct context_entry *e)
{
	struct str id = e->provider_id.len > 0 ? e->provider_id : e->call_id;

	if (map_find(&k->ids, id))
		id = e->call_id;
	map_put(&k->ids, id, e);
	return id;
}

static void
say_result(struct making *k, const struct tool_call *call, const struct context_entry *asked)
{
	const struct context_entry *result = map_find(&k->results, asked->call_id);

	*vec_push(&k->messages) = (struct message){
		.role = MESSAGE_TOOL,
		.content = result ? result->text : STR("no result was recorded"),
		.images = result ? result->images : 0,
		.image_list = result ? result->image_list : NULL,
		.tool_call_id = call->id,
		.name = call->name,
	};
}

/* Does the turn say or hear anything from there on? */
static bool
goes_on(const struct context_window *w, size_t from, struct str turn)
{
	for (size_t i = from; i < w->entries.len; i++)
		if (w->entries.ptr[i].role == ITEM_USER || w->entries.ptr[i].role == ITEM_ASSISTANT)
			return str_eq(w->entries.ptr[i].turn, turn);
	return false;
}

/* An answer of the model's: its text, then the calls that follow in the same turn, then one result
 * for each. Returns the index behind it. */
static size_t
say_answer(struct making *k, size_t at)
{
	struct context_entry *e = k->w->entries.ptr;
	size_t count = k->w->entries.len, first = at + (e[at].call_id.len == 0), end = first;
	struct tool_call *calls;
	bool cut;

	while (end < count && e[end].call_id.len > 0 && str_eq(e[end].turn, e[at].turn))
		end++;
	cut = e[at].interrupted && goes_on(k->w, end, e[at].turn);
	calls = ARENA_ARRAY(k->w->kept, end - first + 1, struct tool_call);
	for (size_t i = first; i < end; i++)
		calls[i - first] =
			(struct tool_call){ name_call(k, &e[i]), e[i].name, e[i].arguments };
	*vec_push(&k->messages) = (struct message){ .role = MESSAGE_ASSISTANT,
						    .content = e[at].text,
						    .reasoning = e[at].reasoning,
						    .tool_calls = calls,
						    .tool_call_count = end - first,
						    .cut = cut };
	for (size_t i = first; i < end; i++)
		say_result(k, &calls[i - first], &e[i]);
	if (end == first && !cut)
		k->asked = NULL;
	return end;
}

static void
make(struct making *k)
{
	struct context_window *w = k->w;

	for (size_t i = 0; i < w->entries.len; i++)
		if (w->entries.ptr[i].answers.len > 0)
			map_put(&k->results, w->entries.ptr[i].answers, &w->entries.ptr[i]);
	for (size_t i = 0; i < w->entries.len;) {
		const struct context_entry *e = &w->entries.ptr[i];

		switch (e->role) {
		case ITEM_USER: say_user(k, e); break;
		case ITEM_SYSTEM: say(k, MESSAGE_SYSTEM, e); break;
		case ITEM_SUMMARY: say_summary(k, e); break;
		case ITEM_TOOL: break; /* stands behind its call */
		case ITEM_ASSISTANT: i = say_answer(k, i); continue;
		}
		i++;
	}
}

static void
prune(struct context_view *view, const struct context_limits *limits, struct context_window *w)
{
	enum prune_action *actions = ARENA_ARRAY(&w->scratch, view->count + 1, enum prune_action);
	struct prune_facts f = { view->messages, view->count, limits->window_tokens,
				 limits->aggressive };

	prune_policy_decide(&f, &w->scratch, actions);
	for (size_t i = 0; i < view->count; i++)
		view->messages[i] = prune_policy_view(&view->messages[i], actions[i], w->kept);
}

void
context_window_finish(struct context_window *w, const struct context_limits *limits,
		      struct context_view *out)
{
	struct making k = { .w = w };

	map_init(&k.results, 0);
	map_init(&k.ids, 0);
	make(&k);
	if (limits->note.len > 0)
		*vec_push(&k.messages) =
			(struct message){ .role = MESSAGE_USER,
					  .content = arena_str(w->kept, limits->note),
					  .synthetic = true };
	out->count = k.messages.len;
	out->messages = ARENA_ARRAY(w->kept, out->count + 1, struct message);
	if (out->count > 0)
		memcpy(out->messages, k.messages.ptr, out->count * sizeof *out->messages);
	map_release(&k.results);
	map_release(&k.ids);
	vec_release(&k.messages);
	arena_reset(&w->scratch);
	message_link(out->messages, out->count, w->kept);
	token_estimate_messages(out->messages, out->count, &w->scratch);
	prune(out, limits, w);
	out->tokens = token_estimate_total(out->messages, out->count);
}
