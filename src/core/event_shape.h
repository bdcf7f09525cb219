/* event_shape - is this one field of an event well-formed? One function per shape; each refuses
 * with the path of what is wrong. Used by core/event's table only. */
#pragma once
#include "base/err.h"
#include "base/json.h"

typedef int event_shape(struct json v, struct err *e);

event_shape shape_text;     /* a string */
event_shape shape_id;       /* a non-empty string of at most 200 bytes */
event_shape shape_ids;      /* an array of ids, none twice */
event_shape shape_some_ids; /* the same, not empty */
event_shape shape_bool;
event_shape shape_true;       /* the literal true */
event_shape shape_count;      /* an integer >= 0 */
event_shape shape_attempt;    /* an integer >= 1 */
event_shape shape_iterations; /* an integer 1..20 */
event_shape shape_object;
event_shape shape_any; /* null included */
event_shape shape_text_or_null;
event_shape shape_instant;     /* RFC 3339 */
event_shape shape_blocks;      /* non-empty array of text, image and document blocks */
event_shape shape_result;      /* the same, may be empty */
event_shape shape_texts;       /* non-empty array of text blocks */
event_shape shape_attachments; /* at most 10 file references */
event_shape shape_rubric;      /* {type text, content} or {type file, file_id} */
event_shape shape_stop_reason; /* a stop reason that may stand on a status_idle */
event_shape shape_error;       /* {type, message, retry_status{type}} and what else it names */
event_shape shape_usage;       /* token counts, each an integer >= 0 */
event_shape shape_allow_deny;
event_shape shape_permission; /* allow | ask | deny */
event_shape shape_scope;      /* once | always */
event_shape shape_executor;   /* server | client */
event_shape shape_outcome;    /* ok | error | denied | cancelled | interrupted | timeout */
event_shape shape_lifecycle;
event_shape shape_replaced;     /* archived | inactive */
event_shape shape_session_type; /* direct | group */
event_shape shape_reset_reason; /* idle | daily | suspended | manual */
event_shape shape_checkpoint_reason;
