/* scripted - tools that do what a test says: by a script of results, or by hand.
 * Our own ones and those of servers alike. Counts how often each call was started. */
#pragma once
#include "base/host.h"
#include "tool/tool.h"

struct scripted_result {
	struct str name; /* of the tool */
	enum tool_outcome outcome;
	struct str output;
	int64_t wait_ms;      /* before it; negative: until tool_scripted_answer */
	bool ignores_timeout; /* else OUTCOME_TIMEOUT when the request's time is up */
};

struct toolset *tool_scripted_new(struct host *host);
/* What a listing says; texts must stay. Servers that are asked for and named in problems are left
 * out. */
void tool_scripted_docs(struct toolset *t, const struct tool_doc *docs, size_t count);
void tool_scripted_problems(struct toolset *t, const struct tool_problem *problems, size_t count);
/* Listings answer only when they are told to. */
void tool_scripted_hold(struct toolset *t, bool hold);
/* What each call of a tool gives; one without an entry gives its arguments back at once. They must
 * stay. */
void tool_scripted_play(struct toolset *t, const struct scripted_result *results, size_t count);
/* The outcome of a call on its way, by the name of its tool; false: there is none. */
bool tool_scripted_answer(struct toolset *t, struct str name, enum tool_outcome outcome,
			  struct str output);

/* Calls and listings on their way. */
size_t tool_scripted_open(const struct toolset *t);
size_t tool_scripted_listings(const struct toolset *t);
/* How often the call of that event was started, and calls in all. */
size_t tool_scripted_starts(const struct toolset *t, struct str id);
size_t tool_scripted_started(const struct toolset *t);
size_t tool_scripted_cancelled(const struct toolset *t);
/* The last request; its texts live as long as the toolset. Of its server name and url. */
const struct tool_request *tool_scripted_last(const struct toolset *t);
