/* dialect_fuzz - what must hold of a dialect whatever a peer sends: one end, well-formed pieces, the
 * same told however the bytes are cut. Traps otherwise. */
#pragma once
#include "provider/answer_stream.h"

void dialect_fuzz(const struct dialect *d, struct str bytes);
