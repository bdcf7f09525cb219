/* fuzz_message - any transcript decodes or is refused; what decodes can be pruned and compacted
 * without splitting a tool call from its result. */
#include <stdlib.h>
#include "core/compact_policy.h"
#include "core/prune_policy.h"
#include "core/token_estimate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_plan(const struct message *messages, size_t count, const struct compact_plan *plan)
{
	for (size_t i = plan->to; i < count; i++)
		if (messages[i].owner != MESSAGE_NO_OWNER && messages[i].owner < plan->to &&
		    messages[i].owner >= plan->from)
			abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a;
	struct json_doc doc;
	struct message *messages;
	size_t count;

	arena_init(&a);
	if (json_parse(&a, (struct str){ (const char *)data, size }, &JSON_LIMITS_DEFAULT, &doc,
		       NULL) == 0 &&
	    message_decode(json_root(&doc), &a, &messages, &count, NULL) == 0) {
		struct prune_facts prune = { messages, count, 100, size % 2 == 0 };
		struct compact_facts compact = { .messages = messages,
						 .count = count,
						 .window_tokens = 1,
						 .reported_tokens = -1,
						 .profile = size % 3 == 0 ? COMPACT_KEEP_MESSAGES
									  : COMPACT_KEEP_TURNS };
		struct compact_plan plan;

		token_estimate_messages(messages, count, &a);
		prune_policy_decide(&prune, &a, ARENA_ARRAY(&a, count, enum prune_action));
		plan = compact_policy_decide(&compact);
		check_plan(messages, count, &plan);
	}
	arena_release(&a);
	return 0;
}
