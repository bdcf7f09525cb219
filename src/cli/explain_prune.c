/* explain_prune - which tool results of this transcript would the model see shortened? */
#include "cli/explain.h"
#include "cli/explain_context.h"
#include "core/prune_policy.h"

static void
write_indexes(struct jw *out, const char *name, const enum prune_action *actions, size_t count,
	      enum prune_action wanted)
{
	jw_field_array(out, name);
	for (size_t i = 0; i < count; i++)
		if (actions[i] == wanted)
			jw_int(out, (int64_t)i);
	jw_end_array(out);
}

int
explain_prune(struct json facts, struct arena *a, struct jw *out, struct err *e)
{
	struct explain_context context;
	enum prune_action *actions;
	int rc = explain_context_read(facts, a, &context, e);

	if (rc != 0)
		return rc;
	actions = ARENA_ARRAY(a, context.count, enum prune_action);
	prune_policy_decide(
		&(struct prune_facts){
			.messages = context.messages,
			.count = context.count,
			.window_tokens = context.window_tokens,
			.aggressive = context.aggressive,
		},
		a, actions);
	jw_object(out);
	write_indexes(out, "kept", actions, context.count, PRUNE_KEEP);
	write_indexes(out, "trimmed", actions, context.count, PRUNE_TRIM);
	write_indexes(out, "cleared", actions, context.count, PRUNE_CLEAR);
	jw_end_object(out);
	return 0;
}
