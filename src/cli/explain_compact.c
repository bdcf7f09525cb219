/* explain_compact - would this transcript be summarised, which part of it, and why? */
#include "cli/explain.h"
#include "cli/explain_context.h"

static void
write_indexes(struct jw *out, const char *name, const struct compact_plan *plan, size_t count,
	      bool summarised)
{
	jw_field_array(out, name);
	for (size_t i = 0; i < count; i++)
		if ((i >= plan->from && i < plan->to) == summarised)
			jw_int(out, (int64_t)i);
	jw_end_array(out);
}

int
explain_compact(struct json facts, struct arena *a, struct jw *out, struct err *e)
{
	struct explain_context context;
	struct compact_plan plan;
	int rc = explain_context_read(facts, a, &context, e);

	if (rc != 0)
		return rc;
	plan = compact_policy_decide(&(struct compact_facts){
		.messages = context.messages,
		.count = context.count,
		.window_tokens = context.window_tokens,
		.reported_tokens = -1,
		.profile = context.profile,
		.cause = context.aggressive ? COMPACT_AGGRESSIVE : COMPACT_CHECK,
	});
	jw_object(out);
	jw_field_bool(out, "needed", plan.needed);
	write_indexes(out, "summarised", &plan, context.count, true);
	write_indexes(out, "kept", &plan, context.count, false);
	jw_field_str(out, "reason", str_of(compact_policy_reason_name(plan.reason)));
	jw_end_object(out);
	return 0;
}
