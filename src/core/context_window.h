/* context_window - the transcript's entries as the messages a model reads.
 *
 * Entries come in the transcript's order (core/replay). Text and calls of one answer become one
 * message; every call is followed by exactly one result, whatever the log holds: a missing one is
 * made up and says so, one without its call is left out, a long one shows its head and tail
 * (core/result_view). Thinking is not shown again here: what the
 * provider wants back of it stands beside the answer it led to. Old tool results shrink as core/prune_policy says. Between a turn
 * that ended without an answer (interrupted, out of steps) and the next message stands a line that
 * says so, because the model would take up the old one again. What enters an open turn is no next one:
 * the model is to serve all that its turn took in, also when the turn went on after a restart. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/vec.h"
#include "core/event.h"
#include "core/message.h"
#include "core/projection.h"

/* That line; synthetic. */
extern const struct str CONTEXT_UNANSWERED;

/* One entry, parsed; for context_window's own use. */
struct context_entry {
	enum item_role role;
	struct str turn; /* of its event; of a message: the turn that took it in */
	struct str text;
	struct message_image *image_list;
	size_t images;
	struct str reasoning;       /* of an answer: what its provider wants back */
	int64_t at_seq;             /* what consumed it: messages of one turn's start share it */
	bool trigger;               /* of a message: it asks for an answer */
	bool interrupted;           /* of an answer: it was cut short */
	struct str call_id;         /* of a call: its event's id */
	struct str name, arguments; /* of a call */
	struct str provider_id;     /* of a call: what the provider called it; empty: nothing */
	struct str answers;         /* of a result: the call's event id */
};

struct context_window {
	struct arena *kept;
	struct arena scratch;
	bool shared; /* several people speak: messages carry their sender's name */
	bool redact; /* … and a hash where there is only an id */
	struct str thought, thought_turn; /* what the next answer of that turn came from */
	VEC(struct context_entry) entries;
};

/* Messages live in kept. */
void context_window_init(struct context_window *w, struct arena *kept, bool shared);
void context_window_release(struct context_window *w);
/* content is the event that holds the entry's content: ev itself, or its last edit. turn is that of the
 * event which gave the entry its place. */
void context_window_add(struct context_window *w, const struct item_row *item,
			const struct event *ev, const struct event *content, struct str turn);

struct context_limits {
	int64_t window_tokens; /* above 0 */
	bool aggressive;       /* the provider found the prompt too long */
	struct str note;       /* from the server, at the end; empty: none */
};
struct context_view {
	struct message *messages; /* linked, tokens set */
	size_t count;
	int64_t tokens; /* of all their content */
};
void context_window_finish(struct context_window *w, const struct context_limits *limits,
			   struct context_view *out);
