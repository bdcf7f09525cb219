#include "net/sse.h"

#include <unistd.h>

#include "http_probe.h"

static const struct row {
	const char *name;
	struct sse_event event;
	const char *want; /* NULL: refused */
} ROWS[] = {
	{ "a named event",
	  { STR("a.message"), STR("41"), STR("{\"a\":1}"), 0 },
	  "id: 41\nevent: a.message\ndata: {\"a\":1}\n\n" },
	{ "an unnamed event", { { 0 }, { 0 }, STR("x"), 0 }, "data: x\n\n" },
	{ "an empty data line", { STR("ping"), { 0 }, STR(""), 0 }, "event: ping\ndata: \n\n" },
	{ "no data line", { { 0 }, { 0 }, { 0 }, 3000 }, "retry: 3000\n\n" },
	{ "retry beside data", { { 0 }, STR("7"), STR("x"), 10 }, "id: 7\nretry: 10\ndata: x\n\n" },
	{ "two lines", { { 0 }, { 0 }, STR("a\nb"), 0 }, "data: a\ndata: b\n\n" },
	{ "a line end at the end", { { 0 }, { 0 }, STR("a\n"), 0 }, "data: a\ndata: \n\n" },
	{ "all kinds of line ends",
	  { { 0 }, { 0 }, STR("a\r\nb\rc\nd"), 0 },
	  "data: a\ndata: b\ndata: c\ndata: d\n\n" },
	{ "an injected field stays data",
	  { { 0 }, { 0 }, STR("a\nid: 9"), 0 },
	  "data: a\ndata: id: 9\n\n" },
	{ "a line end in the name", { STR("a\nb"), { 0 }, STR("x"), 0 }, NULL },
	{ "a line end in the id", { { 0 }, STR("1\r2"), STR("x"), 0 }, NULL },
	{ "NUL in the id", { { 0 }, STR("1\0002"), STR("x"), 0 }, NULL },
};

static void
row_holds(void **state)
{
	const struct row *row = *state;
	struct net_bytes *frame = NULL;
	struct err e;

	assert_int_equal(sse_frame(&row->event, &frame, &e), row->want ? 0 : ERR_INVALID);
	if (row->want)
		check_str("frame", net_bytes_data(frame), str_of(row->want));
	net_bytes_unref(frame);
}

static void
comment_is_one_line(void **state)
{
	struct net_bytes *b = sse_comment(STR("a\nb"));

	(void)state;
	check_str("comment", net_bytes_data(b), STR(": a b\n\n"));
	net_bytes_unref(b);
}

/* More streams than groups, so that every group has one: each hears a beat, and another. */
static void
A4_quiet_streams_beat(void **state)
{
	enum { STREAMS = 20 };
	struct probe p;
	int fds[STREAMS];

	(void)state;
	probe_init(&p);
	probe_start(&p);
	for (int i = 0; i < STREAMS; i++) {
		fds[i] = probe_connect(&p);
		probe_send(fds[i], STR("GET /sse HTTP/1.1\r\nHost: x\r\n\r\n"));
	}
	for (int i = 0; i < STREAMS; i++) {
		struct str got = probe_read(fds[i], "\r\n: hb\n\n", NULL);
		assert_true(str_contains(got, STR("id: 1\nevent: hello\ndata: {}\n\n")));
		assert_true(str_contains(got, STR(": hb\n\n")));
		assert_true(str_contains(probe_read(fds[i], ": hb\n\n", NULL), STR(": hb\n\n")));
		close(fds[i]);
	}
	probe_wait("their owners to be told", &p.gone, STREAMS);
	probe_stop(&p);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, row_holds);
	SUITE_TEST(&s, comment_is_one_line);
	SUITE_TEST(&s, A4_quiet_streams_beat);
	return suite_run(&s, "net/sse");
}
