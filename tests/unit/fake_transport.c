#include "fake_transport.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "harness.h"

static void
speak(struct transport *t, const struct transport_mode *mode)
{
	((struct fake_transport *)t)->mode = *mode;
}

static void
send_text(struct transport *t, const struct transport_out *out)
{
	struct fake_transport *f = (struct fake_transport *)t;

	if (out->id != MESSAGE_NO_ID)
		f->last_id = out->id;
	buf_put_str(&f->sent, out->text);
	buf_putc(&f->sent, '\n');
}

static bool
settle(struct transport *t, int64_t id, bool cancelled)
{
	struct fake_transport *f = (struct fake_transport *)t;

	*(cancelled ? &f->cancelled : &f->settled) = id;
	return f->cancel_tells;
}

static void
listen_to(struct transport *t)
{
	((struct fake_transport *)t)->listens++;
}

static void
hang_up(struct transport *t)
{
	((struct fake_transport *)t)->hang_ups++;
}

static void
fake_free(struct transport *t)
{
	struct fake_transport *f = (struct fake_transport *)t;

	*f->freed = true;
	buf_release(&f->sent);
	free(f);
}

struct fake_transport *
fake_transport_new(bool *freed)
{
	static const struct transport_ops OPS = { speak,     send_text, settle,
						  listen_to, hang_up,   fake_free };
	struct fake_transport *f = xcalloc(1, sizeof *f);

	f->port.ops = &OPS;
	f->freed = freed;
	*freed = false;
	buf_init(&f->sent, 1 << 20);
	return f;
}

void
fake_transport_say(struct fake_transport *t, const char *text, int64_t came_for)
{
	struct buf said;

	buf_init(&said, 1 << 20);
	for (; *text; text++)
		if (*text == '$')
			buf_put_int(&said, t->last_id);
		else
			buf_putc(&said, *text == '\'' ? '"' : *text);
	t->port.events->on_text(t->port.ctx, buf_str(&said), came_for);
	buf_release(&said);
}

void
fake_transport_fail(struct fake_transport *t, int64_t id, enum mcp_fail kind, const char *why)
{
	struct mcp_failure failure = { .kind = kind };

	err_set(&failure.err, ERR_UNAVAILABLE, "%s", why);
	t->port.events->on_failed(t->port.ctx, id, &failure);
}

void
fake_transport_close(struct fake_transport *t, const char *why)
{
	struct mcp_failure failure = { .kind = MCP_FAIL_GONE };

	err_set(&failure.err, ERR_UNAVAILABLE, "%s", why);
	t->port.events->on_closed(t->port.ctx, &failure);
}

void
fake_transport_check(struct fake_transport *t, const char *want)
{
	for (size_t i = 0; i < t->sent.len; i++)
		if (t->sent.ptr[i] == '"')
			t->sent.ptr[i] = '\'';
	check_str("sent", buf_str(&t->sent), str_of(want));
	buf_clear(&t->sent);
}
