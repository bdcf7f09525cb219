#include "app/check_report.h"

#include "base/buf.h"
#include "base/json_write.h"

enum { LINE_BYTES = 64 * 1024 };

struct problem {
	struct str session;
	int64_t seq;
	const char *what;
	bool differs;
	struct str stored, replayed;
};

static void
write_json(struct buf *line, const struct problem *p)
{
	struct jw w;

	jw_init(&w, line);
	jw_object(&w);
	if (p->session.len > 0)
		jw_field_str(&w, "session_id", p->session);
	if (p->seq > 0)
		jw_field_int(&w, "seq", p->seq);
	jw_field_str(&w, "problem", str_of(p->what));
	if (p->differs) {
		jw_field_str(&w, "stored", p->stored);
		jw_field_str(&w, "replayed", p->replayed);
	}
	jw_end_object(&w);
}

/* Ids and titles come from people: nothing of them may move the cursor or start a new line. */
static void
put_plain(struct buf *line, struct str text)
{
	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char)text.ptr[i];
		if (c < 0x20 || c == 0x7f)
			buf_printf(line, "\\x%02x", c);
		else
			buf_putc(line, text.ptr[i]);
	}
}

static void
write_text(struct buf *line, const struct problem *p)
{
	if (p->session.len > 0) {
		buf_puts(line, "session ");
		put_plain(line, p->session);
	}
	if (p->seq > 0)
		buf_printf(line, "%sseq %lld", line->len > 0 ? " " : "", (long long)p->seq);
	buf_puts(line, line->len > 0 ? ": " : "");
	put_plain(line, str_of(p->what));
	if (!p->differs)
		return;
	buf_puts(line, ": stored '");
	put_plain(line, p->stored);
	buf_puts(line, "', replayed '");
	put_plain(line, p->replayed);
	buf_puts(line, "'");
}

static void
print(struct check_report *r, struct buf *line)
{
	fwrite(line->ptr, 1, line->len, r->out);
	fputc('\n', r->out);
	buf_release(line);
}

static void
report(struct check_report *r, const struct problem *p)
{
	struct buf line;

	r->problems++;
	buf_init(&line, LINE_BYTES);
	if (r->json)
		write_json(&line, p);
	else
		write_text(&line, p);
	print(r, &line);
}

void
check_report_problem(struct check_report *r, struct str session, int64_t seq, const char *what)
{
	report(r, &(struct problem){ .session = session, .seq = seq, .what = what });
}

void
check_report_differs(struct check_report *r, struct str session, int64_t seq, const char *what,
		     struct str stored, struct str replayed)
{
	report(r, &(struct problem){ .session = session,
				     .seq = seq,
				     .what = what,
				     .differs = true,
				     .stored = stored,
				     .replayed = replayed });
}

void
check_report_summary(struct check_report *r)
{
	struct buf line;
	struct jw w;

	buf_init(&line, LINE_BYTES);
	if (r->json) {
		jw_init(&w, &line);
		jw_object(&w);
		jw_field_bool(&w, "ok", r->problems == 0);
		jw_field_int(&w, "sessions", r->sessions);
		jw_field_int(&w, "events", r->events);
		jw_field_int(&w, "problems", r->problems);
		jw_end_object(&w);
	} else {
		buf_printf(&line, "checked %lld sessions, %lld events: ", (long long)r->sessions,
			   (long long)r->events);
		if (r->problems == 0)
			buf_puts(&line, "ok");
		else
			buf_printf(&line, "%lld problem%s", (long long)r->problems,
				   r->problems == 1 ? "" : "s");
	}
	print(r, &line);
}
