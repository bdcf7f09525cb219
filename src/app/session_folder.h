/* session_folder - where below the data directory are a session's files?
 * <data>/agents/<agent>/sessions/<session>/<part>; in names everything but A-Z a-z 0-9 _ - is
 * percent-encoded, so that no id leads elsewhere. */
#pragma once
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

void session_folder_path(struct buf *out, struct str data, struct str agent, struct str session,
			 struct str part);
/* Makes what of it is missing below data; for its owner alone. */
NODISCARD int session_folder_make(struct str data, struct str agent, struct str session,
				  struct str part, struct arena *a, struct str *out, struct err *e);
