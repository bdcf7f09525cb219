#include "core/input.h"

static const char *const CLASSES[] = {
	[INPUT_TRIGGER] = "trigger", [INPUT_BOUND] = "bound",     [INPUT_PASSIVE] = "passive",
	[INPUT_ANSWER] = "answer",   [INPUT_CONTROL] = "control",
};
static const char *const MODES[] = {
	[BUSY_QUEUE] = "queue",     [BUSY_STEER] = "steer",   [BUSY_INTERRUPT] = "interrupt",
	[BUSY_COLLECT] = "collect", [BUSY_REJECT] = "reject",
};

const char *
input_class_name(enum input_class c)
{
	return CLASSES[c];
}

const char *
busy_mode_name(enum busy_mode m)
{
	return MODES[m];
}

bool
busy_mode_parse(struct str name, enum busy_mode *out)
{
	for (size_t i = 0; i < ARRAY_LEN(MODES); i++) {
		if (str_eq(str_of(MODES[i]), name)) {
			*out = (enum busy_mode)i;
			return true;
		}
	}
	return false;
}

void
input_meta_write(const struct input_meta *m, struct jw *out)
{
	jw_object(out);
	jw_field_str(out, "class", str_of(CLASSES[m->class]));
	if (m->busy != BUSY_QUEUE)
		jw_field_str(out, "busy", str_of(MODES[m->busy]));
	if (m->sender.len > 0)
		jw_field_str(out, "sender", m->sender);
	if (m->route.len > 0)
		jw_field_raw(out, "route", m->route);
	if (m->bound_to.len > 0)
		jw_field_str(out, "bound_to", m->bound_to);
	if (m->group.len > 0)
		jw_field_str(out, "group", m->group);
	if (m->model.len > 0)
		jw_field_str(out, "model", m->model);
	if (m->media)
		jw_field_bool(out, "media", true);
	if (m->due_at_ms != 0)
		jw_field_int(out, "due_at", m->due_at_ms);
	jw_end_object(out);
}

int
input_meta_read(struct json meta, struct arena *a, struct input_meta *out, struct err *e)
{
	struct json class = { 0 }, busy = { 0 }, sender = { 0 }, route = { 0 }, bound_to = { 0 };
	struct json group = { 0 }, model = { 0 }, media = { 0 }, due_at = { 0 };
	const struct json_field fields[] = {
		{ "class", JSON_WANT_STRING, true, &class },
		{ "busy", JSON_WANT_STRING, false, &busy },
		{ "sender", JSON_WANT_STRING, false, &sender },
		{ "route", JSON_WANT_OBJECT, false, &route },
		{ "bound_to", JSON_WANT_STRING, false, &bound_to },
		{ "group", JSON_WANT_STRING, false, &group },
		{ "model", JSON_WANT_STRING, false, &model },
		{ "media", JSON_WANT_BOOL, false, &media },
		{ "due_at", JSON_WANT_NUMBER, false, &due_at },
	};
	struct input_meta m = { 0 };
	size_t class_at = 0, busy_at = BUSY_QUEUE;
	int rc = json_fields(meta, fields, ARRAY_LEN(fields), e);

	if (rc == 0)
		rc = json_take_word(class, CLASSES, ARRAY_LEN(CLASSES), &class_at, e);
	if (rc == 0)
		rc = json_take_word(busy, MODES, ARRAY_LEN(MODES), &busy_at, e);
	if (rc == 0)
		rc = json_take_str(sender, a, &m.sender, e);
	if (rc == 0)
		rc = json_take_str(bound_to, a, &m.bound_to, e);
	if (rc == 0)
		rc = json_take_str(group, a, &m.group, e);
	if (rc == 0)
		rc = json_take_str(model, a, &m.model, e);
	if (rc == 0)
		rc = json_take_bool(media, &m.media, e);
	if (rc == 0)
		rc = json_take_int(due_at, 0, INT64_MAX, &m.due_at_ms, e);
	if (rc != 0)
		return rc;
	m.class = (enum input_class)class_at;
	m.busy = (enum busy_mode)busy_at;
	if (json_is_set(route))
		m.route = json_raw(route);
	*out = m;
	return 0;
}

/* A message runs a turn when routing says so; everything else about it is passive. */
static enum input_class
classify_message(const struct classify_facts *f)
{
	return !f->append_only && f->routed ? INPUT_TRIGGER : INPUT_PASSIVE;
}

bool
input_classify(const struct classify_facts *f, enum input_class *out)
{
	switch ((unsigned)f->kind) { /* only the kinds that are inputs */
	case EVENT_USER_MESSAGE: *out = classify_message(f); return true;
	case EVENT_USER_DEFINE_OUTCOME:
	case EVENT_SCHEDULE_FIRED: *out = INPUT_TRIGGER; return true;
	case EVENT_SYSTEM_MESSAGE:
		*out = f->with_trigger ? INPUT_BOUND : INPUT_PASSIVE;
		return true;
	case EVENT_USER_TOOL_CONFIRMATION:
	case EVENT_USER_TOOL_RESULT:
	case EVENT_USER_CUSTOM_TOOL_RESULT: *out = INPUT_ANSWER; return true;
	case EVENT_USER_INTERRUPT: *out = INPUT_CONTROL; return true;
	default: return false;
	}
}

bool
input_class_fits(enum event_kind kind, enum input_class class)
{
	struct classify_facts f = { .kind = kind };
	enum input_class possible;

	for (int bits = 0; bits < 8; bits++) {
		f.append_only = bits & 1;
		f.routed = bits & 2;
		f.with_trigger = bits & 4;
		if (input_classify(&f, &possible) && possible == class)
			return true;
	}
	return false;
}
