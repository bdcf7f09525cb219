/* identity_owner - which secret is the owner's?
 * The one in <data>/owner.token, and no other that was there before: the token that a file brought is told
 * by its name (TOKEN_DEF_FILE), which nobody else can give. */
#pragma once
#include "engine/identity.h"

/* The file's secret is known from now on, then those of earlier files are revoked. A secret that was revoked
 * stays so, which is logged. done never comes from inside. */
void identity_owner_use(struct identity *id, struct str secret,
			void (*done)(void *ctx, int rc, const struct err *err), void *ctx);
