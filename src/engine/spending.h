/* spending - may this turn ask its model once more, and who pays for it?
 *
 * Three budgets hold for a request (core/budget): the session's, its user's and the day's. The most it
 * can cost is reserved before it is sent and settled by what it did cost; while only what others have
 * reserved is in its way it waits in line. A session's sum is its counter, which the log adds up to; those
 * of users and days are records, written in the transaction of the request's end. All of them are known
 * from the start on, so that nothing is asked of the store before a request. */
#pragma once
#include "core/budget.h"
#include "engine/commit.h"

/* id: "user/<user>" or "day/<date, UTC>"; body {"picodollars"}. */
#define RECORD_SPENT STR("spent")
/* Who spoke last in a session, for what it does by itself afterwards. id: session, owner: user. */
#define RECORD_SPENDER STR("spender")

struct account; /* of a user or a day */

struct spending *spending_new(struct engine *en);
void spending_free(struct spending **s);
void spending_load(struct spending *s, void (*done)(void *ctx, int rc, const struct err *err),
		   void *ctx);
/* Limits were changed: asks those in line again. */
void spending_reload(struct spending *s);

/* What a turn pays with. */
struct purse {
	struct str user;       /* empty: nobody's */
	struct str model;      /* as the session names it */
	int64_t session_limit; /* picodollars, or BUDGET_UNLIMITED */
	int64_t session_spent;
	int64_t reserved;    /* by the request on its way */
	struct account *day; /* the one it was begun on */
	bool open;           /* there is one */
	bool unsaved;        /* sums have grown since they were written */
	enum budget_scope reached;
	int64_t reached_limit;
};

/* Does any budget hold? Without one nothing need be estimated. */
bool spending_is_limited(const struct spending *s, const struct purse *p);
/* ALLOW, BUSY (spending_wait then), or why not, as a sentence. */
enum budget_verdict spending_check(struct spending *s, struct purse *p, int64_t prompt_tokens,
				   int64_t output_tokens, struct err *why);
/* Around a request that was allowed. cost negative: not known, or it has none. */
void
spending_begin(struct spending *s, struct purse *p, int64_t prompt_tokens, int64_t output_tokens);
void spending_end(struct spending *s, struct purse *p, int64_t cost_picodollars);
/* A request for which there is no room until others have come to their end. */
struct spending_wait {
	struct list node; /* list_init at first */
	/* Something has changed: check again, and wait again if need be. Never from inside. */
	void (*again)(struct spending_wait *w);
	/* its own */
	struct account *user, *day;
	int64_t ceiling;
};
/* In line: who comes later and needs less does not go past. */
void spending_wait(struct spending *s, struct spending_wait *w, const struct purse *p,
		   int64_t prompt_tokens, int64_t output_tokens);
/* Harmless on one that does not wait. */
void spending_leave(struct spending *s, struct spending_wait *w);
/* The sums that have grown, into the commit that tells of it. */
void spending_put(struct spending *s, struct purse *p, struct commit *c);
/* Does its model cost anything? Else nobody need be known to pay. */
bool spending_costs(const struct spending *s, struct str model);
/* With the first commit of a turn that somebody started. */
void
spending_put_user(struct spending *s, const struct purse *p, struct str session, struct commit *c);
