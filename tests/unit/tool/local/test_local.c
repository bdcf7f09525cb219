/* The toolset on a real loop; this program is its own helper. */
#include "tool/local/local.h"

#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "app/host_loop.h"
#include "base/xalloc.h"
#include "harness.h"
#include "tool/local/tool_helper.h"
#include "work_dir.h"

enum { PATIENCE_MS = 60000 };

struct rig {
	struct work_dir dir;
	struct loop *loop;
	struct host *host;
	struct toolset *tools;
	struct loop_timer *patience;
	struct buf output;
	enum tool_outcome outcome;
	size_t told;
	bool sandboxed;
};

static void
on_patience(void *ctx)
{
	(void)ctx;
	fail_msg("no answer");
}

static void
on_done(void *ctx, const struct tool_result *result)
{
	struct rig *r = ctx;

	buf_clear(&r->output);
	buf_put_str(&r->output, result->output);
	r->outcome = result->outcome;
	r->told++;
	loop_stop(r->loop);
}

static void
rig_init(struct rig *r, bool sandboxed)
{
	char self[PATH_MAX] = { 0 };

	*r = (struct rig){ .sandboxed = sandboxed };
	work_dir_init(&r->dir);
	r->loop = loop_new();
	r->host = host_loop_new(r->loop);
	r->patience = loop_timer_new(r->loop, on_patience, NULL);
	loop_timer_set(r->patience, PATIENCE_MS);
	buf_init(&r->output, 1 << 20);
	assert_true(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
	r->tools = local_tools_new(
		&(struct local_config){ .loop = r->loop, .host = r->host, .program = self });
}

static void
rig_release(struct rig *r)
{
	r->tools->ops->free(r->tools);
	loop_timer_free(&r->patience);
	host_loop_free(&r->host);
	loop_settle(r->loop);
	loop_free(&r->loop);
	buf_release(&r->output);
	work_dir_release(&r->dir);
}

static struct tool_run *
start(struct rig *r, const char *tool, const char *arguments, int64_t timeout_ms)
{
	return r->tools->ops->start(r->tools,
				    &(struct tool_request){
					    .id = STR("e"),
					    .name = str_of(tool),
					    .arguments = str_of(arguments),
					    .place = { .session = STR("s"),
						       .directory = str_of(r->dir.path),
						       .sandboxed = r->sandboxed,
						       .access = TOOL_ACCESS_WRITE },
					    .timeout_ms = timeout_ms,
				    },
				    on_done, r);
}

static void
ask(struct rig *r, const char *tool, const char *arguments, int64_t timeout_ms)
{
	size_t told = r->told;

	start(r, tool, arguments, timeout_ms);
	assert_int_equal(r->told, told); /* never from inside */
	loop_run(r->loop);
	assert_int_equal(r->told, told + 1);
}

static const struct {
	const char *name, *tool, *arguments;
	int64_t timeout_ms;
	enum tool_outcome outcome;
	const char *output;
} ROWS[] = {
	{ "T12 bash says both streams in order", "bash",
	  "{\"command\":\"echo a; echo b >&2; echo c\"}", 60000, OUTCOME_OK, "a\nb\nc\n" },
	{ "T12 bash and its exit code", "bash", "{\"command\":\"printf a; exit 3\"}", 60000,
	  OUTCOME_ERROR, "a\n[exit code 3]\n" },
	{ "T12 bash by a signal", "bash", "{\"command\":\"kill -9 $$\"}", 60000, OUTCOME_ERROR,
	  "[exit code 137]\n" },
	{ "T12 nothing said", "bash", "{\"command\":\"true\"}", 60000, OUTCOME_OK, "" },
	{ "T4 bash that takes too long", "bash", "{\"command\":\"echo a; sleep 60\"}", 300,
	  OUTCOME_TIMEOUT,
	  "a\n[timed out after 300 ms (the tool timeout); everything it had started was ended]\n" },
	{ "T4 bash that takes longer than it said", "bash",
	  "{\"command\":\"sleep 60\",\"timeout_ms\":200}", 60000, OUTCOME_TIMEOUT,
	  "[timed out after 200 ms (the call's timeout_ms); everything it had started was "
	  "ended]\n" },
	{ "T12 write, and no shell is asked", "write",
	  "{\"file_path\":\"a\",\"content\":\"$(id)\"}", 60000, OUTCOME_OK, "Made a (5 bytes)\n" },
	{ "T12 a file tool's error", "read", "{\"file_path\":\"../x\"}", 60000, OUTCOME_ERROR,
	  "cannot open ../x: it is outside the working directory" },
	{ "T12 wrong arguments", "read", "{}", 60000, OUTCOME_ERROR, "file_path: is required" },
	{ "T12 a tool that is none", "sh", "{}", 60000, OUTCOME_ERROR,
	  "there is no tool called sh" },
	{ "T12 no processes", "process_list", "{}", 60000, OUTCOME_OK,
	  "[this session has no background processes]\n" },
	{ "T12 a process that is none", "process_kill", "{\"process_id\":\"p\"}", 60000,
	  OUTCOME_ERROR,
	  "this session has no background process p; process_list shows those it has" },
};

static void
test_row(void **state)
{
	const __typeof__(*ROWS) *row = *state;
	struct rig r;

	rig_init(&r, false);
	ask(&r, row->tool, row->arguments, row->timeout_ms);
	if (!str_contains(buf_str(&r.output), str_of(row->output)) ||
	    (row->outcome == OUTCOME_OK && r.output.len != strlen(row->output)))
		fail_msg("said: " STR_FMT, STR_ARG(buf_str(&r.output)));
	assert_int_equal(r.outcome, row->outcome);
	rig_release(&r);
}

static void
on_listed(void *ctx, const struct tool_listing *listing)
{
	struct rig *r = ctx;

	r->told += listing->tool_count;
	assert_int_equal(listing->problem_count, 0);
	loop_stop(r->loop);
}

static void
T12_nine_tools_are_listed(void **state)
{
	struct rig r;
	struct tool_query *forgotten;

	(void)state;
	rig_init(&r, false);
	forgotten = r.tools->ops->list(r.tools, &(struct tool_ask){ 0 }, on_listed, &r);
	r.tools->ops->forget(forgotten);
	r.tools->ops->list(r.tools, &(struct tool_ask){ 0 }, on_listed, &r);
	assert_int_equal(r.told, 0);
	loop_run(r.loop);
	assert_int_equal(r.told, 9);
	rig_release(&r);
}

static void
T12_a_cancelled_call_is_not_told(void **state)
{
	struct rig r;

	(void)state;
	rig_init(&r, false);
	r.tools->ops->cancel(start(&r, "bash", "{\"command\":\"sleep 60\"}", 60000));
	r.tools->ops->cancel(start(&r, "process_list", "{}", 60000));
	r.tools->ops->cancel(
		start(&r, "bash", "{\"command\":\"sleep 60\",\"background\":true}", 60000));
	ask(&r, "bash", "{\"command\":\"echo next\"}", 60000);
	check_str("output", buf_str(&r.output), STR("next\n"));
	assert_int_equal(r.told, 1);
	rig_release(&r);
}

static void
T12_a_background_process_and_its_end(void **state)
{
	char arguments[256];
	struct rig r;
	struct str id;
	size_t at;

	(void)state;
	rig_init(&r, false);
	ask(&r, "bash", "{\"command\":\"echo on; sleep 60\",\"background\":true}", 60000);
	assert_int_equal(r.outcome, OUTCOME_OK);
	assert_true(str_find(buf_str(&r.output), STR("proc_"), 0, &at));
	id = str_slice(buf_str(&r.output), at, at + 5 + 32);
	snprintf(arguments, sizeof arguments, "{\"process_id\":\"" STR_FMT "\"}", STR_ARG(id));
	assert_int_equal(r.tools->ops->busy(r.tools, STR("s")), 1);
	assert_int_equal(r.tools->ops->busy(r.tools, STR("t")), 0);
	do
		ask(&r, "process_output", arguments, 60000);
	while (!str_starts(buf_str(&r.output), STR("on\n[running; cursor 3]")));
	ask(&r, "process_kill", arguments, 60000);
	while (r.tools->ops->busy(r.tools, STR("s")) > 0)
		ask(&r, "process_list", "{}", 60000);
	ask(&r, "process_output", arguments, 60000);
	check_str("output", buf_str(&r.output), STR("on\n[ended on request; cursor 3]\n"));
	r.tools->ops->end_session(r.tools, STR("s"));
	ask(&r, "process_output", arguments, 60000);
	assert_int_equal(r.outcome, OUTCOME_ERROR);
	rig_release(&r);
}

/* The same through bubblewrap; or the refusal says what to do. */
static void
T12_in_a_sandbox_or_not_at_all(void **state)
{
	struct rig r;

	(void)state;
	rig_init(&r, true);
	ask(&r, "bash", "{\"command\":\"echo in; ls -A /home /root 2>/dev/null\"}", 60000);
	if (str_contains(buf_str(&r.output), STR("profiling:")))
		skip(); /* a build that measures coverage complains that it cannot write in there */
	if (r.outcome == OUTCOME_OK || str_starts(buf_str(&r.output), STR("in\n"))) {
		check_str("output", buf_str(&r.output), STR("in\n[exit code 2]\n"));
	} else {
		assert_true(str_contains(buf_str(&r.output), STR("cannot isolate")));
		assert_true(str_contains(buf_str(&r.output), STR("install bubblewrap")));
	}
	rig_release(&r);
}

int
main(int argc, char **argv)
{
	struct suite s = { 0 };

	if (argc > 1 && strcmp(argv[1], "tool-helper") == 0)
		return tool_helper_main(argc - 1, argv + 1);
	SUITE_ROWS(&s, ROWS, test_row);
	SUITE_TEST(&s, T12_nine_tools_are_listed);
	SUITE_TEST(&s, T12_a_cancelled_call_is_not_told);
	SUITE_TEST(&s, T12_a_background_process_and_its_end);
	SUITE_TEST(&s, T12_in_a_sandbox_or_not_at_all);
	return suite_run(&s, "tool/local/local");
}
