/* config_address - texts of the configuration that name a place on a network: are they well formed,
 * and what do they mean? Names are never looked up. */
#pragma once
#include "app/config.h"

/* "127.0.0.1:7340", "[::1]:7340", "localhost:7340" (127.0.0.1), "unix:/run/perdure.sock". A socket's
 * path is left as written. On error *out is untouched. */
NODISCARD int
config_address_parse(struct str text, struct arena *a, struct config_listen *out, struct err *e);

/* For the table: may the text stand there? */
NODISCARD int config_address_check_listen(struct str text, struct err *e);
/* A host name or address as it stands in a Host header, without port. */
NODISCARD int config_address_check_host(struct str text, struct err *e);
/* "https://example.org", "http://localhost:3000". */
NODISCARD int config_address_check_origin(struct str text, struct err *e);
/* An http or https URL without user, query or fragment. The sentence never shows the text: what was
 * put into the URL may be a password. */
NODISCARD int config_address_check_url(struct str text, struct err *e);
