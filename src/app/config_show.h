/* config_show - the configuration as it is in force, with where each value comes from; and the table
 * of all keys for the documentation. Both are read off config_key's table. */
#pragma once
#include "app/config.h"

/* A line for each value, or one JSON object:
 *   {"file":"config.yaml","settings":[{"key":"queue.depth","value":20,"from":"file","line":7},...]}
 * from is default, file or command line. There are no secrets in a configuration. */
void config_show(const struct config *c, bool json, struct buf *out);
/* The Markdown table of docs/CONFIG.md. */
void config_show_keys(struct buf *out);
