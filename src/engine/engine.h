/* engine - the shell's one face: commands in, pages and watches out.
 *
 * Everything happens on the thread that owns the store's answers (the loop). A command answers
 * exactly once through its done function, never inside the call, and only after what it says is
 * durable. Texts and JSON handed in must stay until then. Accepting is committing: rc 0 means
 * synced. What a caller may not see does not exist for it: a denial is ERR_NOT_FOUND.
 *
 * The engine knows no sockets: time and timers come from base/host, models from provider/provider.h. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"
#include "base/host.h"
#include "base/json.h"
#include "base/list.h"
#include "base/sha256.h"
#include "base/str.h"
#include "core/access_policy.h"
#include "core/approval_policy.h"
#include "core/context_text.h"
#include "core/event.h"
#include "core/hook_event.h"
#include "core/input.h"
#include "core/lane_entry.h"
#include "core/model_choice.h"
#include "core/principal.h"
#include "core/reset_policy.h"
#include "core/retry_policy.h"
#include "core/source.h"
#include "core/usage.h"
#include "core/work_policy.h"
#include "core/zone.h"
#include "provider/provider.h"
#include "store/store.h"
#include "tool/tool.h"

struct engine;

/* What the operator says of a model. */
struct engine_model_terms {
	int64_t context_tokens; /* its window, where the agent sets no limit */
	struct retry_policy retry;
};
struct engine_models {
	/* "demo" or "name/model": whose model is it, and what does the provider call it? ERR_INVALID
	 * names the known ones. */
	int (*find)(void *ctx, struct str model, struct provider **provider, struct str *name,
		    struct err *e);
	void *ctx;
	/* Of a model that was found. NULL: the provider's window and the usual retries. */
	struct engine_model_terms (*terms)(void *ctx, struct str model);
	/* Picodollars; negative: the model has no price. NULL: none has. */
	int64_t (*cost)(void *ctx, struct str model, const struct usage *usage);
	/* The most a request can cost, the same way. */
	int64_t (*ceiling)(void *ctx, struct str model, int64_t prompt_tokens,
			   int64_t output_tokens);
};

/* What may change while it runs. */
struct engine_settings {
	struct str default_model;    /* empty: none is named; must stay until the next ones */
	int64_t queue_depth;         /* messages that may wait in a session */
	int64_t quiet_ms;            /* collect: so long without a further message */
	enum busy_mode busy;         /* of messages that name none */
	bool busy_by_platform;       /* policies.busy says another one for a platform */
	struct approval_rules rules; /* the operator's; must stay like the model's name */
	struct approval_settings approvals;
	/* Picodollars that a user may spend in all, and everybody in a day (UTC); 0: no limit. */
	int64_t user_budget, day_budget;
	/* Of lanes by source descriptor: does everybody in a group, in a thread, have their own? */
	bool group_per_user, thread_per_user;
	int64_t lane_max_age_days; /* lanes not used for so long are forgotten; 0: none is */
	int64_t deleted_ms;        /* how long deleted sessions are kept; 0: not at all */
	int64_t fresh_ms; /* an open turn that is older is not continued by itself; 0: an hour */
	int64_t turn_timeout_ms; /* of every turn, where its agent does not say less; 0: none */
	int64_t drain_ms; /* what a drain gives to turns, to be told; the drain is told itself */
};

/* Where on this machine a session's files are. */
struct engine_folders {
	/* The folder that the tools of a session start in when its environment names none; made when
	 * it is missing. The path lives in a. NULL: there is none. */
	int (*session_work)(void *ctx, struct str agent, struct str session, struct arena *a,
			    struct str *out, struct err *e);
	void *ctx;
	/* Removes the folder of a session with all that is in it, and nothing that links in it lead to.
	 * done comes later, once, unless the engine is freed before; rc 0 also when there was none.
	 * NULL: there are none. */
	void (*session_remove)(void *ctx, struct str agent, struct str session,
			       void (*done)(void *ctx, int rc, const struct err *err),
			       void *done_ctx);
};

/* Time zones by their IANA name. The zone stays as long as the engine; ERR_INVALID says what is wrong with
 * the name. NULL: only UTC is known. */
struct engine_zones {
	int (*find)(void *ctx, struct str name, const struct zone **out, struct err *e);
	void *ctx;
};

/* Files for people and tools beside the store. Texts are copied, nothing is answered, and nothing of it
 * happens on the caller's thread. */
struct engine_files {
	/* Replaces agents/<agent>/sessions/<session>/runtime/<name>, whole or not at all. NULL: no files
	 * are wanted. */
	void (*put)(void *ctx, struct str agent, struct str session, struct str name,
		    struct str text);
	/* A line for the agent's learnings. */
	void (*learn)(void *ctx, struct str agent, struct str line);
	void *ctx;
};

/* What the operator's policies go by. */
struct engine_lane {
	struct str platform; /* empty: none */
	enum source_chat_type chat_type;
	struct str agent;
	const struct reset_settings *workspace; /* what its workspace says; NULL: nothing */
};
/* What a model in a lane is told of the rest of the world. Good until the next reload. */
struct engine_surroundings {
	const struct str *platforms; /* connected ones */
	size_t platform_count;
	const struct context_home *homes;
	size_t home_count;
	bool redact; /* ids of people and chats are hashed for the model */
};
/* What the operator says of lanes; NULL: nothing. Asked again each time, so that a reload counts. */
struct engine_policies {
	/* When their sessions are reset. */
	struct reset_settings (*reset)(void *ctx, const struct engine_lane *lane);
	/* Where the agent's days begin. The zone stays as long as the engine. */
	const struct zone *(*zone)(void *ctx, struct str agent);
	struct engine_surroundings (*around)(void *ctx, struct str platform);
	/* What becomes of messages from there that do not say so themselves. */
	enum busy_mode (*busy)(void *ctx, struct str platform);
	void *ctx;
};

struct engine_finalize {
	struct str session, lane, agent;
};
/* What is told to programs beside the server. Texts are good during the call; done comes exactly once,
 * never from inside, also after the engine is gone. NULL: nobody listens. */
typedef void engine_hook_done_fn(void *ctx, int rc, const struct err *err);
struct engine_hooks {
	/* The lane's session has expired: its resources are put away next. Asked again (up to three
	 * times in all, five minutes apart) when it fails, never again once it has worked. */
	void (*finalize)(void *ctx, const struct engine_finalize *what, engine_hook_done_fn *done,
			 void *done_ctx);
	void *ctx;
	/* Does anybody listen to it? Asked before facts are gathered. */
	bool (*wants)(void *ctx, enum hook_event event);
	/* facts: a JSON object. Of an event that asks, rc 0: nobody minds; ERR_DENIED: somebody does, and
	 * err says why. Of the others done is NULL. */
	void (*run)(void *ctx, enum hook_event event, struct str facts, engine_hook_done_fn *done,
		    void *done_ctx);
	/* There is no more time: whoever waits is told ERR_UNAVAILABLE, from inside. */
	void (*give_up)(void *ctx);
};

/* The process around the engine. NULL: it cannot begin anew. */
struct engine_process {
	/* Would the next start come up? If not, why. */
	int (*may_restart)(void *ctx, struct err *e);
	/* Drains, then begins anew. Comes when whoever asked for it has been told. */
	void (*restart)(void *ctx);
	void *ctx;
};

struct engine_config {
	struct store *store; /* borrowed; its owner calls engine_on_grown and store_dispatch */
	struct host *host;
	struct engine_models models;
	struct toolset *tools;   /* our own; borrowed; NULL: none */
	struct toolset *servers; /* of MCP servers; the same */
	struct engine_folders folders;
	struct engine_files files;
	struct engine_policies policies;
	struct engine_zones zones;
	struct engine_hooks hooks;
	struct engine_process process;
	struct str owner_token; /* the text of <data>/owner.token: known from the start on */
	struct engine_settings settings;
	bool clean; /* the last process drained fully: it left nothing to recover */
};

struct engine *engine_new(const struct engine_config *config);
/* Loads users and tokens, makes what a fresh data directory holds (agent main, environment
 * local-default, workspace main, the owner's token), ends or continues what a killed process left
 * open. done says when commands may come. */
void
engine_start(struct engine *en, void (*done)(void *ctx, int rc, const struct err *err), void *ctx);
/* For what begins from now on. */
void engine_reload(struct engine *en, const struct engine_settings *settings);
/* Of a session of this workspace (empty: of none): what stands around it names. Good until the next reload
 * or change of the workspace. */
struct model_facts engine_model_facts(const struct engine *en, struct str workspace);
/* Takes no more commands (ERR_UNAVAILABLE), lets open turns end within timeout_ms, reschedules the
 * rest for that reason. done: nothing is open any more. Again before that: all of it anew. */
void engine_drain(struct engine *en, int64_t timeout_ms, enum recover_reason why,
		  void (*done)(void *ctx), void *ctx);
/* After a drain, and before the store is freed. */
void engine_free(struct engine **en);
/* The store's watch. */
void engine_on_grown(struct engine *en, struct str session, int64_t head_seq);
struct host *engine_host(struct engine *en);

struct engine_stats {
	uint64_t events; /* appended since the start */
	size_t open_turns, live_sessions;
	size_t kept_agents, kept_agent_bytes; /* prepared for the next turn of their session */
	size_t put_off;                       /* turns that a drain could not wait for */
	struct tool_load tools;               /* of all sessions */
};
struct engine_stats engine_stats(const struct engine *en);
/* What this process runs of a session's tools. */
struct tool_load engine_tool_load(const struct engine *en, struct str session);

/* The process that runs the engine, and what it came upon. */
struct engine_self {
	struct str instance; /* another one after each start; good as long as the engine */
	int64_t started_at_ms;
	size_t running_turns;
	size_t carried_over; /* turns that the process before left open */
};
struct engine_self engine_self(const struct engine *en);

/* ---- who asks ---- */

struct engine_caller {
	struct principal who;
	struct str token_id;
	int64_t expires_at_ms; /* 0: never */
};
/* From the text of a token; ERR_AUTH for one that is unknown, revoked or expired. The caller's texts
 * live as long as the engine, those of a work item's secret ten minutes longer than the item: by
 * then everything that it opened has asked again. */
NODISCARD int
engine_authenticate(struct engine *en, struct str token, struct engine_caller *out, struct err *e);
/* One who stays asks again: the caller as it is by now. False: the token ended. */
bool engine_renew_caller(struct engine *en, struct engine_caller *caller);
/* What <data>/owner.token holds by now: it is good from now on, and what it held before is revoked. */
void engine_use_owner_token(struct engine *en, struct str secret,
			    void (*done)(void *ctx, int rc, const struct err *err), void *ctx);
/* Is the token still good? Streams that stay open ask again: within a second of its end they close. */
bool engine_token_is_live(struct engine *en, struct str token_id);

/* ---- commands ---- */

/* How a repeat of the request is told; a key that is empty: none was sent. */
struct engine_repeat {
	struct str scope;      /* principal, method and path */
	struct str key;        /* Idempotency-Key */
	struct sha256 request; /* of the body */
};

struct engine_answer {
	int rc;
	const struct err *err;
	bool replayed; /* the first answer again: nothing was written. Only what is marked * is set */
	struct str id;   /* * what was made or changed: session, agent, environment, user, token */
	int64_t version; /* * of the record */
	int64_t first_seq;  /* * of the events written; 0: none were */
	size_t event_count; /* * */
	const struct event
		*events;        /* as stored, with seq; good during the call; NULL on a replay */
	bool triggered;         /* * a turn runs for it, now or when its turn comes */
	int64_t queue_position; /* * 0 runs now, 1… waits; -1: not queued */
	struct str secret;      /* of a new token: shown once */
	bool created;           /* a session was opened, not reopened */
	struct str current; /* with ERR_CONFLICT of an archived session: the one that is current */
	int64_t count;      /* * things that were changed, of commands about many */
	struct str lane;    /* * that was resolved or changed */
	struct str reset_reason; /* * why a resolved lane has a new session; NULL ptr: no reset */
	/* of a command that a person wrote: its name, what to tell them, a JSON object */
	struct str command, text, data;
};
typedef void engine_done_fn(void *ctx, const struct engine_answer *answer);

struct engine_call {
	const struct engine_caller *caller;
	const struct engine_repeat *repeat; /* NULL: not repeatable */
	engine_done_fn *done;
	void *ctx;
};

/* Bodies are the API's JSON objects; they are checked here, errors name the field's path. */
void engine_agent_create(struct engine *en, const struct engine_call *call, struct json body);
void engine_agent_update(struct engine *en, const struct engine_call *call, struct str id,
			 struct json body);
void engine_agent_archive(struct engine *en, const struct engine_call *call, struct str id);

void engine_environment_create(struct engine *en, const struct engine_call *call, struct json body);
void engine_environment_update(struct engine *en, const struct engine_call *call, struct str id,
			       struct json body);
void engine_environment_archive(struct engine *en, const struct engine_call *call, struct str id);
void engine_environment_delete(struct engine *en, const struct engine_call *call, struct str id);

void engine_workspace_create(struct engine *en, const struct engine_call *call, struct json body);
void engine_workspace_update(struct engine *en, const struct engine_call *call, struct str id,
			     struct json body);

void engine_user_create(struct engine *en, const struct engine_call *call, struct json body);
void engine_user_update(struct engine *en, const struct engine_call *call, struct str id,
			struct json body);
void engine_token_create(struct engine *en, const struct engine_call *call, struct json body);
void engine_token_revoke(struct engine *en, const struct engine_call *call, struct str id);

/* Creates, or reopens when the body names an id that exists and the caller may see. */
void engine_session_open(struct engine *en, const struct engine_call *call, struct json body);
/* {key} or {source}, agent_id, workspace_id, force_new: the session that this conversation is in, made
 * or replaced when its time has come (core/resolve_policy). Of the same key at once only one is made.
 * created, lane and reset_reason say what happened. */
void engine_session_resolve(struct engine *en, const struct engine_call *call, struct json body);
/* title, metadata (null deletes a key), budget, agent{tools, mcp_servers}. */
void engine_session_update(struct engine *en, const struct engine_call *call, struct str session,
			   struct json body);
void engine_session_archive(struct engine *en, const struct engine_call *call, struct str session);
void engine_session_delete(struct engine *en, const struct engine_call *call, struct str session);
/* A new conversation in place of this one, whatever it is doing (/new, /reset, /agent/reset): the answer's
 * id is the session that goes on. On a lane the old one is archived, elsewhere it becomes inactive. */
void engine_session_reset(struct engine *en, const struct engine_call *call, struct str session);
/* Back to the session that this one replaced, which is archived in its place. */
void
engine_session_undo_reset(struct engine *en, const struct engine_call *call, struct str session);
void engine_resource_add(struct engine *en, const struct engine_call *call, struct str session,
			 struct json body);
void engine_resource_update(struct engine *en, const struct engine_call *call, struct str session,
			    struct str id, struct json body);
void engine_resource_delete(struct engine *en, const struct engine_call *call, struct str session,
			    struct str id);

/* A batch of client events, all or nothing, in order. */
void engine_send(struct engine *en, const struct engine_call *call, struct str session,
		 struct json events);

struct engine_message {
	struct str text;
	bool append_only; /* store and tell, run nothing */
	bool has_busy;
	enum busy_mode busy;
	struct json sender, attachments, metadata; /* absent: none */
	struct str model; /* that its turn is to ask; empty: the session's */
	bool has_mentioned, mentioned;
	struct str message_id; /* the sender's own; a repeat gets the first answer */
};
void engine_post(struct engine *en, const struct engine_call *call, struct str session,
		 const struct engine_message *message);
/* A wake as its record says it. */
struct engine_log_wake {
	struct str id;
	int64_t due_at_ms; /* 0: it is parked */
	struct str body;
};
/* A whole log as it was exported: seq, ids, instants and bytes are kept, so the hashes are too. */
struct engine_log {
	struct str session;
	const struct event *events;  /* seq from 1 */
	const struct sha256 *hashes; /* of each event, checked to be a chain */
	size_t count;
	struct str extra;                    /* body of its session_extra; empty: none */
	const struct engine_log_wake *wakes; /* that are queued behind its last event */
	size_t wake_count;
};
/* Operators only. A log that the session begins with already is skipped (created is false), one that
 * continues what is there is appended to it, any other under a taken id is ERR_CONFLICT. */
void engine_import(struct engine *en, const struct engine_call *call, const struct engine_log *log);
/* A message that waits: another text for it, or none of it. message: the sender's own id, or its
 * event's. ERR_CONFLICT once its turn has begun. */
void engine_queue_edit(struct engine *en, const struct engine_call *call, struct str session,
		       struct str message, struct str text);
void engine_queue_cancel(struct engine *en, const struct engine_call *call, struct str session,
			 struct str message);
/* A line that a person wrote: "/undo 2" (core/chat_command has the table). It is never part of the
 * conversation. ERR_INVALID: there is no such command, or its arguments do not fit. */
void engine_command(struct engine *en, const struct engine_call *call, struct str session,
		    struct str text);
/* Look at the session and run one turn if anything is pending or due. */
void engine_wake(struct engine *en, const struct engine_call *call, struct str session);

/* Operators only: the server drains (RECOVER_RESTART_TIMEOUT) and begins anew. The answer's id is the instance
 * that ends; data: {"type","instance_id","running_turns","drain_timeout_ms"}. ERR_CONFLICT, ERR_INVALID:
 * it would not come up again, and stays as it is. */
void engine_restart(struct engine *en, const struct engine_call *call);

/* ---- lanes: which session a conversation is in ---- */

/* Who may do what to the current session may do it to its lane. Answers name the lane. */

/* {last_prompt_tokens?, display_name?}: something happened in it just now. */
void engine_lane_update(struct engine *en, const struct engine_call *call, struct str lane,
			struct json body);
/* Its next message opens a new session. */
void engine_lane_suspend(struct engine *en, const struct engine_call *call, struct str lane);
/* {reason?}: its next message continues the session, whatever policies say. Not if it is suspended. */
void engine_lane_mark_resume(struct engine *en, const struct engine_call *call, struct str lane,
			     struct json body);
void engine_lane_clear_resume(struct engine *en, const struct engine_call *call, struct str lane);
/* {display_name?}: a new session, whatever the old one is doing; the answer's id. */
void engine_lane_reset(struct engine *en, const struct engine_call *call, struct str lane,
		       struct json body);
/* {session_id}: goes on in that session, and its own is archived. Not in one that another lane is in. */
void engine_lane_switch(struct engine *en, const struct engine_call *call, struct str lane,
			struct json body);
/* Of all lanes, by operators; count says how many: {max_age_seconds?} marked, {max_age_days} forgotten. */
void engine_lane_mark_recent(struct engine *en, const struct engine_call *call, struct json body);
void engine_lane_prune(struct engine *en, const struct engine_call *call, struct json body);
/* A sessions.json, by operators. Lanes that are there already, or whose session is not, are left out;
 * data counts {imported, skipped, missing, refused}. */
void engine_lane_import(struct engine *en, const struct engine_call *call, struct str text);

/* One lane, with the counters of its session; good during the call. */
typedef void engine_lane_fn(void *ctx, int rc, const struct err *err, struct str lane,
			    const struct lane_entry *entry);
void engine_lane_get(struct engine *en, const struct engine_caller *caller, struct str lane,
		     engine_lane_fn *done, void *ctx);

/* ---- schedules ---- */

/* Operators only. Bodies as core/schedule_def says. */
void engine_schedule_create(struct engine *en, const struct engine_call *call, struct json body);
/* Pausing and resuming is a change too: {enabled}. Another rule counts from now on. */
void engine_schedule_update(struct engine *en, const struct engine_call *call, struct str id,
			    struct json body);
/* With its history; its session stays. */
void engine_schedule_delete(struct engine *en, const struct engine_call *call, struct str id);
/* Now, whatever its rule says, also when it is paused; the answer's id is the run's. ERR_CONFLICT while
 * one is open. */
void engine_schedule_run(struct engine *en, const struct engine_call *call, struct str id);

/* ---- the work queue of an environment whose tools run elsewhere ---- */

/* An item is open while a session of the environment has calls that wait for their results; a worker
 * takes it by polling, acknowledges it, and holds it by heartbeats. Answers name the item. */
struct engine_poll {
	struct str environment, worker; /* worker: what it calls itself; may be empty */
	int64_t block_ms;               /* so long it waits for an item to come */
	int64_t reclaim_ms; /* items that were handed out so long ago and not acknowledged */
	bool (*is_there)(void *ctx); /* does anybody still wait? With the call's ctx. NULL: yes */
};
/* secret: a token for the item and its session, good while the lease is this poll's. An empty id:
 * nothing came. */
void
engine_work_poll(struct engine *en, const struct engine_call *call, const struct engine_poll *poll);

struct engine_work {
	struct str environment, id;
};
void
engine_work_acknowledge(struct engine *en, const struct engine_call *call, struct engine_work item);
/* ERR_PRECONDITION: the lease is another's, or nobody's. */
void engine_work_heartbeat(struct engine *en, const struct engine_call *call,
			   struct engine_work item, const struct work_heartbeat *beat);
void engine_work_stop(struct engine *en, const struct engine_call *call, struct engine_work item,
		      bool force);
/* {metadata}; null deletes a key. */
void engine_work_update(struct engine *en, const struct engine_call *call, struct engine_work item,
			struct json body);

struct engine_work_stats {
	int64_t depth;     /* wait for a poll */
	int64_t pending;   /* handed out, not acknowledged */
	int64_t oldest_ms; /* when the oldest of both was made; 0: there is none */
	int64_t workers;   /* that polled within 30 seconds, those that say who they are */
};
NODISCARD int
engine_work_stats(struct engine *en, const struct engine_caller *caller, struct str environment,
		  struct engine_work_stats *out, struct err *e);

/* ---- reading ---- */

/* One page of the store, if the caller may see it: a query with a session asks for that session's
 * standing, a list is narrowed to what is the caller's, records by what they are (those that belong
 * to a session name it in q->session). The rows arrive as store_read says: on a thread of the
 * store's, views good during the call. Of a change that is not the caller's only its number comes,
 * with an empty session, so that cursors move. */
void engine_read(struct engine *en, const struct engine_caller *caller, const struct store_query *q,
		 store_row_fn *row, store_read_fn *done, void *ctx);

/* Kinds of records, for queries. */
#define RECORD_AGENT         STR("agent")         /* id; body: the wire's object */
#define RECORD_AGENT_VERSION STR("agent_version") /* "<agent>/<version, 10 digits>", owner: agent */
#define RECORD_ENVIRONMENT   STR("environment")
#define RECORD_WORKSPACE     STR("workspace")
#define RECORD_USER          STR("user")
#define RECORD_TOKEN         STR("token")
#define RECORD_WORK          STR("work")     /* owner: environment, which a query names */
#define RECORD_RESOURCE      STR("resource") /* owner: session */
/* id: wake, owner: session, due: when it is, unless it is parked; body: {"id","type","session_id",
 * "created_at","due_at","reason","note","dedupe_key","priority","attempt","parked","continues"}. */
#define RECORD_WAKE STR("wake")
/* due: when it is to be looked at; body as core/schedule_state writes it. */
#define RECORD_SCHEDULE STR("schedule")
/* owner: schedule; body: the wire's object. */
#define RECORD_SCHEDULE_RUN STR("schedule_run")
/* "<session>/<user>", owner: user; body: {}, or {"standing":"member"} of who may read and post only. */
#define RECORD_PARTICIPANT STR("participant")
/* What a session has beyond its log, only where there is something: {"agent"?: resolved snapshot with
 * its overrides, "model_before"? (core/model_override), "vault_ids"?, "budget"?, "budget_open"? (no owner
 * set it), "webhook_url"?}. id: session. */
#define RECORD_SESSION_EXTRA STR("session_extra")
/* id: the lane, owner: its current session, due: when a reset policy may have expired it; body:
 * core/lane_entry. */
#define RECORD_LANE STR("lane")

/* ---- watching ---- */

/* A message that is being written: never stored, no cursor. */
enum preview_kind { PREVIEW_START, PREVIEW_DELTA, PREVIEW_END };
struct engine_preview {
	enum preview_kind kind;
	struct str session, event_id;
	enum event_kind event_kind; /* agent.message or agent.thinking */
	struct str text; /* of a delta; of a start the text so far, for who joins in the middle */
};

enum engine_over { ENGINE_OVER_DELETED, ENGINE_OVER_SHUTDOWN };

/* Lives in its owner. Callbacks come after the commit, in the log's order, each event once; they may
 * unwatch, also themselves. */
struct engine_watch {
	struct list node;
	void (*on_event)(void *ctx, const struct store_event *ev);
	void (*on_preview)(void *ctx, const struct engine_preview *p); /* NULL: not wanted */
	void (*on_over)(void *ctx, enum engine_over why); /* it is off the list already */
	/* Somebody may see less than before, or more: whoever watches for a caller asks again who that is
	 * (engine_renew_caller) and whether it still may. It must not unwatch from inside. NULL: it
	 * watches for the server. */
	void (*on_rights)(void *ctx);
	void *ctx;
	struct engine *en; /* NULL: not watching */
	struct actor *actor;
};
/* Whoever follows a log with a cursor: watches first, then reads pages behind its cursor and drops
 * what the watch brings meanwhile; when a page ends at engine_head or above, the reader is live from
 * that callback on and drops what is not behind its cursor. That leaves no gap and no double. The
 * caller's standing is asked by engine_read. */
void engine_watch_session(struct engine *en, struct str session, struct engine_watch *w);
/* All sessions; the cursor is the change number. */
void engine_watch_all(struct engine *en, struct engine_watch *w);
void engine_unwatch(struct engine_watch *w);
/* The durable head as far as this thread has been told; 0: nothing was since the watch began. */
int64_t engine_head(struct engine *en, struct str session);
int64_t engine_change_head(struct engine *en);
/* Calls on_preview of w with PREVIEW_START and the text so far of each message being written. */
void engine_preview_so_far(struct engine_watch *w);
