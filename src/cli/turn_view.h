/* turn_view - what does a person see of the turn that answers a message? Pure: events of a log_tail
 * in, calls of an owner out. Text is told while it is written and never twice, also when the stream
 * was cut and began again in the middle of a message, or the model had to begin its answer anew and
 * says the same. Silence markers are not told, nor is what is left of a message when it is nothing. */
#pragma once
#include "base/arena.h"
#include "base/buf.h"
#include "base/json.h"
#include "base/vec.h"
#include "cli/waiting_call.h"
#include "core/reply_filter.h"

/* Texts live during the call. */
struct turn_view_events {
	void (*on_text)(void *context, struct str piece); /* the next of a message */
	void (*on_text_end)(void *context);               /* that message is complete */
	void (*on_call)(void *context, struct str line);  /* a tool is used */
	void (*on_note)(void *context, struct str line);  /* something the reader should know */
	void *context;
};

struct turn_view {
	struct turn_view_events events;
	struct str message_id;     /* of the message that is answered: the sender's, or its event */
	struct str input_id, turn; /* its event, the turn that took it; empty: not known yet */
	bool running, over;
	bool waits;             /* it cannot go on without somebody, or the turn before it cannot */
	struct str stop_reason; /* "end_turn", "interrupted", …; empty while it runs */
	VEC(struct waiting_call) calls;
	VEC(struct str) waits_for; /* ids of calls that are not settled */
	VEC(struct str) settled;   /* of those that nobody has to see to any more */
	struct str preview_id;     /* the message being told */
	struct buf told;           /* what came of it */
	struct reply_stream reply; /* what of that is for people: no silence markers */
	bool shown;                /* some of it is */
	size_t at;                 /* bytes of it that came since it began, or began anew */
	struct buf text;           /* of the complete messages, a blank line between */
	struct arena arena;        /* all these texts */
	struct arena scratch;
};

/* message_id must stay. */
void
turn_view_init(struct turn_view *v, struct str message_id, const struct turn_view_events *events);
void turn_view_release(struct turn_view *v);
/* Instead of a message: a turn that waits for the calls of these ids (a JSON array; unset: for none). */
void turn_view_join(struct turn_view *v, struct str turn, struct json ids);
void turn_view_apply(struct turn_view *v, struct str type, struct json event);
/* The call of that id; NULL: it was not seen. */
const struct waiting_call *turn_view_find_call(const struct turn_view *v, struct str id);
bool turn_view_waits_for(const struct turn_view *v, struct str id);
/* The server has the answer to that call, or a program will give it. It is not waited for any more, also
 * when an event says so later. */
void turn_view_settle(struct turn_view *v, struct str id);
