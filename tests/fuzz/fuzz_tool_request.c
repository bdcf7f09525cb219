/* Any text as a tool's job, as the arguments of each of our tools, and as what a helper says: refused,
 * or within bounds; a job that was taken reads the same when it is written again. */
#include "tool/local/tool_frame.h"
#include "tool/local/tool_job.h"

static void
check_job(struct arena *a, struct str text)
{
	struct tool_job job, again;
	struct tool_args args;
	struct buf out;
	struct err e;

	if (tool_job_parse(a, text, &job, &e) != 0)
		return;
	if (job.directory.len == 0 || job.directory.ptr[0] != '/' || job.timeout_ms < 1)
		__builtin_trap();
	buf_init(&out, 2 * (size_t)TOOL_JOB_BYTES);
	tool_job_write(&out, &job);
	if (tool_job_parse(a, buf_str(&out), &again, &e) != 0 || !str_eq(job.tool, again.tool) ||
	    !str_eq(job.arguments, again.arguments) || job.access != again.access)
		__builtin_trap();
	IGNORE(tool_job_args(a, &job, &args, &e)); /* either answer will do */
	buf_release(&out);
}

static void
check_arguments(struct arena *a, struct str text)
{
	for (size_t i = 0; i < LOCAL_TOOLS; i++) {
		struct tool_job job = { .tool = str_of(tool_args_name((enum local_tool)i)),
					.arguments = text };
		struct tool_args args;
		struct err e;

		if (tool_job_args(a, &job, &args, &e) != 0)
			continue;
		if (args.tool != i || args.command.len > TOOL_COMMAND_BYTES ||
		    args.pattern.len > TOOL_PATTERN_BYTES || args.file_path.len > TOOL_PATH_BYTES ||
		    args.limit > TOOL_LINES_MAX || args.cursor < -1)
			__builtin_trap();
	}
}

static void
on_frame(void *ctx, enum tool_frame kind, struct str payload)
{
	struct tool_report report;
	struct err e;

	if (payload.len > TOOL_FRAME_BYTES)
		__builtin_trap();
	if (kind == TOOL_FRAME_REPORT &&
	    tool_report_parse(ctx, arena_str(ctx, payload), &report, &e) == 0 && report.code < 0)
		__builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = { (const char *)data, size };
	struct tool_frames frames;
	struct arena a;
	struct err e;

	arena_init(&a);
	check_job(&a, text);
	check_arguments(&a, text);
	tool_frames_init(&frames);
	for (size_t at = 0; at < size; at += 7)
		IGNORE(tool_frames_feed(&frames, str_slice(text, at, at + 7), on_frame, &a, &e));
	tool_frames_release(&frames);
	arena_release(&a);
	return 0;
}
