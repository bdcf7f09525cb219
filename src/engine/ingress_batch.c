/* ingress_batch - client events from JSON to what a commit takes: kind, class, meta, payload. */
#include "core/call_state.h"
#include "core/event.h"
#include "engine/ingress.h"

/* The payload as received, with one member more. */
static struct str
with_member(struct arena *a, struct str payload, const char *name, struct str value)
{
	return arena_printf(a, STR_FMT ",\"%s\":\"" STR_FMT "\"}", (int)payload.len - 1,
			    payload.ptr, name, STR_ARG(value));
}

static int
check_one(struct json v, struct ingress_input *out, struct err *e)
{
	if (json_type(v) != JSON_OBJECT)
		return json_fail(v, e, "must be an event object");
	return event_check_client(v, &out->kind, e);
}

static bool
is_answer(enum event_kind kind)
{
	enum input_class class;

	return input_classify(&(struct classify_facts){ .kind = kind }, &class) &&
	       class == INPUT_ANSWER;
}

/* What an answer says about its call; of other inputs nothing. */
static void
read_answer(struct arena *a, struct json v, struct ingress_input *out)
{
	struct json call, word;

	if (!is_answer(out->kind))
		return;
	if (json_find(v, str_of(call_state_field(out->kind)), &call))
		out->call = json_str(call, a);
	out->allow = json_find(v, STR("result"), &word) && json_str_eq(word, STR("allow"));
	out->always = json_find(v, STR("scope"), &word) && json_str_eq(word, STR("always"));
}

/* A system.message stands alone at the end, so that it is clear which trigger it belongs to. */
static int
check_system(struct json v, const struct ingress_batch *b, size_t total, struct err *e)
{
	const struct ingress_input *in = &b->inputs[b->count];

	if (in->kind == EVENT_SYSTEM_MESSAGE && b->count + 1 != total)
		return json_fail(v, e, "a system.message must be the last event of its request");
	return 0;
}

struct str
ingress_meta(struct engine *en, struct arena *a, const struct input_meta *meta)
{
	struct jw w;

	buf_clear(&en->scratch);
	jw_init(&w, &en->scratch);
	input_meta_write(meta, &w);
	return arena_str(a, buf_str(&en->scratch));
}

void
ingress_append_note(struct engine *en, struct commit *c, struct str text)
{
	struct input_meta meta = { .class = INPUT_PASSIVE };
	struct buf b;
	struct jw w;

	buf_init(&b, STORE_PAYLOAD_MAX);
	jw_init(&w, &b);
	jw_object(&w);
	jw_field_str(&w, "type", STR("system.message"));
	jw_field_array(&w, "content");
	jw_object(&w);
	jw_field_str(&w, "type", STR("text"));
	jw_field_str(&w, "text", text);
	jw_end_object(&w);
	jw_end_array(&w);
	jw_end_object(&w);
	commit_append(c, &(struct commit_event){ .kind = EVENT_SYSTEM_MESSAGE,
						 .author = AUTHOR_SYSTEM,
						 .meta = ingress_meta(en, commit_arena(c), &meta),
						 .payload = buf_str(&b) });
	buf_release(&b);
}

static void
classify(struct engine *en, struct arena *a, const struct ingress_facts *f, struct ingress_batch *b)
{
	struct str trigger = { 0 };

	for (size_t i = 0; i < b->count && trigger.len == 0; i++) {
		struct classify_facts facts = { b->inputs[i].kind, f->append_only, f->routed,
						false };
		enum input_class class;

		if (input_classify(&facts, &class) && class == INPUT_TRIGGER)
			trigger = b->inputs[i].id;
	}
	for (size_t i = 0; i < b->count; i++) {
		struct ingress_input *in = &b->inputs[i];
		struct classify_facts facts = { in->kind, f->append_only, f->routed,
						trigger.len > 0 };
		struct input_meta meta = { .busy = BUSY_QUEUE };

		if (!input_classify(&facts, &in->class))
			continue; /* event_check_client lets only inputs pass */
		meta.class = in->class;
		if (in->class == INPUT_TRIGGER) {
			meta.busy = f->busy;
			meta.group = f->group;
		}
		if (in->class == INPUT_BOUND)
			meta.bound_to = trigger;
		meta.sender = f->sender;
		in->meta = ingress_meta(en, a, &meta);
		b->has_trigger |= in->class == INPUT_TRIGGER;
		b->wakes |= in->class == INPUT_TRIGGER || in->class == INPUT_ANSWER ||
			    in->class == INPUT_CONTROL;
	}
}

static bool
is_type(struct json event, enum event_kind kind)
{
	struct json type;

	return json_find(event, STR("type"), &type) && json_str_eq(type, str_of(event_type(kind)));
}

enum access_verb
ingress_verb(struct json events)
{
	struct json_iter it = json_iter(events);
	enum access_verb verb = ACCESS_SESSION_ANSWER;

	if (json_type(events) != JSON_ARRAY || json_count(events) == 0)
		return ACCESS_SESSION_POST;
	while (json_next(&it)) {
		if (is_type(it.value, EVENT_USER_INTERRUPT) ||
		    is_type(it.value, EVENT_USER_TOOL_CONFIRMATION))
			return ACCESS_SESSION_CONTROL; /* whoever may do that may post as well */
		if (!is_type(it.value, EVENT_USER_TOOL_RESULT) &&
		    !is_type(it.value, EVENT_USER_CUSTOM_TOOL_RESULT))
			verb = ACCESS_SESSION_POST;
	}
	return verb;
}

int
ingress_read(struct engine *en, struct arena *a, struct json events, const struct ingress_facts *f,
	     struct ingress_batch *out, struct err *e)
{
	size_t total = json_count(events);
	struct ingress_batch b = { .inputs = ARENA_ARRAY(a, total + 1, struct ingress_input) };
	struct json_iter it = json_iter(events);

	if (json_type(events) != JSON_ARRAY || total == 0)
		return json_fail(events, e, "must be an array of at least one event");
	if (total > INGRESS_EVENTS_MAX)
		return json_fail(events, e, "has %zu events; at most %d go into one request", total,
				 INGRESS_EVENTS_MAX);
	while (json_next(&it)) {
		struct ingress_input *in = &b.inputs[b.count];
		int rc = check_one(it.value, in, e);

		if (rc == 0)
			rc = check_system(it.value, &b, total, e);
		if (rc != 0)
			return rc;
		in->id = engine_make_id(en, a, "sevt");
		in->payload = json_raw(it.value);
		if (in->kind == EVENT_USER_DEFINE_OUTCOME)
			in->payload = with_member(a, in->payload, "outcome_id",
						  engine_make_id(en, a, "outc"));
		read_answer(a, it.value, in);
		b.count++;
	}
	classify(en, a, f, &b);
	*out = b;
	return 0;
}

void
ingress_append(struct commit *c, const struct ingress_batch *batch)
{
	for (size_t i = 0; i < batch->count; i++) {
		const struct ingress_input *in = &batch->inputs[i];

		commit_append(c, &(struct commit_event){
					 .kind = in->kind,
					 .author = event_usual_author(in->kind),
					 .id = in->id,
					 .meta = in->meta,
					 .payload = in->payload,
					 .borrowed = true,
				 });
	}
}
