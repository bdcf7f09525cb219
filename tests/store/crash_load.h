/* crash_load - the load of the crash test: messages whose every byte follows from their name, so that
 * whoever reads the journal of a dead process can send them again; and the journal itself.
 *
 * Journal lines, each one write(2), so that a kill -9 loses none that was written:
 *   S NAME                                 about to be sent
 *   A SESSION FIRST HEAD HASH NAME|-       acknowledged
 *   E SENTENCE                             refused, which this load never expects */
#pragma once
#include "base/arena.h"
#include "store/store.h"

enum { LOAD_SESSIONS = 6, LOAD_NAME_MAX = 64 };

struct load_item {
	struct store_item item;
	struct event events[3];
	struct store_key keys[2];
};

/* "c0" ... */
struct str load_session(struct arena *a, int n);
/* The keyed message of that name ("c0.CYCLE.N": the session stands before the first dot). */
void load_message(struct load_item *it, struct arena *a, struct str name);
/* The item that creates the session. */
void load_created(struct load_item *it, struct arena *a, struct str session);
/* One event of an open turn; payloads are copied. */
void load_event(struct load_item *it, struct arena *a, enum event_kind kind, struct str id,
		struct str turn, struct str payload);

void load_journal_sent(int fd, struct str name);
/* name empty: an item without a key. */
void load_journal_acked(int fd, struct str session, const struct store_result *r, struct str name);
void load_journal_error(int fd, const struct err *e);
