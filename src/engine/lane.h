/* lane - the records of lanes: which session a conversation is in now, found by key or by session, and
 * changed in one way: read, decide, put if nobody was quicker, else again.
 *
 * A lane's id says what it is the lane of: "lane_" and 32 hex digits of a SHA-256 over its workspace and
 * its key. Its record's owner is the current session, its due time the next instant at which a reset
 * policy may have expired it (0: never). Commands about lanes are lane_resolve's, lane_command's and
 * lane_move's. */
#pragma once
#include "core/lane_entry.h"
#include "core/session_key.h"
#include "core/surface_key.h"
#include "engine/commit.h"

struct lane {
	struct str id;   /* of its record */
	int64_t version; /* of its record; 0: there is none, and entry is empty */
	struct lane_entry entry;
};

/* Lanes are unique by workspace and key. The ids live in a. */
struct str lane_id_of_source(struct arena *a, struct str workspace, const struct session_key *key);
struct str lane_id_of_surface(struct arena *a, const struct surface_key *key);

/* rc 0: version 0 when there is none. Texts are good during the call. ERR_CORRUPT: damaged. */
typedef void lane_fn(void *ctx, int rc, const struct err *err, const struct lane *lane);
void lane_find(struct engine *en, struct str id, lane_fn *done, void *ctx);
/* The lane whose current session it is. */
void lane_find_by_session(struct engine *en, struct str session, lane_fn *done, void *ctx);
/* The same with its texts in a. */
struct lane lane_copy(struct arena *a, const struct lane *from);

/* Writes the lane as part of c, if its record is still at lane->version (0: if there is none). */
void lane_put(struct commit *c, const struct lane *lane);
/* Takes the lane out the same way; its sessions stay. */
void lane_drop(struct commit *c, const struct lane *lane);

/* Decides about one: changes *entry and says true to have that written. */
typedef bool lane_decide_fn(void *ctx, struct lane_entry *entry);
/* lane: as it is now, changed or not; version 0: there is none, and nothing was decided. */
struct lane_change {
	struct str id, session; /* which one: by id, or by its current session */
	lane_decide_fn *decide; /* may be asked again */
	lane_fn *done;          /* NULL: nobody waits for it but a drain */
	void *ctx;
};
void lane_change(struct engine *en, const struct lane_change *change);

/* What the operator's policy says of this lane, and when it will have expired at the earliest. */
struct reset_policy lane_policy(struct engine *en, const struct lane_entry *lane);
int64_t lane_boundary_ms(struct engine *en, const struct lane_entry *lane, int hour);
int64_t lane_due_ms(struct engine *en, const struct lane_entry *lane);
