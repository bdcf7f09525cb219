#include "net/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "harness.h"

enum { BOUND_MS = 20000, TEXT_MAX = 8 << 20 };

struct watch {
	struct loop *loop;
	struct loop_timer *bound, *later;
	struct child *child;
	struct buf out, err;
	int exits, code, signal;
	bool frees; /* at the first output */
};

static void
on_bound(void *ctx)
{
	(void)ctx;
	fail_msg("not over within %d ms", BOUND_MS);
}

static void
on_output(void *ctx, struct str bytes)
{
	struct watch *w = ctx;

	assert_int_equal(w->exits, 0);
	buf_put_str(&w->out, bytes);
	if (w->frees) {
		child_free(&w->child);
		loop_stop(w->loop);
	}
}

static void
on_errors(void *ctx, struct str bytes)
{
	struct watch *w = ctx;

	assert_int_equal(w->exits, 0);
	buf_put_str(&w->err, bytes);
}

static void
on_exit_told(void *ctx, int code, int signal)
{
	struct watch *w = ctx;

	w->exits++;
	w->code = code;
	w->signal = signal;
	loop_stop(w->loop);
}

static const struct child_events EVENTS = { on_output, on_errors, on_exit_told };

static void
watch_init(struct watch *w)
{
	*w = (struct watch){ .loop = loop_new() };
	buf_init(&w->out, TEXT_MAX);
	buf_init(&w->err, TEXT_MAX);
	w->bound = loop_timer_new(w->loop, on_bound, w);
	loop_timer_set(w->bound, BOUND_MS);
}

static void
watch_release(struct watch *w)
{
	child_free(&w->child);
	loop_timer_free(&w->bound);
	loop_timer_free(&w->later);
	loop_free(&w->loop); /* aborts if anything was left */
	buf_release(&w->out);
	buf_release(&w->err);
}

static void
start(struct watch *w, const char *script)
{
	const char *const argv[] = { "sh", "-c", script, NULL };
	struct err e;

	if (child_start(w->loop,
			&(struct child_spec){ .argv = argv,
					      .env = (const char *const[]){ "PATH=/usr/bin:/bin",
									    "WORD=blue", NULL },
					      .directory = "/tmp",
					      .extra_fd = -1 },
			&EVENTS, w, &w->child, &e) != 0)
		fail_msg("%s", e.text);
}

static bool
is_alive(struct str line)
{
	int64_t pid;

	assert_true(str_to_int(str_trim(line), &pid));
	return kill((pid_t)pid, 0) == 0 || errno != ESRCH;
}

/* Dead, although its new parent, which may take its time, has not reaped it yet. */
static bool
is_a_zombie(struct str line)
{
	char path[64], text[256];
	const char *name_end;
	ssize_t n;
	int fd;

	snprintf(path, sizeof path, "/proc/%.*s/stat", STR_ARG(str_trim(line)));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	if (fd >= 0)
		close(fd);
	text[n < 0 ? 0 : n] = '\0';
	name_end = strrchr(text, ')');
	return name_end && strncmp(name_end, ") Z", 3) == 0;
}

static void
await_death(struct str pid)
{
	bool dead = false;

	for (int i = 0; i < 10000 && !dead; i++) {
		dead = !is_alive(pid) || is_a_zombie(pid);
		usleep(1000);
	}
	assert_true(dead);
}

static void
says_and_ends(void **state)
{
	struct watch w;

	(void)state;
	watch_init(&w);
	start(&w, "echo out; echo err >&2; echo $WORD; pwd; exit 7");
	assert_int_equal(w.exits, 0);
	loop_run(w.loop);
	check_str("out", buf_str(&w.out), STR("out\nblue\n/tmp\n"));
	check_str("err", buf_str(&w.err), STR("err\n"));
	assert_int_equal(w.exits, 1);
	assert_int_equal(w.code, 7);
	assert_int_equal(w.signal, 0);
	watch_release(&w);
}

static void
is_fed(void **state)
{
	struct buf text;
	struct watch w;

	(void)state;
	watch_init(&w);
	buf_init(&text, TEXT_MAX);
	for (int i = 0; i < 300000; i++)
		buf_printf(&text, "%06d ", i);
	start(&w, "cat; echo done >&2");
	child_write(w.child, buf_str(&text));
	child_write(w.child, STR("end"));
	assert_true(child_unsent(w.child) > 1000000);
	child_close_input(w.child);
	child_write(w.child, STR("too late"));
	loop_run(w.loop);
	buf_puts(&text, "end");
	assert_true(str_eq(buf_str(&w.out), buf_str(&text)));
	check_str("err", buf_str(&w.err), STR("done\n"));
	buf_release(&text);
	watch_release(&w);
}

static void
one_that_reads_nothing_may_end(void **state)
{
	struct watch w;

	(void)state;
	watch_init(&w);
	start(&w, "exec <&-; exit 3");
	for (int i = 0; i < 100; i++)
		child_write(w.child, STR("nobody reads this"));
	loop_run(w.loop);
	assert_int_equal(w.code, 3);
	watch_release(&w);
}

static void
signals_reach_its_group(void **state)
{
	struct watch w;

	(void)state;
	watch_init(&w);
	start(&w, "sleep 1000 & echo $!; wait");
	w.frees = false;
	while (w.out.len == 0) {
		loop_settle(w.loop);
		usleep(1000);
	}
	child_signal(w.child, SIGTERM);
	loop_run(w.loop);
	assert_int_equal(w.signal, SIGTERM);
	await_death(buf_str(&w.out));
	child_signal(w.child, SIGTERM); /* nobody is there */
	watch_release(&w);
}

static void
what_it_leaves_behind_is_killed(void **state)
{
	struct watch w;

	(void)state;
	watch_init(&w);
	start(&w, "sleep 1000 & echo $!");
	loop_run(w.loop);
	assert_int_equal(w.code, 0);
	await_death(buf_str(&w.out));
	watch_release(&w);
}

static void
who_left_its_group_does_not_delay_the_end(void **state)
{
	struct watch w;

	(void)state;
	watch_init(&w);
	start(&w, "setsid sleep 2 & echo $!; sleep 0.2");
	loop_run(w.loop);
	assert_int_equal(w.exits, 1);
	watch_release(&w);
}

static void
who_left_its_group_and_talks_on_does_not_delay_the_end(void **state)
{
	struct watch w;

	(void)state;
	watch_init(&w);
	start(&w, "setsid sh -c 'while echo on; do sleep 0.05; done' & sleep 0.2; exit 5");
	loop_run(w.loop);
	assert_int_equal(w.exits, 1);
	assert_int_equal(w.code, 5);
	assert_true(str_starts(buf_str(&w.out), STR("on\non\n")));
	watch_release(&w);
}

static void
freed_it_is_killed_and_silent(void **state)
{
	struct watch w;

	(void)state;
	watch_init(&w);
	w.frees = true;
	start(&w, "trap '' TERM; echo $$; sleep 1000");
	loop_run(w.loop);
	assert_null(w.child);
	assert_int_equal(w.exits, 0);
	loop_settle(w.loop); /* until it is reaped */
	assert_false(is_alive(buf_str(&w.out)));
	watch_release(&w);
}

static void
resume(void *ctx)
{
	struct watch *w = ctx;

	assert_int_equal(w->out.len, 0);
	child_pause(w->child, false);
}

static void
paused_its_output_waits(void **state)
{
	struct watch w;

	(void)state;
	watch_init(&w);
	start(&w, "echo now");
	child_pause(w.child, true);
	w.later = loop_timer_new(w.loop, resume, &w);
	loop_timer_set(w.later, 1200);
	loop_run(w.loop);
	check_str("out", buf_str(&w.out), STR("now\n"));
	watch_release(&w);
}

static void
a_descriptor_goes_along(void **state)
{
	const char *const argv[] = { "sh", "-c", "cat <&3", NULL };
	struct watch w;
	struct err e;
	int fds[2];

	(void)state;
	watch_init(&w);
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	assert_int_equal(write(fds[1], "third", 5), 5);
	close(fds[1]);
	assert_int_equal(child_start(w.loop,
				     &(struct child_spec){ .argv = argv, .extra_fd = fds[0] },
				     &EVENTS, &w, &w.child, &e),
			 0);
	close(fds[0]);
	loop_run(w.loop);
	check_str("out", buf_str(&w.out), STR("third"));
	watch_release(&w);
}

static void
a_program_that_is_not_there_is_named(void **state)
{
	static const char *const NAMES[] = { "no-such-program", "/no/such/program" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(NAMES); i++) {
		const char *const argv[] = { NAMES[i], NULL };
		struct watch w;
		struct err e;

		watch_init(&w);
		assert_int_equal(child_start(w.loop,
					     &(struct child_spec){ .argv = argv, .extra_fd = -1 },
					     &EVENTS, &w, &w.child, &e),
				 ERR_NOT_FOUND);
		assert_non_null(strstr(e.text, NAMES[i]));
		assert_null(w.child);
		watch_release(&w);
	}
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, says_and_ends);
	SUITE_TEST(&s, is_fed);
	SUITE_TEST(&s, one_that_reads_nothing_may_end);
	SUITE_TEST(&s, signals_reach_its_group);
	SUITE_TEST(&s, what_it_leaves_behind_is_killed);
	SUITE_TEST(&s, who_left_its_group_does_not_delay_the_end);
	SUITE_TEST(&s, who_left_its_group_and_talks_on_does_not_delay_the_end);
	SUITE_TEST(&s, freed_it_is_killed_and_silent);
	SUITE_TEST(&s, paused_its_output_waits);
	SUITE_TEST(&s, a_descriptor_goes_along);
	SUITE_TEST(&s, a_program_that_is_not_there_is_named);
	return suite_run(&s, "net/child");
}
