#include "core/queue_policy.h"
#include "engine/ingress.h"
#include "engine_rig.h"

static const struct row {
	const char *name;
	struct engine_message m;
	const char *sender, *metadata;
	struct ingress_facts facts;
	const char *payload; /* of the message; NULL: refused */
	size_t count;
	bool triggers;
} ROWS[] = {
	{ "A7 a text", .m = { .text = STR("hi") }, .facts = { .routed = true }, .count = 1,
	  .triggers = true,
	  .payload = "{'type':'user.message','content':[{'type':'text','text':'hi'}]}" },
	{ "A7 appended", .m = { .text = STR("hi") },
	  .facts = { .routed = true, .append_only = true }, .count = 1,
	  .payload = "{'type':'user.message','content':[{'type':'text','text':'hi'}]}" },
	{ "P4 not routed", .m = { .text = STR("hi"), .has_mentioned = true }, .count = 1,
	  .payload = "{'type':'user.message','content':[{'type':'text','text':'hi'}],"
		     "'mentioned':false}" },
	{ "Q3 interrupting", .m = { .text = STR("hi") },
	  .facts = { .routed = true, .busy = BUSY_INTERRUPT }, .count = 2, .triggers = true,
	  .payload = "{'type':'user.message','content':[{'type':'text','text':'hi'}]}" },
	{ "Q3 what runs nothing interrupts nothing", .m = { .text = STR("hi") },
	  .facts = { .routed = false, .busy = BUSY_INTERRUPT }, .count = 1,
	  .payload = "{'type':'user.message','content':[{'type':'text','text':'hi'}]}" },
	{ "A7 with everything", .m = { .text = STR("hi"), .message_id = STR("m") },
	  .sender = "{'channel':'x','channel_user_id':'1'}", .metadata = "{'a':'b'}",
	  .facts = { .routed = true }, .count = 1, .triggers = true,
	  .payload = "{'type':'user.message','content':[{'type':'text','text':'hi'}],"
		     "'message_id':'m','metadata':{'a':'b'},'sender':{'channel':'x',"
		     "'channel_user_id':'1'}}" },
	{ "A7 a text with every kind of byte", .m = { .text = STR("\"\\\n\x01\xc3\xa9") },
	  .facts = { .routed = true }, .count = 1, .triggers = true,
	  .payload = "{'type':'user.message','content':[{'type':'text','text':'\\\"\\\\\\n\\u0001"
		     "\xc3\xa9'}]}" },
};

static void
test_row(void **state)
{
	const struct row *row = *state;
	struct engine_message m = row->m;
	struct ingress_batch b;
	struct engine_rig r;
	struct str want;
	struct err e;

	engine_rig_init(&r, false);
	if (row->sender)
		m.sender = engine_rig_json(&r, row->sender);
	if (row->metadata)
		m.metadata = engine_rig_json(&r, row->metadata);
	if (ingress_read_message(r.en, &r.arena, &m, &row->facts, &b, &e) != 0)
		fail_msg("%s", e.text);
	assert_int_equal(b.count, row->count);
	assert_int_equal(b.has_trigger, row->triggers);
	assert_int_equal(b.wakes, row->triggers);
	if (b.count == 2) {
		assert_int_equal(b.inputs[0].kind, EVENT_USER_INTERRUPT);
		assert_int_equal(b.inputs[0].class, INPUT_CONTROL);
		assert_false(str_eq(b.inputs[0].id, b.inputs[1].id));
	}
	want = arena_str(&r.arena, str_of(row->payload));
	for (size_t i = 0; i < want.len; i++)
		if (want.ptr[i] == '\'')
			((char *)want.ptr)[i] = '"';
	check_str("payload", b.inputs[b.count - 1].payload, want);
	engine_rig_release(&r);
}

static const struct refused {
	const char *name, *text, *sender, *attachments, *says;
} REFUSED[] = {
	{ "A7 an empty text", "", NULL, NULL, "text" },
	{ "A7 a sender without a channel", "x", "{'channel_user_id':'1'}", NULL, "channel" },
	{ "A7 a channel that is no text", "x", "{'channel':1}", NULL, "channel" },
	{ "M11 an attachment that is none", "x", NULL, "[{}]", "exactly one of" },
};

static void
test_refused(void **state)
{
	const struct refused *row = *state;
	struct engine_message m = { .text = str_of(row->text) };
	struct engine_caller caller;
	struct engine_rig r;
	struct err e;

	engine_rig_init(&r, false);
	caller = r.owner;
	if (row->sender)
		m.sender = engine_rig_json(&r, row->sender);
	if (row->attachments)
		m.attachments = engine_rig_json(&r, row->attachments);
	assert_int_equal(ingress_check_message(&m, &caller, &r.arena, &e), ERR_INVALID);
	if (!strstr(e.text, row->says))
		fail_msg("'%s' does not say '%s'", e.text, row->says);
	engine_rig_release(&r);
}

/* Bursts of media collapse (core/queue_policy): words are never merged. */
static const struct media {
	const char *name, *text;
	const char *attachments;
	bool media;
} MEDIA[] = {
	{ "Q4 nothing but a picture", "", "[{'data':'aGk=','mime_type':'image/png'}]", true },
	{ "Q4 a picture with words", "look", "[{'data':'aGk=','mime_type':'image/png'}]", false },
	{ "Q4 words alone", "look", NULL, false },
};

static void
test_media(void **state)
{
	const struct media *row = *state;
	struct engine_message m = { .text = str_of(row->text) };
	struct ingress_facts f = { .routed = true };
	struct ingress_batch b;
	struct engine_rig r;
	struct err e;

	engine_rig_init(&r, false);
	if (row->attachments)
		m.attachments = engine_rig_json(&r, row->attachments);
	assert_int_equal(ingress_read_message(r.en, &r.arena, &m, &f, &b, &e), 0);
	assert_int_equal(str_contains(b.inputs[0].meta, STR("\"media\":true")), row->media);
	engine_rig_release(&r);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, test_row);
	SUITE_ROWS(&s, REFUSED, test_refused);
	SUITE_ROWS(&s, MEDIA, test_media);
	return suite_run(&s, "engine/ingress_message");
}
