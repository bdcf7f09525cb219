/* compare - does the store's view of a session equal the replay of its log, field by field? */
#pragma once
#include "rig.h"

/* Fails the test, naming what and the field that differs. A session that the model does not have must
 * not be there. */
void compare_session(struct rig *r, struct str session, const char *what);
