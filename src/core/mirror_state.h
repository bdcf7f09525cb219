/* mirror_state - how far has a session been mirrored, and what was open there?
 *
 * session.json says it, with the sizes that the other two files had then; what stands in them behind
 * that is taken line by line. So nothing is read twice, and a kill between two writes costs nothing. */
#pragma once
#include "base/json_write.h"
#include "base/vec.h"
#include "core/mirror_record.h"

struct mirror_input { /* not processed yet */
	struct str id;
	int64_t seq;
};

struct mirror_wake { /* queued */
	struct str id;
	struct sha256 digest; /* of all that its line says */
	int64_t due_at_ms;    /* 0: parked, or it is known from session.json */
	struct str wake;      /* JSON; empty: it is known from session.json */
};

struct mirror_state {
	struct str id;    /* of the session */
	struct str extra; /* JSON object: what it has beyond its log; empty: nothing */
	int64_t head_seq; /* 0: no event yet */
	struct sha256 head_hash;
	int64_t events_bytes, wakes_bytes; /* of the whole lines of the two files */
	VEC(struct mirror_input) pending;  /* by seq */
	VEC(struct mirror_wake) wakes;
};

void mirror_state_release(struct mirror_state *s);
/* From the text of session.json; texts live in a. *out is a state of zeros before. */
NODISCARD int
mirror_state_read(struct str text, struct arena *a, struct mirror_state *out, struct err *e);
/* Its member "mirror", into an object that has begun with mirror_state_write_head. */
void mirror_state_write(struct jw *w, const struct mirror_state *s);
/* The members "format", "version", "id" and "extra". */
void mirror_state_write_head(struct jw *w, const struct mirror_state *s);
/* The next line of either file. Events must follow each other: ERR_INVALID. Texts are copied into a. */
NODISCARD int mirror_state_take(struct mirror_state *s, const struct mirror_record *r,
				struct arena *a, struct err *e);
/* NULL: not queued. */
const struct mirror_wake *mirror_state_wake(const struct mirror_state *s, struct str id);
/* Of an enqueued record. */
struct sha256 mirror_state_digest(const struct mirror_record *r);
