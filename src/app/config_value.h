/* config_value - one value of the configuration: from YAML into its member, and back into text.
 * The key says what is expected; a refusal says what was expected and what was found. */
#pragma once
#include "app/config_key.h"
#include "app/config_yaml.h"
#include "base/json_write.h"

struct config_value_context {
	struct arena *a; /* texts are copied here */
	struct config_problems *p;
	struct str folder; /* where relative paths start; empty: the working directory */
};

/* Reads n into the member of object; path is the key's full path, for messages. False when the value
 * was refused: the problem is told and the member untouched. */
bool config_value_read(const struct config_value_context *c, const struct config_key *key,
		       struct str path, const struct config_node *n, void *object);
/* Gives the member its default; one that is absent becomes -1 or empty. */
void config_value_default(struct arena *a, const struct config_key *key, void *object);
/* A relative path as it is meant: at the file's folder, or at home when it begins with ~/. */
struct str config_value_path(struct arena *a, struct str folder, struct str written);

/* "a whole number from 1 to 1000": for messages and the documentation. */
void config_value_expected(const struct config_key *key, struct buf *out);
/* Nothing was said and there is no default. */
bool config_value_is_absent(const struct config_key *key, const void *object);
/* As people read it and may write it into the file: "8 MiB"; "-" when absent. */
void config_value_format(const struct config_key *key, const void *object, struct buf *out);
/* As programs read it: sizes in bytes, durations in the key's unit, prices in dollars; null when
 * absent. */
void config_value_json(const struct config_key *key, const void *object, struct jw *w);
