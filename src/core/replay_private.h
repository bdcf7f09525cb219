/* replay_private - the state behind core/replay, shared by its parts: replay.c (the fold),
 * replay_input.c (queue and consumption), replay_call.c (tool calls), replay_item.c (transcript). */
#pragma once
#include "base/arena.h"
#include "base/json.h"
#include "base/map.h"
#include "base/vec.h"
#include "core/replay.h"

struct replay {
	struct session_row session;
	struct str metadata;  /* JSON, kept */
	struct arena kept;    /* ids, titles, metadata: lives as long as the replay */
	struct arena scratch; /* one event's parse; reset by the next */
	struct sha256_ctx hash;
	VEC(struct input_row) inputs;
	VEC(struct call_row) calls; /* of the open turn */
	VEC(struct item_row) items;
	VEC(struct str) item_ids;
	struct map input_by_id;     /* id → index + 1 into inputs */
	struct map item_by_id;      /* id → index + 1 into items; those of its own log */
	struct map inherited_by_id; /* the same of those it was forked with */
	struct replay *parent;      /* until session.forked is applied; borrowed */
	bool believes;              /* a fork whose parent is not known */
};

/* One event being applied: parsed once, handed to whichever part it concerns. */
struct replay_step {
	const struct event *ev;
	struct str id; /* kept copy */
	struct json payload;
};

/* The refusal: names the seq. */
int
replay_corrupt(const struct replay_step *s, struct err *e, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* A text field of the event's payload; empty when it is not there. */
struct str replay_text(struct replay *r, const struct replay_step *s, const char *name);

/* replay_input.c */
int replay_input_arrive(struct replay *r, const struct replay_step *s, struct err *e);
/* Consumes the ids listed under the payload's consumes[]; classes is a bit set of allowed classes. */
int replay_input_consume(struct replay *r, const struct replay_step *s, unsigned classes,
			 struct err *e);
int replay_input_edit(struct replay *r, const struct replay_step *s, struct err *e);
int replay_input_cancel(struct replay *r, const struct replay_step *s, struct err *e);
/* The turn has ended at s: deferred passives get their place, leftover answers and interrupts of the
 * turn count as processed. */
void replay_input_turn_ended(struct replay *r, const struct replay_step *s);
bool replay_input_has_pending_trigger(const struct replay *r);

/* replay_call.c */
int replay_call_open(struct replay *r, const struct replay_step *s, struct err *e);
int replay_call_result(struct replay *r, const struct replay_step *s, struct err *e);
/* An answer was accepted (arrives), then consumed. */
int replay_call_answer_arrives(struct replay *r, const struct replay_step *s, struct err *e);
int replay_call_answer_consumed(struct replay *r, const struct replay_step *s, struct str answer_id,
				struct err *e);
int replay_call_check_park(const struct replay *r, const struct replay_step *s, struct err *e);
int
replay_call_check_all_closed(const struct replay *r, const struct replay_step *s, struct err *e);

/* replay_item.c */
/* Adds an unplaced entry for s. */
void replay_item_add(struct replay *r, const struct replay_step *s, enum item_role role);
void replay_item_place(struct replay *r, struct str id, int64_t at_seq, int32_t at_index);
void replay_item_edited(struct replay *r, struct str id, int64_t content_seq);
int replay_item_rewind(struct replay *r, const struct replay_step *s, struct err *e);
int replay_item_compact(struct replay *r, const struct replay_step *s, struct err *e);
/* The view of the log it was forked from comes first. */
int replay_item_fork(struct replay *r, const struct replay_step *s, struct err *e);
