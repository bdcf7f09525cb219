/* explain_tokens - how many tokens do we take this text for? */
#include "cli/explain.h"
#include "core/token_estimate.h"

int
explain_tokens(struct json facts, struct arena *a, struct jw *out, struct err *e)
{
	struct json text = { 0 };
	const struct json_field fields[] = {
		{ "text", JSON_WANT_STRING, true, &text },
	};
	struct token_estimate estimate;
	int rc = json_fields(facts, fields, ARRAY_LEN(fields), e);

	if (rc != 0)
		return rc;
	estimate = token_estimate_text(json_str(text, a), a);
	jw_object(out);
	jw_field_int(out, "tokens", estimate.tokens);
	jw_field_str(out, "kind", str_of(token_estimate_kind_name(estimate.kind)));
	jw_end_object(out);
	return 0;
}
