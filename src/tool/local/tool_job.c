#include "tool/local/tool_job.h"

#include "base/json_write.h"

static const char *const ACCESS[] = {
	[TOOL_ACCESS_NONE] = "none",
	[TOOL_ACCESS_READ] = "ro",
	[TOOL_ACCESS_WRITE] = "rw",
};
static const struct json_limits LIMITS = { TOOL_JOB_BYTES, 64, 100000 };

void
tool_job_write(struct buf *out, const struct tool_job *job)
{
	struct jw w;

	jw_init(&w, out);
	jw_object(&w);
	jw_field_str(&w, "tool", job->tool);
	jw_field_raw(&w, "arguments", job->arguments);
	jw_field_str(&w, "directory", job->directory);
	jw_field_str(&w, "hidden", job->hidden);
	jw_field_bool(&w, "sandboxed", job->sandboxed);
	jw_field_str(&w, "access", str_of(ACCESS[job->access]));
	jw_field_bool(&w, "network", job->network);
	jw_field_bool(&w, "background", job->background);
	jw_field_int(&w, "timeout_ms", job->timeout_ms);
	jw_field_int(&w, "parent", job->parent);
	jw_field_int(&w, "workspace_bytes", job->workspace_bytes);
	jw_field_int(&w, "output_bytes", job->limits.output_bytes);
	jw_field_int(&w, "processes", job->limits.processes);
	jw_field_int(&w, "memory_bytes", job->limits.memory_bytes);
	jw_field_int(&w, "file_bytes", job->limits.file_bytes);
	jw_field_int(&w, "cpu_seconds", job->limits.cpu_seconds);
	jw_end_object(&w);
}

struct numbers {
	struct json timeout, parent, workspace, output, processes, memory, file, cpu;
};

static int
take_numbers(const struct numbers *n, struct tool_job *job, struct err *e)
{
	struct tool_limits *l = &job->limits;
	int rc = json_take_int(n->timeout, 1, INT64_MAX / 2, &job->timeout_ms, e);

	if (rc == 0)
		rc = json_take_int(n->parent, 0, INT32_MAX, &job->parent, e);
	if (rc == 0)
		rc = json_take_int(n->workspace, 0, INT64_MAX, &job->workspace_bytes, e);
	if (rc == 0)
		rc = json_take_int(n->output, 1024, 64 << 20, &l->output_bytes, e);
	if (rc == 0)
		rc = json_take_int(n->processes, 8, 100000, &l->processes, e);
	if (rc == 0)
		rc = json_take_int(n->memory, 1 << 20, INT64_MAX, &l->memory_bytes, e);
	if (rc == 0)
		rc = json_take_int(n->file, 0, INT64_MAX, &l->file_bytes, e);
	return rc == 0 ? json_take_int(n->cpu, 1, INT32_MAX, &l->cpu_seconds, e) : rc;
}

static int
take_place(struct json directory, struct json hidden, struct arena *a, struct tool_job *job,
	   struct err *e)
{
	int rc = json_take_str(directory, a, &job->directory, e);

	if (rc == 0)
		rc = json_take_str(hidden, a, &job->hidden, e);
	if (rc == 0 && !str_starts(job->directory, STR("/")))
		return json_fail(directory, e, "is not an absolute path");
	if (rc == 0 && job->directory.len > TOOL_PATH_BYTES)
		return json_fail(directory, e, "is longer than %d bytes", TOOL_PATH_BYTES);
	return rc;
}

int
tool_job_parse(struct arena *a, struct str text, struct tool_job *out, struct err *e)
{
	struct json tool = { 0 }, arguments = { 0 }, directory = { 0 }, hidden = { 0 },
		    sandboxed = { 0 }, access = { 0 }, network = { 0 }, background = { 0 };
	struct numbers n = { 0 };
	const struct json_field fields[] = {
		{ "tool", JSON_WANT_STRING, true, &tool },
		{ "arguments", JSON_WANT_OBJECT, true, &arguments },
		{ "directory", JSON_WANT_STRING, true, &directory },
		{ "hidden", JSON_WANT_STRING, true, &hidden },
		{ "sandboxed", JSON_WANT_BOOL, true, &sandboxed },
		{ "access", JSON_WANT_STRING, true, &access },
		{ "network", JSON_WANT_BOOL, true, &network },
		{ "background", JSON_WANT_BOOL, true, &background },
		{ "timeout_ms", JSON_WANT_NUMBER, true, &n.timeout },
		{ "parent", JSON_WANT_NUMBER, true, &n.parent },
		{ "workspace_bytes", JSON_WANT_NUMBER, true, &n.workspace },
		{ "output_bytes", JSON_WANT_NUMBER, true, &n.output },
		{ "processes", JSON_WANT_NUMBER, true, &n.processes },
		{ "memory_bytes", JSON_WANT_NUMBER, true, &n.memory },
		{ "file_bytes", JSON_WANT_NUMBER, true, &n.file },
		{ "cpu_seconds", JSON_WANT_NUMBER, true, &n.cpu },
	};
	struct tool_job job = { 0 };
	struct json_doc *doc = ARENA_NEW(a, struct json_doc);
	size_t word = 0;
	int rc = json_parse(a, text, &LIMITS, doc, e);

	if (rc == 0)
		rc = json_fields(json_root(doc), fields, ARRAY_LEN(fields), e);
	if (rc == 0)
		rc = json_take_str(tool, a, &job.tool, e);
	if (rc == 0)
		rc = take_place(directory, hidden, a, &job, e);
	if (rc == 0)
		rc = json_take_bool(sandboxed, &job.sandboxed, e);
	if (rc == 0)
		rc = json_take_word(access, ACCESS, ARRAY_LEN(ACCESS), &word, e);
	if (rc == 0)
		rc = json_take_bool(network, &job.network, e);
	if (rc == 0)
		rc = json_take_bool(background, &job.background, e);
	if (rc == 0)
		rc = take_numbers(&n, &job, e);
	if (rc != 0)
		return rc;
	job.access = (enum tool_access)word;
	job.arguments = json_raw(arguments);
	*out = job;
	return 0;
}

int
tool_job_args(struct arena *a, const struct tool_job *job, struct tool_args *out, struct err *e)
{
	struct json_doc *doc = ARENA_NEW(a, struct json_doc);
	enum local_tool tool;
	int rc;

	if (!tool_args_tool(job->tool, &tool))
		return err_set(e, ERR_NOT_FOUND, "there is no tool called " STR_FMT,
			       STR_ARG(job->tool));
	rc = json_parse(a, job->arguments, &LIMITS, doc, e);
	return rc == 0 ? tool_args_parse(tool, json_root(doc), a, out, e) : rc;
}
