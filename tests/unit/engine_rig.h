/* engine_rig - an engine on a store and a clock of its own, whose commands are answered at once. */
#pragma once
#include "engine/engine_private.h"
#include "harness.h"
#include "sqlite_dir.h"
#include "virtual_host.h"

enum { RIG_NOW_MS = 1000000000 };
#define RIG_OWNER_TOKEN "pdr_00000000000000000000000000000000000000000000000000000000000000aa"

struct engine_rig {
	struct virtual_host host;
	struct store *store;
	bool on_sqlite;
	bool unclean;     /* the next start finds no marker of the last process */
	int64_t fresh_ms; /* of the next start; 0: the usual */
	struct sqlite_dir dir;
	struct engine *en;
	struct engine_caller owner;
	struct arena arena; /* of answers and bodies */
	struct provider *demo;
};

/* An engine that has started; on_sqlite: on disk, else in memory. */
void engine_rig_init(struct engine_rig *r, bool on_sqlite);
void engine_rig_release(struct engine_rig *r);
/* Another process with the same data. */
void engine_rig_restart(struct engine_rig *r);

/* Settles until *done, however slow the disk is. */
void engine_rig_await(struct engine_rig *r, const bool *done);
/* A caller by the text of its token; fails the test when it is not known. */
struct engine_caller engine_rig_caller(struct engine_rig *r, struct str token);
/* Quotes are written as '. */
struct json engine_rig_json(struct engine_rig *r, const char *text);
/* The record's body, empty when it is not there. */
struct str engine_rig_record(struct engine_rig *r, struct str kind, struct str id);
size_t engine_rig_count(struct engine_rig *r, struct str kind);
/* The body of the last record of a kind. */
struct str engine_rig_last(struct engine_rig *r, struct str kind);
/* The session's row, as long as the rig; NULL: there is none. */
const struct store_session *engine_rig_session(struct engine_rig *r, const char *session);
/* The types of its events from that seq on, "session." and the like left out, a blank between. */
struct str engine_rig_log(struct engine_rig *r, const char *session, int64_t from);
/* The payload of the event at seq. */
struct str engine_rig_payload(struct engine_rig *r, const char *session, int64_t seq);
/* One event that the engine hears nothing of. */
void engine_rig_append(struct engine_rig *r, const char *session, enum event_kind kind,
		       const char *payload);
void engine_rig_drain(struct engine_rig *r, struct engine *en);

/* An answer that stays. */
struct rig_answer {
	bool done;
	int rc;
	char text[ERR_TEXT_MAX]; /* of the error */
	bool replayed;
	struct str id, secret, current;
	int64_t version, first_seq, position;
	size_t event_count;
	struct str event_id; /* of the last event; empty on a replay */
	bool triggered, created;
	struct str lane, reset_reason;
	int64_t count;
	struct str command, said, data; /* of a command that a person wrote */
	struct engine_rig *rig;
};
/* For engine_call: done and ctx. */
void rig_answered(void *ctx, const struct engine_answer *answer);
/* Waits for it and fails the test unless it has this rc (and part in its sentence). */
void rig_expect(struct rig_answer *a, int rc, const char *part);

/* Calls a command as somebody, with an Idempotency-Key or none, and waits for its answer. */
struct rig_call {
	const struct engine_caller *caller; /* NULL: the owner */
	const char *key;                    /* NULL: none */
	const char *body;                   /* NULL: the command takes none; quotes as ' */
	struct str id;                      /* for commands that take one */
};
typedef void rig_make_fn(struct engine *en, const struct engine_call *call, struct json body);
typedef void
rig_change_fn(struct engine *en, const struct engine_call *call, struct str id, struct json body);
typedef void rig_end_fn(struct engine *en, const struct engine_call *call, struct str id);
struct rig_answer *rig_make(struct engine_rig *r, rig_make_fn *fn, struct rig_call call);
struct rig_answer *rig_change(struct engine_rig *r, rig_change_fn *fn, struct rig_call call);
struct rig_answer *rig_end(struct engine_rig *r, rig_end_fn *fn, struct rig_call call);
/* call.id is the session; the message's text is what a repeat is told by. */
struct rig_answer *
rig_say(struct engine_rig *r, const struct engine_message *message, struct rig_call call);
/* call.body is the array of events. */
struct rig_answer *rig_events(struct engine_rig *r, struct rig_call call);
/* A line that a person wrote; call.id is the session. */
struct rig_answer *rig_command(struct engine_rig *r, const char *line, struct rig_call call);
/* A session of agent main, opened by somebody (NULL: the owner). */
struct str rig_open(struct engine_rig *r, const struct engine_caller *caller, const char *session);
/* A user and a token of theirs; a token that speaks for a channel. They live as long as the rig. */
const struct engine_caller *rig_person(struct engine_rig *r, const char *name);
const struct engine_caller *rig_channel(struct engine_rig *r, const char *namespace);
