#include "engine/context_lane.h"

#include "turn_rig.h"

/* What a scripted model was sent last. */
struct seen {
	struct arena arena;
	struct str system, said;
};

static void
on_request(void *ctx, const struct provider_request *q)
{
	struct seen *s = ctx;

	s->system = arena_str(&s->arena, q->system);
	s->said = arena_str(&s->arena, q->messages[q->message_count - 1].content);
}

struct resolved {
	struct rig *rig;
	bool done;
	char id[256];
};

static void
on_resolved(void *ctx, const struct engine_answer *answer)
{
	struct resolved *r = ctx;

	if (answer->rc != 0)
		fail_msg("%s", answer->err->text);
	snprintf(r->id, sizeof r->id, STR_FMT, STR_ARG(answer->id));
	r->done = true;
}

static void
resolve(struct rig *r, const char *body, struct resolved *out)
{
	struct engine_call call = { .caller = &r->owner, .done = on_resolved, .ctx = out };
	struct json_doc doc;
	struct err e;

	*out = (struct resolved){ .rig = r };
	assert_int_equal(json_parse(&r->arena, str_of(body), &JSON_LIMITS_DEFAULT, &doc, &e), 0);
	engine_session_resolve(r->en, &call, json_root(&doc));
	rig_settle_until(r, &out->done);
}

static void
on_posted(void *ctx, const struct engine_answer *answer)
{
	if (answer->rc != 0)
		fail_msg("%s", answer->err->text);
	*(bool *)ctx = true;
}

static void
post_as_ann(struct rig *r, const char *session, const char *text)
{
	const char *sender = "{\"channel\":\"telegram\",\"channel_user_id\":\"77\","
			     "\"display_name\":\"Ann\"}";
	bool done = false;
	struct engine_call call = { .caller = &r->owner, .done = on_posted, .ctx = &done };
	struct engine_message m = { .text = str_of(text),
				    .has_mentioned = true,
				    .mentioned = true };
	struct json_doc doc;
	struct err e;

	assert_int_equal(json_parse(&r->arena, str_of(sender), &JSON_LIMITS_DEFAULT, &doc, &e), 0);
	m.sender = json_root(&doc);
	engine_post(r->en, &call, str_of(session), &m);
	rig_settle_until(r, &done);
	rig_settle(r);
}

static struct engine_surroundings
around(void *ctx, struct str platform)
{
	static const struct str PLATFORMS[] = { { "telegram", 8 }, { "slack", 5 } };
	static const struct context_home HOMES[] = { { { "slack", 5 }, { "C9", 2 }, { NULL, 0 } } };

	(void)platform;
	return (struct engine_surroundings){ PLATFORMS, 2, HOMES, 1, *(bool *)ctx };
}

struct world {
	struct rig r;
	struct seen s;
	bool redact;
};

static void
begin(struct world *w)
{
	*w = (struct world){ 0 };
	rig_init(&w->r, true);
	arena_init(&w->s.arena);
	provider_scripted_watch(w->r.scripted, on_request, &w->s);
	rig_agent(&w->r, "a",
		  "{\"id\":\"a\",\"version\":1,\"model\":{\"id\":\"scripted\"},"
		  "\"system\":\"Be kind.\"}");
	w->r.en->config.policies.around = around;
	w->r.en->config.policies.ctx = &w->redact;
}

static void
end(struct world *w)
{
	rig_release(&w->r);
	arena_release(&w->s.arena);
}

static void
says(const struct world *w, const char *part)
{
	if (!str_contains(w->s.system, str_of(part)))
		fail_msg("no '%s' in:\n" STR_FMT, part, STR_ARG(w->s.system));
}

static const char DM[] = "{\"source\":{\"platform\":\"telegram\",\"chat_id\":\"4711\","
			 "\"user_id\":\"77\",\"user_name\":\"Ann\",\"chat_topic\":\"bikes\"},"
			 "\"agent_id\":\"a\"}";

static void
K8_a_lane_tells_where_it_is_the_same_every_turn(void **state)
{
	struct resolved lane;
	struct world w;
	struct str first;

	(void)state;
	begin(&w);
	resolve(&w.r, DM, &lane);
	rig_post(&w.r, lane.id, "one");
	says(&w, "Be kind.\n\n## Current Session Context\n");
	says(&w, "- Session key: \"agent:a:telegram:dm:4711\"\n");
	says(&w, lane.id);
	says(&w, "- Created at: 2025-06-15T15:06:40Z\n");
	says(&w, "- Source: telegram, \"DM with Ann\"\n");
	says(&w, "- Topic: \"bikes\"\n");
	says(&w, "- User: \"Ann\"\n");
	says(&w, "- Connected platforms: local, telegram, slack\n");
	says(&w, "  - slack: \"C9\"\n");
	says(&w, "- Delivery options for scheduled tasks:\n");
	first = w.s.system;
	rig_advance(&w.r, 3600 * 1000);
	resolve(&w.r, DM, &lane); /* notes activity, changes nothing of the text */
	rig_post(&w.r, lane.id, "two");
	check_str("the second turn", w.s.system, first);
	end(&w);
}

static void
K8_shared_sessions_name_the_sender_of_each_message(void **state)
{
	struct resolved lane;
	struct world w;

	(void)state;
	begin(&w);
	resolve(&w.r,
		"{\"source\":{\"platform\":\"telegram\",\"chat_type\":\"group\",\"chat_id\":\"-1\","
		"\"thread_id\":\"9\",\"user_id\":\"77\"},\"agent_id\":\"a\"}",
		&lane);
	post_as_ann(&w.r, lane.id, "hi");
	check_str("said", w.s.said, STR("[Ann] hi"));
	says(&w, "- Multi-user thread: messages are prefixed with [sender name]. Multiple users "
		 "may participate.\n");
	says(&w, "answer exactly `<NO_REPLY>`");
	end(&w);
}

static void
K9_ids_are_hashed_in_that_text_when_asked(void **state)
{
	struct resolved lane;
	struct world w;

	(void)state;
	begin(&w);
	w.redact = true;
	resolve(&w.r,
		"{\"source\":{\"platform\":\"telegram\",\"chat_id\":\"4711\",\"user_id\":\"77\"},"
		"\"agent_id\":\"a\"}",
		&lane);
	rig_post(&w.r, lane.id, "one");
	says(&w, "user_");
	assert_false(str_contains(w.s.system, STR("4711")));
	check_str("keys keep them", rig_row(&w.r, lane.id)->lane_key,
		  STR("agent:a:telegram:dm:4711"));
	end(&w);
}

static void
K8_a_lane_by_key_is_at_its_surface(void **state)
{
	struct resolved lane;
	struct world w;

	(void)state;
	begin(&w);
	resolve(&w.r,
		"{\"key\":{\"surface\":\"chat\",\"surface_id\":\"tab\",\"agent_id\":\"a\","
		"\"user_id\":\"u1\"}}",
		&lane);
	rig_post(&w.r, lane.id, "one");
	says(&w, "- Source: chat, \"DM with u1\"\n");
	end(&w);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, K8_a_lane_tells_where_it_is_the_same_every_turn);
	SUITE_TEST(&s, K8_shared_sessions_name_the_sender_of_each_message);
	SUITE_TEST(&s, K9_ids_are_hashed_in_that_text_when_asked);
	SUITE_TEST(&s, K8_a_lane_by_key_is_at_its_surface);
	return suite_run(&s, "context_lane");
}
