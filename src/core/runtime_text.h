/* runtime_text - what do a session's runtime files say after a turn?
 * checkpoint.json for programs, session-state.md and working-buffer.md for people and for the agent
 * itself. They are a view: the log is the truth, and each turn writes them anew. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "base/buf.h"
#include "base/str.h"
#include "core/directive_policy.h"
#include "core/session.h"

enum { RUNTIME_TEXT_VERSION = 1, RUNTIME_EXCERPT_BYTES = 4000, RUNTIME_TEXT_BYTES_MAX = 1 << 20 };

struct runtime_wake {
	struct str id, reason, note;
	int64_t due_ms;
	bool parked;
};

struct runtime_facts {
	struct str agent, session, turn, model;
	int64_t now_ms, head_seq;
	enum stop_kind stop;
	enum directive_outcome outcome;
	int continues;                    /* turns in a row that went on by themselves */
	struct str_list started_by;       /* wakes; empty: a message */
	const struct runtime_wake *wakes; /* that are queued now, the next one first */
	size_t wake_count;
	const struct directive_learning *learnings; /* of this turn */
	size_t learning_count;
	struct str response; /* the turn's last message; empty: none */
};

/* Each writes one file; out has a ceiling of at least RUNTIME_TEXT_BYTES_MAX. */
void runtime_text_checkpoint(const struct runtime_facts *f, struct buf *out);
void runtime_text_state(const struct runtime_facts *f, struct buf *out);
void runtime_text_buffer(const struct runtime_facts *f, struct buf *out);
