/* config_yaml - a YAML text as a tree in which everything knows its line and column.
 *
 * Stricter than YAML where YAML surprises: no anchors, aliases, tags or second document, no key twice
 * in a map, keys are plain or quoted text. What a scalar means is not decided here: the key it
 * belongs to says whether `off` is a word or nonsense. The only file that knows libyaml. */
#pragma once
#include <stdbool.h>
#include "app/config_problem.h"
#include "base/arena.h"
#include "base/str.h"

enum {
	CONFIG_YAML_BYTES_MAX = 1024 * 1024,
	CONFIG_YAML_DEPTH_MAX = 16,
	CONFIG_YAML_NODES_MAX = 10000,
};

enum config_node_type { CONFIG_NODE_SCALAR, CONFIG_NODE_LIST, CONFIG_NODE_MAP };

struct config_node {
	enum config_node_type type;
	bool plain;   /* a scalar without quotes */
	bool refused; /* its problem was told already */
	struct config_spot at;
	struct str text; /* of a scalar, NUL-terminated, never with a NUL inside */

	struct str key; /* of a map's member, likewise */
	struct config_spot key_at;

	struct config_node *children, *next; /* of a list or map, in the order of the file */
	size_t count;
};

/* Nothing, `~` or `null`, without quotes. */
bool config_node_is_null(const struct config_node *n);

/* The document's root; an empty document is an empty map. NULL when the text could not be read to its
 * end; problems that leave a tree (a duplicate, a tag) are added too, so look at their count. */
struct config_node *config_yaml_parse(struct arena *a, struct str text, struct config_problems *p);
