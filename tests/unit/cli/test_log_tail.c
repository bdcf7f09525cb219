#include "cli/log_tail.h"

#include "cli_rig.h"

#define FRAME(seq, type) \
	"id: " seq "\nevent: " type "\ndata: {\"type\":\"" type "\",\"seq\":" seq "}\n\n"
#define HELLO "retry: 1\n\n"

struct follow {
	struct client *client;
	struct buf told;
	const char *until; /* stop once this was told */
	bool done;
	int rc;
};

static void
look(struct follow *f)
{
	if (!f->until || !str_contains(buf_str(&f->told), str_of(f->until)))
		return;
	f->done = true;
	client_stop(f->client);
}

static void
on_event(void *context, struct str type, struct json event)
{
	struct follow *f = context;
	struct json seq;

	buf_put_str(&f->told, type);
	if (json_find(event, STR("seq"), &seq))
		buf_put_str(&f->told, json_raw(seq));
	buf_putc(&f->told, ' ');
	look(f);
}

static void
on_state(void *context, bool connected, const struct err *why)
{
	struct follow *f = context;

	(void)why;
	buf_puts(&f->told, connected ? "(here) " : "(away) ");
	look(f);
}

static void
on_end(void *context, int rc, const struct err *e)
{
	struct follow *f = context;

	(void)e;
	f->rc = rc;
	f->done = true;
	client_stop(f->client);
}

static const struct row {
	const char *name;
	struct rig_step steps[5];
	size_t count;
	int64_t after;
	const char *until, *want;
	int rc;
	int64_t cursor;
	const char *asked; /* of the last request: what must be in it */
} rows[] = {
	{ "A4 goes on where a cut stream was, and tells nothing twice",
	  { { "GET /v1/sessions/cli%3Aa/events/stream?event_deltas%5B%5D=agent.message", RIG_CUT, 0,
	      HELLO FRAME("4", "a") FRAME("5", "b") },
	    { "GET /v1/sessions/cli%3Aa/events/stream", RIG_STREAM, 0,
	      HELLO FRAME("5", "b") FRAME("6", "c") } },
	  2,
	  3,
	  "c6",
	  "a4 b5 (away) (here) c6 ",
	  0,
	  6,
	  "last-event-id: 5\n" },
	{ "A4 a server that ends the stream is asked again",
	  { { "GET ", RIG_ANSWER, 0, FRAME("1", "a") },
	    { "GET ", RIG_STREAM, 0, FRAME("2", "b") } },
	  2,
	  0,
	  "b2",
	  "a1 (away) (here) b2 ",
	  0,
	  2,
	  "last-event-id: 1\n" },
	{ "A4 previews have no place in the log",
	  { { "GET ", RIG_STREAM, 0, FRAME("1", "a") "event: event_delta\ndata: {}\n\n" } },
	  1,
	  0,
	  "event_delta",
	  "a1 event_delta ",
	  0,
	  1,
	  "last-event-id: 0\n" },
	{ "A4 a cursor beyond the head is set back",
	  { { "GET ", RIG_CUT, 0, "event: reset\ndata: {\"type\":\"reset\",\"head\":2}\n\n" },
	    { "GET ", RIG_STREAM, 0, FRAME("3", "c") } },
	  2,
	  9,
	  "c3",
	  "reset (away) (here) c3 ",
	  0,
	  3,
	  "last-event-id: 2\n" },
	{ "A4 from now on",
	  { { "GET ", RIG_STREAM, 0, FRAME("8", "a") } },
	  1,
	  -1,
	  "a8",
	  "a8 ",
	  0,
	  8,
	  "GET " },
	{ "A4 a session that is deleted is over",
	  { { "GET ", RIG_ANSWER, 0, FRAME("1", "session.deleted") } },
	  1,
	  0,
	  NULL,
	  "session.deleted1 ",
	  0,
	  1,
	  "GET " },
	{ "A4 a refusal is final",
	  { { "GET ", RIG_ANSWER, 404, "{\"error\":{\"message\":\"no\"}}" } },
	  1,
	  0,
	  NULL,
	  "",
	  ERR_NOT_FOUND,
	  0,
	  "GET " },
};

static void
test_row(void **state)
{
	const struct row *row = *state;
	struct cli_rig *rig = cli_rig_start(row->steps, row->count);
	struct follow f = { .until = row->until };
	const struct log_tail_events events = { on_event, on_state, on_end, &f };
	struct log_tail *tail;

	buf_init(&f.told, 10000);
	f.client = client_new(cli_rig_place(rig), false);
	tail = log_tail_new(f.client, STR("cli:a"), row->after, true, &events);
	client_run(f.client, &f.done);
	check_str(row->name, buf_str(&f.told), str_of(row->want));
	assert_int_equal(f.rc, row->rc);
	assert_int_equal(log_tail_cursor(tail), row->cursor);
	assert_true(str_contains(cli_rig_asked(rig, row->count - 1), str_of(row->asked)));
	log_tail_free(&tail);
	client_free(&f.client);
	buf_release(&f.told);
	cli_rig_stop(&rig);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, rows, test_row);
	return suite_run(&s, "log_tail");
}
