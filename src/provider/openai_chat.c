#include "provider/openai_chat.h"

#include "provider/peer_error.h"

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

static void
write_calls(struct jw *w, const struct message *m, struct arena *a)
{
	if (m->tool_call_count == 0)
		return;
	jw_field_array(w, "tool_calls");
	for (size_t i = 0; i < m->tool_call_count; i++) {
		const struct tool_call *call = &m->tool_calls[i];

		jw_object(w);
		jw_field_str(w, "id", call->id);
		jw_field_str(w, "type", STR("function"));
		jw_field_object(w, "function");
		jw_field_str(w, "name", dialect_tool_name(call->name, TOOL_NAME_MAX_OPENAI, a));
		jw_field_str(w, "arguments", call->arguments.len > 0 ? call->arguments : STR("{}"));
		jw_end_object(w);
		jw_end_object(w);
	}
	jw_end_array(w);
}

static void
write_message(struct jw *w, const struct message *m, struct arena *a)
{
	jw_object(w);
	jw_field_str(w, "role", str_of(message_role_name(m->role)));
	switch (m->role) {
	case MESSAGE_ASSISTANT:
		if (m->content.len > 0 || m->tool_call_count == 0)
			jw_field_str(w, "content", m->content);
		else
			jw_field_null(w, "content");
		write_calls(w, m, a);
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
write_messages(struct jw *w, const struct provider_request *q, struct arena *a)
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
		write_message(w, m, a);
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
	write_messages(&w, q, &a);
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

/* A delta of a stream, or the message of an answer that came whole. */
static void
take_message(struct answer *a, struct json m)
{
	struct json calls = dialect_find(m, "tool_calls");
	struct str thought = dialect_text(a, m, "reasoning_content");
	struct str refusal = dialect_text(a, m, "refusal");

	answer_thinking(a, thought.len > 0 ? thought : dialect_text(a, m, "reasoning"));
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
	.may_just_end = true,
};

struct provider *
provider_openai_chat_new(const struct http_model_config *config)
{
	return http_model_new(&DIALECT_OPENAI_CHAT, config);
}
