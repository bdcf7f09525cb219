/* verify - is what this store holds whole?
 * Reads every session through the port and folds its log with core/replay: seqs without gap, ids
 * unique, the chain unbroken, and every projection equal to the replay. What was read stays here, so
 * that a test can compare it with what it was told. Problems are collected, one line each. */
#pragma once
#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/vec.h"
#include "core/replay.h"
#include "store/store.h"

struct verify_event {
	struct str session;
	struct event ev;
	struct sha256 hash;
	int64_t processed_at_ms;
};
struct verify_session {
	struct str id;
	struct replay *replay;
	VEC(struct verify_event *) log; /* by seq, from 1 */
};

struct verify {
	struct arena arena;
	struct map sessions, events; /* by id */
	VEC(struct verify_session *) all;
	struct buf problems;
	size_t problem_count;
};

void verify_init(struct verify *v);
void verify_release(struct verify *v);
/* Reads and checks everything. */
void verify_store(struct verify *v, struct store *s);
/* NULL when absent. */
const struct verify_event *verify_at(const struct verify *v, struct str session, int64_t seq);
const struct verify_event *verify_find(const struct verify *v, struct str event_id);
void verify_problem(struct verify *v, const char *fmt, ...) PRINTF_LIKE(2, 3);
