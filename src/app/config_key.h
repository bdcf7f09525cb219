/* config_key - the one table of all configuration keys: path, type, range, default, one line of doc.
 * Parsing, defaults, messages, `config show`, `config check` and docs/CONFIG.md all come from it.
 *
 * A path is words joined by '.'; `<name>` stands for any name in a map, `[]` for each item of a list.
 * A value lands in the struct of its scope (the whole file, one provider, one platform, ...). */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

enum config_type {
	CONFIG_BOOL,     /* bool */
	CONFIG_INT,      /* an integer of 4 or 8 bytes, also the next three */
	CONFIG_SIZE,     /* bytes; "16 KiB" */
	CONFIG_DURATION, /* in the key's unit; "30 s" */
	CONFIG_PRICE,    /* microdollars per million tokens, written as dollars: "0.25" */
	CONFIG_MONEY,    /* microdollars, written as dollars: "2.50" */
	CONFIG_WORD,     /* an enum or bool, the index of the word */
	CONFIG_TEXT,     /* struct str, never empty when set */
	CONFIG_PATH,     /* struct str; relative ones start at the file's folder, ~/ at home */
	CONFIG_TEXTS,    /* struct str_list; a single text is a list of one */
};

struct config_key {
	const char *path;
	enum config_type type;
	size_t offset, width;     /* of the member in its scope's struct */
	int64_t min, max;         /* of numbers in the key's unit; of texts in bytes */
	int64_t unit_ms;          /* of durations */
	const char *const *words; /* of CONFIG_WORD, NULL-terminated */
	const char *value;        /* the default, as it would be written; NULL: absent */
	const char *shown;        /* the default in words, when it is not fixed */
	const char *inherit;      /* the default is the value of this key of the whole file */
	int (*check)(struct str text, struct err *e); /* of each text: may it stand here? */
	bool required;                                /* in each item of its list */
	bool restart;                                 /* a reload cannot change it */
	bool private;    /* its value never stands in a message: it may be a misplaced secret */
	const char *doc; /* one line */
};
extern const struct config_key CONFIG_KEYS[];
extern const size_t CONFIG_KEY_COUNT;

struct config_scope {
	const char *pattern; /* "" for the whole file; "platforms.<name>", "providers[].models[]" */
	size_t size;         /* of its struct */
	size_t list;         /* where the enclosing scope's struct has {pointer, count} of them */
	size_t name;         /* where the struct keeps the name; maps only */
	bool (*name_valid)(struct str name); /* maps only */
	const char *name_rule;               /* what a name must be, for the message */
};
extern const struct config_scope CONFIG_SCOPES[];
extern const size_t CONFIG_SCOPE_COUNT;

/* What may stand at a pattern path. */
enum config_place {
	CONFIG_PLACE_UNKNOWN,
	CONFIG_PLACE_VALUE, /* a key of the table */
	CONFIG_PLACE_MAP,   /* keys below it */
	CONFIG_PLACE_NAMES, /* a map with names of the operator's */
	CONFIG_PLACE_ITEMS, /* a list of maps */
};
enum config_place config_key_place(struct str pattern, const struct config_key **key);
/* NULL when there is none. */
const struct config_key *config_key_find(struct str pattern);
const struct config_scope *config_scope_find(struct str pattern);
/* The scope that a key's value belongs to. */
const struct config_scope *config_key_scope(const struct config_key *key);
/* Writes the path that may have been meant by an unknown word below the pattern prefix: one spelt alike
 * there (written below path, which is what prefix is called in the file), or a key of that very name
 * elsewhere. False: no idea. */
bool config_key_nearest(struct str prefix, struct str path, struct str word, struct buf *out);
