/* peer_error - what went wrong at the model's end: an error as the peer words it becomes the answer's
 * failure, its kind and a sentence. */
#pragma once
#include "provider/dialect.h"

/* An answer whose status is no success. */
void peer_error_take_answer(struct answer *a, int status, struct str body);
/* An error inside the stream, or in an answer that began as a success: the object with type, code
 * and message. */
void peer_error_take(struct answer *a, struct json error);
