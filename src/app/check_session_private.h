/* check_session_private - what the parts of one session's check share. */
#pragma once
#include "app/check_session.h"
#include "base/arena.h"
#include "base/vec.h"
#include "core/replay.h"

/* What session.created said of the session. */
struct check_created {
	struct str agent_id, environment_id, workspace_id, lane_key, parent_id, previous_id;
	struct str source;
	int64_t agent_version, created_at_ms;
	bool group;
};

struct check_session {
	struct store *store;
	struct check_report *report;
	struct str id;
	struct arena kept, scratch;
	struct replay *replay;
	struct sha256_ctx hash;
	struct check_created created;

	/* the log so far */
	int64_t last_seq;
	struct sha256 last_hash; /* as stored */
	bool broken;             /* it does not replay: a gap, or an event that breaks a rule */
	VEC(int64_t) processed;  /* of its inputs, in seq order, as stored */

	/* where the comparison of a projection stands, in the replay's rows and the store's */
	size_t at;
	int64_t after;
	struct item_row after_item;
	const struct item_row *items; /* the replay's, sorted once */
	size_t item_count;
};

/* Report when the two differ. */
void check_same_int(struct check_session *c, int64_t seq, const char *what, int64_t stored,
		    int64_t replayed);
void check_same_str(struct check_session *c, int64_t seq, const char *what, struct str stored,
		    struct str replayed);
void check_found(struct check_session *c, int64_t seq, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* check_session_log.c: chain, gaps, payloads, replay. */
NODISCARD int check_session_log(struct check_session *c, struct err *e);
/* check_session_row.c: the session's own row. */
NODISCARD int check_session_row(struct check_session *c, struct err *e);
/* check_session_lists.c: queue, calls, transcript. */
NODISCARD int check_session_lists(struct check_session *c, struct err *e);
