/* Export and import: a bundle restores a log byte by byte. */
#include "live_ask.h"

static struct api_rig rig;
static char bundle[1024 * 1024];

static void
start_rig(void)
{
	api_rig_init(&rig);
	rig.config.body_bytes = 8 * 1024 * 1024;
	api_rig_start(&rig);
}

/* The body of a chunked answer, which this client gets as it is. */
static size_t
unchunk(struct str body, char *out, size_t size)
{
	size_t len = 0;

	for (;;) {
		struct str line;
		size_t n = 0;

		str_cut(body, '\n', &line, &body);
		for (size_t i = 0; i < line.len && line.ptr[i] != '\r'; i++)
			n = n * 16 + (size_t)(line.ptr[i] <= '9' ? line.ptr[i] - '0'
								 : line.ptr[i] - 'a' + 10);
		if (n == 0 || len + n >= size)
			break;
		memcpy(out + len, body.ptr, n);
		len += n;
		body = str_slice(body, n + 2, body.len);
	}
	out[len] = '\0';
	return len;
}

static void export(const char *session, char *out, size_t size)
{
	char target[128];
	struct rig_reply reply;

	snprintf(target, sizeof target, "/v1/sessions/%s/export", session);
	reply = live_get(&rig, "owner", target);
	rig_expect("export", &reply, 200, "perdure-session");
	unchunk(reply.body, out, size);
}

static void
fill(void)
{
	char id[256];
	struct rig_reply reply;

	start_rig();
	live_open(&rig, "s1");
	live_ask(&rig, "s1", "hello", id);
	live_run(&rig, "s1", "t1", id);
	live_reply(&rig, "s1", "t1", "hi");
	live_idle(&rig, "s1", "t1");
	reply = live_post(&rig, "owner", "/v1/sessions/s1/events",
			  "{\"events\":[{ \"type\" : \"system.message\",\n\t\"content\":[{\"type\":"
			  "\"text\",\"text\":\"line\\nend\"}]}]}");
	rig_expect("odd bytes", &reply, 200, NULL);
	for (int i = 0; i < 600; i++) /* more than a page and more than an item */
		live_write(
			&rig, "s1", NULL,
			"{\"type\":\"session.checkpoint\",\"reason\":\"manual\",\"success\":true,"
			"\"upto_seq\":1}");
	export("s1", bundle, sizeof bundle);
	api_rig_stop(&rig);
}

static void
S3_a_bundle_restores_the_log_byte_by_byte(void **state)
{
	static char again[sizeof bundle];
	struct rig_reply reply;

	(void)state;
	fill();
	start_rig();
	reply = live_post(&rig, "owner", "/v1/sessions/import", bundle);
	rig_expect("import", &reply, 200, "\"id\":\"s1\"");
	rig_expect("import", &reply, 200, "\"head_seq\":606");
	export("s1", again, sizeof again);
	assert_string_equal(again, bundle);
	reply = live_post(&rig, "owner", "/v1/sessions/import", bundle);
	rig_expect("the same again", &reply, 200, "\"head_seq\":606");
	live_say(&rig, "s1", "grown since");
	reply = live_post(&rig, "owner", "/v1/sessions/import", bundle);
	rig_expect("what it begins with", &reply, 200, "\"head_seq\":607");
	api_rig_stop(&rig);
}

static void
S3_a_longer_bundle_continues_what_is_there(void **state)
{
	struct rig_reply reply;
	char *end;
	static char part[sizeof bundle];

	(void)state;
	fill();
	start_rig();
	reply = live_post(&rig, "owner", "/v1/sessions/import", bundle);
	rig_expect("import", &reply, 200, NULL);
	live_say(&rig, "s1", "one more");
	export("s1", part, sizeof part);
	api_rig_stop(&rig);
	start_rig();
	reply = live_post(&rig, "owner", "/v1/sessions/import", bundle);
	rig_expect("the beginning", &reply, 200, "\"head_seq\":606");
	reply = live_post(&rig, "owner", "/v1/sessions/import", part);
	rig_expect("the rest", &reply, 200, "\"head_seq\":607");
	end = strrchr(part, '\n');
	*end = '\0';
	*(strrchr(part, '\n') + 1) = '\0'; /* without its last line */
	reply = live_post(&rig, "owner", "/v1/sessions/import", part);
	rig_expect("not whole", &reply, 400, "not whole");
	api_rig_stop(&rig);
}

static void
S3_another_log_under_the_same_id_is_refused(void **state)
{
	struct rig_reply reply;

	(void)state;
	fill();
	start_rig();
	live_open(&rig, "s1");
	reply = live_post(&rig, "owner", "/v1/sessions/import", bundle);
	rig_expect("another", &reply, 409, "another log");
	reply = live_get(&rig, "owner", "/v1/sessions/s1");
	rig_expect("untouched", &reply, 200, "\"head_seq\":1,");
	api_rig_stop(&rig);
}

static void
S3_a_changed_byte_is_found(void **state)
{
	struct rig_reply reply;
	char *at;

	(void)state;
	fill();
	start_rig();
	at = strstr(bundle, "\"text\":\"hi\"");
	assert_non_null(at);
	at[8] = 'H';
	reply = live_post(&rig, "owner", "/v1/sessions/import", bundle);
	rig_expect("changed", &reply, 400, "hash");
	reply = live_get(&rig, "owner", "/v1/sessions/s1");
	rig_expect("nothing was stored", &reply, 404, NULL);
	reply = live_post(&rig, "owner", "/v1/sessions/import", "garbage");
	rig_expect("garbage", &reply, 400, "line 1");
	reply = live_post(&rig, "owner", "/v1/sessions/import", "\n\n");
	rig_expect("nothing", &reply, 400, "empty");
	reply = live_post(&rig, "user", "/v1/sessions/import", "garbage");
	assert_true(reply.status == 403 || reply.status == 404);
	api_rig_stop(&rig);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, S3_a_bundle_restores_the_log_byte_by_byte);
	SUITE_TEST(&s, S3_a_longer_bundle_continues_what_is_there);
	SUITE_TEST(&s, S3_another_log_under_the_same_id_is_refused);
	SUITE_TEST(&s, S3_a_changed_byte_is_found);
	return suite_run(&s, "api/session_export");
}
