/* identity_use - writes when tokens were last used: once a minute at most, a few at a time. */
#pragma once
#include "engine/identity.h"

struct identity_use;

struct identity_use *identity_use_new(struct identity *id);
void identity_use_free(struct identity_use **u);
/* Some token was used whose last use is not written yet. */
void identity_use_due(struct identity_use *u);
