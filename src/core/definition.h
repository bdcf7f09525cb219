/* definition - a stored object that requests make and change: each member is given, kept or at its
 * default.
 *
 * A kind of object (agent, environment, user) is a table of members in the order of the wire. When
 * it is made, what the body does not give is at its default. When it is changed, what the body does
 * not give stays, and null restores the default of a member that takes null. A body that changes
 * nothing leaves version and updated_at alone: values are compared, not their spelling. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "base/json_write.h"

enum { DEFINITION_BYTES_MAX = 1024 * 1024, DEFINITION_NAME_MAX = 256 /* characters */ };

/* One being written. */
struct definition {
	struct jw w;
	struct arena *a; /* unescaped texts */
	struct str id;
	int64_t version;
	const void *facts; /* what the kind's own members need to know */
};

struct definition_member {
	const char *name;
	unsigned want; /* enum json_want */
	bool required; /* in the body that makes it */
	/* Checks v and writes the value. v absent: the default; now: the current value, absent when
	 * the object is made. */
	int (*write)(struct definition *d, struct json v, struct json now, struct err *e);
	/* Writes a value that the body does not give; NULL: as it is. */
	void (*keep)(struct definition *d, struct json now);
};

struct definition_kind {
	const char *type; /* the wire's word, and the noun of messages */
	bool versioned;   /* counts its changes; a body may name the version it expects */
	bool archivable;  /* has archived_at, and does not change from then on */
	bool named;       /* the body that makes it may give its id; the caller takes that */
	const struct definition_member *members;
	size_t count;
};

struct definition_facts {
	struct str id;
	int64_t now_ms;
	struct json current; /* the object as stored; absent: it is made */
	const void *facts;
};

struct definition_text {
	struct str text; /* the wire's object, in the arena */
	int64_t version; /* 0: the kind has none */
	bool changed;
};

/* ERR_INVALID names the member; ERR_CONFLICT: it is archived, or at another version than the body
 * expects; ERR_TOO_LARGE beyond DEFINITION_BYTES_MAX. */
NODISCARD int
definition_make(const struct definition_kind *kind, const struct definition_facts *f,
		struct json body, struct arena *a, struct definition_text *out, struct err *e);
/* The members that body has over those of f->current, version and instants as they are; the caller
 * has checked which ones it may name. */
NODISCARD int
definition_override(const struct definition_kind *kind, const struct definition_facts *f,
		    struct json body, struct arena *a, struct str *out, struct err *e);
/* The same object archived; unchanged when it is so already. */
NODISCARD int definition_archive(struct json current, int64_t now_ms, struct arena *a,
				 struct definition_text *out, struct err *e);
bool definition_is_archived(struct json current);
/* Of a stored object; 0: it has none. */
int64_t definition_version(struct json current);

/* ---- for the members' functions ---- */

/* A string of min to max characters; an absent one, and an empty one where min is 0, is null. */
NODISCARD int
definition_write_text(struct definition *d, struct json v, size_t min, size_t max, struct err *e);
/* A string of 1 to max characters without control characters. */
NODISCARD int definition_take_label(struct definition *d, struct json v, size_t max,
				    struct str *out, struct err *e);
/* The member name of every kind: such a label. */
NODISCARD int
definition_write_name(struct definition *d, struct json v, struct json now, struct err *e);
/* v as received, less its blanks; refused when it nests deeper than 32 levels, so that whatever
 * embeds the object can still be read. */
NODISCARD int definition_write_copy(struct definition *d, struct json v, struct err *e);
/* The member, or absent. */
struct json definition_find(struct json v, const char *name);
/* The member of v, which may be null; of now when v has none. */
struct json definition_given_or_kept(struct json v, struct json now, const char *name);
