/* mirror_folder - the three files of one session's mirror: session.json, which is replaced whole, and
 * events.jsonl and wake-queue.jsonl, which are added to. Opening finds out where they ended and cuts
 * off what a kill left half written. Any thread, one at a time for a session. */
#pragma once
#include "app/session_folder.h"
#include "core/mirror_state.h"

enum mirror_part { MIRROR_EVENTS, MIRROR_WAKES };

struct mirror_folder {
	struct arena *arena;
	struct str path; /* with a slash behind it */
	struct str was;  /* session.json as it stands; empty: there is none that can be read */
	struct mirror_state state;
};

/* Makes the folder if need be; where.part is empty. Texts live in a. On success the folder is released
 * by mirror_folder_release. */
NODISCARD int mirror_folder_open(struct mirror_folder *f, const struct session_folder *where,
				 struct arena *a, struct err *e);
void mirror_folder_release(struct mirror_folder *f);
/* Whole lines behind those that are there. The caller takes them into the state. */
NODISCARD int mirror_folder_append(struct mirror_folder *f, enum mirror_part part, struct str lines,
				   struct err *e);
/* session.json, unless it says that already. */
NODISCARD int mirror_folder_replace(struct mirror_folder *f, struct str text, struct err *e);
/* Begins anew: what was mirrored is another log. */
NODISCARD int mirror_folder_clear(struct mirror_folder *f, struct err *e);
/* The three files go; what else is in the folder stays. */
void mirror_folder_remove(const struct session_folder *where);
