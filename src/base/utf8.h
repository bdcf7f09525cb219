/* utf8 - is this text well-formed, and how many characters is it? */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/str.h"

/* Well-formed per Unicode: no overlong forms, surrogates or values above U+10FFFF. */
bool utf8_valid(struct str text);
/* Offset of the first ill-formed byte; text.len when there is none. */
size_t utf8_valid_prefix(struct str text);
/* Nothing but 0x20 to 0x7e: well-formed, no control bytes, and one byte a character. */
bool utf8_is_printable_ascii(struct str text);
/* Behind the run of well-formed non-ASCII characters at `at`: stops at end, at an ASCII byte or at
 * an ill-formed one. For scanners that handle ASCII themselves. */
const char *utf8_skip_wide(const char *at, const char *end);
/* Code point at *at, which moves behind it; an ill-formed byte gives U+FFFD and moves by one.
 * *at must be below text.len. */
uint32_t utf8_next(struct str text, size_t *at);
/* Characters (code points; an ill-formed byte counts as one). */
size_t utf8_count(struct str text);
/* Characters that are not ASCII. */
size_t utf8_count_wide(struct str text);
/* Unicode's White_Space. */
bool utf8_is_white(uint32_t code_point);
/* Nothing, or nothing but white space. */
bool utf8_is_blank(struct str text);
/* The largest offset <= at that does not split a character. */
size_t utf8_floor(struct str text, size_t at);
/* Writes 1 to 4 bytes for a valid code point; returns how many. */
size_t utf8_encode(uint32_t code_point, char out[4]);
