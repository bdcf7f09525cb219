#include "provider/anthropic.h"

#include "core/tool_name.h"
#include "provider/peer_error.h"
#include "provider/reasoning.h"

/* ---- the request: messages become groups of blocks ---- */

enum { MARKED_GROUPS = 2 };

enum block_kind { BLOCK_TEXT, BLOCK_IMAGE, BLOCK_CALL, BLOCK_RESULT, BLOCK_RAW };

struct block {
	enum block_kind kind;
	struct str text; /* said, or the block itself */
	const struct message_image *image;
	const struct tool_call *call;
	const struct message *result;
};

/* Messages of one role in a row are one: calls are followed by all their results at once. */
struct group {
	bool assistant, marked;
	size_t first, end;
};

struct prompt {
	struct arena *arena;
	struct str from;
	VEC(struct block) blocks;
	VEC(struct group) groups;
};

static void
put(struct prompt *p, bool assistant, struct block block)
{
	if (p->groups.len == 0 || p->groups.ptr[p->groups.len - 1].assistant != assistant) {
		size_t at = p->blocks.len;
		*vec_push(&p->groups) = (struct group){ .assistant = assistant, .first = at };
	}
	*vec_push(&p->blocks) = block;
	p->groups.ptr[p->groups.len - 1].end = p->blocks.len;
}

/* Blank text is refused by the API. */
static void
put_text(struct prompt *p, bool assistant, struct str text)
{
	if (!dialect_is_blank(text))
		put(p, assistant, (struct block){ BLOCK_TEXT, .text = text });
}

static void
put_answer(struct prompt *p, const struct message *m)
{
	struct reasoning_item *items;
	size_t count = reasoning_read(m, p->from, p->arena, &items), at = 0;

	for (; at < count && items[at].at == 0; at++)
		put(p, true, (struct block){ BLOCK_RAW, .text = items[at].item });
	put_text(p, true, m->content);
	for (size_t k = 0; k < m->tool_call_count; k++) {
		for (; at < count && items[at].at <= k + 1; at++)
			put(p, true, (struct block){ BLOCK_RAW, .text = items[at].item });
		put(p, true, (struct block){ BLOCK_CALL, .call = &m->tool_calls[k] });
	}
}

static void
put_message(struct prompt *p, const struct message *m)
{
	switch (m->role) {
	case MESSAGE_ASSISTANT: put_answer(p, m); return;
	case MESSAGE_TOOL: put(p, false, (struct block){ BLOCK_RESULT, .result = m }); return;
	case MESSAGE_SYSTEM:
		put_text(p, false,
			 arena_printf(p->arena, "[system message]\n" STR_FMT, STR_ARG(m->content)));
		return;
	case MESSAGE_USER: break;
	}
	put_text(p, false, m->content);
	for (size_t i = 0; m->image_list && i < m->images; i++)
		put(p, false, (struct block){ BLOCK_IMAGE, .image = &m->image_list[i] });
}

/* The API wants the first and the last word to be the user's. */
static void
gather(struct prompt *p, const struct provider_request *q)
{
	size_t marks = MARKED_GROUPS;

	if (q->message_count == 0 || q->messages[0].role == MESSAGE_ASSISTANT)
		put_text(p, false, STR("[The conversation goes on.]"));
	for (size_t i = 0; i < q->message_count; i++)
		put_message(p, &q->messages[i]);
	if (p->groups.len == 0 || p->groups.ptr[p->groups.len - 1].assistant)
		put_text(p, false, STR("[Go on.]"));
	for (size_t i = p->groups.len; i > 0 && marks > 0; i--)
		if (!p->groups.ptr[i - 1].assistant) {
			p->groups.ptr[i - 1].marked = true;
			marks--;
		}
}

/* ---- the request: its bytes ---- */

static void
write_mark(struct jw *w, bool marked)
{
	if (marked)
		jw_field_raw(w, "cache_control", STR("{\"type\":\"ephemeral\"}"));
}

static void
write_image(struct jw *w, const struct message_image *image, bool marked)
{
	jw_object(w);
	jw_field_str(w, "type", STR("image"));
	jw_field_object(w, "source");
	if (image->url.len > 0) {
		jw_field_str(w, "type", STR("url"));
		jw_field_str(w, "url", image->url);
	} else {
		jw_field_str(w, "type", STR("base64"));
		jw_field_str(w, "media_type", image->media_type);
		jw_field_str(w, "data", image->data);
	}
	jw_end_object(w);
	write_mark(w, marked);
	jw_end_object(w);
}

static void
write_text(struct jw *w, struct str text, bool marked)
{
	jw_object(w);
	jw_field_str(w, "type", STR("text"));
	jw_field_str(w, "text", text);
	write_mark(w, marked);
	jw_end_object(w);
}

static void
write_call(struct prompt *p, struct jw *w, const struct tool_call *call)
{
	jw_object(w);
	jw_field_str(w, "type", STR("tool_use"));
	jw_field_str(w, "id", tool_name_plain(call->id, p->arena));
	jw_field_str(w, "name", dialect_tool_name(call->name, TOOL_NAME_MAX_ANTHROPIC, p->arena));
	jw_field_raw(w, "input", dialect_arguments(call->arguments, p->arena));
	jw_end_object(w);
}

static void
write_result(struct prompt *p, struct jw *w, const struct message *m, bool marked)
{
	bool pictures = m->image_list && m->images > 0;

	jw_object(w);
	jw_field_str(w, "type", STR("tool_result"));
	jw_field_str(w, "tool_use_id", tool_name_plain(m->tool_call_id, p->arena));
	if (pictures || !dialect_is_blank(m->content)) {
		jw_field_array(w, "content");
		if (!dialect_is_blank(m->content))
			write_text(w, m->content, false);
		for (size_t i = 0; pictures && i < m->images; i++)
			write_image(w, &m->image_list[i], false);
		jw_end_array(w);
	}
	write_mark(w, marked);
	jw_end_object(w);
}

static void
write_block(struct prompt *p, struct jw *w, const struct block *b, bool marked)
{
	switch (b->kind) {
	case BLOCK_TEXT: write_text(w, b->text, marked); return;
	case BLOCK_IMAGE: write_image(w, b->image, marked); return;
	case BLOCK_CALL: write_call(p, w, b->call); return;
	case BLOCK_RESULT: write_result(p, w, b->result, marked); return;
	case BLOCK_RAW: jw_raw(w, b->text); return;
	}
}

static void
write_messages(struct prompt *p, struct jw *w)
{
	jw_field_array(w, "messages");
	for (size_t i = 0; i < p->groups.len; i++) {
		const struct group *g = &p->groups.ptr[i];

		jw_object(w);
		jw_field_str(w, "role", g->assistant ? STR("assistant") : STR("user"));
		jw_field_array(w, "content");
		for (size_t k = g->first; k < g->end; k++)
			write_block(p, w, &p->blocks.ptr[k], g->marked && k + 1 == g->end);
		jw_end_array(w);
		jw_end_object(w);
	}
	jw_end_array(w);
}

static void
write_tools(struct jw *w, const struct provider_request *q)
{
	if (q->tool_count == 0)
		return;
	jw_field_array(w, "tools");
	for (size_t i = 0; i < q->tool_count; i++) {
		jw_object(w);
		jw_field_str(w, "name", q->tools[i].name);
		jw_field_str(w, "description", q->tools[i].description);
		jw_field_raw(w, "input_schema", dialect_schema(q->tools[i].input_schema));
		/* The system prompt stands behind the tools and is marked for both. */
		write_mark(w, i + 1 == q->tool_count && dialect_is_blank(q->system));
		jw_end_object(w);
	}
	jw_end_array(w);
}

static void
write_body(const struct dialect_target *t, const struct provider_request *q, struct buf *out)
{
	struct arena a;
	struct prompt p = { .arena = &a, .from = t->from };
	struct jw w;

	arena_init(&a);
	gather(&p, q);
	jw_init(&w, out);
	jw_object(&w);
	jw_field_str(&w, "model", q->model);
	jw_field_int(&w, "max_tokens", q->max_output_tokens);
	jw_field_bool(&w, "stream", true);
	if (q->effort.len > 0) { /* who asks for effort wants to see the thinking */
		jw_field_raw(&w, "thinking",
			     STR("{\"type\":\"adaptive\",\"display\":\"summarized\"}"));
		jw_field_object(&w, "output_config");
		jw_field_str(&w, "effort", q->effort);
		jw_end_object(&w);
	}
	write_tools(&w, q);
	if (!dialect_is_blank(q->system)) {
		jw_field_array(&w, "system");
		write_text(&w, q->system, true);
		jw_end_array(&w);
	}
	write_messages(&p, &w);
	jw_end_object(&w);
	vec_release(&p.blocks);
	vec_release(&p.groups);
	arena_release(&a);
}

/* ---- the answer ---- */

static void
take_usage(struct answer *a, struct json usage)
{
	dialect_count(usage, "input_tokens", &a->usage.input);
	dialect_count(usage, "output_tokens", &a->usage.output);
	dialect_count(usage, "cache_read_input_tokens", &a->usage.cache_read);
	dialect_count(usage, "cache_creation_input_tokens", &a->usage.cache_write);
	dialect_count(dialect_find(usage, "output_tokens_details"), "thinking_tokens",
		      &a->usage.reasoning);
}

static void
take_stop(struct answer *a, struct json v)
{
	struct str reason = dialect_text(a, v, "stop_reason");

	if (reason.len == 0)
		return;
	if (str_eq(reason, STR("tool_use")))
		answer_stop(a, PROVIDER_STOP_TOOLS);
	else if (str_eq(reason, STR("max_tokens")) ||
		 str_eq(reason, STR("model_context_window_exceeded")))
		answer_stop(a, PROVIDER_STOP_LENGTH);
	else if (str_eq(reason, STR("refusal")))
		answer_stop(a, PROVIDER_STOP_REFUSAL);
	else
		answer_stop(a, PROVIDER_STOP_END);
}

/* Without its signature a thought is refused when it comes back. */
static void
keep_thought(struct answer *a)
{
	struct buf item;
	struct jw w;

	if (a->signature.len > 0) {
		buf_init(&item, 8 * (size_t)ANSWER_BYTES_MAX);
		jw_init(&w, &item);
		jw_object(&w);
		jw_field_str(&w, "type", STR("thinking"));
		jw_field_str(&w, "thinking", buf_str(&a->thought));
		jw_field_str(&w, "signature", buf_str(&a->signature));
		jw_end_object(&w);
		answer_keep(a, buf_str(&item));
		buf_release(&item);
	}
	buf_clear(&a->thought);
	buf_clear(&a->signature);
}

/* A block begins; in an answer that came whole it is all there. */
static void
take_block(struct answer *a, int64_t index, struct json block)
{
	struct str type = dialect_text(a, block, "type");
	struct json input = dialect_find(block, "input");

	answer_call_end(a);
	if (str_eq(type, STR("text"))) {
		answer_text(a, dialect_text(a, block, "text"));
	} else if (str_eq(type, STR("thinking"))) {
		answer_thought(a, dialect_text(a, block, "thinking"));
		buf_put_str(&a->signature, dialect_text(a, block, "signature"));
	} else if (str_eq(type, STR("redacted_thinking"))) {
		answer_keep(a, json_raw(block));
	} else if (str_eq(type, STR("tool_use"))) {
		struct answer_call *call = answer_call_new(a, index, dialect_text(a, block, "id"),
							   dialect_text(a, block, "name"));
		/* At the start of a stream it is an empty object that the pieces replace. */
		if (call && json_count(input) > 0)
			answer_arguments(a, call, json_raw(input));
	}
}

static void
take_delta(struct answer *a, int64_t index, struct json delta)
{
	struct str type = dialect_text(a, delta, "type");
	struct answer_call *call = answer_call_find(a, index);

	if (str_eq(type, STR("text_delta")))
		answer_text(a, dialect_text(a, delta, "text"));
	else if (str_eq(type, STR("thinking_delta")))
		answer_thought(a, dialect_text(a, delta, "thinking"));
	else if (str_eq(type, STR("signature_delta")))
		buf_put_str(&a->signature, dialect_text(a, delta, "signature"));
	else if (str_eq(type, STR("input_json_delta")) && call)
		answer_arguments(a, call, dialect_text(a, delta, "partial_json"));
}

static void
take_event(struct answer *a, struct json event)
{
	struct str type = dialect_text(a, event, "type");
	int64_t index = -1;

	dialect_count(event, "index", &index);
	if (str_eq(type, STR("message_start"))) {
		take_usage(a, dialect_find(dialect_find(event, "message"), "usage"));
		answer_heard(a, STR(""));
	} else if (str_eq(type, STR("content_block_start"))) {
		take_block(a, index, dialect_find(event, "content_block"));
	} else if (str_eq(type, STR("content_block_delta"))) {
		take_delta(a, index, dialect_find(event, "delta"));
	} else if (str_eq(type, STR("content_block_stop"))) {
		keep_thought(a);
	} else if (str_eq(type, STR("message_delta"))) {
		take_stop(a, dialect_find(event, "delta"));
		take_usage(a, dialect_find(event, "usage"));
	} else if (str_eq(type, STR("message_stop"))) {
		a->complete = true;
	} else if (json_is_set(dialect_find(event, "error"))) {
		peer_error_take(a, dialect_find(event, "error"));
	}
}

static void
take_whole(struct answer *a, struct json body)
{
	struct json content = dialect_find(body, "content");

	if (json_is_set(dialect_find(body, "error"))) {
		peer_error_take(a, dialect_find(body, "error"));
		return;
	}
	if (!json_is_set(content) || json_type(content) != JSON_ARRAY) {
		answer_fail(a, FAILURE_MALFORMED, "the answer has no content");
		return;
	}
	for (struct json_iter it = json_iter(content); json_next(&it) && !answer_is_over(a);) {
		take_block(a, (int64_t)it.index, it.value);
		keep_thought(a);
	}
	take_stop(a, body);
	take_usage(a, dialect_find(body, "usage"));
	if (!answer_is_over(a))
		a->complete = true;
}

const struct dialect DIALECT_ANTHROPIC = {
	.path = { "/v1/messages", 12 },
	.key_header = { "x-api-key", 9 },
	.version_header = { "anthropic-version", 17 },
	.version = { "2023-06-01", 10 },
	.write = write_body,
	.take = take_event,
	.take_whole = take_whole,
};

struct provider *
provider_anthropic_new(const struct http_model_config *config)
{
	return http_model_new(&DIALECT_ANTHROPIC, config);
}
