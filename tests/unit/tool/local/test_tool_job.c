#include "tool/local/tool_job.h"

#include "harness.h"

static const struct tool_job GOOD = {
	.tool = STR("bash"),
	.arguments = STR("{\"command\":\"echo \\\"hi\\\"\"}"),
	.directory = STR("/w"),
	.hidden = STR("/d"),
	.sandboxed = true,
	.network = true,
	.background = true,
	.access = TOOL_ACCESS_READ,
	.timeout_ms = 5,
	.parent = 7,
	.workspace_bytes = 9,
	.limits = { 65536, 500, 1 << 30, 1 << 20, 60 },
};

static void
T12_a_job_comes_as_it_was_sent(void **state)
{
	struct tool_args args = { 0 };
	struct tool_job got = { 0 };
	struct arena a;
	struct buf text;
	struct err e;

	(void)state;
	arena_init(&a);
	buf_init(&text, 4096);
	tool_job_write(&text, &GOOD);
	assert_int_equal(tool_job_parse(&a, buf_str(&text), &got, &e), 0);
	check_str("tool", got.tool, GOOD.tool);
	check_str("arguments", got.arguments, GOOD.arguments);
	check_str("directory", got.directory, GOOD.directory);
	check_str("hidden", got.hidden, GOOD.hidden);
	assert_true(got.sandboxed && got.network && got.background);
	assert_int_equal(got.access, GOOD.access);
	assert_int_equal(got.timeout_ms, 5);
	assert_int_equal(got.parent, 7);
	assert_int_equal(got.workspace_bytes, 9);
	assert_memory_equal(&got.limits, &GOOD.limits, sizeof got.limits);
	assert_int_equal(tool_job_args(&a, &got, &args, &e), 0);
	check_str("command", args.command, STR("echo \"hi\""));
	buf_release(&text);
	arena_release(&a);
}

static const struct {
	const char *name;
	struct tool_job job;
	const char *want;
} BAD[] = {
	{ "T12 a relative directory", { .directory = STR("w") }, "absolute" },
	{ "T12 no time", { .timeout_ms = -1 }, "timeout_ms" },
	{ "T12 arguments that are none", { .arguments = STR("[]") }, "arguments" },
	{ "T12 arguments that are no JSON", { .arguments = STR("{") }, "offset" },
	{ "T12 a tool that is none", { .tool = STR("rm") }, "no tool called rm" },
};

static void
test_bad(void **state)
{
	const __typeof__(*BAD) *row = *state;
	struct tool_job job = GOOD, got = { 0 };
	struct tool_args args;
	struct arena a;
	struct buf text;
	struct err e = { 0 };
	int rc;

	job.directory = row->job.directory.ptr ? row->job.directory : job.directory;
	job.arguments = row->job.arguments.ptr ? row->job.arguments : job.arguments;
	job.tool = row->job.tool.ptr ? row->job.tool : job.tool;
	job.timeout_ms = row->job.timeout_ms ? row->job.timeout_ms : job.timeout_ms;
	arena_init(&a);
	buf_init(&text, 4096);
	tool_job_write(&text, &job);
	rc = tool_job_parse(&a, buf_str(&text), &got, &e);
	if (rc == 0)
		rc = tool_job_args(&a, &got, &args, &e);
	assert_int_not_equal(rc, 0);
	if (!str_contains(str_of(e.text), str_of(row->want)))
		fail_msg("said: %s", e.text);
	buf_release(&text);
	arena_release(&a);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, T12_a_job_comes_as_it_was_sent);
	SUITE_ROWS(&s, BAD, test_bad);
	return suite_run(&s, "tool/local/tool_job");
}
