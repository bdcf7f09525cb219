#include "net/child.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <uv.h>

#include "base/close_on_exec.h"
#include "base/xalloc.h"

enum {
	READ_BYTES = 64 * 1024,
	LINGER_MS =
		250, /* so long without a word, and pipes of a child that is gone are given up */
	LINGERS_MAX = 8, /* so often with one: what the child said itself has been read by then */
	FDS = 4,
	END_MS = 12 * 1000, /* for one that ends all it started */
};

enum { PIPE_INPUT, PIPE_OUTPUT, PIPE_ERRORS, PIPES };

struct child {
	struct loop *loop;
	struct child_events events; /* all NULL: it was freed */
	void *ctx;
	uv_process_t process;
	uv_pipe_t pipes[PIPES];
	bool ended[PIPES]; /* nothing is read from it, or written to it, any more */
	struct loop_timer *linger;
	unsigned handles; /* that libuv knows: the memory goes with the last of them */
	bool exited, freed, told, ends_all;
	bool paused, said; /* said: something, since the timer was set */
	int lingers;       /* since it exited, without those while it was paused */
	int code, signal;
	char *buffer; /* what is being read; made when something is */
};

static void
on_closed(uv_handle_t *handle)
{
	struct child *c = handle->data;

	if (--c->handles > 0)
		return;
	free(c->buffer);
	free(c);
}

static void
close_handle(uv_handle_t *handle)
{
	if (!uv_is_closing(handle))
		uv_close(handle, on_closed);
}

/* ---- its end ---- */

void
child_signal(struct child *c, int signal)
{
	if (!c->exited)
		kill(-c->process.pid, signal);
}

/* The last event; the handles stay until the owner frees it. */
static void
tell_exit(struct child *c)
{
	if (c->told || c->freed)
		return;
	c->told = true;
	c->events.on_exit(c->ctx, c->code, c->signal);
}

static void
tell_when_over(struct child *c)
{
	if (c->exited && c->ended[PIPE_OUTPUT] && c->ended[PIPE_ERRORS])
		tell_exit(c);
}

static void
on_linger_over(void *ctx)
{
	struct child *c = ctx;

	if (c->freed) {
		child_signal(c, SIGKILL); /* it was asked, and did not end */
		return;
	}
	c->lingers += !c->paused;
	if (!c->paused && (!c->said || c->lingers == LINGERS_MAX)) {
		tell_exit(c);
		return;
	}
	c->said = false;
	loop_timer_set(c->linger, LINGER_MS);
}

static void
on_process_exit(uv_process_t *process, int64_t code, int signal)
{
	struct child *c = process->data;

	kill(-c->process.pid, SIGKILL); /* whom it left behind: its number is not yet another's */
	c->exited = true;
	c->code = (int)code;
	c->signal = signal;
	if (c->freed) {
		loop_timer_free(&c->linger);
		close_handle((uv_handle_t *)&c->process);
		return;
	}
	c->said = true; /* what it said last may still be unread */
	loop_timer_set(c->linger, LINGER_MS);
	tell_when_over(c);
}

/* ---- what it says ---- */

static void
on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *out)
{
	struct child *c = handle->data;

	(void)suggested;
	if (!c->buffer)
		c->buffer = xmalloc(READ_BYTES);
	*out = uv_buf_init(c->buffer, READ_BYTES);
}

static void
on_read(uv_stream_t *stream, ssize_t got, const uv_buf_t *buf)
{
	struct child *c = stream->data;
	bool errors = stream == (uv_stream_t *)&c->pipes[PIPE_ERRORS];

	if (c->freed || c->told || got == 0)
		return;
	if (got > 0) {
		struct str bytes = { buf->base, (size_t)got };

		c->said = true;
		if (errors)
			c->events.on_errors(c->ctx, bytes);
		else
			c->events.on_output(c->ctx, bytes);
		return;
	}
	uv_read_stop(stream);
	c->ended[errors ? PIPE_ERRORS : PIPE_OUTPUT] = true;
	tell_when_over(c);
}

void
child_pause(struct child *c, bool paused)
{
	c->paused = paused;
	for (int i = PIPE_OUTPUT; i <= PIPE_ERRORS; i++) {
		uv_stream_t *stream = (uv_stream_t *)&c->pipes[i];

		if (c->ended[i])
			continue;
		if (paused)
			uv_read_stop(stream);
		else
			uv_read_start(stream, on_alloc, on_read);
	}
}

/* ---- what it is told ---- */

static void
on_written(uv_write_t *write, int status)
{
	(void)status; /* a child that no longer reads says more by its end */
	free(write);
}

void
child_write(struct child *c, struct str bytes)
{
	uv_write_t *write;
	uv_buf_t buf;

	if (c->ended[PIPE_INPUT] || bytes.len == 0 || bytes.len > UINT_MAX)
		return;
	write = xmalloc(sizeof *write + bytes.len);
	memcpy(write + 1, bytes.ptr, bytes.len);
	buf = uv_buf_init((char *)(write + 1), (unsigned)bytes.len);
	if (uv_write(write, (uv_stream_t *)&c->pipes[PIPE_INPUT], &buf, 1, on_written) != 0)
		free(write);
}

static void
on_input_flushed(uv_shutdown_t *shutdown, int status)
{
	struct child *c = shutdown->data;

	(void)status;
	close_handle((uv_handle_t *)&c->pipes[PIPE_INPUT]);
	free(shutdown);
}

void
child_close_input(struct child *c)
{
	uv_shutdown_t *shutdown;

	if (c->ended[PIPE_INPUT])
		return;
	c->ended[PIPE_INPUT] = true;
	shutdown = xcalloc(1, sizeof *shutdown);
	shutdown->data = c;
	if (uv_shutdown(shutdown, (uv_stream_t *)&c->pipes[PIPE_INPUT], on_input_flushed) != 0) {
		close_handle((uv_handle_t *)&c->pipes[PIPE_INPUT]);
		free(shutdown);
	}
}

size_t
child_unsent(const struct child *c)
{
	return c->ended[PIPE_INPUT]
		       ? 0
		       : uv_stream_get_write_queue_size((const uv_stream_t *)&c->pipes[PIPE_INPUT]);
}

int
child_pid(const struct child *c)
{
	return c->process.pid;
}

void
child_free(struct child **out)
{
	struct child *c = *out;

	*out = NULL;
	if (!c)
		return;
	child_signal(c, c->ends_all ? SIGTERM : SIGKILL);
	c->freed = true;
	if (c->ends_all && !c->exited)
		loop_timer_set(c->linger, END_MS);
	else
		loop_timer_free(&c->linger);
	for (int i = 0; i < PIPES; i++)
		close_handle((uv_handle_t *)&c->pipes[i]);
	if (c->exited)
		close_handle((uv_handle_t *)&c->process);
	else
		uv_unref((uv_handle_t *)&c->process); /* closed now it would never be reaped */
}

/* ---- its start ---- */

/* libuv would look it up in the child's PATH, which may be none. */
int
child_find(const char *name, char path[CHILD_PATH_BYTES], struct err *e)
{
	const char *at = getenv("PATH");

	if (strchr(name, '/') && snprintf(path, CHILD_PATH_BYTES, "%s", name) < CHILD_PATH_BYTES)
		return 0;
	if (!at)
		at = "/usr/local/bin:/usr/bin:/bin";
	while (*at) {
		size_t len = strcspn(at, ":");

		if (len > 0 &&
		    snprintf(path, CHILD_PATH_BYTES, "%.*s/%s", (int)len, at, name) <
			    CHILD_PATH_BYTES &&
		    access(path, X_OK) == 0)
			return 0;
		at += len + (at[len] == ':');
	}
	return err_set(e, ERR_NOT_FOUND, "there is no program %s in PATH", name);
}

static int
spawn(struct child *c, const struct child_spec *spec, const char *path)
{
	static const char *const NO_ENV[] = { NULL };
	const char *const *env = spec->env ? spec->env : NO_ENV;
	uv_stdio_container_t stdio[FDS] = { 0 };
	uv_process_options_t options = {
		.exit_cb = on_process_exit,
		.file = path,
		/* libuv does not write through these, its type only says so */
		.args = (char **)(uintptr_t)spec->argv,
		.env = (char **)(uintptr_t)env,
		.cwd = spec->directory,
		.flags = UV_PROCESS_DETACHED,
		.stdio = stdio,
		.stdio_count = spec->extra_fd >= 0 ? FDS : PIPES,
	};

	for (int i = 0; i < PIPES; i++) {
		stdio[i].flags =
			UV_CREATE_PIPE | (i == PIPE_INPUT ? UV_READABLE_PIPE : UV_WRITABLE_PIPE);
		stdio[i].data.stream = (uv_stream_t *)&c->pipes[i];
	}
	if (spec->extra_fd >= 0) {
		stdio[PIPES].flags = UV_INHERIT_FD;
		stdio[PIPES].data.fd = spec->extra_fd;
	}
	close_on_exec_from(STDERR_FILENO + 1); /* what it is to have libuv gives it */
	return uv_spawn(loop_uv(c->loop), &c->process, &options);
}

int
child_start(struct loop *l, const struct child_spec *spec, const struct child_events *events,
	    void *ctx, struct child **out, struct err *e)
{
	char path[CHILD_PATH_BYTES];
	struct child *c;
	int status;

	*out = NULL;
	if (child_find(spec->argv[0], path, e) != 0)
		return ERR_NOT_FOUND;
	c = xcalloc(1, sizeof *c);
	c->loop = l;
	c->events = *events;
	c->ctx = ctx;
	c->ends_all = spec->ends_all;
	c->linger = loop_timer_new(l, on_linger_over, c);
	c->handles = PIPES + 1;
	for (int i = 0; i < PIPES; i++) {
		uv_pipe_init(loop_uv(l), &c->pipes[i], 0);
		c->pipes[i].data = c;
	}
	c->process.data = c;
	status = spawn(c, spec, path);
	if (status != 0) {
		c->exited = true; /* there is nobody to kill */
		child_free(&c);
		return err_set(e, status == UV_ENOENT ? ERR_NOT_FOUND : ERR_IO,
			       "cannot start %s: %s", path, uv_strerror(status));
	}
	child_pause(c, false);
	*out = c;
	return 0;
}
