/* certificate - the server's own: read at the start and again at every reload, because renewing it
 * changes the files and not the configuration. Says in the log what clients will complain about. */
#pragma once
#include "app/config.h"
#include "base/err.h"
#include "net/tls.h"

/* *out NULL: none is configured. On error *out is untouched. */
NODISCARD int certificate_load(const struct config *config, int64_t now_ms, struct tls_config **out,
			       struct err *e);
