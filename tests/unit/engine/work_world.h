/* work_world - an engine with an environment whose tools run elsewhere, and what its workers say. */
#pragma once
#include "core/work_item.h"
#include "engine/work.h"
#include "engine_rig.h"

/* A server with a self-hosted environment, its token, and an agent whose tool a client executes. */
struct world {
	struct engine_rig r;
	struct str environment, agent;
	struct engine_caller key;
};

static inline void
world_init(struct world *w, bool on_sqlite)
{
	struct rig_call call = { .body = "{'name':'e','config':{'type':'self_hosted'}}" };

	engine_rig_init(&w->r, on_sqlite);
	w->environment = rig_make(&w->r, engine_environment_create, call)->id;
	call.body = "{'name':'a','model':'demo','tools':[{'type':'custom','name':'deploy',"
		    "'description':'d','input_schema':{'type':'object'}}]}";
	w->agent = rig_make(&w->r, engine_agent_create, call)->id;
	call.body =
		arena_printf(&w->r.arena, "{'kind':'environment','environment_id':'" STR_FMT "'}",
			     STR_ARG(w->environment))
			.ptr;
	w->key = engine_rig_caller(&w->r, rig_make(&w->r, engine_token_create, call)->secret);
}

static inline void
world_restart(struct world *w)
{
	engine_rig_restart(&w->r);
	w->key = (struct engine_caller){ .who = { .kind = TOKEN_ENVIRONMENT,
						  .environment_id = w->environment },
					 .token_id = STR("tok") };
}

static inline void
open_in(struct world *w, const char *session, struct str environment)
{
	struct rig_call call = { .body = arena_printf(&w->r.arena,
						      "{'id':'%s','agent':'" STR_FMT
						      "','environment_id':'" STR_FMT "'}",
						      session, STR_ARG(w->agent),
						      STR_ARG(environment))
						 .ptr };

	rig_expect(rig_make(&w->r, engine_session_open, call), 0, NULL);
}

/* Whatever the engine does by itself. */
static inline void
settle(struct world *w)
{
	virtual_host_settle(&w->r.host);
}

static inline void
say(struct world *w, const char *session, const char *text)
{
	rig_expect(rig_say(&w->r, &(struct engine_message){ .text = str_of(text) },
			   (struct rig_call){ .id = str_of(session) }),
		   0, NULL);
	settle(w);
}

/* A session that waits for its tool. */
static inline void
park(struct world *w, const char *session)
{
	open_in(w, session, w->environment);
	say(w, session, "tool deploy {}");
}

/* The result of the call that the session waits for; NULL: the owner's. */
static inline int
answer_as(struct world *w, const struct engine_caller *who, const char *session)
{
	struct rig_call call = { .caller = who, .id = str_of(session) };
	struct rig_answer *a;
	struct str payload, id;
	size_t at;

	for (int64_t seq = engine_rig_session(&w->r, session)->row.head_seq;; seq--) {
		payload = engine_rig_payload(&w->r, session, seq);
		if (str_find(payload, STR("\"event_ids\":[\""), 0, &at))
			break;
	}
	str_cut(str_slice(payload, at + 14, payload.len), '"', &id, &payload);
	call.body = arena_printf(&w->r.arena,
				 "[{'type':'user.custom_tool_result','custom_tool_use_id':"
				 "'" STR_FMT "','content':[]}]",
				 STR_ARG(id))
			    .ptr;
	a = rig_events(&w->r, call);
	engine_rig_await(&w->r, &a->done);
	settle(w);
	return a->rc;
}

static inline void
answer(struct world *w, const char *session)
{
	assert_int_equal(answer_as(w, NULL, session), 0);
}

/* ---- commands ---- */

struct heard {
	struct rig_answer answer;
	struct engine_call call;
	struct engine_poll poll;
	bool gone;
};

static inline bool
is_there(void *ctx)
{
	struct rig_answer *a = ctx;

	return !LIST_OWNER(a, struct heard, answer)->gone;
}

static inline void
poll_for(struct world *w, struct heard *h, int64_t block_ms)
{
	*h = (struct heard){ .answer.rig = &w->r,
			     .call = { .caller = &w->key, .done = rig_answered, .ctx = &h->answer },
			     .poll = { .environment = w->environment,
				       .worker = STR("w1"),
				       .block_ms = block_ms,
				       .reclaim_ms = WORK_RECLAIM_MS_DEFAULT,
				       .is_there = is_there } };
	engine_work_poll(w->r.en, &h->call, &h->poll);
	assert_false(h->answer.done);
}

/* What a poll that does not wait gets; an empty id: nothing. */
static inline struct rig_answer
poll(struct world *w)
{
	struct heard h;

	poll_for(w, &h, 0);
	rig_expect(&h.answer, 0, NULL);
	return h.answer;
}

static inline struct engine_work
ref(struct world *w, struct str id)
{
	return (struct engine_work){ w->environment, id };
}

static inline int
acknowledge(struct world *w, const struct engine_caller *who, struct str id)
{
	struct rig_answer a = { .rig = &w->r };
	struct engine_call call = { .caller = who, .done = rig_answered, .ctx = &a };

	engine_work_acknowledge(w->r.en, &call, ref(w, id));
	engine_rig_await(&w->r, &a.done);
	return a.rc;
}

static inline int
beat(struct world *w, const struct engine_caller *who, struct str id, int64_t expected_ms)
{
	struct rig_answer a = { .rig = &w->r };
	struct engine_call call = { .caller = who, .done = rig_answered, .ctx = &a };
	struct work_heartbeat b = { .has_expected = expected_ms >= 0, .expected_ms = expected_ms };

	engine_work_heartbeat(w->r.en, &call, ref(w, id), &b);
	engine_rig_await(&w->r, &a.done);
	return a.rc;
}

static inline int
stop(struct world *w, const struct engine_caller *who, struct str id, bool force)
{
	struct rig_answer a = { .rig = &w->r };
	struct engine_call call = { .caller = who, .done = rig_answered, .ctx = &a };

	engine_work_stop(w->r.en, &call, ref(w, id), force);
	engine_rig_await(&w->r, &a.done);
	virtual_host_settle(&w->r.host);
	return a.rc;
}

static inline struct engine_work_stats
stats(struct world *w)
{
	struct engine_work_stats s;
	struct err e;

	assert_int_equal(engine_work_stats(w->r.en, &w->key, w->environment, &s, &e), 0);
	return s;
}

static inline void
check_state(struct world *w, struct str id, const char *state)
{
	struct str body = engine_rig_record(&w->r, RECORD_WORK, id);
	struct str want = arena_printf(&w->r.arena, "\"state\":\"%s\"", state);

	if (!str_contains(body, want))
		fail_msg("not %s: " STR_FMT, state, STR_ARG(body));
}

static inline int64_t
last_beat(struct world *w, struct str id)
{
	struct work_item item;
	struct json_doc doc;

	assert_int_equal(json_parse(&w->r.arena, engine_rig_record(&w->r, RECORD_WORK, id),
				    &JSON_LIMITS_DEFAULT, &doc, NULL),
			 0);
	assert_int_equal(work_item_read(json_root(&doc), &w->r.arena, &item, NULL), 0);
	return item.heartbeat_ms;
}
