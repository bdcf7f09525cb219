#include "live_ask.h"

struct rig_reply
live_get(struct api_rig *r, const char *token, const char *target)
{
	return api_rig_ask(r,
			   &(struct rig_ask){ .method = "GET", .target = target, .token = token });
}

struct rig_reply
live_post(struct api_rig *r, const char *token, const char *target, const char *body)
{
	return api_rig_ask(
		r, &(struct rig_ask){
			   .method = "POST", .target = target, .token = token, .body = body });
}

void
live_member(struct str json, const char *name, int nth, char out[256])
{
	char needle[64];
	struct str rest, head;
	size_t at = 0, from = 0;

	snprintf(needle, sizeof needle, "\"%s\":\"", name);
	for (int i = 0; i <= nth; i++, from = at + 1)
		if (!str_find(json, str_of(needle), from, &at))
			fail_msg("no %s in " STR_FMT, name, STR_ARG(json));
	rest = str_slice(json, at + strlen(needle), json.len);
	str_cut(rest, '"', &head, &rest);
	snprintf(out, 256, STR_FMT, STR_ARG(head));
}

int
live_count(struct str text, const char *part)
{
	int n = 0;

	for (size_t at = 0; str_find(text, str_of(part), at, &at); at++)
		n++;
	return n;
}

void
live_say(struct api_rig *r, const char *session, const char *text)
{
	char target[128], body[512];
	struct rig_reply reply;

	snprintf(target, sizeof target, "/v1/sessions/%s/events", session);
	snprintf(body, sizeof body,
		 "{\"events\":[{\"type\":\"system.message\",\"content\":[{\"type\":\"text\","
		 "\"text\":\"%s\"}]}]}",
		 text);
	reply = live_post(r, "owner", target, body);
	rig_expect("send", &reply, 200, text);
}

void
live_ask(struct api_rig *r, const char *session, const char *text, char id[256])
{
	char target[128], body[512];
	struct rig_reply reply;

	snprintf(target, sizeof target, "/v1/sessions/%s/messages", session);
	snprintf(body, sizeof body, "{\"text\":\"%s\"}", text);
	reply = live_post(r, "owner", target, body);
	rig_expect("post", &reply, 200, "event_id");
	live_member(reply.body, "event_id", 0, id);
}

void
live_run(struct api_rig *r, const char *session, const char *turn, const char *consumes)
{
	char payload[512];

	snprintf(payload, sizeof payload,
		 "{\"type\":\"session.status_running\",\"turn_id\":\"%s\",\"consumes\":[\"%s\"],"
		 "\"wakes\":[]}",
		 turn, consumes);
	live_write(r, session, turn, payload);
}

void
live_reply(struct api_rig *r, const char *session, const char *turn, const char *text)
{
	char payload[512];

	snprintf(payload, sizeof payload,
		 "{\"type\":\"agent.message\",\"content\":[{\"type\":\"text\",\"text\":\"%s\"}]}",
		 text);
	live_write(r, session, turn, payload);
}

void
live_idle(struct api_rig *r, const char *session, const char *turn)
{
	char payload[512];

	snprintf(payload, sizeof payload,
		 "{\"type\":\"session.status_idle\",\"turn_id\":\"%s\",\"stop_reason\":{\"type\":"
		 "\"end_turn\"},\"stop_details\":null,\"consumes\":[]}",
		 turn);
	live_write(r, session, turn, payload);
}
