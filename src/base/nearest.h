/* nearest - which known word did somebody mean who wrote an unknown one?
 *   struct nearest n = nearest_of(written);
 *   for (...) nearest_offer(&n, known[i]);
 *   if (n.found.ptr) "did you mean '" n.found "'?" */
#pragma once
#include "base/str.h"

struct nearest {
	struct str written;
	struct str found; /* ptr NULL: no word is close enough to be what was meant */
	size_t best;      /* edits that are still close enough */
};

struct nearest nearest_of(struct str written);
/* Keeps known when it is closer than what was offered before; the first one wins a tie. */
void nearest_offer(struct nearest *n, struct str known);
