/* runtime_files - files that agents and people read beside the database, written and removed by a thread of
 * their own: agents/<agent>/sessions/<session>/runtime/<name>, each replaced whole, and
 * agents/<agent>/learn/lessons.jsonl, to which lines are added. What comes within half a second of the
 * last writing waits for its end, and of a file's texts only the newest is written. A file that cannot be
 * written is logged, not answered: the log has everything. */
#pragma once
#include "engine/engine.h"
#include "net/loop.h"

struct runtime_files;

/* The data directory's name is copied. */
NODISCARD int
runtime_files_new(struct runtime_files **out, struct loop *loop, struct str data, struct err *e);
/* The session's folder goes, behind what was written before. done comes on the loop's thread, unless this is
 * freed first. */
void runtime_files_remove(struct runtime_files *f, struct str agent, struct str session,
			  void (*done)(void *ctx, int rc, const struct err *err), void *ctx);
/* Writes what is waiting first. */
void runtime_files_free(struct runtime_files **files);
struct engine_files runtime_files_port(struct runtime_files *files);
