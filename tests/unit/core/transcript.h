/* transcript - messages written as one line, for tables.
 *   u a s      user, assistant, system, of four characters;  *N any other length
 *   U          a synthetic user message
 *   P          half of a checkpoint pair: user first, assistant after another P
 *   a:1,2      an assistant calling tools with these ids; the tool is "skill" when the id begins
 *              with k, else "bash"; the arguments are "{}"
 *   t1 t       the result of call 1; a result that names no call
 *   3#x        x three times */
#pragma once
#include <stdlib.h>
#include "core/message.h"
#include "core/token_estimate.h"

static struct str
transcript_text(struct arena *a, size_t len)
{
	char *text = arena_alloc(a, len + 1);

	memset(text, 'x', len);
	return (struct str){ text, len };
}

static void
transcript_calls(struct message *m, struct str ids, struct arena *a)
{
	struct tool_call *calls = ARENA_ARRAY(a, ids.len, struct tool_call);
	struct str id;

	m->tool_calls = calls;
	while (ids.len > 0) {
		str_cut(ids, ',', &id, &ids);
		calls[m->tool_call_count++] = (struct tool_call){
			.id = id,
			.name = str_starts(id, STR("k")) ? STR("skill") : STR("bash"),
			.arguments = STR("{}"),
		};
	}
}

static struct message
transcript_message(struct str word, const struct message *before, struct arena *a)
{
	struct message m = { 0 };
	struct str head, size, detail;
	int64_t len = 4;

	if (str_cut(word, '*', &head, &size))
		str_to_int(size, &len);
	m.content = transcript_text(a, (size_t)len);
	detail = str_slice(head, 1, head.len);
	switch (head.ptr[0]) {
	case 'u': m.role = MESSAGE_USER; break;
	case 'U': m = (struct message){ .content = m.content, .synthetic = true }; break;
	case 's': m.role = MESSAGE_SYSTEM; break;
	case 'P':
		m.synthetic = m.summary = true;
		m.role = before && before->summary ? MESSAGE_ASSISTANT : MESSAGE_USER;
		break;
	case 'a':
		m.role = MESSAGE_ASSISTANT;
		transcript_calls(&m, str_slice(detail, 1, detail.len), a);
		break;
	case 't':
		m.role = MESSAGE_TOOL;
		m.tool_call_id = detail;
		break;
	default: abort();
	}
	return m;
}

/* Linked, with tokens set. */
static struct message *
transcript(const char *line, struct arena *a, size_t *count)
{
	struct message *messages = ARENA_ARRAY(a, 512, struct message);
	struct str rest = arena_str(a, str_of(line)), word, times, what;
	size_t n = 0;

	while (rest.len > 0) {
		int64_t repeat = 1;

		str_cut(rest, ' ', &word, &rest);
		if (str_cut(word, '#', &times, &what))
			str_to_int(times, &repeat);
		else
			what = word;
		for (; repeat > 0; repeat--, n++)
			messages[n] = transcript_message(what, n ? &messages[n - 1] : NULL, a);
	}
	message_link(messages, n, a);
	token_estimate_messages(messages, n, a);
	*count = n;
	return messages;
}
