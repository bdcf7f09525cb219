/* retry_after - how long does the peer ask us to wait?
 * Reads the headers Retry-After (seconds or an HTTP date, RFC 9110 §10.2.3) and retry-after-ms. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/str.h"

/* "Sun, 06 Nov 1994 08:49:37 GMT" (IMF-fixdate) to ms since the epoch; the weekday must be right,
 * a leap second reads as the next second. */
bool retry_after_parse_date(struct str text, int64_t *out_ms);
/* The value of Retry-After, as ms from now; a date in the past is 0. False when it is neither
 * form. Fractions of a second are accepted (some peers send them) and rounded up. */
bool retry_after_parse(struct str text, int64_t now_ms, int64_t *out_ms);
/* The value of retry-after-ms; fractions are rounded up. */
bool retry_after_parse_ms(struct str text, int64_t *out_ms);
