#include "provider/openai_chat.h"

#include "core/tool_name.h"
#include "provider/peer_error.h"
#include "provider/reasoning.h"

/* OpenAI's own service has none of these. Others want them back on every message with calls, and some
 * refuse them on any other. */
static const char *const THOUGHT_NAMES[] = { "reasoning_content", "reasoning" };
static const char EXTRA_NAME[] = "extra_content";

/* ---- the request ---- */

static void
write_images(struct jw *w, const struct message *m, struct arena *a)
{
	for (size_t i = 0; m->image_list && i < m->images; i++) {
		jw_object(w);
		jw_field_str(w, "type", STR("image_url"));
		jw_field_object(w, "image_url");
		jw_field_str(w, "url", dialect_image_url(&m->image_list[i], a));
		jw_end_object(w);
		jw_end_object(w);
	}
}

static bool
has_images(const struct message *m)
{
	return m->image_list && m->images > 0;
}

static void
write_text_part(struct jw *w, struct str text)
{
	jw_object(w);
	jw_field_str(w, "type", STR("text"));
	jw_field_str(w, "text", text);
	jw_end_object(w);
}

static void
write_user(struct jw *w, const struct message *m, struct arena *a)
{
	if (!has_images(m)) {
		jw_field_str(w, "content", m->content);
		return;
	}
	jw_field_array(w, "content");
	if (!dialect_is_blank(m->content))
		write_text_part(w, m->content);
	write_images(w, m, a);
	jw_end_array(w);
}

struct kept {
	struct reasoning_item *items;
	size_t count;
};

/* The member of that name, if it was kept at that place. */
static void
write_kept(struct jw *w, const struct kept *kept, size_t at, const char *name, struct arena *a)
{
	struct json_doc doc;
	struct json member;

	for (size_t i = 0; i < kept->count; i++) {
		if (kept->items[i].at != at ||
		    json_parse(a, kept->items[i].item, &JSON_LIMITS_DEFAULT, &doc, NULL) != 0)
			continue;
		member = dialect_find(json_root(&doc), name);
		if (json_is_set(member)) {
			jw_field_raw(w, name, json_raw(member));
			return;
		}
	}
}

static void
write_calls(struct jw *w, const struct message *m, struct str from, struct arena *a)
{
	struct kept kept;

	if (m->tool_call_count == 0)
		return;
	kept.count = reasoning_read(m, from, a, &kept.items);
	for (size_t i = 0; i < ARRAY_LEN(THOUGHT_NAMES); i++)
		write_kept(w, &kept, 0, THOUGHT_NAMES[i], a);
	jw_field_array(w, "tool_calls");
	for (size_t i = 0; i < m->tool_call_count; i++) {
		const struct tool_call *call = &m->tool_calls[i];

		jw_object(w);
		jw_field_str(w, "id", call->id);
		jw_field_str(w, "type", STR("function"));
		jw_field_object(w, "function");
		jw_field_str(w, "name", dialect_tool_name(call->name, TOOL_NAME_MAX, a));
		jw_field_str(w, "arguments", call->arguments.len > 0 ? call->arguments : STR("{}"));
		jw_end_object(w);
		write_kept(w, &kept, i + 1, EXTRA_NAME, a);
		jw_end_object(w);
	}
	jw_end_array(w);
}

static void
write_message(struct jw *w, const struct message *m, struct str from, struct arena *a)
{
	jw_object(w);
	jw_field_str(w, "role", str_of(message_role_name(m->role)));
	switch (m->role) {
	case MESSAGE_ASSISTANT:
		if (m->content.len > 0 || m->tool_call_count == 0)
			jw_field_str(w, "content", m->content);
		else
			jw_field_null(w, "content");
		write_calls(w, m, from, a);
		break;
	case MESSAGE_TOOL:
		jw_field_str(w, "tool_call_id", m->tool_call_id);
		jw_field_str(w, "content", m->content);
		break;
	case MESSAGE_SYSTEM: jw_field_str(w, "content", m->content); break;
	case MESSAGE_USER: write_user(w, m, a); break;
	}
	jw_end_object(w);
}

/* A result can only be text here: its images follow as the user's, behind the last result of the
 * step, because results must not be torn from their calls. */
static void
write_result_images(struct jw *w, const struct message *first, const struct message *end,
		    struct arena *a)
{
	bool any = false;

	for (const struct message *m = first; m < end; m++)
		any = any || has_images(m);
	if (!any)
		return;
	jw_object(w);
	jw_field_str(w, "role", STR("user"));
	jw_field_array(w, "content");
	for (const struct message *m = first; m < end; m++) {
		if (!has_images(m))
			continue;
		write_text_part(w, arena_printf(a, "[images of the result of " STR_FMT "]",
						STR_ARG(m->tool_call_id)));
		write_images(w, m, a);
	}
	jw_end_array(w);
	jw_end_object(w);
}

static void
write_messages(struct jw *w, const struct provider_request *q, struct str from, struct arena *a)
{
	const struct message *end = q->messages + q->message_count, *results = NULL;

	jw_field_array(w, "messages");
	if (!dialect_is_blank(q->system)) {
		jw_object(w);
		jw_field_str(w, "role", STR("system"));
		jw_field_str(w, "content", q->system);
		jw_end_object(w);
	}
	for (const struct message *m = q->messages; m < end; m++) {
		write_message(w, m, from, a);
		if (m->role != MESSAGE_TOOL)
			continue;
		results = results ? results : m;
		if (m + 1 == end || m[1].role != MESSAGE_TOOL) {
			write_result_images(w, results, m + 1, a);
			results = NULL;
		}
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
		jw_field_str(w, "type", STR("function"));
		jw_field_object(w, "function");
		jw_field_str(w, "name", q->tools[i].name);
		jw_field_str(w, "description", q->tools[i].description);
		jw_field_raw(w, "parameters", dialect_schema(q->tools[i].input_schema));
		jw_end_object(w);
		jw_end_object(w);
	}
	jw_end_array(w);
}

/* OpenAI's newer models refuse max_tokens, most other servers know nothing else. */
static void
write_body(const struct dialect_target *t, const struct provider_request *q, struct buf *out)
{
	struct arena a;
	struct jw w;

	arena_init(&a);
	jw_init(&w, out);
	jw_object(&w);
	jw_field_str(&w, "model", q->model);
	write_messages(&w, q, t->from, &a);
	write_tools(&w, q);
	jw_field_int(&w, t->openai ? "max_completion_tokens" : "max_tokens", q->max_output_tokens);
	if (q->effort.len > 0)
		jw_field_str(&w, "reasoning_effort", dialect_openai_effort(q->effort));
	jw_field_bool(&w, "stream", true);
	jw_field_raw(&w, "stream_options", STR("{\"include_usage\":true}"));
	if (t->openai && q->cache_key.len > 0)
		jw_field_str(&w, "prompt_cache_key", q->cache_key);
	jw_end_object(&w);
	arena_release(&a);
}

/* ---- the answer ---- */

static void
take_usage(struct answer *a, struct json usage)
{
	int64_t prompt = 0, cached = 0;

	if (!json_is_set(usage))
		return;
	dialect_count(usage, "prompt_tokens", &prompt);
	dialect_count(dialect_find(usage, "prompt_tokens_details"), "cached_tokens", &cached);
	dialect_openai_usage(&a->usage, prompt, cached);
	dialect_count(usage, "completion_tokens", &a->usage.output);
	dialect_count(dialect_find(usage, "completion_tokens_details"), "reasoning_tokens",
		      &a->usage.reasoning);
}

static void
take_stop(struct answer *a, struct json choice)
{
	struct str reason = dialect_text(a, choice, "finish_reason");

	if (reason.len == 0)
		return;
	if (str_eq(reason, STR("length")))
		answer_stop(a, PROVIDER_STOP_LENGTH);
	else if (str_eq(reason, STR("content_filter")))
		answer_stop(a, PROVIDER_STOP_REFUSAL);
	else
		answer_stop(a, PROVIDER_STOP_END); /* whether it called, its calls say */
}

/* Pieces of a call share its index. Some servers give every call of an answer the same one, and then
 * it is the id that tells them apart; others give every piece an id of its own, and then only a piece
 * with a name begins a call. */
static void
take_call(struct answer *a, int64_t index, struct json piece)
{
	struct json function = dialect_find(piece, "function");
	struct json extra = dialect_find(piece, EXTRA_NAME);
	struct str id = dialect_text(a, piece, "id"), name = dialect_text(a, function, "name");
	struct answer_call *call;

	dialect_count(piece, "index", &index);
	call = answer_call_find(a, index);
	if (!call || (name.len > 0 && id.len > 0 && call->id.len > 0 && !str_eq(id, call->id)))
		call = answer_call_new(a, index, id, name);
	if (!call)
		return;
	if (call->id.len == 0)
		call->id = arena_str(&a->arena, id);
	if (call->name.len == 0)
		call->name = arena_str(&a->arena, name);
	if (call->extra.len == 0 && json_is_set(extra) && json_type(extra) == JSON_OBJECT &&
	    json_count(extra) > 0)
		call->extra = arena_printf(&a->arena, "{\"%s\":" STR_FMT "}", EXTRA_NAME,
					   STR_ARG(json_raw(extra)));
	answer_arguments(a, call, dialect_text(a, function, "arguments"));
}

static void
take_content(struct answer *a, struct json content)
{
	if (!json_is_set(content))
		return;
	if (json_type(content) != JSON_ARRAY) {
		answer_text(a, json_str(content, &a->scratch));
		return;
	}
	for (struct json_iter it = json_iter(content); json_next(&it);)
		answer_text(a, dialect_text(a, it.value, "text"));
}

/* A name counts without any text under it too: a peer that sends it empty wants it back empty. */
static void
take_thought(struct answer *a, struct json m)
{
	for (size_t i = 0; i < ARRAY_LEN(THOUGHT_NAMES); i++) {
		struct json member = dialect_find(m, THOUGHT_NAMES[i]);
		struct str text = dialect_text(a, m, THOUGHT_NAMES[i]);

		if (!json_is_set(member) || json_type(member) != JSON_STRING)
			continue;
		if (!a->thought_name || (a->thought.len == 0 && text.len > 0))
			a->thought_name = THOUGHT_NAMES[i];
		if (text.len > 0) { /* some send the same under both */
			answer_thought(a, text);
			return;
		}
	}
}

/* A delta of a stream, or the message of an answer that came whole. */
static void
take_message(struct answer *a, struct json m)
{
	struct json calls = dialect_find(m, "tool_calls");
	struct str refusal = dialect_text(a, m, "refusal");

	take_thought(a, m);
	take_content(a, dialect_find(m, "content"));
	if (refusal.len > 0) {
		a->refused = true;
		answer_text(a, refusal);
	}
	if (!json_is_set(calls))
		return;
	for (struct json_iter it = json_iter(calls); json_next(&it) && !answer_is_over(a);)
		take_call(a, (int64_t)it.index, it.value);
}

static void
keep_thought(struct answer *a)
{
	struct buf item;
	struct jw w;

	buf_init(&item, 8 * (size_t)ANSWER_BYTES_MAX);
	jw_init(&w, &item);
	jw_object(&w);
	jw_field_str(&w, a->thought_name, buf_str(&a->thought));
	jw_end_object(&w);
	answer_keep_at(a, 0, buf_str(&item));
	buf_release(&item);
}

/* Thoughts that led to no call never go back. */
static void
keep_reasoning(struct answer *a)
{
	if (a->calls.len == 0)
		return;
	if (a->thought_name)
		keep_thought(a);
	for (size_t i = 0; i < a->calls.len; i++)
		if (a->calls.ptr[i].extra.len > 0)
			answer_keep_at(a, i + 1, a->calls.ptr[i].extra);
}

/* The first choice: no other was asked for. */
static struct json
first_choice(struct json v)
{
	struct json_iter it = json_iter(dialect_find(v, "choices"));

	return json_next(&it) ? it.value : (struct json){ 0 };
}

static void
take_event(struct answer *a, struct json event)
{
	struct json choice = { 0 };

	if (json_is_set(dialect_find(event, "error"))) {
		peer_error_take(a, dialect_find(event, "error"));
		return;
	}
	if (json_is_set(dialect_find(event, "choices")))
		choice = first_choice(event);
	if (json_is_set(choice))
		answer_heard(a, STR(""));
	take_message(a, dialect_find(choice, "delta"));
	take_stop(a, choice);
	take_usage(a, dialect_find(event, "usage"));
}

static void
take_whole(struct answer *a, struct json body)
{
	struct json choice = { 0 };

	if (json_is_set(dialect_find(body, "error"))) {
		peer_error_take(a, dialect_find(body, "error"));
		return;
	}
	if (json_is_set(dialect_find(body, "choices")))
		choice = first_choice(body);
	if (!json_is_set(choice)) {
		answer_fail(a, FAILURE_MALFORMED, "the answer has no choices");
		return;
	}
	take_message(a, dialect_find(choice, "message"));
	take_stop(a, choice);
	take_usage(a, dialect_find(body, "usage"));
	keep_reasoning(a);
	if (!answer_is_over(a))
		a->complete = true;
}

const struct dialect DIALECT_OPENAI_CHAT = {
	.path = { "/chat/completions", 17 },
	.key_header = { "authorization", 13 },
	.key_prefix = { "Bearer ", 7 },
	.write = write_body,
	.take = take_event,
	.take_whole = take_whole,
	.end = keep_reasoning,
	.may_just_end = true,
};

struct provider *
provider_openai_chat_new(const struct http_model_config *config)
{
	return http_model_new(&DIALECT_OPENAI_CHAT, config);
}
