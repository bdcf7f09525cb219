/* allow_always - an answer says "allow always": which rules does it make?
 * The calls it answers are read before it is stored, so that answer and rules share a transaction. */
#pragma once
#include "engine/ingress.h"

/* Does an answer of the batch ask for it? */
bool allow_always_is_asked(const struct ingress_batch *b);

typedef void allow_always_fn(void *ctx, int rc, const struct err *err);
/* Fills the rules of those inputs; they stay empty where no rule can stand for the call: then it is
 * allowed this once. A call that is not there is the store's to refuse. */
void allow_always_load(struct engine *en, struct str session, struct ingress_batch *b,
		       struct arena *a, allow_always_fn *done, void *ctx);
/* Adds the records to the answer's commit. */
void allow_always_put(struct commit *c, struct str session, const struct ingress_batch *b);
