/* doctor_sandbox - can tools be kept in a sandbox here? Starts bubblewrap once, around nothing. */
#include "app/doctor_private.h"
#include "net/child.h"

enum { BOUND_MS = 5000, SAID_MAX = 200 };

struct trial {
	struct loop *loop;
	struct buf said;
	bool ended;
	int code;
};

static void
on_output(void *ctx, struct str bytes)
{
	struct trial *t = ctx;

	buf_put_str(&t->said, str_slice(bytes, 0, SAID_MAX - t->said.len));
}

static void
on_end(void *ctx, int code, int signal)
{
	struct trial *t = ctx;

	t->ended = true;
	t->code = signal != 0 ? -signal : code;
	loop_stop(t->loop);
}

static void
on_bound(void *ctx)
{
	struct trial *t = ctx;

	loop_stop(t->loop);
}

static int
run(struct trial *t, const char *program, struct err *e)
{
	static const struct child_events EVENTS = { on_output, on_output, on_end };
	const char *const argv[] = { program,
				     "--unshare-user",
				     "--unshare-pid",
				     "--unshare-net",
				     "--unshare-ipc",
				     "--die-with-parent",
				     "--ro-bind",
				     "/",
				     "/",
				     "--proc",
				     "/proc",
				     "--dev",
				     "/dev",
				     "--",
				     "/bin/true",
				     NULL };
	struct loop_timer *bound = loop_timer_new(t->loop, on_bound, t);
	struct child *child;
	int rc = child_start(t->loop, &(struct child_spec){ .argv = argv, .extra_fd = -1 }, &EVENTS,
			     t, &child, e);

	if (rc == 0) {
		loop_timer_set(bound, BOUND_MS);
		loop_run(t->loop);
		child_free(&child);
	}
	loop_timer_free(&bound);
	return rc;
}

static void
judge(struct doctor_report *r, const struct trial *t)
{
	static const char ADVICE[] =
		"until it works tools are refused: let this user make namespaces (a container "
		"must be allowed to), or set sandbox mode off in an environment whose tools need "
		"none";
	struct str said = str_trim(buf_str(&t->said));

	if (!t->ended)
		doctor_report_add(r, DOCTOR_WARN, "sandbox", ADVICE,
				  "bubblewrap does not answer within %d s", BOUND_MS / 1000);
	else if (t->code != 0)
		doctor_report_add(r, DOCTOR_WARN, "sandbox", ADVICE,
				  "bubblewrap cannot isolate here: " STR_FMT, STR_ARG(said));
	else
		doctor_report_ok(r, "sandbox", "bubblewrap keeps tools apart from this machine");
}

void
doctor_sandbox(struct doctor_report *r, const char *program)
{
	struct trial t = { .loop = loop_new() };
	struct err e;

	buf_init(&t.said, SAID_MAX);
	if (run(&t, program, &e) != 0)
		doctor_report_add(r, DOCTOR_WARN, "sandbox",
				  "apt install bubblewrap; until then tools are refused", "%s",
				  e.text);
	else
		judge(r, &t);
	buf_release(&t.said);
	loop_free(&t.loop);
}
