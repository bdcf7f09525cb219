/* transcript_random - transcripts as a busy session makes them: parallel tool calls answered in any
 * order, ids used again, messages arriving between a call and its result, orphans, checkpoints. */
#pragma once
#include "base/rand.h"
#include "core/message.h"
#include "core/token_estimate.h"
#include "transcript.h"

enum { RANDOM_MESSAGES_MAX = 200 };

static struct str
random_text(struct rand *r, struct arena *a)
{
	static const size_t lengths[] = { 0, 1, 20, 48, 49, 400, 3000, 4000, 4001, 9000, 30000 };

	return transcript_text(a, lengths[rand_below(r, ARRAY_LEN(lengths))]);
}

static size_t
random_calls(struct message *out, struct rand *r, struct arena *a)
{
	size_t calls = 1 + rand_below(r, 4), n = 0;
	struct tool_call *call = ARENA_ARRAY(a, calls, struct tool_call);

	out[n] = (struct message){ .role = MESSAGE_ASSISTANT, .content = random_text(r, a) };
	for (size_t i = 0; i < calls; i++)
		call[i] = (struct tool_call){
			.id = arena_printf(a, "call_%d", (int)rand_below(r, 6)),
			.name = rand_below(r, 4) ? STR("bash") : STR("skill"),
			.arguments = STR("{\"command\":\"ls\"}"),
		};
	out[n].tool_calls = call;
	out[n++].tool_call_count = calls;
	for (size_t i = calls; i-- > 0;) {
		if (rand_below(r, 8) == 0)
			out[n++] = (struct message){ .role = MESSAGE_USER, .content = STR("wait") };
		if (rand_below(r, 12) == 0)
			continue; /* never answered */
		out[n++] = (struct message){ .role = MESSAGE_TOOL,
					     .content = random_text(r, a),
					     .images = rand_below(r, 20) == 0,
					     .tool_call_id =
						     rand_below(r, 15) ? call[i].id : STR("") };
	}
	return n;
}

static size_t
random_step(struct message *out, struct rand *r, struct arena *a)
{
	switch (rand_below(r, 8)) {
	case 0:
		*out = (struct message){ .role = MESSAGE_ASSISTANT, .content = random_text(r, a) };
		break;
	case 1: *out = (struct message){ .role = MESSAGE_USER, .synthetic = true }; break;
	case 2:
		if (rand_below(r, 4))
			return 0;
		*out = (struct message){ .role = MESSAGE_TOOL,
					 .content = random_text(r, a),
					 .tool_call_id = STR("nobody") };
		break;
	case 3:
	case 4:
		*out = (struct message){ .role = MESSAGE_USER, .content = random_text(r, a) };
		break;
	case 5:
		if (rand_below(r, 10))
			return 0;
		out[0] = (struct message){ .role = MESSAGE_USER, .summary = true };
		out[1] = (struct message){ .role = MESSAGE_ASSISTANT, .summary = true };
		return 2;
	default: return random_calls(out, r, a);
	}
	return 1;
}

static struct message *
transcript_random(struct rand *r, struct arena *a, size_t *count)
{
	struct message *messages = ARENA_ARRAY(a, RANDOM_MESSAGES_MAX + 16, struct message);
	size_t want = rand_below(r, RANDOM_MESSAGES_MAX), n = 0;

	while (n < want && rand_below(r, 2))
		messages[n++] =
			(struct message){ .role = MESSAGE_SYSTEM, .content = STR("prompt") };
	while (n < want)
		n += random_step(&messages[n], r, a);
	message_link(messages, n, a);
	token_estimate_messages(messages, n, a);
	*count = n;
	return messages;
}
