/* schedule_state - what is known of a schedule's runs: which slots are decided, which run is open, how
 * the last ones went. Kept in the schedule's record beside its definition:
 *   {"schedule": the definition, "state": {…}}
 * A run is a record of its own, written when it begins and when it has ended; the one that is open is
 * known here as well, with what it takes to find out what became of it. Pure. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "base/json_write.h"
#include "core/schedule_def.h"
#include "core/session.h"

struct schedule_run {
	struct str id; /* empty: there is none */
	int64_t slot_ms;
	bool manual;         /* somebody asked for it: the slot is when */
	int64_t fired_ms;    /* 0: asked for, not begun */
	struct str event_id; /* of its trigger */
	int64_t since_seq;   /* of the session before it: later events tell how it went */
	bool stopping;       /* its time is over, and its turn was told */
};

struct schedule_state {
	int64_t decided_ms; /* the slots up to here are: run, or left out */
	int64_t next_ms;    /* when it is to be looked at again; 0: only when something happens */
	unsigned failures;  /* in a row */
	int64_t ended_ms;   /* the last run; 0: none has */
	struct schedule_run run;
};

enum schedule_outcome {
	SCHEDULE_RUN_PENDING, /* asked for */
	SCHEDULE_RUN_RUNNING, /* its trigger is in the session's log */
	SCHEDULE_RUN_COMPLETED,
	SCHEDULE_RUN_FAILED,
	SCHEDULE_RUN_TIMED_OUT,
	SCHEDULE_RUN_CANCELLED, /* a person stopped it, or took it back */
};
/* Of a run whose turn stopped so. by_person: an interrupt ended it, which is ours when its time was
 * over. */
enum schedule_outcome
schedule_outcome_of(enum stop_kind stop, bool by_person, const struct schedule_run *run);
/* The run that was open has ended so. What a person stopped says nothing about the next one. */
void schedule_state_end(struct schedule_state *s, enum schedule_outcome outcome, int64_t now_ms);

enum schedule_letter {
	SCHEDULE_LETTER_NONE, /* nothing to be told, or nobody to tell */
	SCHEDULE_LETTER_DELIVERED,
	SCHEDULE_LETTER_DEAD, /* it could not be */
};

/* A run as its record says it. */
struct schedule_report {
	const struct schedule_run *run;
	struct str schedule_id, session_id;
	enum schedule_outcome outcome;
	struct str stop_reason, error, turn_id; /* empty: none */
	int64_t ended_ms;                       /* 0: it has not */
	enum schedule_delivery_kind delivery;
	enum schedule_letter letter;
	struct str letter_error; /* why it is dead */
};

/* The definition inside a record's body; absent when it is none. */
struct json schedule_body_definition(struct json body);
/* The zero state where there is none; texts stay in the document or in a. */
struct schedule_state schedule_state_read(struct json body, struct arena *a);
/* A record's body; definition is the wire's object. */
struct str
schedule_body_write(struct str definition, const struct schedule_state *s, struct arena *a);
/* The wire's object: the definition with next_run_at, last_run_at, consecutive_failures and
 * open_run_id behind its own members. */
void schedule_body_show(struct json body, struct jw *w);
/* The wire's object of a run: {id, type, schedule_id, session_id, slot, manual, status, stop_reason,
 * error, turn_id, event_id, fired_at, ended_at, delivery:{type, status, error}}. */
struct str schedule_report_write(const struct schedule_report *r, struct arena *a);
