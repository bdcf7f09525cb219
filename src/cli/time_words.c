#include "cli/time_words.h"

#include <stdio.h>

#include "base/timestamp.h"

enum { MINUTE_S = 60, HOUR_S = 3600, DAY_S = 86400, WORDS_S = 30 * DAY_S, NOW_S = 5 };

struct str
time_words(int64_t now_ms, int64_t then_ms, char out[TIME_WORDS_MAX])
{
	int64_t away = (now_ms - then_ms) / 1000, s = away < 0 ? -away : away;
	const char *before = away < 0 ? "in " : "", *after = away < 0 ? "" : " ago";
	struct civil date;

	if (s < NOW_S) {
		snprintf(out, TIME_WORDS_MAX, "now");
	} else if (s < WORDS_S) {
		int64_t unit_s = s < MINUTE_S ? 1
				 : s < HOUR_S ? MINUTE_S
				 : s < DAY_S  ? HOUR_S
					      : DAY_S;
		const char *unit = s < MINUTE_S ? "s" : s < HOUR_S ? "min" : s < DAY_S ? "h" : "d";

		snprintf(out, TIME_WORDS_MAX, "%s%lld %s%s", before, (long long)(s / unit_s), unit,
			 after);
	} else {
		date = timestamp_to_civil(then_ms);
		snprintf(out, TIME_WORDS_MAX, "%04lld-%02d-%02d", (long long)date.year, date.month,
			 date.day);
	}
	return str_of(out);
}
