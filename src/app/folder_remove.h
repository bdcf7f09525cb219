/* folder_remove - a folder and all that is in it go, whatever an agent made of it: folders deeper than a path
 * may be long, without rights, links that lead elsewhere. Nothing outside of it is touched. */
#pragma once
#include <stdbool.h>
#include "base/err.h"
#include "base/str.h"

/* 0 also when there is none. stop is asked now and then: true ends it with ERR_UNAVAILABLE, and what is left
 * can be removed another time. */
NODISCARD int folder_remove(struct str path, bool (*stop)(void *ctx), void *ctx, struct err *e);
