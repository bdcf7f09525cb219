/* input - what kind of input is this, and what was decided about it when it was accepted?
 *
 * Ingress fixes the class once and stores it with the event as meta, hashed with the payload, so
 * that the queue can be rebuilt from the log alone. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/json.h"
#include "base/json_write.h"
#include "core/event.h"

enum input_class {
	INPUT_TRIGGER, /* starts a turn: the only class that queues */
	INPUT_BOUND,   /* consumed together with the trigger of its request */
	INPUT_PASSIVE, /* processed on arrival, never queued, never wakes */
	INPUT_ANSWER,  /* closes a wait of the open turn; pending, outside the queue */
	INPUT_CONTROL, /* user.interrupt: hits only the turn open at its seq */
};
enum busy_mode {
	BUSY_QUEUE,     /* first in, first out, one turn each */
	BUSY_STEER,     /* enters the running turn after its next tool result */
	BUSY_INTERRUPT, /* stops the open turn, then runs before the queue */
	BUSY_COLLECT,   /* waits for quiet, shares a turn with its neighbours of that sender */
	BUSY_REJECT,    /* refused while busy */
};
const char *input_class_name(enum input_class c);
const char *busy_mode_name(enum busy_mode m);
bool busy_mode_parse(struct str name, enum busy_mode *out);

struct input_meta {
	enum input_class class;
	enum busy_mode busy;
	struct str sender;   /* who, as collect compares it; empty: the session's one user */
	struct str route;    /* JSON of the reply route frozen now; empty: none */
	struct str bound_to; /* bound: event id of its trigger */
	struct str group;    /* inputs of one group share a turn (initial_events); empty: none */
	struct str model;    /* that its turn is to ask; empty: the session's */
	bool media;          /* nothing but media: bursts of it collapse */
	int64_t due_at_ms;   /* not runnable before; 0: at once */
};
/* One JSON object, members in this order, defaults left out. */
void input_meta_write(const struct input_meta *m, struct jw *out);
/* Views of meta's text, which must stay; unescaped copies live in a. */
NODISCARD int
input_meta_read(struct json meta, struct arena *a, struct input_meta *out, struct err *e);

struct classify_facts {
	enum event_kind kind;
	bool append_only;  /* posted with mode append */
	bool routed;       /* route_policy said: run a turn */
	bool with_trigger; /* a trigger stands in the same request */
};
/* For the kinds clients and schedules send; other kinds are no inputs and give false. */
bool input_classify(const struct classify_facts *f, enum input_class *out);
/* Can an input of this kind be of this class, however it was routed? */
bool input_class_fits(enum event_kind kind, enum input_class class);
