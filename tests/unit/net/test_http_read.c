#include "net/http_read.h"

#include <unistd.h>

#include "http_probe.h"

static struct probe probe;

static struct str
post(int fd, const char *path, const char *header, struct str body, const char *until)
{
	struct buf text;
	struct str got;

	buf_init(&text, 64 * 1024 * 1024);
	buf_printf(&text, "POST %s HTTP/1.1\r\nHost: x\r\n%s\r\n", path, header);
	buf_put_str(&text, body);
	probe_send(fd, buf_str(&text));
	buf_release(&text);
	got = probe_read(fd, until, NULL);
	return got;
}

static struct str
make_text(struct buf *out, size_t len)
{
	buf_init(out, len + 64);
	while (out->len < len)
		buf_putc(out, (char)('a' + out->len % 26));
	buf_puts(out, ".end");
	return buf_str(out);
}

static const struct row {
	const char *name;
	const char *path;
	size_t bytes;
} ROWS[] = {
	{ "a small body", "/echo", 100 },
	{ "a body of many reads", "/echo", 300 * 1024 },
	{ "a body near the limit", "/echo", 8 * 1024 * 1024 - 100 },
	{ "a body that is asked for later", "/ask-late", 300 * 1024 },
};

static void
arrives_with_its_length(void **state)
{
	const struct row *row = *state;
	int fd = probe_connect(&probe);
	struct buf body;
	struct str text = make_text(&body, row->bytes), got;
	char header[64];

	snprintf(header, sizeof header, "Content-Length: %zu\r\n", text.len);
	got = post(fd, row->path, header, text, ".end");
	assert_int_equal(probe_status(got, 0), 200);
	assert_true(str_ends(got, text));
	assert_true(probe_is_alive(fd));
	buf_release(&body);
	close(fd);
}

static void
arrives_in_chunks(void **state)
{
	const struct row *row = *state;
	int fd = probe_connect(&probe);
	struct buf body, chunked;
	struct str text = make_text(&body, row->bytes), got;

	buf_init(&chunked, 64 * 1024 * 1024);
	for (size_t at = 0, size = 1; at < text.len; at += size, size = size * 3 % 70001 + 1) {
		struct str part = str_slice(text, at, at + size);
		buf_printf(&chunked, "%zx\r\n" STR_FMT "\r\n", part.len, STR_ARG(part));
	}
	buf_puts(&chunked, "0\r\n\r\n");
	got = post(fd, row->path, "Transfer-Encoding: chunked\r\n", buf_str(&chunked), ".end");
	assert_true(str_ends(got, text));
	assert_true(probe_is_alive(fd));
	buf_release(&body);
	buf_release(&chunked);
	close(fd);
}

/* Larger than what a whole body may be, and held back after every piece. */
static void
pieces_arrive_all(void **state)
{
	int fd = probe_connect(&probe);
	struct buf body;
	struct str text = make_text(&body, 9 * 1024 * 1024);
	char header[64], want[32];

	(void)state;
	snprintf(header, sizeof header, "Content-Length: %zu\r\n", text.len);
	snprintf(want, sizeof want, "\r\n\r\n%zu", text.len);
	assert_true(str_ends(post(fd, "/pieces", header, text, want), str_of(want)));
	assert_true(probe_is_alive(fd));
	buf_release(&body);
	close(fd);
}

static void
client_is_told_to_continue(void **state)
{
	int fd = probe_connect(&probe);
	struct str got = post(fd, "/echo", "Expect: 100-continue\r\nContent-Length: 5\r\n", STR(""),
			      "\r\n\r\n");

	(void)state;
	check_str("interim answer", got, STR("HTTP/1.1 100 Continue\r\n\r\n"));
	probe_send(fd, STR("hello"));
	got = probe_read(fd, "hello", NULL);
	assert_int_equal(probe_status(got, 0), 200);
	assert_true(probe_is_alive(fd));
	close(fd);
}

/* Whether such a client sends its body after all is not known: the connection ends. */
static void
refused_expectation_closes(void **state)
{
	int fd = probe_connect(&probe);
	struct str got;

	(void)state;
	probe_send(fd, STR("POST /other HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n"
			   "Content-Length: 5\r\n\r\n"));
	got = probe_read_all(fd);
	assert_int_equal(probe_status(got, 0), 200);
	assert_false(str_contains(got, STR("100 Continue")));
	close(fd);
}

/* The client pushes 20 MB before it reads: the answer must not get lost in a reset. */
static void
refusal_reaches_a_client_that_only_talks(void **state)
{
	int fd = probe_connect(&probe);
	struct buf body;
	struct str text = make_text(&body, 20 * 1024 * 1024), got;

	(void)state;
	probe_send(fd, STR("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n"));
	probe_send(fd, text);
	got = probe_read(fd, "\r\n\r\n", NULL);
	assert_int_equal(probe_status(got, 0), 413);
	buf_release(&body);
	close(fd);
}

static void
long_unwanted_body_closes(void **state)
{
	struct buf chunks;
	int fd = probe_connect(&probe);
	struct str got;

	(void)state;
	buf_init(&chunks, 1 << 20);
	for (int i = 0; i < 500; i++) {
		buf_puts(&chunks, "400\r\n");
		for (int k = 0; k < 1024; k++)
			buf_putc(&chunks, 'x');
		buf_puts(&chunks, "\r\n");
	}
	probe_send(fd,
		   STR("POST /other HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"));
	probe_send(fd, buf_str(&chunks));
	got = probe_read_all(fd);
	assert_int_equal(probe_status(got, 0), 200);
	buf_release(&chunks);
	close(fd);
}

int
main(void)
{
	struct suite s = { 0 };
	int failed;

	probe_init(&probe);
	probe_start(&probe);
	SUITE_ROWS(&s, ROWS, arrives_with_its_length);
	SUITE_ROWS(&s, ROWS, arrives_in_chunks);
	SUITE_TEST(&s, pieces_arrive_all);
	SUITE_TEST(&s, client_is_told_to_continue);
	SUITE_TEST(&s, refused_expectation_closes);
	SUITE_TEST(&s, refusal_reaches_a_client_that_only_talks);
	SUITE_TEST(&s, long_unwanted_body_closes);
	failed = suite_run(&s, "net/http_read");
	probe_stop(&probe);
	return failed;
}
