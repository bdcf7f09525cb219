/* config_private - what the parts of the configuration share: which values there are, and where each
 * was said. */
#pragma once
#include "app/config.h"
#include "app/config_key.h"
#include "app/config_value.h"
#include "app/config_yaml.h"

enum { CONFIG_PATH_MAX = 512 };

/* One scope's struct: the whole file, one provider, one platform, ... */
struct config_object {
	const struct config_scope *scope;
	struct str path;           /* "", "providers[0]", "platforms.telegram" */
	struct config_spot at;     /* of its map */
	void *base;                /* the struct */
	struct config_spot *spots; /* of each key of the table; line 0: default */
	struct config_object *next;
};

struct config_origin {
	struct arena a;
	struct config_object *objects, **last; /* the whole file first, then in the file's order */
};

/* Which of an object's values: its member, its full path and where it was said. */
struct config_setting {
	const struct config_key *key;
	const struct config_object *object;
	struct config_spot at;
};
/* for (size_t at = 0; config_next(c, &object, &at, &s);)  every value there is; object starts NULL. */
bool config_next(const struct config *c, const struct config_object **object, size_t *at,
		 struct config_setting *out);
/* "platforms.telegram.session_reset.mode"; lives in a. */
struct str config_setting_path(const struct config_setting *s, struct arena *a);

/* config_read.c: the tree against the table into c, then the command line's values over it; problems
 * are told. */
void config_read(struct config *c, const struct config_node *root, const struct config_source *from,
		 struct config_problems *p);
/* Where a key of the object was said; line 0 when it was not. */
struct config_spot config_spot_of(const struct config_object *o, const char *pattern);

/* config_check.c: what several values must agree on, and what follows from them. Called only when
 * every value by itself was fine. */
void config_check(struct config *c, const struct config_source *from, struct config_problems *p);
