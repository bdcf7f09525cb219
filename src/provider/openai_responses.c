#include "provider/openai_responses.h"

#include "core/tool_name.h"
#include "provider/peer_error.h"
#include "provider/reasoning.h"

/* ---- the request: a list of items ---- */

struct input {
	struct jw *w;
	struct arena *arena;
	struct str from;
};

static void
write_parts(struct input *in, const struct message *m)
{
	if (!dialect_is_blank(m->content) || m->images == 0 || !m->image_list) {
		jw_object(in->w);
		jw_field_str(in->w, "type", STR("input_text"));
		jw_field_str(in->w, "text", m->content);
		jw_end_object(in->w);
	}
	for (size_t i = 0; m->image_list && i < m->images; i++) {
		jw_object(in->w);
		jw_field_str(in->w, "type", STR("input_image"));
		jw_field_str(in->w, "image_url", dialect_image_url(&m->image_list[i], in->arena));
		jw_field_str(in->w, "detail", STR("auto"));
		jw_end_object(in->w);
	}
}

static void
write_said(struct input *in, const struct message *m)
{
	jw_object(in->w);
	jw_field_str(in->w, "role", str_of(message_role_name(m->role)));
	if (m->role == MESSAGE_USER) {
		jw_field_array(in->w, "content");
		write_parts(in, m);
		jw_end_array(in->w);
	} else {
		jw_field_str(in->w, "content", m->content);
	}
	jw_end_object(in->w);
}

static void
write_call(struct input *in, const struct tool_call *call)
{
	jw_object(in->w);
	jw_field_str(in->w, "type", STR("function_call"));
	jw_field_str(in->w, "call_id", call->id);
	jw_field_str(in->w, "name", dialect_tool_name(call->name, TOOL_NAME_MAX, in->arena));
	jw_field_str(in->w, "arguments", call->arguments.len > 0 ? call->arguments : STR("{}"));
	jw_end_object(in->w);
}

static void
write_answer(struct input *in, const struct message *m)
{
	struct reasoning_item *items;
	size_t count = reasoning_read(m, in->from, in->arena, &items), at = 0;

	for (; at < count && items[at].at == 0; at++)
		jw_raw(in->w, items[at].item);
	if (!dialect_is_blank(m->content))
		write_said(in, m);
	for (size_t k = 0; k < m->tool_call_count; k++) {
		for (; at < count && items[at].at <= k + 1; at++)
			jw_raw(in->w, items[at].item);
		write_call(in, &m->tool_calls[k]);
	}
}

static void
write_result(struct input *in, const struct message *m)
{
	jw_object(in->w);
	jw_field_str(in->w, "type", STR("function_call_output"));
	jw_field_str(in->w, "call_id", m->tool_call_id);
	if (m->image_list && m->images > 0) {
		jw_field_array(in->w, "output");
		write_parts(in, m);
		jw_end_array(in->w);
	} else {
		jw_field_str(in->w, "output", m->content);
	}
	jw_end_object(in->w);
}

static void
write_item(struct input *in, const struct message *m)
{
	switch (m->role) {
	case MESSAGE_ASSISTANT: write_answer(in, m); return;
	case MESSAGE_TOOL: write_result(in, m); return;
	case MESSAGE_USER:
	case MESSAGE_SYSTEM: write_said(in, m); return;
	}
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
		jw_field_str(w, "name", q->tools[i].name);
		jw_field_str(w, "description", q->tools[i].description);
		jw_field_raw(w, "parameters", dialect_schema(q->tools[i].input_schema));
		jw_field_bool(w, "strict", false);
		jw_end_object(w);
	}
	jw_end_array(w);
}

/* Models that do not reason refuse to be asked for their reasoning. */
static bool
may_reason(struct str model)
{
	static const struct str NOT[] = {
		{ "gpt-3", 5 }, { "gpt-4", 5 }, { "gpt-5-chat", 10 }, { "chatgpt", 7 }
	};

	for (size_t i = 0; i < ARRAY_LEN(NOT); i++)
		if (str_starts(model, NOT[i]))
			return false;
	return true;
}

static void
write_body(const struct dialect_target *t, const struct provider_request *q, struct buf *out)
{
	struct arena a;
	struct jw w;
	struct input in = { &w, &a, t->from };

	arena_init(&a);
	jw_init(&w, out);
	jw_object(&w);
	jw_field_str(&w, "model", q->model);
	if (!dialect_is_blank(q->system))
		jw_field_str(&w, "instructions", q->system);
	jw_field_array(&w, "input");
	for (size_t i = 0; i < q->message_count; i++)
		write_item(&in, &q->messages[i]);
	jw_end_array(&w);
	write_tools(&w, q);
	jw_field_int(&w, "max_output_tokens", q->max_output_tokens);
	jw_field_bool(&w, "stream", true);
	jw_field_bool(&w, "store", false);
	if (may_reason(q->model))
		jw_field_raw(&w, "include", STR("[\"reasoning.encrypted_content\"]"));
	if (q->effort.len > 0) {
		jw_field_object(&w, "reasoning");
		jw_field_str(&w, "effort", dialect_openai_effort(q->effort));
		jw_field_str(&w, "summary", STR("auto"));
		jw_end_object(&w);
	}
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
	dialect_count(usage, "input_tokens", &prompt);
	dialect_count(dialect_find(usage, "input_tokens_details"), "cached_tokens", &cached);
	dialect_openai_usage(&a->usage, prompt, cached);
	dialect_count(usage, "output_tokens", &a->usage.output);
	dialect_count(dialect_find(usage, "output_tokens_details"), "reasoning_tokens",
		      &a->usage.reasoning);
}

static void
take_piece(struct answer *a, struct str arguments)
{
	a->in_pieces |= arguments.len > 0;
	answer_heard(a, arguments);
}

static void
take_call(struct answer *a, struct json item)
{
	struct answer_call *call = answer_call_new(a, -1, dialect_text(a, item, "call_id"),
						   dialect_text(a, item, "name"));
	struct str arguments = dialect_text(a, item, "arguments");

	if (!call)
		return;
	call->whole = dialect_is(item, "status", STR("completed"));
	if (a->in_pieces)
		buf_put_str(&call->arguments, arguments);
	else
		answer_arguments(a, call, arguments);
	a->in_pieces = false;
}

/* Only the cipher means anything to a provider that kept nothing. */
static void
keep_reasoning(struct answer *a, struct json item)
{
	struct json cipher = dialect_find(item, "encrypted_content");
	struct json summary = dialect_find(item, "summary"), id = dialect_find(item, "id");
	struct buf out;
	struct jw w;

	if (!json_is_set(cipher) || !json_is_set(id))
		return;
	buf_init(&out, ANSWER_BYTES_MAX);
	jw_init(&w, &out);
	jw_object(&w);
	jw_field_str(&w, "type", STR("reasoning"));
	jw_field_raw(&w, "id", json_raw(id));
	jw_field_raw(&w, "summary", json_is_set(summary) ? json_raw(summary) : STR("[]"));
	jw_field_raw(&w, "encrypted_content", json_raw(cipher));
	jw_end_object(&w);
	answer_keep(a, buf_str(&out));
	buf_release(&out);
}

static void
take_reasoning_text(struct answer *a, struct json item)
{
	struct json summary = dialect_find(item, "summary");

	if (!json_is_set(summary))
		return;
	for (struct json_iter it = json_iter(summary); json_next(&it);) {
		answer_thinking(a, it.index > 0 ? STR("\n\n") : STR(""));
		answer_thinking(a, dialect_text(a, it.value, "text"));
	}
}

static void
take_message_text(struct answer *a, struct json item)
{
	struct json content = dialect_find(item, "content");

	if (!json_is_set(content))
		return;
	for (struct json_iter it = json_iter(content); json_next(&it);) {
		struct str refusal = dialect_text(a, it.value, "refusal");

		a->refused = a->refused || refusal.len > 0;
		answer_text(a, refusal.len > 0 ? refusal : dialect_text(a, it.value, "text"));
	}
}

/* An item that is done. Its text has been heard in pieces already. */
static void
take_item(struct answer *a, struct json item)
{
	if (dialect_is(item, "type", STR("function_call")))
		take_call(a, item);
	else if (dialect_is(item, "type", STR("reasoning")))
		keep_reasoning(a, item);
}

/* Everything of which nothing was heard before: all of it when the answer came whole. */
static void
take_output(struct answer *a, struct json output)
{
	bool calls = a->calls.len > 0, kept = a->kept.len > 0;
	bool spoke = a->spoke, thought = a->thought_aloud;

	if (!json_is_set(output))
		return;
	for (struct json_iter it = json_iter(output); json_next(&it) && !answer_is_over(a);) {
		struct str type = dialect_text(a, it.value, "type");

		if (str_eq(type, STR("function_call")) && !calls) {
			take_call(a, it.value);
		} else if (str_eq(type, STR("reasoning"))) {
			if (!thought)
				take_reasoning_text(a, it.value);
			if (!kept)
				keep_reasoning(a, it.value);
		} else if (str_eq(type, STR("message")) && !spoke) {
			take_message_text(a, it.value);
		}
	}
}

static void
take_response(struct answer *a, struct json r)
{
	struct json why = dialect_find(r, "incomplete_details");

	if (!json_is_set(r)) {
		answer_fail(a, FAILURE_MALFORMED, "the answer has no response in it");
		return;
	}
	if (json_is_set(dialect_find(r, "error"))) {
		peer_error_take(a, dialect_find(r, "error"));
		return;
	}
	if (dialect_is(r, "status", STR("failed")) || dialect_is(r, "status", STR("cancelled"))) {
		answer_fail(a, FAILURE_SERVER, "the provider gave the answer up");
		return;
	}
	take_output(a, dialect_find(r, "output"));
	take_usage(a, dialect_find(r, "usage"));
	if (dialect_is(why, "reason", STR("content_filter")))
		answer_stop(a, PROVIDER_STOP_REFUSAL);
	else
		answer_stop(a, json_is_set(why) ? PROVIDER_STOP_LENGTH : PROVIDER_STOP_END);
	if (!answer_is_over(a))
		a->complete = true;
}

/* Parts that stand apart are told apart. */
static void
take_begin(struct answer *a, struct json item)
{
	answer_heard(a, STR(""));
	if (dialect_is(item, "type", STR("message")) && a->spoke)
		answer_text(a, STR("\n\n"));
}

static void
take_event(struct answer *a, struct json event)
{
	struct str type = dialect_text(a, event, "type");

	if (str_eq(type, STR("response.output_text.delta"))) {
		answer_text(a, dialect_text(a, event, "delta"));
	} else if (str_eq(type, STR("response.refusal.delta"))) {
		a->refused = true;
		answer_text(a, dialect_text(a, event, "delta"));
	} else if (str_eq(type, STR("response.reasoning_summary_text.delta")) ||
		   str_eq(type, STR("response.reasoning_text.delta"))) {
		answer_thinking(a, dialect_text(a, event, "delta"));
	} else if (str_eq(type, STR("response.reasoning_summary_part.added"))) {
		answer_thinking(a, a->thought_aloud ? STR("\n\n") : STR(""));
	} else if (str_eq(type, STR("response.function_call_arguments.delta"))) {
		take_piece(a, dialect_text(a, event, "delta"));
	} else if (str_eq(type, STR("response.output_item.added"))) {
		take_begin(a, dialect_find(event, "item"));
	} else if (str_eq(type, STR("response.output_item.done"))) {
		take_item(a, dialect_find(event, "item"));
	} else if (str_eq(type, STR("response.completed")) ||
		   str_eq(type, STR("response.incomplete")) ||
		   str_eq(type, STR("response.failed"))) {
		take_response(a, dialect_find(event, "response"));
	} else if (str_eq(type, STR("error")) || json_is_set(dialect_find(event, "error"))) {
		struct json error = dialect_find(event, "error");
		peer_error_take(a, json_is_set(error) ? error : event);
	}
}

static void
take_whole(struct answer *a, struct json body)
{
	if (json_is_set(dialect_find(body, "error")) || json_is_set(dialect_find(body, "output")))
		take_response(a, body);
	else
		answer_fail(a, FAILURE_MALFORMED, "the answer has no output");
}

const struct dialect DIALECT_OPENAI_RESPONSES = {
	.path = { "/responses", 10 },
	.key_header = { "authorization", 13 },
	.key_prefix = { "Bearer ", 7 },
	.write = write_body,
	.take = take_event,
	.take_whole = take_whole,
};

struct provider *
provider_openai_responses_new(const struct http_model_config *config)
{
	return http_model_new(&DIALECT_OPENAI_RESPONSES, config);
}
