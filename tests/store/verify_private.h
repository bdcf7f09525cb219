/* verify_private - the part of verify that compares projections (verify_projection.c). */
#pragma once
#include "verify.h"

/* The session's row, processed instants, queue, calls and transcript equal its replay. */
void verify_projections(struct verify *v, struct store *store, struct verify_session *s);
