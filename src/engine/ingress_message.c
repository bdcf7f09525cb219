/* ingress_message - a message of the API's to the inputs it stands for. */
#include "core/attachment.h"
#include "engine/ingress.h"

/* Who speaks, as an owner or a channel says. */
static int
check_sender(struct json sender, struct engine_caller *caller, struct arena *a, struct err *e)
{
	struct json channel = { 0 }, user = { 0 }, name = { 0 };
	const struct json_field fields[] = {
		{ "channel", JSON_WANT_STRING, true, &channel },
		{ "channel_user_id", JSON_WANT_STRING, true, &user },
		{ "display_name", JSON_WANT_STRING | JSON_WANT_NULL, false, &name },
	};
	int rc;

	if (caller->who.kind != TOKEN_OWNER && caller->who.kind != TOKEN_CHANNEL)
		return err_set(e, ERR_INVALID,
			       "sender: only an owner or a channel may say who speaks");
	rc = json_fields(sender, fields, ARRAY_LEN(fields), e);
	if (rc != 0)
		return rc;
	caller->who.sender_channel = json_str(channel, a);
	if (!principal_speaks_for_sender(&caller->who))
		return err_set(e, ERR_INVALID, "sender.channel: this token speaks for " STR_FMT,
			       STR_ARG(caller->who.namespace));
	return 0;
}

int
ingress_check_message(const struct engine_message *m, struct engine_caller *caller, struct arena *a,
		      struct err *e)
{
	struct attachment *attachments;
	size_t count;
	int rc = 0;

	if (m->text.len == 0 && !json_is_set(m->attachments))
		return err_set(e, ERR_INVALID, "text: must not be empty");
	if (json_is_set(m->attachments))
		rc = attachment_decode(m->attachments, a, &attachments, &count, e);
	if (rc == 0 && json_is_set(m->sender))
		rc = check_sender(m->sender, caller, a, e);
	return rc;
}

/* An image whose bytes came along is part of what was said. It has been decoded once already, so it can
 * be again. */
static bool
is_inline_image(struct json v, struct arena *a, struct attachment *out)
{
	struct json data, mime_type;

	if (!json_find(v, STR("data"), &data) || !json_find(v, STR("mime_type"), &mime_type))
		return false;
	*out = (struct attachment){ .source = ATTACHMENT_DATA,
				    .value = json_str(data, a),
				    .mime_type = json_str(mime_type, a) };
	return attachment_is_image(out);
}

static size_t
write_images(struct jw *w, struct json attachments, struct arena *a)
{
	struct attachment image;
	size_t count = 0;

	for (struct json_iter it = json_iter(attachments); json_next(&it);) {
		if (!is_inline_image(it.value, a, &image))
			continue;
		count++;
		jw_object(w);
		jw_field_str(w, "type", STR("image"));
		jw_field_object(w, "source");
		jw_field_str(w, "type", STR("base64"));
		jw_field_str(w, "media_type", image.mime_type);
		jw_field_str(w, "data", image.value);
		jw_end_object(w);
		jw_end_object(w);
	}
	return count;
}

static void
write_attachments(struct jw *w, struct json attachments, struct arena *a)
{
	struct attachment image;

	jw_field_array(w, "attachments");
	for (struct json_iter it = json_iter(attachments); json_next(&it);)
		if (!is_inline_image(it.value, a, &image))
			jw_raw(w, json_raw(it.value));
	jw_end_array(w);
}

static void
write_message(const struct engine_message *m, struct arena *a, struct buf *out)
{
	size_t images = 0;
	struct jw w;

	jw_init(&w, out);
	jw_object(&w);
	jw_field_str(&w, "type", STR("user.message"));
	jw_field_array(&w, "content");
	jw_object(&w);
	jw_field_str(&w, "type", STR("text"));
	jw_field_str(&w, "text", m->text);
	jw_end_object(&w);
	if (json_is_set(m->attachments))
		images = write_images(&w, m->attachments, a);
	jw_end_array(&w);
	if (m->message_id.len > 0)
		jw_field_str(&w, "message_id", m->message_id);
	if (json_is_set(m->attachments) && json_count(m->attachments) > images)
		write_attachments(&w, m->attachments, a);
	if (json_is_set(m->metadata))
		jw_field_raw(&w, "metadata", json_raw(m->metadata));
	if (json_is_set(m->sender))
		jw_field_raw(&w, "sender", json_raw(m->sender));
	if (m->has_mentioned)
		jw_field_bool(&w, "mentioned", m->mentioned);
	jw_end_object(&w);
}

static int
make_payload(struct arena *a, const struct engine_message *m, struct str *out, struct err *e)
{
	enum event_kind kind;
	struct json_doc doc;
	struct buf payload;
	int rc;

	buf_init(&payload, STORE_PAYLOAD_MAX);
	write_message(m, a, &payload);
	rc = buf_check(&payload, "a message", e);
	*out = arena_str(a, buf_str(&payload));
	buf_release(&payload);
	if (rc == 0)
		rc = json_parse(a, *out, &EVENT_PAYLOAD_LIMITS, &doc, e);
	return rc == 0 ? event_check(json_root(&doc), &kind, e) : rc;
}

int
ingress_read_message(struct engine *en, struct arena *a, const struct engine_message *m,
		     const struct ingress_facts *f, struct ingress_batch *out, struct err *e)
{
	struct ingress_input *in = ARENA_ARRAY(a, 2, struct ingress_input);
	struct classify_facts facts = { EVENT_USER_MESSAGE, f->append_only, f->routed, false };
	struct input_meta meta = { .busy = BUSY_QUEUE,
				   .sender = f->sender,
				   .model = m->model,
				   .media = m->text.len == 0 && json_is_set(m->attachments) };
	struct input_meta stop = { .class = INPUT_CONTROL, .sender = f->sender };
	bool triggers, interrupts;
	int rc = make_payload(a, m, &in->payload, e);

	if (rc != 0)
		return rc;
	IGNORE(input_classify(&facts, &in->class)); /* a user.message always has a class */
	triggers = in->class == INPUT_TRIGGER;
	interrupts = triggers && f->busy == BUSY_INTERRUPT;
	meta.class = in->class;
	if (triggers)
		meta.busy = f->busy;
	in->kind = EVENT_USER_MESSAGE;
	in->meta = ingress_meta(en, a, &meta);
	if (interrupts) { /* the turn that is open ends first */
		in[1] = in[0];
		in[0] = (struct ingress_input){ .kind = EVENT_USER_INTERRUPT,
						.class = INPUT_CONTROL,
						.id = engine_make_id(en, a, "sevt"),
						.meta = ingress_meta(en, a, &stop),
						.payload = STR("{\"type\":\"user.interrupt\"}") };
	}
	in[interrupts].id = engine_make_id(en, a, "sevt");
	*out = (struct ingress_batch){
		.inputs = in,
		.count = interrupts ? 2 : 1,
		.has_trigger = triggers,
		.wakes = triggers,
	};
	return 0;
}
