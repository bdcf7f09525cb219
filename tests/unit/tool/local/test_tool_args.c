#include "tool/local/tool_args.h"

#include "harness.h"
#include "tool/local/tool_docs.h"

/* What a call's arguments come to, on one line; or the complaint. */
static const struct {
	const char *name, *tool, *arguments, *want;
} ROWS[] = {
	{ "T12 bash", "bash", "{\"command\":\"ls\"}", "ls/0/0" },
	{ "T12 bash in the background", "bash", "{\"command\":\"ls\",\"background\":true}",
	  "ls/0/1" },
	{ "T4 bash with its own timeout", "bash", "{\"command\":\"ls\",\"timeout_ms\":5}",
	  "ls/5/0" },
	{ "T12 bash with a word for people", "bash", "{\"command\":\"ls\",\"description\":\"x\"}",
	  "ls/0/0" },
	{ "T12 nulls are absent", "bash",
	  "{\"command\":\"ls\",\"description\":null,\"timeout_ms\":null}", "ls/0/0" },
	{ "T12 bash without a command", "bash", "{}", "!command" },
	{ "T12 bash with an empty one", "bash", "{\"command\":\"\"}", "!command: is empty" },
	{ "T12 bash with a number", "bash", "{\"command\":1}", "!command" },
	{ "T12 an argument that is not known", "bash", "{\"command\":\"a\",\"cwd\":\"/\"}",
	  "!cwd" },
	{ "T4 a timeout of nothing", "bash", "{\"command\":\"a\",\"timeout_ms\":0}",
	  "!timeout_ms" },
	{ "T4 a timeout of two days", "bash", "{\"command\":\"a\",\"timeout_ms\":172800000}",
	  "!timeout_ms" },
	{ "T12 read", "read", "{\"file_path\":\"a\"}", "a 1+2000" },
	{ "T12 read a part", "read", "{\"file_path\":\"a\",\"offset\":3,\"limit\":2}", "a 3+2" },
	{ "T12 read from line 0", "read", "{\"file_path\":\"a\",\"offset\":0}", "!offset" },
	{ "T12 read nothing", "read", "{\"file_path\":\"\"}", "!file_path: is empty" },
	{ "T12 write", "write", "{\"file_path\":\"a\",\"content\":\"\"}", "a=" },
	{ "T12 write without content", "write", "{\"file_path\":\"a\"}", "!content" },
	{ "T12 edit", "edit", "{\"file_path\":\"a\",\"old_string\":\"x\",\"new_string\":\"\"}",
	  "a:x>/0" },
	{ "T12 edit all", "edit",
	  "{\"file_path\":\"a\",\"old_string\":\"x\",\"new_string\":\"y\",\"replace_all\":true}",
	  "a:x>y/1" },
	{ "T12 edit nothing", "edit",
	  "{\"file_path\":\"a\",\"old_string\":\"\",\"new_string\":\"y\"}",
	  "!old_string: is empty" },
	{ "T12 edit without a change", "edit",
	  "{\"file_path\":\"a\",\"old_string\":\"x\",\"new_string\":\"x\"}", "!new_string" },
	{ "T12 glob", "glob", "{\"pattern\":\"*.c\"}", "*.c@" },
	{ "T12 glob elsewhere", "glob", "{\"pattern\":\"*.c\",\"path\":\"b\"}", "*.c@b" },
	{ "T12 grep", "grep", "{\"pattern\":\"x\"}", "x@ 0 0 200" },
	{ "T12 grep with all", "grep",
	  "{\"pattern\":\"x\",\"path\":\"p\",\"glob\":\"*.c\",\"output_mode\":\"count\","
	  "\"case_insensitive\":true,\"limit\":7}",
	  "x@p*.c 2 1 7" },
	{ "T12 grep in a way there is none", "grep", "{\"pattern\":\"x\",\"output_mode\":\"all\"}",
	  "!output_mode" },
	{ "T12 process_list", "process_list", "{}", "list" },
	{ "T12 process_list of something", "process_list", "{\"x\":1}", "!x" },
	{ "T12 process_output", "process_output", "{\"process_id\":\"p\"}", "p -1" },
	{ "T12 process_output from a cursor", "process_output",
	  "{\"process_id\":\"p\",\"cursor\":9}", "p 9" },
	{ "T12 process_kill", "process_kill", "{\"process_id\":\"p\"}", "p -1" },
	{ "T12 process_kill has no cursor", "process_kill", "{\"process_id\":\"p\",\"cursor\":1}",
	  "!cursor" },
};

static void
put(struct buf *out, const struct tool_args *a)
{
	switch (a->tool) {
	case LOCAL_BASH:
		buf_printf(out, STR_FMT "/%d/%d", STR_ARG(a->command), (int)a->timeout_ms,
			   a->background);
		break;
	case LOCAL_READ:
		buf_printf(out, STR_FMT " %d+%d", STR_ARG(a->file_path), (int)a->offset,
			   (int)a->limit);
		break;
	case LOCAL_WRITE:
		buf_printf(out, STR_FMT "=" STR_FMT, STR_ARG(a->file_path), STR_ARG(a->content));
		break;
	case LOCAL_EDIT:
		buf_printf(out, STR_FMT ":" STR_FMT ">" STR_FMT "/%d", STR_ARG(a->file_path),
			   STR_ARG(a->old_string), STR_ARG(a->new_string), a->replace_all);
		break;
	case LOCAL_GLOB:
		buf_printf(out, STR_FMT "@" STR_FMT, STR_ARG(a->pattern), STR_ARG(a->path));
		break;
	case LOCAL_GREP:
		buf_printf(out, STR_FMT "@" STR_FMT STR_FMT " %d %d %d", STR_ARG(a->pattern),
			   STR_ARG(a->path), STR_ARG(a->glob), a->mode, a->ignore_case,
			   (int)a->limit);
		break;
	case LOCAL_PROCESS_LIST: buf_puts(out, "list"); break;
	case LOCAL_PROCESS_OUTPUT:
	case LOCAL_PROCESS_KILL:
		buf_printf(out, STR_FMT " %d", STR_ARG(a->process_id), (int)a->cursor);
		break;
	case LOCAL_TOOLS: break;
	}
}

static void
test_row(void **state)
{
	const __typeof__(*ROWS) *row = *state;
	struct tool_args args = { 0 };
	enum local_tool tool;
	struct json_doc doc;
	struct arena a;
	struct buf out;
	struct err e;

	arena_init(&a);
	buf_init(&out, 1024);
	assert_true(tool_args_tool(str_of(row->tool), &tool));
	assert_int_equal(json_parse(&a, str_of(row->arguments), &JSON_LIMITS_DEFAULT, &doc, &e), 0);
	if (tool_args_parse(tool, json_root(&doc), &a, &args, &e) == 0) {
		put(&out, &args);
		check_str("arguments", buf_str(&out), str_of(row->want));
	} else if (row->want[0] != '!' || !str_contains(str_of(e.text), str_of(row->want + 1))) {
		fail_msg("said: %s", e.text);
	}
	buf_release(&out);
	arena_release(&a);
}

/* Every argument that a schema offers is taken, and the schema is one. */
static void
T12_what_the_model_is_told_is_what_is_taken(void **state)
{
	(void)state;
	for (size_t i = 0; i < LOCAL_TOOLS; i++) {
		const struct tool_doc *d = &TOOL_DOCS[i];
		struct json properties;
		struct json_doc doc;
		struct arena a;
		struct err e;
		enum local_tool tool;

		arena_init(&a);
		assert_true(tool_args_tool(d->name, &tool));
		assert_int_equal(tool, i);
		assert_int_equal(json_parse(&a, d->input_schema, &JSON_LIMITS_DEFAULT, &doc, &e),
				 0);
		assert_true(json_find(json_root(&doc), STR("properties"), &properties));
		for (struct json_iter it = json_iter(properties); json_next(&it);) {
			struct str one = arena_printf(&a, "{\"" STR_FMT "\":[]}",
						      STR_ARG(json_str(it.key, &a)));
			struct json_doc wrong;
			struct tool_args args;

			assert_int_equal(json_parse(&a, one, &JSON_LIMITS_DEFAULT, &wrong, &e), 0);
			assert_int_not_equal(
				tool_args_parse(tool, json_root(&wrong), &a, &args, &e), 0);
			/* known, of another type */
			assert_true(str_contains(str_of(e.text), STR("must be")));
		}
		assert_true(d->description.len > 20);
		assert_false(d->read_only && !d->idempotent);
		arena_release(&a);
	}
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, test_row);
	SUITE_TEST(&s, T12_what_the_model_is_told_is_what_is_taken);
	return suite_run(&s, "tool/local/tool_args");
}
