/* ignore - what a test build pretends not to hear of a request (base/ignored). A release build has no
 * trace of it. */
#pragma once
#include "api/exchange.h"

#ifdef PERDURE_TEST_HOOKS
/* Takes the named member out of the body, the named parameter out of the query. */
void ignore_member(struct exchange *x);
void ignore_parameter(struct exchange *x);
#else
static inline void
ignore_member(struct exchange *x)
{
	(void)x;
}

static inline void
ignore_parameter(struct exchange *x)
{
	(void)x;
}
#endif
