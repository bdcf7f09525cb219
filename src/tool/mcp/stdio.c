#include "tool/mcp/stdio.h"

#include <signal.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/utf8.h"
#include "base/xalloc.h"

enum {
	UNSENT_BYTES_MAX = 32 << 20,
	ERROR_LINE_MAX = 1024,
	ERROR_LINES_LOGGED = 200, /* of one process */
	LEAVE_MS = 1000,          /* from the end of its input to the signal that it cannot miss */
};

struct stdio {
	struct transport port;
	struct host *host;
	struct child *child;
	struct host_timer *leave;
	struct host_task task; /* it gave up on the child */
	struct arena arena;
	struct str name;
	struct buf line;   /* of its output, not whole yet */
	struct buf errors; /* the same of its error output */
	char last_error[ERROR_LINE_MAX + 1];
	size_t errors_logged;
	struct mcp_failure failure; /* why it is given up */
	bool leaving, given_up;
};

/* ---- what it says ---- */

/* It is over, for a reason that the child does not know; told later. */
static void
give_up(struct stdio *s, int code, const char *why)
{
	if (s->given_up)
		return;
	s->given_up = true;
	s->failure.kind = code == ERR_TOO_LARGE ? MCP_FAIL_MALFORMED : MCP_FAIL_GONE;
	err_set(&s->failure.err, code, "%s", why);
	host_defer(s->host, &s->task);
}

static void
on_given_up(struct host_task *task)
{
	struct stdio *s = LIST_OWNER(task, struct stdio, task);

	child_free(&s->child);
	s->port.events->on_closed(s->port.ctx, &s->failure);
}

static void
take_line(struct stdio *s, struct str line)
{
	line = str_trim(line);
	if (line.len > 0 && (line.ptr[0] == '{' || line.ptr[0] == '['))
		s->port.events->on_text(s->port.ctx, line, MESSAGE_NO_ID);
	else if (line.len > 0)
		log_write(LOG_DEBUG, "mcp.chatter", LOG_STR("server", s->name),
			  LOG_STR("line", str_slice(line, 0, ERROR_LINE_MAX)));
}

/* Whole lines are looked at where they are; the rest is kept. */
static void
on_output(void *ctx, struct str bytes)
{
	struct stdio *s = ctx;
	struct str line, rest = bytes;

	while (!s->given_up && str_cut(rest, '\n', &line, &rest)) {
		if (s->line.len > 0) {
			buf_put_str(&s->line, line);
			line = buf_str(&s->line);
		}
		if (s->line.overflow || line.len > MESSAGE_BYTES_MAX) {
			give_up(s, ERR_TOO_LARGE, "it wrote a line that is too long");
			return;
		}
		take_line(s, line);
		buf_clear(&s->line);
		line = (struct str){ 0 };
	}
	if (s->given_up)
		return;
	buf_put_str(&s->line, line);
	if (s->line.overflow)
		give_up(s, ERR_TOO_LARGE, "it wrote a line that is too long");
}

static void
take_error_line(struct stdio *s, struct str line)
{
	line = str_trim(line);
	line = str_slice(line, 0, utf8_valid_prefix(str_slice(line, 0, ERROR_LINE_MAX)));
	if (line.len == 0)
		return;
	memcpy(s->last_error, line.ptr, line.len);
	s->last_error[line.len] = '\0';
	if (s->errors_logged++ < ERROR_LINES_LOGGED)
		log_write(LOG_DEBUG, "mcp.stderr", LOG_STR("server", s->name),
			  LOG_STR("line", line));
}

static void
on_errors(void *ctx, struct str bytes)
{
	struct stdio *s = ctx;
	struct str line, rest = bytes;

	while (str_cut(rest, '\n', &line, &rest)) {
		if (s->errors.len < ERROR_LINE_MAX)
			buf_put_str(&s->errors, str_slice(line, 0, ERROR_LINE_MAX));
		take_error_line(s, buf_str(&s->errors));
		buf_clear(&s->errors);
		line = (struct str){ 0 };
	}
	if (s->errors.len < ERROR_LINE_MAX)
		buf_put_str(&s->errors, str_slice(line, 0, ERROR_LINE_MAX));
}

/* ---- its end ---- */

static void
on_exit_told(void *ctx, int code, int signal)
{
	struct stdio *s = ctx;
	const char *said;

	take_error_line(s, buf_str(&s->errors));
	said = s->last_error[0] ? s->last_error : "it said nothing on its error output";
	child_free(&s->child);
	if (s->given_up)
		return; /* its task is on the way */
	s->given_up = true;
	s->failure.kind = MCP_FAIL_GONE;
	if (signal != 0)
		err_set(&s->failure.err, ERR_UNAVAILABLE, "its process was ended by signal %d: %s",
			signal, said);
	else
		err_set(&s->failure.err, ERR_UNAVAILABLE, "its process ended with code %d: %s",
			code, said);
	s->port.events->on_closed(s->port.ctx, &s->failure);
}

static void
on_leave_late(void *ctx)
{
	struct stdio *s = ctx;

	if (s->child)
		child_signal(s->child, SIGKILL);
}

/* ---- the port ---- */

static void
speak(struct transport *t, const struct transport_mode *mode)
{
	(void)t;
	(void)mode; /* every message says it by itself */
}

/* A message is one line; line ends can only stand between its tokens. */
static void
send_text(struct transport *t, const struct transport_out *out)
{
	struct stdio *s = (struct stdio *)t;
	struct str text = out->text;
	struct buf line;

	if (!s->child || s->given_up)
		return;
	buf_init(&line, text.len + 1);
	buf_put_str(&line, text);
	for (size_t i = 0; i < line.len; i++)
		if (line.ptr[i] == '\n' || line.ptr[i] == '\r')
			line.ptr[i] = ' ';
	buf_putc(&line, '\n');
	child_write(s->child, buf_str(&line));
	buf_release(&line);
	if (child_unsent(s->child) > UNSENT_BYTES_MAX)
		give_up(s, ERR_UNAVAILABLE, "it does not read what it is sent");
}

static bool
settle(struct transport *t, int64_t id, bool cancelled)
{
	(void)t;
	(void)id;
	(void)cancelled;
	return false;
}

static void
listen_to(struct transport *t)
{
	(void)t; /* there is one pipe for everything */
}

static void
hang_up(struct transport *t)
{
	struct stdio *s = (struct stdio *)t;

	if (!s->child || s->leaving)
		return;
	s->leaving = true;
	child_close_input(s->child);
	s->host->ops->timer_set(s->leave, LEAVE_MS);
}

static void
stdio_free(struct transport *t)
{
	struct stdio *s = (struct stdio *)t;

	child_free(&s->child);
	list_remove(&s->task.node);
	s->host->ops->timer_free(s->leave);
	buf_release(&s->line);
	buf_release(&s->errors);
	arena_release(&s->arena);
	free(s);
}

int
stdio_new(const struct stdio_config *config, struct transport **out, struct err *e)
{
	static const struct transport_ops OPS = { speak,     send_text, settle,
						  listen_to, hang_up,   stdio_free };
	static const struct child_events EVENTS = { on_output, on_errors, on_exit_told };
	struct stdio *s = xcalloc(1, sizeof *s);
	int rc = child_start(config->loop, &config->spec, &EVENTS, s, &s->child, e);

	if (rc != 0) {
		free(s);
		return rc;
	}
	s->port.ops = &OPS;
	s->host = config->host;
	s->task.fn = on_given_up;
	list_init(&s->task.node);
	s->leave = s->host->ops->timer_new(s->host, on_leave_late, s);
	arena_init(&s->arena);
	s->name = arena_str(&s->arena, config->name);
	buf_init(&s->line, MESSAGE_BYTES_MAX);
	buf_init(&s->errors, 2 * ERROR_LINE_MAX);
	*out = &s->port;
	return 0;
}

int
stdio_pid(const struct transport *t)
{
	const struct stdio *s = (const struct stdio *)t;

	return s->child ? child_pid(s->child) : -1;
}
