/* not_yet - fields whose part of the product does not exist yet: refused, so that nobody relies on them.
 * Empty lists and nulls are fine. The shapes themselves are the core's; what was stored earlier stays. */
#pragma once
#include "base/err.h"
#include "base/json.h"

/* request: the name of the route's schema. ERR_INVALID names the field and says what is missing. */
NODISCARD int not_yet_check(struct str request, struct json body, struct err *e);
