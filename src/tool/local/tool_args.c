#include "tool/local/tool_args.h"

enum { DAY_MS = 24 * 3600 * 1000 };

static const char *const NAMES[LOCAL_TOOLS] = {
	[LOCAL_BASH] = "bash",
	[LOCAL_READ] = "read",
	[LOCAL_WRITE] = "write",
	[LOCAL_EDIT] = "edit",
	[LOCAL_GLOB] = "glob",
	[LOCAL_GREP] = "grep",
	[LOCAL_PROCESS_LIST] = "process_list",
	[LOCAL_PROCESS_OUTPUT] = "process_output",
	[LOCAL_PROCESS_KILL] = "process_kill",
};
static const char *const MODES[] = {
	[GREP_CONTENT] = "content",
	[GREP_FILES] = "files_with_matches",
	[GREP_COUNT] = "count",
};

bool
tool_args_tool(struct str name, enum local_tool *out)
{
	for (size_t i = 0; i < LOCAL_TOOLS; i++) {
		if (!str_eq(name, str_of(NAMES[i])))
			continue;
		*out = (enum local_tool)i;
		return true;
	}
	return false;
}

const char *
tool_args_name(enum local_tool tool)
{
	return NAMES[tool];
}

static int
take_text(struct json v, size_t max, struct arena *a, struct str *out, struct err *e)
{
	int rc = json_take_str(v, a, out, e);

	if (rc == 0 && out->len > max)
		return json_fail(v, e, "has %zu bytes; at most %zu are taken", out->len, max);
	return rc;
}

/* One that says something. */
static int
take_word(struct json v, size_t max, struct arena *a, struct str *out, struct err *e)
{
	int rc = take_text(v, max, a, out, e);

	return rc == 0 && json_is_set(v) && str_is_empty(*out) ? json_fail(v, e, "is empty") : rc;
}

static int
parse_bash(struct json v, struct arena *a, struct tool_args *out, struct err *e)
{
	struct json command = { 0 }, timeout = { 0 }, background = { 0 }, description = { 0 };
	const struct json_field fields[] = {
		{ "command", JSON_WANT_STRING, true, &command },
		{ "timeout_ms", JSON_WANT_NUMBER | JSON_WANT_NULL, false, &timeout },
		{ "background", JSON_WANT_BOOL | JSON_WANT_NULL, false, &background },
		{ "description", JSON_WANT_STRING | JSON_WANT_NULL, false, &description },
	};
	int rc = json_fields(v, fields, ARRAY_LEN(fields), e);

	if (rc == 0)
		rc = take_word(command, TOOL_COMMAND_BYTES, a, &out->command, e);
	if (rc == 0)
		rc = json_take_int(timeout, 1, DAY_MS, &out->timeout_ms, e);
	return rc == 0 ? json_take_bool(background, &out->background, e) : rc;
}

static int
parse_read(struct json v, struct arena *a, struct tool_args *out, struct err *e)
{
	struct json path = { 0 }, offset = { 0 }, limit = { 0 };
	const struct json_field fields[] = {
		{ "file_path", JSON_WANT_STRING, true, &path },
		{ "offset", JSON_WANT_NUMBER | JSON_WANT_NULL, false, &offset },
		{ "limit", JSON_WANT_NUMBER | JSON_WANT_NULL, false, &limit },
	};
	int rc = json_fields(v, fields, ARRAY_LEN(fields), e);

	out->offset = 1;
	out->limit = TOOL_READ_LINES;
	if (rc == 0)
		rc = take_word(path, TOOL_PATH_BYTES, a, &out->file_path, e);
	if (rc == 0)
		rc = json_take_int(offset, 1, INT64_MAX, &out->offset, e);
	return rc == 0 ? json_take_int(limit, 1, TOOL_LINES_MAX, &out->limit, e) : rc;
}

static int
parse_write(struct json v, struct arena *a, struct tool_args *out, struct err *e)
{
	struct json path = { 0 }, content = { 0 };
	const struct json_field fields[] = {
		{ "file_path", JSON_WANT_STRING, true, &path },
		{ "content", JSON_WANT_STRING, true, &content },
	};
	int rc = json_fields(v, fields, ARRAY_LEN(fields), e);

	if (rc == 0)
		rc = take_word(path, TOOL_PATH_BYTES, a, &out->file_path, e);
	return rc == 0 ? json_take_str(content, a, &out->content, e) : rc;
}

static int
parse_edit(struct json v, struct arena *a, struct tool_args *out, struct err *e)
{
	struct json path = { 0 }, from = { 0 }, to = { 0 }, all = { 0 };
	const struct json_field fields[] = {
		{ "file_path", JSON_WANT_STRING, true, &path },
		{ "old_string", JSON_WANT_STRING, true, &from },
		{ "new_string", JSON_WANT_STRING, true, &to },
		{ "replace_all", JSON_WANT_BOOL | JSON_WANT_NULL, false, &all },
	};
	int rc = json_fields(v, fields, ARRAY_LEN(fields), e);

	if (rc == 0)
		rc = take_word(path, TOOL_PATH_BYTES, a, &out->file_path, e);
	if (rc == 0)
		rc = json_take_str(from, a, &out->old_string, e);
	if (rc == 0)
		rc = json_take_str(to, a, &out->new_string, e);
	if (rc == 0)
		rc = json_take_bool(all, &out->replace_all, e);
	if (rc == 0 && str_is_empty(out->old_string))
		return json_fail(from, e, "is empty; to make or replace a whole file use write");
	if (rc == 0 && str_eq(out->old_string, out->new_string))
		return json_fail(to, e, "is the same as old_string: there is nothing to change");
	return rc;
}

static int
parse_glob(struct json v, struct arena *a, struct tool_args *out, struct err *e)
{
	struct json pattern = { 0 }, path = { 0 };
	const struct json_field fields[] = {
		{ "pattern", JSON_WANT_STRING, true, &pattern },
		{ "path", JSON_WANT_STRING | JSON_WANT_NULL, false, &path },
	};
	int rc = json_fields(v, fields, ARRAY_LEN(fields), e);

	if (rc == 0)
		rc = take_word(pattern, TOOL_PATTERN_BYTES, a, &out->pattern, e);
	return rc == 0 ? take_text(path, TOOL_PATH_BYTES, a, &out->path, e) : rc;
}

static int
parse_grep(struct json v, struct arena *a, struct tool_args *out, struct err *e)
{
	struct json pattern = { 0 }, path = { 0 }, glob = { 0 }, mode = { 0 }, limit = { 0 },
		    ignore_case = { 0 };
	const struct json_field fields[] = {
		{ "pattern", JSON_WANT_STRING, true, &pattern },
		{ "path", JSON_WANT_STRING | JSON_WANT_NULL, false, &path },
		{ "glob", JSON_WANT_STRING | JSON_WANT_NULL, false, &glob },
		{ "output_mode", JSON_WANT_STRING | JSON_WANT_NULL, false, &mode },
		{ "case_insensitive", JSON_WANT_BOOL | JSON_WANT_NULL, false, &ignore_case },
		{ "limit", JSON_WANT_NUMBER | JSON_WANT_NULL, false, &limit },
	};
	int rc = json_fields(v, fields, ARRAY_LEN(fields), e);
	size_t word = GREP_CONTENT;

	out->limit = TOOL_MATCHES;
	if (rc == 0)
		rc = take_word(pattern, TOOL_PATTERN_BYTES, a, &out->pattern, e);
	if (rc == 0)
		rc = take_text(path, TOOL_PATH_BYTES, a, &out->path, e);
	if (rc == 0)
		rc = take_text(glob, TOOL_PATTERN_BYTES, a, &out->glob, e);
	if (rc == 0)
		rc = json_take_word(mode, MODES, ARRAY_LEN(MODES), &word, e);
	if (rc == 0)
		rc = json_take_bool(ignore_case, &out->ignore_case, e);
	out->mode = (enum grep_mode)word;
	return rc == 0 ? json_take_int(limit, 1, TOOL_LINES_MAX, &out->limit, e) : rc;
}

static int
parse_process(struct json v, bool output, struct arena *a, struct tool_args *out, struct err *e)
{
	struct json id = { 0 }, cursor = { 0 };
	const struct json_field fields[] = {
		{ "process_id", JSON_WANT_STRING, true, &id },
		{ "cursor", JSON_WANT_NUMBER | JSON_WANT_NULL, false, &cursor },
	};
	int rc = json_fields(v, fields, output ? 2 : 1, e);

	out->cursor = -1;
	if (rc == 0)
		rc = take_word(id, TOOL_PATTERN_BYTES, a, &out->process_id, e);
	return rc == 0 ? json_take_int(cursor, 0, INT64_MAX, &out->cursor, e) : rc;
}

static int
parse(struct json v, struct arena *a, struct tool_args *out, struct err *e)
{
	switch (out->tool) {
	case LOCAL_BASH: return parse_bash(v, a, out, e);
	case LOCAL_READ: return parse_read(v, a, out, e);
	case LOCAL_WRITE: return parse_write(v, a, out, e);
	case LOCAL_EDIT: return parse_edit(v, a, out, e);
	case LOCAL_GLOB: return parse_glob(v, a, out, e);
	case LOCAL_GREP: return parse_grep(v, a, out, e);
	case LOCAL_PROCESS_LIST: return json_fields(v, NULL, 0, e);
	case LOCAL_PROCESS_OUTPUT: return parse_process(v, true, a, out, e);
	case LOCAL_PROCESS_KILL: return parse_process(v, false, a, out, e);
	case LOCAL_TOOLS: break;
	}
	return err_set(e, ERR_INVALID, "there is no such tool");
}

int
tool_args_parse(enum local_tool tool, struct json arguments, struct arena *a, struct tool_args *out,
		struct err *e)
{
	struct tool_args args = { .tool = tool };
	int rc = parse(arguments, a, &args, e);

	if (rc == 0)
		*out = args;
	return rc;
}
