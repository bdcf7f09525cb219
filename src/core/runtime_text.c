#include "core/runtime_text.h"

#include "base/json_write.h"
#include "base/timestamp.h"
#include "base/utf8.h"

enum { FOCUS_BYTES = 160 };

static const struct runtime_wake *
next_wake(const struct runtime_facts *f)
{
	for (size_t i = 0; i < f->wake_count; i++)
		if (!f->wakes[i].parked)
			return &f->wakes[i];
	return NULL;
}

static const char *
outcome_name(const struct runtime_facts *f)
{
	return f->outcome == DIRECTIVE_CONTINUE ? "continue" : "sleep";
}

/* The beginning of a long text, cut between characters. */
static struct str
head_of(struct str text, size_t bytes)
{
	return str_slice(text, 0, text.len < bytes ? text.len : utf8_floor(text, bytes));
}

static struct str
excerpt(struct str text)
{
	return head_of(text, RUNTIME_EXCERPT_BYTES);
}

/* ---- for programs ---- */

static void
field_instant(struct jw *w, const char *name, int64_t ms)
{
	char text[TIMESTAMP_TEXT_MAX];

	jw_field_str(w, name, timestamp_format(ms, text));
}

void
runtime_text_checkpoint(const struct runtime_facts *f, struct buf *out)
{
	const struct runtime_wake *next = next_wake(f);
	struct jw w;

	jw_init(&w, out);
	jw_object(&w);
	jw_field_int(&w, "version", RUNTIME_TEXT_VERSION);
	jw_field_str(&w, "session_id", f->session);
	jw_field_str(&w, "agent_id", f->agent);
	field_instant(&w, "updated_at", f->now_ms);
	jw_field_str(&w, "last_turn_id", f->turn);
	jw_field_int(&w, "last_seq", f->head_seq);
	jw_field_str(&w, "stop_reason", str_of(stop_kind_name(f->stop)));
	jw_field_str(&w, "last_outcome", str_of(outcome_name(f)));
	jw_field_int(&w, "consecutive_continues", f->continues);
	jw_field_array(&w, "last_wake_ids");
	for (size_t i = 0; i < f->started_by.len; i++)
		jw_str(&w, f->started_by.ptr[i]);
	jw_end_array(&w);
	if (next)
		field_instant(&w, "next_wake_at", next->due_ms);
	else
		jw_field_null(&w, "next_wake_at");
	jw_field_array(&w, "queued_wakes");
	for (size_t i = 0; i < f->wake_count; i++) {
		jw_object(&w);
		jw_field_str(&w, "id", f->wakes[i].id);
		jw_field_str(&w, "reason", f->wakes[i].reason);
		jw_field_str(&w, "note", f->wakes[i].note);
		field_instant(&w, "due_at", f->wakes[i].due_ms);
		jw_field_bool(&w, "parked", f->wakes[i].parked);
		jw_end_object(&w);
	}
	jw_end_array(&w);
	jw_field_str(&w, "response_message", excerpt(f->response));
	jw_end_object(&w);
	buf_putc(out, '\n');
}

/* ---- for people ---- */

static void
put_instant(struct buf *out, int64_t ms)
{
	char text[TIMESTAMP_TEXT_MAX];

	buf_put_str(out, timestamp_format(ms, text));
}

/* One line: what a model wrote must not look like a heading of ours. */
static void
put_line(struct buf *out, struct str text)
{
	for (size_t i = 0; i < text.len; i++)
		buf_putc(out, text.ptr[i] == '\n' || text.ptr[i] == '\r' ? ' ' : text.ptr[i]);
}

static void
put_wakes(const struct runtime_facts *f, const char *heading, struct buf *out)
{
	if (f->wake_count == 0)
		return;
	buf_printf(out, "\n## %s\n", heading);
	for (size_t i = 0; i < f->wake_count; i++) {
		const struct runtime_wake *w = &f->wakes[i];

		buf_puts(out, "- ");
		put_instant(out, w->due_ms);
		buf_puts(out, ": ");
		put_line(out, w->reason);
		if (w->note.len > 0)
			buf_puts(out, " (");
		put_line(out, w->note);
		buf_printf(out, "%s%s\n", w->note.len > 0 ? ")" : "", w->parked ? ", parked" : "");
	}
}

static void
put_learnings(const struct runtime_facts *f, const char *heading, struct buf *out)
{
	if (f->learning_count == 0)
		return;
	buf_printf(out, "\n## %s\n", heading);
	for (size_t i = 0; i < f->learning_count; i++) {
		buf_puts(out, "- ");
		put_line(out, f->learnings[i].title);
		if (f->learnings[i].detail.len > 0)
			buf_puts(out, ": ");
		put_line(out, f->learnings[i].detail);
		buf_putc(out, '\n');
	}
}

static void
put_response(const struct runtime_facts *f, const char *heading, struct buf *out)
{
	struct str text = excerpt(f->response);

	buf_printf(out, "\n## %s\n", heading);
	if (text.len == 0)
		buf_puts(out, "(none)\n");
	else
		buf_printf(out, STR_FMT "%s\n", STR_ARG(text),
			   text.len < f->response.len ? "\n[...]" : "");
}

void
runtime_text_state(const struct runtime_facts *f, struct buf *out)
{
	const struct runtime_wake *next = next_wake(f);

	buf_printf(out,
		   "# Session state\n- Agent: " STR_FMT "\n- Session: " STR_FMT "\n- Updated: ",
		   STR_ARG(f->agent), STR_ARG(f->session));
	put_instant(out, f->now_ms);
	buf_printf(out,
		   "\n- Model: " STR_FMT "\n- Last turn: " STR_FMT
		   "\n- Stop reason: %s\n- Outcome: %s\n- Consecutive continues: %d\n- Next wake: ",
		   STR_ARG(f->model), STR_ARG(f->turn), stop_kind_name(f->stop), outcome_name(f),
		   f->continues);
	if (next)
		put_instant(out, next->due_ms);
	else
		buf_puts(out, "none");
	buf_printf(out, "\n- Log up to: %lld\n- Queued wakes: %zu\n- New learnings: %zu\n",
		   (long long)f->head_seq, f->wake_count, f->learning_count);
	put_learnings(f, "New learnings", out);
	put_wakes(f, "Queued wakes", out);
	put_response(f, "Latest response", out);
}

static const char *
next_move(const struct runtime_facts *f)
{
	if (next_wake(f))
		return "go on when the next wake is due, or when somebody writes";
	if (f->stop == STOP_BUDGET_REACHED)
		return "wait until the budget is raised";
	if (f->stop == STOP_END_TURN)
		return "wait until somebody writes";
	return "the last turn did not end by itself: see where it stopped before going on";
}

void
runtime_text_buffer(const struct runtime_facts *f, struct buf *out)
{
	buf_puts(out, "# Working buffer\n- Current focus: ");
	if (f->response.len > 0)
		put_line(out, head_of(f->response, FOCUS_BYTES));
	else
		buf_puts(out, "none");
	buf_printf(out, "\n- Suggested next move: %s\n- Stop reason: %s\n- Log up to: %lld\n",
		   next_move(f), stop_kind_name(f->stop), (long long)f->head_seq);
	put_learnings(f, "Reusable learnings", out);
	put_wakes(f, "Revisits", out);
	put_response(f, "Response excerpt", out);
}
