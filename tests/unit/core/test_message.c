#include "base/rand.h"
#include "core/message.h"
#include "core/usage.h"
#include "harness.h"
#include "json_of.h"

/* want: each message as role[+images](content), calls as name:id=arguments, results as
 * >owner.name; or the refusal. */
static const struct decode_row {
	const char *name, *json, *want;
} ROWS[] = {
	{ "M11 plain messages",
	  "[{\"role\":\"system\",\"content\":\"S\"},{\"role\":\"user\",\"content\":\"U\"},"
	  "{\"role\":\"assistant\",\"content\":\"A\",\"name\":\"bot\"}]",
	  "system(S) user(U) assistant(A)" },
	{ "M11 a call and its result",
	  "[{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"c1\",\"type\":"
	  "\"function\",\"function\":{\"name\":\"bash\",\"arguments\":\"{}\"}}]},"
	  "{\"role\":\"tool\",\"content\":\"ok\",\"tool_call_id\":\"c1\"}]",
	  "assistant()bash:c1={} tool(ok)>0.bash" },
	{ "M11 content may be missing beside calls",
	  "[{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"c\",\"function\":{\"name\":\"n\","
	  "\"arguments\":\"\"}}]}]",
	  "assistant()n:c=" },
	{ "M11 a name given on the result wins",
	  "[{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":[{\"id\":\"c\",\"function\":"
	  "{\"name\":\"bash\",\"arguments\":\"\"}}]},{\"role\":\"tool\",\"content\":\"\","
	  "\"tool_call_id\":\"c\",\"name\":\"skill\"}]",
	  "assistant()bash:c= tool()>0.skill" },
	{ "M11 a result without an id answers the nearest caller",
	  "[{\"role\":\"tool\",\"content\":\"early\"},{\"role\":\"assistant\",\"content\":\"\","
	  "\"tool_calls\":[{\"id\":\"c\",\"function\":{\"name\":\"bash\",\"arguments\":\"\"}}]},"
	  "{\"role\":\"tool\",\"content\":\"\"},{\"role\":\"tool\",\"content\":\"\",\"name\":\"x\","
	  "\"tool_call_id\":\"\"}]",
	  "tool(early)>-. assistant()bash:c= tool()>1.bash tool()>1.x" },
	{ "M11 with two calls an id is needed to name the tool",
	  "[{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":[{\"id\":\"a\",\"function\":"
	  "{\"name\":\"x\",\"arguments\":\"\"}},{\"id\":\"b\",\"function\":{\"name\":\"y\","
	  "\"arguments\":\"\"}}]},{\"role\":\"tool\",\"content\":\"\"},{\"role\":\"tool\","
	  "\"content\":\"\",\"tool_call_id\":\"b\"}]",
	  "assistant()x:a=y:b= tool()>0. tool()>0.y" },
	{ "M11 an id nobody called has no owner",
	  "[{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":[{\"id\":\"b\",\"function\":"
	  "{\"name\":\"x\",\"arguments\":\"\"}}]},{\"role\":\"tool\",\"content\":\"\","
	  "\"tool_call_id\":\"a\"},{\"role\":\"tool\",\"content\":\"\",\"tool_call_id\":\"c\"}]",
	  "assistant()x:b= tool()>-. tool()>-." },
	{ "M11 an id called only later has no owner",
	  "[{\"role\":\"tool\",\"content\":\"\",\"tool_call_id\":\"b\"},{\"role\":\"assistant\","
	  "\"content\":\"\",\"tool_calls\":[{\"id\":\"b\",\"function\":{\"name\":\"x\","
	  "\"arguments\":\"\"}}]}]",
	  "tool()>-. assistant()x:b=" },
	{ "M11 parts are joined, images counted",
	  "[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"a\"},{\"type\":"
	  "\"image_url\",\"image_url\":{\"url\":\"data:\",\"detail\":\"low\"}},{\"type\":\"text\","
	  "\"text\":\"b\"}]}]",
	  "user+1(a\nb)" },
	{ "M11 no parts", "[{\"role\":\"user\",\"content\":[]}]", "user()" },
	{ "M11 flags", "[{\"role\":\"user\",\"content\":\"\",\"synthetic\":true,\"summary\":true}]",
	  "user()synthetic,summary" },
	{ "M11 an empty list of calls",
	  "[{\"role\":\"user\",\"content\":\"\"},{\"role\":"
	  "\"assistant\",\"content\":\"a\",\"tool_calls\":[]}]",
	  "user() assistant(a)" },
	{ "M11 no messages", "[]", "" },
	{ "M11 not an array", "{}", "error: must be an array" },
	{ "M11 a message that is no object", "[1]", "error: [0]: must be an object" },
	{ "M11 an unknown role",
	  "[{\"role\":\"user\",\"content\":\"\"},{\"role\":\"robot\","
	  "\"content\":\"\"}]",
	  "error: [1].role" },
	{ "M11 no role", "[{\"content\":\"\"}]", "error: [0].role" },
	{ "M11 no content", "[{\"role\":\"user\"}]", "error: [0].content" },
	{ "M11 null content", "[{\"role\":\"assistant\",\"content\":null}]", "error: [0].content" },
	{ "M11 null content beside an empty list of calls",
	  "[{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[]}]", "error: [0].content" },
	{ "M11 numeric content", "[{\"role\":\"user\",\"content\":1}]", "error: [0].content" },
	{ "M11 an unknown field", "[{\"role\":\"user\",\"content\":\"\",\"colour\":1}]",
	  "error: [0].colour" },
	{ "M11 calls outside an assistant",
	  "[{\"role\":\"user\",\"content\":\"\",\"tool_calls\":[{\"id\":\"c\",\"function\":"
	  "{\"name\":\"n\",\"arguments\":\"\"}}]}]",
	  "error: [0].tool_calls" },
	{ "M11 an answer outside a tool message",
	  "[{\"role\":\"user\",\"content\":\"\",\"tool_call_id\":\"c\"}]",
	  "error: [0].tool_call_id" },
	{ "M11 a call that is no object",
	  "[{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":[null]}]",
	  "error: [0].tool_calls[0]" },
	{ "M11 a call of another type",
	  "[{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":[{\"id\":\"c\",\"type\":"
	  "\"custom\",\"function\":{\"name\":\"n\",\"arguments\":\"\"}}]}]",
	  "error: [0].tool_calls[0].type" },
	{ "M11 a call without an id",
	  "[{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":[{\"id\":\"\",\"function\":"
	  "{\"name\":\"n\",\"arguments\":\"\"}}]}]",
	  "error: [0].tool_calls[0].id" },
	{ "M11 a call without a name",
	  "[{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":[{\"id\":\"c\",\"function\":"
	  "{\"name\":\"\",\"arguments\":\"\"}}]}]",
	  "error: [0].tool_calls[0].function.name" },
	{ "M11 arguments that are no text",
	  "[{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":[{\"id\":\"c\",\"function\":"
	  "{\"name\":\"n\",\"arguments\":{}}}]}]",
	  "error: [0].tool_calls[0].function.arguments" },
	{ "M11 an unknown part", "[{\"role\":\"user\",\"content\":[{\"type\":\"audio\"}]}]",
	  "error: [0].content[0].type" },
	{ "M11 a part that is no object", "[{\"role\":\"user\",\"content\":[\"a\"]}]",
	  "error: [0].content[0]" },
	{ "M11 a text part without text", "[{\"role\":\"user\",\"content\":[{\"type\":\"text\"}]}]",
	  "error: [0].content[0]" },
	{ "M11 a text part with an image",
	  "[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"\",\"image_url\":{"
	  "\"url\":"
	  "\"\"}}]}]",
	  "error: [0].content[0]" },
	{ "M11 an image without an address",
	  "[{\"role\":\"user\",\"content\":[{\"type\":\"image_url\",\"image_url\":{}}]}]",
	  "error: [0].content[0].image_url.url" },
	{ "M11 a flag that is no boolean",
	  "[{\"role\":\"user\",\"content\":\"\",\"summary\":\"yes\"}]", "error: [0].summary" },
};

static void
show_message(struct buf *out, const struct message *m)
{
	buf_puts(out, message_role_name(m->role));
	if (m->images > 0)
		buf_printf(out, "+%zu", m->images);
	buf_printf(out, "(" STR_FMT ")", STR_ARG(m->content));
	for (size_t i = 0; i < m->tool_call_count; i++)
		buf_printf(out, STR_FMT ":" STR_FMT "=" STR_FMT, STR_ARG(m->tool_calls[i].name),
			   STR_ARG(m->tool_calls[i].id), STR_ARG(m->tool_calls[i].arguments));
	if (m->role == MESSAGE_TOOL) {
		buf_puts(out, ">");
		if (m->owner == MESSAGE_NO_OWNER)
			buf_puts(out, "-");
		else
			buf_printf(out, "%zu", m->owner);
		buf_printf(out, "." STR_FMT, STR_ARG(m->name));
	}
	if (m->synthetic || m->summary)
		buf_printf(out, "%s,%s", m->synthetic ? "synthetic" : "",
			   m->summary ? "summary" : "");
}

static void
decode_row(void **state)
{
	const struct decode_row *row = *state;
	struct arena a;
	struct message *messages = NULL;
	struct err e = { 0 };
	struct buf got;
	size_t count = 0;

	arena_init(&a);
	buf_init(&got, 4096);
	if (message_decode(json_of(row->json, &a), &a, &messages, &count, &e) != 0) {
		assert_null(messages);
		buf_printf(&got, "error: %s", e.text);
		buf_printf(&got, " ");
		if (!str_starts(buf_str(&got), str_of(row->want)))
			check_str(row->name, buf_str(&got), str_of(row->want));
	} else {
		for (size_t i = 0; i < count; i++) {
			buf_puts(&got, i > 0 ? " " : "");
			show_message(&got, &messages[i]);
		}
		check_str(row->name, buf_str(&got), str_of(row->want));
	}
	buf_release(&got);
	arena_release(&a);
}

static void
M11_a_turn_opens_where_a_person_speaks(void **state)
{
	(void)state;
	assert_true(message_opens_turn(&(struct message){ .role = MESSAGE_USER }));
	assert_false(
		message_opens_turn(&(struct message){ .role = MESSAGE_USER, .synthetic = true }));
	assert_false(
		message_opens_turn(&(struct message){ .role = MESSAGE_USER, .summary = true }));
	assert_false(message_opens_turn(&(struct message){ .role = MESSAGE_ASSISTANT }));
}

static void
M11_the_prompt_is_fresh_and_cached_input(void **state)
{
	const struct usage u = { 1, 10, 100, 1000, 10000 };

	(void)state;
	assert_int_equal(usage_prompt_tokens(&u), 11001);
}

/* The sorted lookup agrees with walking back from each result. */
static void
M11_property_owner_is_the_nearest_earlier_caller(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < suite_seeds(3000); seed++) {
		struct arena a;
		struct rand r;
		struct message m[40] = { 0 };
		struct tool_call calls[40][3];

		arena_init(&a);
		rand_init_seed(&r, seed);
		for (size_t i = 0; i < ARRAY_LEN(m); i++) {
			m[i].role = rand_below(&r, 2) ? MESSAGE_TOOL : MESSAGE_ASSISTANT;
			m[i].tool_call_id = arena_printf(&a, "%d", (int)rand_below(&r, 5));
			m[i].tool_calls = calls[i];
			if (m[i].role == MESSAGE_ASSISTANT)
				m[i].tool_call_count = rand_below(&r, 4);
			for (size_t k = 0; k < m[i].tool_call_count; k++)
				calls[i][k].id = arena_printf(&a, "%d", (int)rand_below(&r, 5));
		}
		message_link(m, ARRAY_LEN(m), &a);
		for (size_t i = 0; i < ARRAY_LEN(m); i++) {
			size_t want = MESSAGE_NO_OWNER;

			for (size_t j = 0; j < i && m[i].role == MESSAGE_TOOL; j++)
				for (size_t k = 0; k < m[j].tool_call_count; k++)
					if (str_eq(calls[j][k].id, m[i].tool_call_id))
						want = j;
			if (m[i].owner != want)
				fail_msg("seed %llu", (unsigned long long)seed);
		}
		arena_release(&a);
	}
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, decode_row);
	SUITE_TEST(&s, M11_a_turn_opens_where_a_person_speaks);
	SUITE_TEST(&s, M11_the_prompt_is_fresh_and_cached_input);
	SUITE_TEST(&s, M11_property_owner_is_the_nearest_earlier_caller);
	return suite_run(&s, "core/message");
}
