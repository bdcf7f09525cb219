/* log_follow - a log from a cursor on: pages of the store, then live, without gap or double.
 *
 * It watches first and reads pages behind its cursor, dropping what the watch brings meanwhile; when
 * a page was not cut and ends at the head or above, the reader is live from there on. Of one session
 * the cursor is the seq, of all of them the change number. A caller who may not see everything
 * follows all sessions by pages only: whoever may read a session is the engine's question.
 *
 * row and gap are called on a thread of the store's while a page is read; nothing else of the owner
 * is touched meanwhile. All other calls come on the loop, never from inside start or next. */
#pragma once
#include "engine/engine.h"

struct log_follow;

struct log_follow_ops {
	/* One event of a page; false ends the page behind it. */
	bool (*row)(struct log_follow *f, const struct store_event *ev);
	/* Events that are not kept any more, before the row behind them; NULL: not wanted. */
	void (*gap)(struct log_follow *f, int64_t from, int64_t to);
	/* The page is over. Goes on with log_follow_next, now or when there is room. */
	void (*page)(struct log_follow *f);
	/* The reader has caught up: what follows is live. May be NULL. */
	void (*live)(struct log_follow *f);
	/* False: no room, it was not taken. It comes again in a page, after log_follow_next. */
	bool (*event)(struct log_follow *f, const struct store_event *ev);
	/* The same; what was written so far comes again when it is live. May be NULL. */
	bool (*preview)(struct log_follow *f, const struct engine_preview *p);
	/* Nothing more comes: deleted, shut down, or a page that could not be read (rc, err). */
	void (*over)(struct log_follow *f, int rc, const struct err *err);
};

enum log_follow_state {
	LOG_FOLLOW_NEW,
	LOG_FOLLOW_READING,
	LOG_FOLLOW_PAUSED, /* a page was handed out; waits for log_follow_next */
	LOG_FOLLOW_LIVE,
	LOG_FOLLOW_OVER
};

struct log_follow { /* lives in its owner */
	struct engine *en;
	const struct log_follow_ops *ops;
	struct str session; /* empty: all; must live as long as this */
	uint64_t kinds;     /* of all sessions: 1 << enum event_kind, others are left out; 0: any */
	int64_t cursor;     /* the last event handed out */
	struct engine_caller caller;
	struct engine_watch watch;
	void (*gone)(struct log_follow *f); /* set: it ends as soon as no page is being read */
	int64_t head_before;                /* what was known when the page was asked for */
	int64_t page_end;                   /* the last event of the page */
	enum log_follow_state state;
	bool page_cut;   /* there may be more behind the page */
	bool narrowed;   /* all sessions, but not all of them are the caller's */
	bool ended;      /* the watch is over: the log does not grow any more */
	bool read_again; /* narrowed: told of something while a page was read */
	bool asking;     /* whether the caller may still see the session */
	bool ask_again;  /* … and rights have changed once more */
	bool denied;     /* it may not: the page that is being read is dropped */
};

/* The caller is copied, less what only a message needs. */
void log_follow_init(struct log_follow *f, struct engine *en, const struct engine_caller *caller,
		     struct str session, const struct log_follow_ops *ops);
/* Everything behind the cursor, then live. */
void log_follow_start(struct log_follow *f, int64_t after);
/* Only what is told from now on. */
void log_follow_start_live(struct log_follow *f, int64_t head);
/* After ops->page. Harmless at any other time. */
void log_follow_next(struct log_follow *f);
/* No more calls. gone is called once the memory is nobody else's: at once, or when the page that is
 * being read is over. */
void log_follow_stop(struct log_follow *f, void (*gone)(struct log_follow *f));
