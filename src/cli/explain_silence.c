/* explain_silence - what of this reply would be delivered, if anything? */
#include "cli/explain.h"
#include "core/reply_filter.h"

int
explain_silence(struct json facts, struct arena *a, struct jw *out, struct err *e)
{
	struct json text_v = { 0 };
	const struct json_field fields[] = { { "text", JSON_WANT_STRING, true, &text_v } };
	struct str text = { 0 };
	struct reply reply;
	struct buf kept;
	int rc = json_fields(facts, fields, ARRAY_LEN(fields), e);

	if (rc == 0)
		rc = json_take_str(text_v, a, &text, e);
	if (rc != 0)
		return rc;
	buf_init(&kept, text.len);
	reply = reply_filter_strip(text, &kept);
	jw_object(out);
	jw_field_str(out, "text", reply.text);
	jw_field_bool(out, "deliver", reply.deliver);
	jw_end_object(out);
	buf_release(&kept);
	return 0;
}
