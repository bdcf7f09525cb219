/* turn_rig - the real engine with a store, a virtual clock, the demo and the scripted model, and
 * somebody who watches. What a test waits for, it settles for: nothing here sleeps.
 *
 * The log of a session is compared as a text: one word an event, with what matters of it behind. */
#pragma once
#include "base/buf.h"
#include "core/replay.h"
#include "engine/engine.h"
#include "harness.h"
#include "provider/scripted.h"
#include "sqlite_dir.h"
#include "store/store_private.h"
#include "tool/scripted.h"
#include "virtual_host.h"

struct rig {
	struct virtual_host host;
	struct arena arena;
	struct store *store;
	bool mem;
	struct store_ops ops; /* with faults in them */
	const struct store_ops *real;
	int fail_appends, fail_reads; /* so many of the next ones fail: the disk is full */
	int wake_reads;               /* how often a session's wakes were read */
	int folders_made;             /* for sessions to work in */
	int unsure_appends;           /* so many are stored, but the answer is that nobody knows */
	int64_t set_back_ms; /* the clock, when the next session is looked at; 0: it stays */
	int hold_append; /* the answer to this one of the next ones waits for rig_let_go; 0: none */
	struct fault *held;    /* that answer */
	struct sqlite_dir dir; /* unless mem */
	int incarnation;
	struct engine *en;
	struct provider *demo, *scripted;
	struct toolset *tools, *servers; /* our own ones, and those of servers: scripted */
	struct engine_caller owner;
	int64_t price;                   /* picodollars a token; 0: models have none */
	int64_t user_budget, day_budget; /* of the next engine */
	bool clean; /* the last engine ended in good order: the next one recovers nothing */
	struct engine_watch watch;
	struct buf previews; /* +m ~m"text" -m, and ! for each event told between */
	/* the last answer to a command */
	int rc;
	bool answered;
	struct err err;
	int64_t position, first_seq;
	struct str last_id; /* of the last event it stored */
};

/* mem: the store in memory, else SQLite in a directory of its own. */
void rig_init(struct rig *r, bool mem);
void rig_release(struct rig *r);
/* The process dies here and another one starts on the same data. Returns the dead one's engine, which
 * does not know it yet; rig_bury lets it find out and frees it. */
struct engine *rig_kill(struct rig *r);
void rig_bury(struct rig *r, struct engine *dead);
/* Drains and starts again. */
void rig_restart(struct rig *r, int64_t drain_ms);

/* Makes an agent of that definition (the wire's object). */
void rig_agent(struct rig *r, const char *id, const char *body);
void rig_session(struct rig *r, const char *session, const char *agent);
/* The same with a source of its own (JSON). */
void rig_session_from(struct rig *r, const char *session, const char *agent, const char *source);
/* A record about the session. */
void
rig_put(struct rig *r, struct str kind, const char *session, const char *owner, const char *body);
/* An event that the engine hears nothing of. */
void rig_append(struct rig *r, const char *session, enum event_kind kind, const char *payload);
/* Each settles. text in the demo model's words, unless the agent's model is scripted. */
void rig_post(struct rig *r, const char *session, const char *text);
void rig_post_busy(struct rig *r, const char *session, const char *text, enum busy_mode busy);
void rig_send(struct rig *r, const char *session, const char *events);
void rig_interrupt(struct rig *r, const char *session);
void rig_wake(struct rig *r, const char *session);
/* Changes the session; body must stay. */
void rig_update(struct rig *r, const char *session, struct json body);
/* The same, refused or not. */
void rig_try_send(struct rig *r, const char *session, const char *events);
void rig_try(struct rig *r, const char *session, const char *text, enum busy_mode busy);
void rig_try_message(struct rig *r, const char *session, const struct engine_message *message);
/* Posts without settling: nothing was stored yet. */
void rig_post_later(struct rig *r, const char *session, const char *text);
void rig_watch(struct rig *r, const char *session);

/* Until the log from that seq on reads so; the clock moves on meanwhile. Fails when it never does: for
 * stores with threads, whose answers take real time. */
void rig_await_log(struct rig *r, const char *session, int64_t from, const char *want);
/* Until a preview of the watched session has this text; the clock stands still. */
void rig_await_preview(struct rig *r, const char *text);

void rig_let_go(struct rig *r);
void rig_settle(struct rig *r);
/* Settles until *done, however slow the disk is. */
void rig_settle_until(struct rig *r, const bool *done);
void rig_advance(struct rig *r, int64_t ms);

/* The log from seq from on, as text in the rig's arena; the whole log passes core/replay. */
struct str rig_log(struct rig *r, const char *session, int64_t from);
int64_t rig_head(struct rig *r, const char *session);
/* The session's row; good until the rig is released. */
struct store_session *rig_row(struct rig *r, const char *session);
/* The id of the last event of that type; empty: none. */
struct str rig_event_id(struct rig *r, const char *session, enum event_kind kind);
/* The event at seq; good until the rig is released. */
const struct event *rig_event_at(struct rig *r, const char *session, int64_t seq);
/* Inputs that nobody has consumed. */
size_t rig_pending(struct rig *r, const char *session);
/* The record's body; empty: none. */
struct str rig_record(struct rig *r, struct str kind, const char *id);
bool rig_has_record(struct rig *r, struct str kind, const char *id);
size_t rig_count_records(struct rig *r, struct str kind, const char *owner);
