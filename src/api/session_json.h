/* session_json - a session as the wire shows it, and the words of every surface for its state.
 *
 * The wire's object (id, type, status, agent, …), then ours: lifecycle, activity, display_status,
 * record_status, stop_reason, counters, preview, source, participants, wakes, tool_processes. Pure: everything it shows was
 * gathered before (api/session_load). */
#pragma once
#include "base/json_write.h"
#include "core/session.h"
#include "engine/engine.h"

struct session_view {
	const struct store_session *session;
	struct str agent; /* the snapshot it runs, as it is shown; empty: only id and version */
	struct model_facts models; /* what stands around it names */
	struct str extra;          /* body of its session_extra; empty: none */
	struct str resources;      /* JSON objects joined by commas */
	struct str wakes;          /* the same way */
	bool wake_pending;         /* one of them is not parked */
	struct str participants;   /* JSON strings joined by commas */
	struct str waits_for;      /* ids of the calls a parked turn waits for, the same way */
	bool waits_for_approval;
	int64_t archived_at_ms; /* 0: not archived, or not known */
	struct tool_load tools; /* that run here */
};

struct session_facts session_json_facts(const struct session_view *v);
/* scratch: for reading extra. */
void session_json_write(struct jw *w, const struct session_view *v, struct arena *scratch);
/* The session's one thread: see api/thread_routes. */
void session_json_write_thread(struct jw *w, const struct session_view *v, struct arena *scratch);
/* "sthr_…": of the session's main thread. */
struct str session_json_thread_id(struct arena *a, struct str session);
