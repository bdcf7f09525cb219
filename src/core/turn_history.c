#include "core/turn_history.h"

#include "core/call_digest.h"
#include "core/call_state.h"

void
turn_history_init(struct turn_history *h, struct arena *kept)
{
	*h = (struct turn_history){ .kept = kept };
	arena_init(&h->scratch);
	loop_guard_init(&h->guard);
}

void
turn_history_release(struct turn_history *h)
{
	arena_release(&h->scratch);
	vec_release(&h->calls);
	vec_release(&h->answers);
	vec_release(&h->wakes);
}

static struct str
text_of(struct turn_history *h, struct json payload, const char *name)
{
	struct json v;

	return json_find(payload, str_of(name), &v) ? arena_str(h->kept, json_str(v, &h->scratch))
						    : (struct str){ 0 };
}

static void
lease_ends(struct turn_history *h, int64_t at_ms)
{
	if (h->leased_since_ms > 0 && at_ms > h->leased_since_ms)
		h->leased_ms += at_ms - h->leased_since_ms;
	h->leased_since_ms = 0;
}

static void
on_rescheduled(struct turn_history *h, const struct event *ev, struct json payload)
{
	struct str reason = text_of(h, payload, "reason");

	for (int r = RECOVER_RESTART_TIMEOUT; r <= RECOVER_RESTART_INTERRUPTED; r++) {
		if (!str_eq(reason, recover_reason_name((enum recover_reason)r)))
			continue;
		h->continuations++;
		h->marked = true;
		h->reason = (enum recover_reason)r;
		lease_ends(h, ev->created_at_ms);
	}
}

static void
on_request_end(struct turn_history *h, const struct event *ev, struct json payload)
{
	struct json failed;

	(void)ev;
	h->open_request = (struct str){ 0 };
	if (json_find(payload, STR("is_error"), &failed) && json_type(failed) == JSON_FALSE)
		h->steps++;
}

static void
on_call(struct turn_history *h, const struct event *ev, struct json payload)
{
	struct json input = { 0 }, evaluation;
	struct tool_ref tool = tool_ref_of_call(payload, h->kept);
	struct turn_call *call = vec_push(&h->calls);
	struct sha256 digest;

	IGNORE(json_find(payload, STR("input"), &input)); /* absent digests as null */
	*call = (struct turn_call){
		.id = arena_str(h->kept, ev->id),
		.kind = ev->kind,
		.client_side = call_state_is_client_side(ev->kind, payload),
		.name = tool.name,
		.server = tool.server,
		.own_name = tool.own_name,
		.arguments = json_is_set(input) ? arena_str(h->kept, json_raw(input)) : STR("{}"),
		.call_id = text_of(h, payload, "provider_call_id"),
	};
	call->state = call_state_first(payload, call->client_side);
	call->asked_ms = ev->created_at_ms;
	if (json_find(payload, STR("evaluation"), &evaluation)) {
		call->digest = text_of(h, evaluation, "digest");
		IGNORE(approval_mode_parse(text_of(h, evaluation, "type"), &call->policy));
	}
	digest = call_digest(tool, input, &h->scratch);
	loop_guard_call(&h->guard, &digest);
}

static void
on_answer(struct turn_history *h, const struct event *ev, struct json payload)
{
	*vec_push(&h->answers) = (struct turn_answer){
		.id = arena_str(h->kept, ev->id),
		.call = text_of(h, payload, call_state_field(ev->kind)),
		.seq = ev->seq,
		.kind = ev->kind,
		.allow = str_eq(text_of(h, payload, "result"), STR("allow")),
		.always = str_eq(text_of(h, payload, "scope"), STR("always")),
		.deny_message = text_of(h, payload, "deny_message"),
	};
}

static void
on_running(struct turn_history *h, const struct event *ev, struct json payload)
{
	struct json wakes, inputs, model;
	struct json_iter it;

	h->marked = false;
	if (!h->begun && json_find(payload, STR("model"), &model))
		h->model = arena_str(h->kept, json_str(model, &h->scratch));
	if (h->wakes.len == 0 && json_find(payload, STR("wakes"), &wakes)) {
		it = json_iter(wakes);
		while (json_next(&it))
			*vec_push(&h->wakes) = arena_str(h->kept, json_str(it.value, &h->scratch));
	}
	if (!h->begun && json_find(payload, STR("consumes"), &inputs)) {
		it = json_iter(inputs);
		if (json_next(&it))
			h->trigger = arena_str(h->kept, json_str(it.value, &h->scratch));
	}
	h->begun = true;
	if (h->leased_since_ms == 0)
		h->leased_since_ms = ev->created_at_ms;
}

/* Within an open turn it is a park. */
static void
on_idle(struct turn_history *h, const struct event *ev, struct json payload)
{
	struct json reason, ids;

	h->parked_on = json_find(payload, STR("stop_reason"), &reason) &&
				       json_find(reason, STR("event_ids"), &ids)
			       ? json_count(ids)
			       : 0;
	lease_ends(h, ev->created_at_ms);
}

static void
on_request_start(struct turn_history *h, const struct event *ev, struct json payload)
{
	(void)payload;
	h->open_request = arena_str(h->kept, ev->id);
	IGNORE(loop_guard_step(&h->guard)); /* the verdict was carried out then */
}

/* Tells that the turn was alive, and whether a directive was noted. */
static void
on_result(struct turn_history *h, const struct event *ev, struct json payload)
{
	struct json call, outcome;

	(void)ev;
	if (!json_find(payload, STR("tool_use_id"), &call) ||
	    !json_find(payload, STR("outcome"), &outcome) || !json_str_eq(outcome, STR("ok")))
		return;
	for (size_t i = 0; i < h->calls.len; i++)
		if (json_str_eq(call, h->calls.ptr[i].id) &&
		    h->calls.ptr[i].kind == EVENT_AGENT_TOOL_USE &&
		    str_eq(h->calls.ptr[i].name, STR("session_directive")))
			h->directive = h->calls.ptr[i].arguments;
}

static const struct part {
	enum event_kind kind;
	void (*fold)(struct turn_history *h, const struct event *ev, struct json payload);
} PARTS[] = {
	{ EVENT_STATUS_RUNNING, on_running },
	{ EVENT_STATUS_IDLE, on_idle },
	{ EVENT_STATUS_RESCHEDULED, on_rescheduled },
	{ EVENT_MODEL_REQUEST_START, on_request_start },
	{ EVENT_MODEL_REQUEST_END, on_request_end },
	{ EVENT_AGENT_TOOL_USE, on_call },
	{ EVENT_AGENT_CUSTOM_TOOL_USE, on_call },
	{ EVENT_AGENT_MCP_TOOL_USE, on_call },
	{ EVENT_AGENT_TOOL_RESULT, on_result },
	{ EVENT_AGENT_MCP_TOOL_RESULT, on_result },
	{ EVENT_USER_TOOL_CONFIRMATION, on_answer },
	{ EVENT_USER_TOOL_RESULT, on_answer },
	{ EVENT_USER_CUSTOM_TOOL_RESULT, on_answer },
};

uint64_t
turn_history_kinds(void)
{
	uint64_t kinds = 0;

	for (size_t i = 0; i < ARRAY_LEN(PARTS); i++)
		kinds |= UINT64_C(1) << PARTS[i].kind;
	return kinds;
}

void
turn_history_add(struct turn_history *h, const struct event *ev)
{
	struct json_doc doc;

	arena_reset(&h->scratch);
	for (size_t i = 0; i < ARRAY_LEN(PARTS); i++) {
		if (PARTS[i].kind != ev->kind ||
		    json_parse(&h->scratch, ev->payload, &EVENT_PAYLOAD_LIMITS, &doc, NULL) != 0)
			continue;
		h->last_at_ms = ev->created_at_ms;
		PARTS[i].fold(h, ev, json_root(&doc));
		return;
	}
}

int64_t
turn_history_leased_ms(const struct turn_history *h)
{
	bool open = h->leased_since_ms > 0 && h->last_at_ms > h->leased_since_ms;

	return h->leased_ms + (open ? h->last_at_ms - h->leased_since_ms : 0);
}

bool
turn_history_call(const struct turn_history *h, const struct call_row *row, struct turn_call *out)
{
	for (size_t i = 0; i < h->calls.len; i++) {
		if (!str_eq(h->calls.ptr[i].id, row->id))
			continue;
		*out = h->calls.ptr[i];
		out->state = row->state;
		return true;
	}
	return false;
}

const struct turn_answer *
turn_history_answer(const struct turn_history *h, struct str id)
{
	for (size_t i = 0; i < h->answers.len; i++)
		if (str_eq(h->answers.ptr[i].id, id))
			return &h->answers.ptr[i];
	return NULL;
}
