/* session_folder - where below the data directory are a session's files?
 * <data>/agents/<agent>/sessions/<session>/<part>; names are made of ids by
 * session_id_file_name, so that no id leads elsewhere. */
#pragma once
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

struct session_folder {
	struct str data;           /* the data directory */
	struct str agent, session; /* ids; session empty: the agent's own part */
	struct str part;           /* a word of ours */
};

void session_folder_path(const struct session_folder *f, struct buf *out);
/* Makes what of it is missing below data; for its owner alone. The path lives in a. */
NODISCARD int session_folder_make(const struct session_folder *f, struct arena *a, struct str *out,
				  struct err *e);
