#include "tool/local/supervise.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "tool/local/cgroup.h"
#include "tool/local/descendants.h"
#include "tool/local/inside.h"
#include "tool/local/memory_kill.h"
#include "tool/local/output_keep.h"
#include "tool/local/sandbox.h"
#include "tool/local/tool_frame.h"
#include "tool/local/tool_job.h"
#include "tool/local/tool_process.h"
#include "tool/local/workspace_quota.h"

enum {
	FLUSH_MS = 100,          /* output of a background process leaves so often */
	FLUSH_BYTES = 48 * 1024, /* and at most so much of it at a time */
	GRACE_MS = 2000,         /* between asking a tool to end and ending it */
	COUNT_MS = 20,           /* between two counts of its processes */
	END_MS = 10000,
	CHUNK_BYTES = 64 * 1024,
	COMPLAINT_BYTES = 2000,
	MEASURE_MS = 2000,     /* the workspace, before the call */
	MEASURE_END_MS = 1000, /* and after it */
};

struct call {
	struct arena arena;
	struct tool_job job;
	struct sandbox place;
	struct cgroup group;
	bool counts; /* nobody else bounds its processes */
	int signals;
	struct tool_process tool;
	bool ready, exited, over;
	struct buf complaint; /* what bubblewrap said */
	struct output_keep kept;
	uint64_t sent;       /* of a background process's output */
	int64_t deadline_ms; /* then it is asked to end */
	int64_t kill_ms;     /* then it is ended; INT64_MAX: nobody asked */
	int64_t count_ms, flush_ms;
	struct workspace_quota quota;
	enum local_tool kind;
	int64_t kills; /* for memory, on this machine until it began */
	struct tool_report report;
};

static int64_t
now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* ---- to the server ---- */

/* A server that is gone needs no answer. */
static void
send_frames(struct call *c, struct str bytes)
{
	while (bytes.len > 0) {
		ssize_t written = write(STDOUT_FILENO, bytes.ptr, bytes.len);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0) {
			c->over = true;
			return;
		}
		bytes = str_slice(bytes, (size_t)written, bytes.len);
	}
}

static void
send_frame(struct call *c, enum tool_frame kind, struct str payload)
{
	struct buf frame;

	buf_init(&frame, TOOL_FRAME_HEAD + TOOL_FRAME_BYTES);
	tool_frame_put(&frame, kind, payload);
	send_frames(c, buf_str(&frame));
	buf_release(&frame);
}

static void
send_text(struct call *c, struct str text)
{
	while (text.len > 0) {
		struct str piece = str_slice(text, 0, TOOL_FRAME_BYTES);

		send_frame(c, TOOL_FRAME_OUTPUT, piece);
		text = str_slice(text, piece.len, text.len);
	}
}

/* What a background process said since the last time. */
static void
flush(struct call *c)
{
	struct buf fresh;
	uint64_t from;

	buf_init(&fresh, FLUSH_BYTES);
	from = output_keep_since(&c->kept, c->sent, &fresh);
	if (from > c->sent) {
		char number[32];

		snprintf(number, sizeof number, "%llu", (unsigned long long)(from - c->sent));
		send_frame(c, TOOL_FRAME_DROPPED, str_of(number));
	}
	send_text(c, buf_str(&fresh));
	c->sent = c->kept.total;
	buf_release(&fresh);
}

static void
send_end(struct call *c)
{
	struct buf text;

	buf_init(&text, SIZE_MAX);
	if (c->job.background) {
		flush(c);
	} else {
		output_keep_text(&c->kept, &text);
		send_text(c, buf_str(&text));
		buf_clear(&text);
	}
	tool_frame_put_report(&text, &c->report);
	send_frames(c, buf_str(&text));
	buf_release(&text);
}

static void
refuse(struct call *c, struct str why)
{
	c->report =
		(struct tool_report){ .end = TOOL_END_REFUSED, .text = arena_str(&c->arena, why) };
	c->over = true;
}

/* ---- while it runs ---- */

/* False: there is no more for now. */
static bool
read_output(struct call *c)
{
	char chunk[CHUNK_BYTES];
	ssize_t got = c->tool.output >= 0 ? read(c->tool.output, chunk, sizeof chunk) : 0;

	if (got > 0)
		output_keep_put(&c->kept, (struct str){ chunk, (size_t)got });
	if (got == 0 && c->tool.output >= 0) {
		close(c->tool.output);
		c->tool.output = -1;
	}
	return got > 0;
}

/* Until the tool begins: complaints. Then nobody has this pipe any more but bubblewrap. */
static bool
read_errors(struct call *c)
{
	char chunk[1024];
	ssize_t got = c->tool.errors >= 0 ? read(c->tool.errors, chunk, sizeof chunk) : 0;
	struct str said = { chunk, got > 0 ? (size_t)got : 0 };

	if (got == 0 && c->tool.errors >= 0) {
		close(c->tool.errors);
		c->tool.errors = -1;
	}
	if (said.len > 0 && memchr(said.ptr, INSIDE_READY, said.len) && !c->ready) {
		c->ready = true;
		send_frame(c, TOOL_FRAME_STARTED, STR(""));
	} else if (said.len > 0 && c->complaint.len < COMPLAINT_BYTES) {
		buf_put_str(&c->complaint, str_slice(said, 0, COMPLAINT_BYTES - c->complaint.len));
	}
	return got > 0;
}

static void
reap(struct call *c)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid != c->tool.pid)
			continue; /* an orphan that came to us */
		c->exited = true;
		if (c->report.end == TOOL_END_EXITED)
			c->report.code =
				WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	}
}

/* bubblewrap and the first process in there would end everything at once. */
static void
ask_to_end(struct call *c, enum tool_end why)
{
	if (c->kill_ms != INT64_MAX)
		return;
	c->report.end = why;
	descendants_signal(SIGTERM, c->job.sandboxed ? 3 : 1);
	c->kill_ms = now_ms() + GRACE_MS;
}

static void
read_signals(struct call *c)
{
	struct signalfd_siginfo info;

	while (read(c->signals, &info, sizeof info) == sizeof info) {
		if (info.ssi_signo == SIGCHLD)
			continue; /* reap looks */
		/* On request, or the server is gone: at once. */
		c->report.end = TOOL_END_STOPPED;
		c->over = true;
	}
	reap(c);
}

static int64_t
earlier(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static void
on_time(struct call *c, int64_t now)
{
	if (c->counts && now >= c->count_ms) {
		if (descendants_count((size_t)c->job.limits.processes) >
		    (size_t)c->job.limits.processes) {
			c->report.end = TOOL_END_CROWD;
			c->over = true;
		}
		c->count_ms = now_ms() + COUNT_MS;
	}
	if (c->job.background && now >= c->flush_ms && c->sent < c->kept.total) {
		flush(c);
		c->flush_ms = now + FLUSH_MS;
	}
	if (c->kind == LOCAL_BASH && c->kill_ms == INT64_MAX &&
	    workspace_quota_look(&c->quota, now)) {
		ask_to_end(c, TOOL_END_FULL);
		c->report.text = workspace_quota_text(&c->quota, &c->arena);
	}
	if (now >= c->deadline_ms)
		ask_to_end(c, TOOL_END_TIMEOUT);
	if (now >= c->kill_ms)
		c->over = true;
}

static int
wait_ms(const struct call *c, int64_t now)
{
	int64_t next = earlier(c->deadline_ms, c->kill_ms);

	if (c->kill_ms != INT64_MAX)
		next = c->kill_ms;
	else if (c->kind == LOCAL_BASH)
		next = earlier(next, c->quota.next_ms);
	if (c->counts)
		next = earlier(next, c->count_ms);
	if (c->job.background && c->sent < c->kept.total)
		next = earlier(next, c->flush_ms);
	next -= now;
	return next < 0 ? 0 : next > 60000 ? 60000 : (int)next;
}

static void
attend(struct call *c)
{
	while (!c->over && !c->exited) {
		struct pollfd fds[] = {
			{ .fd = c->signals, .events = POLLIN },
			{ .fd = c->tool.output, .events = POLLIN },
			{ .fd = c->tool.errors, .events = POLLIN },
		};
		int64_t now = now_ms();

		if (poll(fds, ARRAY_LEN(fds), wait_ms(c, now)) < 0 && errno != EINTR)
			break;
		read_output(c);
		read_errors(c);
		read_signals(c);
		on_time(c, now_ms());
	}
}

/* ---- its end ---- */

/* It ended before it began. */
static void
explain(struct call *c)
{
	bool ours = c->report.code == INSIDE_NOT_RUN || !c->job.sandboxed;
	struct buf why;

	buf_init(&why, 4 * COMPLAINT_BYTES);
	buf_puts(&why, ours ? "" : "this machine cannot isolate it (");
	if (c->complaint.len > 0)
		output_clean(&why, str_trim(buf_str(&c->complaint)));
	else
		buf_printf(&why, "its helper ended with code %d before it began",
			   (int)c->report.code);
	buf_puts(&why, ours ? ""
			    : "), and without isolation no tool runs. Whoever runs this server: "
			      "install bubblewrap and let it make user namespaces (`bwrap "
			      "--unshare-all --ro-bind / / true` must succeed), or set the "
			      "environment's sandbox mode to off.");
	refuse(c, buf_str(&why));
	buf_release(&why);
}

/* Of the call's own group the kernel says it; else a process that something else killed, while the
 * kernel killed some for memory, was most likely one of those. */
static void
explain_kill(struct call *c)
{
	int64_t here = memory_kill_group(c->group.path), somewhere = memory_kill_machine();

	if (c->report.end != TOOL_END_EXITED)
		return;
	if (here > 0)
		c->report.text = arena_printf(&c->arena,
					      "killed by the kernel: it used more memory than the "
					      "%lld MiB that one call may use",
					      (long long)(c->job.limits.memory_bytes >> 20));
	else if (c->report.code == 128 + SIGKILL && c->kills >= 0 && somewhere > c->kills)
		c->report.text = STR("killed by the kernel: this machine, or the group that the "
				     "server runs in, ran out of memory");
}

/* A shell may have written what it liked: it is told at once, not by the next call. */
static void
explain_full(struct call *c)
{
	if (c->kind != LOCAL_BASH || c->report.end != TOOL_END_EXITED || !c->ready)
		return;
	workspace_quota_measure(&c->quota, MEASURE_END_MS);
	if (c->quota.full && c->report.text.len == 0)
		c->report.text = workspace_quota_text(&c->quota, &c->arena);
}

static void
finish(struct call *c)
{
	descendants_end(END_MS);
	explain_kill(c);
	explain_full(c);
	workspace_quota_release(&c->quota);
	cgroup_remove(&c->group);
	while (read_output(c) || read_errors(c))
		;
	if (!c->ready && c->report.end == TOOL_END_EXITED)
		explain(c);
}

/* May it write? In a full folder a shell may, but no file can grow: it must be able to make room. */
static bool
check_room(struct call *c)
{
	struct tool_limits *limits = &c->job.limits;

	if (c->kind != LOCAL_BASH && c->kind != LOCAL_WRITE && c->kind != LOCAL_EDIT)
		return true;
	workspace_quota_init(&c->quota, c->place.directory, c->job.workspace_bytes);
	workspace_quota_measure(&c->quota, MEASURE_MS);
	if (c->job.workspace_bytes > 0)
		limits->file_bytes = earlier(limits->file_bytes, c->job.workspace_bytes);
	if (!c->quota.full)
		return true;
	limits->file_bytes = 0;
	if (c->kind != LOCAL_BASH)
		refuse(c, workspace_quota_text(&c->quota, &c->arena));
	return c->kind == LOCAL_BASH;
}

static void
run(struct call *c)
{
	struct err e;

	c->deadline_ms = now_ms() + c->job.timeout_ms;
	if (!check_room(c))
		return;
	c->counts = !cgroup_make(&c->group, &c->arena, c->job.limits.processes,
				 c->job.limits.memory_bytes) &&
		    (!c->job.sandboxed || geteuid() == 0);
	c->kills = memory_kill_machine();
	c->kill_ms = INT64_MAX;
	if (tool_process_start(&c->tool, &c->place, &c->job, &c->group, &c->arena, &e) == 0)
		attend(c);
	else
		refuse(c, str_of(e.text));
	finish(c);
}

/* ---- the job ---- */

static bool
take_signals(struct call *c)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	signal(SIGPIPE, SIG_IGN);
	c->signals = sigprocmask(SIG_BLOCK, &set, NULL) == 0
			     ? signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK)
			     : -1;
	return c->signals >= 0 && prctl(PR_SET_PDEATHSIG, SIGTERM) == 0 &&
	       prctl(PR_SET_CHILD_SUBREAPER, 1) == 0;
}

static int
load(struct call *c, struct err *e)
{
	static char self[4096];
	ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
	struct str text;
	int rc = file_read_fd(STDIN_FILENO, "the job", TOOL_JOB_BYTES, &c->arena, &text, e);

	if (rc == 0)
		rc = tool_job_parse(&c->arena, text, &c->job, e);
	if (rc == 0 && c->job.parent != 0 && getppid() != (pid_t)c->job.parent)
		rc = err_set(e, ERR_UNAVAILABLE,
			     "the server is gone"); /* before we asked to hear of it */
	if (rc == 0 && len <= 0)
		rc = err_set(e, ERR_IO, "cannot find our own program: %s", strerror(errno));
	if (rc == 0 && !tool_args_tool(c->job.tool, &c->kind))
		rc = err_set(e, ERR_NOT_FOUND, "there is no tool called " STR_FMT,
			     STR_ARG(c->job.tool));
	if (rc == 0)
		rc = sandbox_place(&c->place, &c->job, self, &c->arena, e);
	return rc;
}

int
supervise_main(void)
{
	struct call c = { .tool = { .output = -1, .errors = -1 } };
	struct err e;

	arena_init(&c.arena);
	buf_init(&c.complaint, COMPLAINT_BYTES);
	if (!take_signals(&c)) {
		refuse(&c, arena_printf(&c.arena, "cannot watch over it: %s", strerror(errno)));
	} else if (load(&c, &e) != 0) {
		refuse(&c, str_of(e.text));
	} else {
		int64_t bytes = c.job.limits.output_bytes;

		if (c.job.background)
			output_keep_init(&c.kept, 0, FLUSH_BYTES);
		else
			output_keep_init(&c.kept, (size_t)bytes / 2, (size_t)(bytes - bytes / 2));
		run(&c);
	}
	send_end(&c);
	output_keep_release(&c.kept);
	buf_release(&c.complaint);
	arena_release(&c.arena);
	return 0;
}
