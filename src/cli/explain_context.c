#include "cli/explain_context.h"

#include "core/token_estimate.h"

int
explain_context_read(struct json facts, struct arena *a, struct explain_context *out, struct err *e)
{
	struct json messages = { 0 }, window = { 0 }, aggressive = { 0 }, profile = { 0 };
	const struct json_field fields[] = {
		{ "messages", JSON_WANT_ARRAY, true, &messages },
		{ "window", JSON_WANT_NUMBER, true, &window },
		{ "aggressive", JSON_WANT_BOOL, false, &aggressive },
		{ "profile", JSON_WANT_STRING, false, &profile },
	};
	struct explain_context read = { 0 };
	size_t profile_at = COMPACT_KEEP_TURNS;
	int rc = json_fields(facts, fields, ARRAY_LEN(fields), e);

	if (rc == 0)
		rc = json_take_int(window, 1, INT64_MAX, &read.window_tokens, e);
	if (rc == 0)
		rc = json_take_bool(aggressive, &read.aggressive, e);
	if (rc == 0)
		rc = json_take_word(profile, COMPACT_PROFILE_NAMES, COMPACT_PROFILES, &profile_at,
				    e);
	if (rc == 0)
		rc = message_decode(messages, a, &read.messages, &read.count, e);
	if (rc != 0)
		return rc;
	read.profile = (enum compact_profile)profile_at;
	token_estimate_messages(read.messages, read.count, a);
	*out = read;
	return 0;
}
