#include "tool/local/process_table.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "base/xalloc.h"

enum { COMMAND_SHOWN = 200 };

struct process {
	struct list node;
	struct process_table *table;
	struct arena arena;
	struct str id, session, command;
	struct launch *launch; /* NULL: it has ended */
	struct output_keep kept;
	int64_t started_ms, ended_ms;
	struct tool_report report;
	process_begun_fn *begun; /* not told yet */
	void *ctx;
	bool stopping;
};

void
process_table_init(struct process_table *t, struct host *host, struct launches *launches)
{
	*t = (struct process_table){ .host = host, .launches = launches };
	list_init(&t->all);
	rand_init_os(&t->rand);
	id_gen_init(&t->ids, &t->rand);
}

static void
process_free(struct process *p)
{
	list_remove(&p->node);
	launch_leave(&p->launch);
	output_keep_release(&p->kept);
	arena_release(&p->arena);
	free(p);
}

void
process_table_release(struct process_table *t)
{
	list_for_each (at, &t->all)
		process_free(LIST_OWNER(at, struct process, node));
}

/* ---- its life ---- */

static void
tell_begun(struct process *p, const struct tool_report *refused)
{
	process_begun_fn *begun = p->begun;

	p->begun = NULL;
	if (begun)
		begun(p->ctx, p->id, refused);
}

static void
on_started(void *ctx)
{
	tell_begun(ctx, NULL);
}

static void
on_output(void *ctx, struct str bytes)
{
	struct process *p = ctx;

	output_keep_put(&p->kept, bytes);
}

static void
on_dropped(void *ctx, uint64_t bytes)
{
	struct process *p = ctx;

	output_keep_skip(&p->kept, bytes);
}

static void
on_end(void *ctx, const struct tool_report *report)
{
	struct process *p = ctx;

	p->launch = NULL; /* gone with this event */
	p->ended_ms = host_now_ms(p->table->host);
	p->report = *report;
	p->report.text = arena_str(&p->arena, report->text);
	if (p->begun) { /* it never ran: nobody knows its id */
		list_remove(&p->node);
		tell_begun(p, &p->report);
		process_free(p);
	}
}

/* Those that have ended make room, the oldest first. */
static void
make_room(struct process_table *t, struct str session)
{
	size_t mine = 0, ended = 0;

	list_for_each (at, &t->all) {
		struct process *p = LIST_OWNER(at, struct process, node);

		mine += str_eq(p->session, session);
		ended += p->launch == NULL;
	}
	list_for_each (at, &t->all) {
		struct process *p = LIST_OWNER(at, struct process, node);
		bool is_mine = str_eq(p->session, session);

		if (p->launch ||
		    !((is_mine && mine >= PROCESS_SESSION_MAX) || ended > PROCESS_ENDED_MAX))
			continue;
		mine -= is_mine;
		ended--;
		process_free(p);
	}
}

int
process_start(struct process_table *t, const struct process_ask *ask, struct process **out,
	      struct err *e)
{
	static const struct launch_events EVENTS = { on_started, on_output, on_dropped, on_end };
	struct tool_job job = ask->job;
	char id[ID_TEXT_MAX];
	struct process *p;
	int rc;

	if (process_table_busy(t, ask->session) >= PROCESS_SESSION_MAX)
		return err_set(e, ERR_LIMIT,
			       "this session has %d background processes already; end one with "
			       "process_kill",
			       PROCESS_SESSION_MAX);
	make_room(t, ask->session);
	p = xcalloc(1, sizeof *p);
	arena_init(&p->arena);
	list_init(&p->node);
	p->table = t;
	p->started_ms = host_now_ms(t->host);
	p->id = arena_str(&p->arena, id_make(&t->ids, p->started_ms, "proc", id));
	p->session = arena_str(&p->arena, ask->session);
	p->command = arena_str(&p->arena,
			       str_slice(ask->command, 0, utf8_floor(ask->command, COMMAND_SHOWN)));
	p->begun = ask->begun;
	p->ctx = ask->ctx;
	output_keep_init(&p->kept, 0, PROCESS_OUTPUT_BYTES);
	job.background = true;
	job.timeout_ms = PROCESS_MS;
	rc = launch_start(t->launches, &job, &EVENTS, p, &p->launch, e);
	if (rc != 0) {
		process_free(p);
		return rc;
	}
	list_append(&t->all, &p->node);
	*out = p;
	return 0;
}

void
process_forget_begun(struct process *p)
{
	p->begun = NULL;
}

void
process_end(struct process *p)
{
	if (p->launch && !p->stopping) {
		p->stopping = true;
		launch_stop(p->launch);
	}
}

bool
process_waits(const struct process *p)
{
	return p->launch && launch_waits(p->launch);
}

/* ---- a session's ---- */

size_t
process_table_busy(const struct process_table *t, struct str session)
{
	size_t busy = 0;

	list_for_each (at, &t->all) {
		const struct process *p = LIST_OWNER(at, struct process, node);

		busy += p->launch != NULL && str_eq(p->session, session);
	}
	return busy;
}

void
process_table_end_session(struct process_table *t, struct str session)
{
	list_for_each (at, &t->all) {
		struct process *p = LIST_OWNER(at, struct process, node);

		/* One whose start somebody waits for ends with its answer. */
		if (str_eq(p->session, session) && p->begun)
			process_end(p);
		else if (str_eq(p->session, session))
			process_free(p);
	}
}

/* ---- answers ---- */

static void
put_state(const struct process *p, struct buf *out)
{
	if (p->launch) {
		buf_puts(out, p->stopping ? "ending" : "running");
		return;
	}
	switch (p->report.end) {
	case TOOL_END_EXITED:
		buf_printf(out, "ended with exit code %" PRId64 "%s" STR_FMT, p->report.code,
			   p->report.text.len > 0 ? ", " : "", STR_ARG(p->report.text));
		break;
	case TOOL_END_TIMEOUT: buf_puts(out, "ended: its 24 hours were over"); break;
	case TOOL_END_CROWD: buf_puts(out, "ended: it had too many processes"); break;
	case TOOL_END_FULL: buf_printf(out, "ended: " STR_FMT, STR_ARG(p->report.text)); break;
	case TOOL_END_STOPPED:
		buf_printf(out, "ended on request" STR_FMT, STR_ARG(p->report.text));
		break;
	case TOOL_END_REFUSED: buf_puts(out, "not run: "); buf_put_str(out, p->report.text);
	}
}

static void
put_line(const struct process *p, struct buf *out)
{
	int64_t until = p->launch ? host_now_ms(p->table->host) : p->ended_ms;

	buf_printf(out, STR_FMT "  ", STR_ARG(p->id));
	put_state(p, out);
	buf_printf(out,
		   ", %" PRId64 " s, %" PRIu64 " bytes of output: ", (until - p->started_ms) / 1000,
		   p->kept.total);
	for (size_t i = 0; i < p->command.len; i++)
		buf_putc(out, p->command.ptr[i] == '\n' ? ' ' : p->command.ptr[i]);
	buf_putc(out, '\n');
}

void
process_table_list(const struct process_table *t, struct str session, struct buf *out)
{
	bool none = true;

	list_for_each (at, &t->all) {
		const struct process *p = LIST_OWNER(at, struct process, node);

		if (!str_eq(p->session, session) || p->begun)
			continue;
		put_line(p, out);
		none = false;
	}
	if (none)
		buf_puts(out, "[this session has no background processes]\n");
}

static int
get(const struct process_table *t, struct str session, struct str id, struct process **out,
    struct err *e)
{
	list_for_each (at, &t->all) {
		struct process *p = LIST_OWNER(at, struct process, node);

		if (!str_eq(p->session, session) || !str_eq(p->id, id))
			continue;
		*out = p;
		return 0;
	}
	return err_set(e, ERR_NOT_FOUND,
		       "this session has no background process " STR_FMT
		       "; process_list shows those it has",
		       STR_ARG(id));
}

int
process_table_output(const struct process_table *t, struct str session, struct str id,
		     int64_t cursor, struct buf *out, struct err *e)
{
	struct process *p = NULL;
	struct buf raw;
	uint64_t from, asked = cursor < 0 ? 0 : (uint64_t)cursor;
	int rc = get(t, session, id, &p, e);

	if (rc != 0)
		return rc;
	buf_init(&raw, PROCESS_OUTPUT_BYTES);
	from = output_keep_since(&p->kept, asked, &raw);
	if (from > asked)
		buf_printf(out, "[... %" PRIu64 " bytes before this are no longer kept ...]\n",
			   from - asked);
	output_clean(out, buf_str(&raw));
	if (raw.len > 0 && raw.ptr[raw.len - 1] != '\n')
		buf_putc(out, '\n');
	buf_release(&raw);
	buf_puts(out, "[");
	put_state(p, out);
	buf_printf(out, "; cursor %" PRIu64 "]\n", p->kept.total);
	return 0;
}

int
process_table_kill(struct process_table *t, struct str session, struct str id, struct buf *out,
		   struct err *e)
{
	struct process *p = NULL;
	int rc = get(t, session, id, &p, e);

	if (rc != 0)
		return rc;
	if (p->launch) {
		process_end(p);
		buf_printf(out, STR_FMT " is being ended\n", STR_ARG(id));
	} else {
		buf_printf(out, STR_FMT " had ended already\n", STR_ARG(id));
	}
	return 0;
}
