/* client_refusal - why did a call fail, in words that say what to do about it? */
#pragma once
#include "base/err.h"
#include "cli/server_find.h"

/* What kept an answer from coming: "no server at ..., start one". Returns the code for the caller. */
int client_refusal_of_failure(const struct server_place *place, int rc, struct err *e);
/* An answer that is none: the server's own sentence. request_id: shown when it is not empty. */
int client_refusal_of_answer(const struct server_place *place, int status, struct str body,
			     const char *request_id, struct err *e);
