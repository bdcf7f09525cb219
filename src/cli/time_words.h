/* time_words - an instant as people say it: "5 min ago". */
#pragma once
#include <stdint.h>
#include "base/str.h"

enum { TIME_WORDS_MAX = 32 };

/* Up to 30 days away in words, beyond as a date (UTC). Returns a view of out. */
struct str time_words(int64_t now_ms, int64_t then_ms, char out[TIME_WORDS_MAX]);
