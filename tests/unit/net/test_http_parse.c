#include "net/http_parse.h"

#include "base/buf.h"
#include "base/rand.h"
#include "base/xalloc.h"
#include "harness.h"

static const struct http_parse_limits LIMITS = { 16 * 1024, 100 };

struct outcome {
	unsigned requests; /* complete ones */
	int status;        /* 0: nothing was refused */
	const char *reason;
	struct buf text; /* method, target, headers and body of all, for comparison */
};

static bool
take_body(void *context, const char *ptr, size_t len)
{
	buf_put(context, ptr, len);
	return true;
}

static void
write_head(struct buf *out, const struct http_head *head)
{
	buf_printf(out, "\n" STR_FMT " [" STR_FMT "|" STR_FMT "] length=%lld keep=%d\n",
		   STR_ARG(head->method), STR_ARG(head->path), STR_ARG(head->query),
		   (long long)head->content_length, head->keep_alive);
	for (size_t i = 0; i < head->header_count; i++)
		buf_printf(out, STR_FMT "=" STR_FMT "\n", STR_ARG(head->headers[i].name),
			   STR_ARG(head->headers[i].value));
}

/* Feeds input in pieces of at most `step` bytes and writes down what comes out. */
static void
run_parser(const struct http_parse_limits *limits, struct str input, size_t step,
	   struct outcome *out)
{
	struct http_parse p;
	struct http_head head;
	struct arena a;
	enum http_parse_step said = HTTP_PARSE_MORE;

	*out = (struct outcome){ 0 };
	buf_init(&out->text, 1024 * 1024);
	arena_init(&a);
	http_parse_init(&p, limits);
	p.on_body = take_body;
	p.context = &out->text;
	http_parse_begin(&p, &a);
	while ((input.len > 0 || said == HTTP_PARSE_HEAD) && said != HTTP_PARSE_BAD) {
		size_t used;

		said = http_parse_feed(&p, str_slice(input, 0, step), &used, &head);
		input = str_slice(input, used, input.len);
		if (said == HTTP_PARSE_HEAD)
			write_head(&out->text, &head);
		if (said == HTTP_PARSE_DONE) {
			out->requests++;
			arena_reset(&a);
			http_parse_begin(&p, &a);
		}
	}
	out->status = p.status;
	out->reason = p.reason;
	arena_release(&a);
}

#define LINE "GET /a?b=c HTTP/1.1\r\n"
#define HOST "Host: x\r\n"
#define POST "POST / HTTP/1.1\r\n" HOST

static const struct row {
	const char *name;
	const char *input;
	int status;
	unsigned requests;
} ROWS[] = {
	{ "a plain request", LINE HOST "\r\n", 0, 1 },
	{ "two in a row", LINE HOST "\r\n" LINE HOST "\r\n", 0, 2 },
	{ "an empty header value", LINE HOST "X:\r\nY: \r\nZ: z\r\n\r\n", 0, 1 },
	{ "a blank line before the request", "\r\n" LINE HOST "\r\n", 0, 1 },
	{ "a body with its length", POST "Content-Length: 5\r\n\r\nhello", 0, 1 },
	{ "a body of no bytes", POST "Content-Length: 0\r\n\r\n", 0, 1 },
	{ "a chunked body",
	  POST "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", 0, 1 },
	{ "chunked in capitals", POST "Transfer-Encoding: CHUNKED\r\n\r\n0\r\n\r\n", 0, 1 },
	{ "a chunk with an extension",
	  POST "Transfer-Encoding: chunked\r\n\r\n1;a=b\r\nx\r\n0\r\n\r\n", 0, 1 },
	{ "a trailer is read past", POST "Transfer-Encoding: chunked\r\n\r\n0\r\nX: y\r\n\r\n", 0,
	  1 },
	{ "HTTP/1.0 needs no Host", "GET / HTTP/1.0\r\n\r\n", 0, 1 },
	{ "OPTIONS of the server", "OPTIONS * HTTP/1.1\r\n" HOST "\r\n", 0, 1 },
	{ "an upgrade is not followed", LINE HOST "Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n", 0,
	  1 },
	{ "an upgrade with a body",
	  POST "Connection: Upgrade\r\nUpgrade: websocket\r\nContent-Length: 2\r\n\r\nhi", 0, 1 },
	{ "an expectation", POST "Expect: 100-Continue\r\nContent-Length: 1\r\n\r\nx", 0, 1 },

	{ "two lengths", POST "Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello", 400, 0 },
	{ "two lengths that differ", POST "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
	  400, 0 },
	{ "a list of lengths", POST "Content-Length: 5, 5\r\n\r\nhello", 400, 0 },
	{ "a signed length", POST "Content-Length: +5\r\n\r\nhello", 400, 0 },
	{ "a negative length", POST "Content-Length: -1\r\n\r\n", 400, 0 },
	{ "a hexadecimal length", POST "Content-Length: 0x5\r\n\r\nhello", 400, 0 },
	{ "a length beyond 64 bits", POST "Content-Length: 18446744073709551616\r\n\r\n", 400, 0 },
	{ "a length beyond 63 bits", POST "Content-Length: 18446744073709551615\r\n\r\n", 413, 0 },
	{ "a length with a space inside", POST "Content-Length: 1 1\r\n\r\nhello", 400, 0 },
	{ "length and chunked",
	  POST "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400, 0 },
	{ "chunked and length",
	  POST "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n", 400, 0 },
	{ "a coding besides chunked", POST "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 400,
	  0 },
	{ "chunked not last", POST "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n", 400,
	  0 },
	{ "chunked twice", POST "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n", 400, 0 },
	{ "two codings headers",
	  POST "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400,
	  0 },
	{ "an obscured coding", POST "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", 400, 0 },
	{ "a coding with a vertical tab", POST "Transfer-Encoding: \vchunked\r\n\r\n0\r\n\r\n", 400,
	  0 },
	{ "an identity coding", POST "Transfer-Encoding: identity\r\n\r\n", 400, 0 },
	{ "chunked in HTTP/1.0",
	  "POST / HTTP/1.0\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400, 0 },
	{ "a space in a header name", LINE HOST "X y: z\r\n\r\n", 400, 0 },
	{ "a space before the colon", POST "Content-Length : 5\r\n\r\nhello", 400, 0 },
	{ "a tab before the colon", LINE HOST "X\t: z\r\n\r\n", 400, 0 },
	{ "an empty header name", LINE HOST ": z\r\n\r\n", 400, 0 },
	{ "a header without a colon", LINE HOST "X\r\n\r\n", 400, 0 },
	{ "a folded header", LINE HOST "X: a\r\n b\r\n\r\n", 400, 0 },
	{ "a header folded with a tab", LINE HOST "X: a\r\n\tb\r\n\r\n", 400, 0 },
	{ "a folded header without a first line", LINE HOST "X:\r\n b\r\n\r\n", 400, 0 },
	{ "a blank before the first header", LINE " Host: x\r\n\r\n", 400, 0 },
	{ "bare line feeds", "GET / HTTP/1.1\nHost: x\n\n", 400, 0 },
	{ "one bare line feed in the headers", LINE "Host: x\nX: y\r\n\r\n", 400, 0 },
	{ "a bare carriage return", LINE "Host: x\rX: y\r\n\r\n", 400, 0 },
	{ "a header behind a bare carriage return", POST "X: x\rContent-Length: 23\r\n\r\n", 400,
	  0 },
	{ "an empty header and a bare carriage return", POST "X:\rContent-Length: 23\r\n\r\n", 400,
	  0 },
	{ "a bare line feed ends the headers", LINE HOST "\n", 400, 0 },
	{ "a bare carriage return ends the request line", "GET / HTTP/1.1\rHost: x\r\n\r\n", 400,
	  0 },
	{ "a control byte in a value", LINE HOST "X: a\001b\r\n\r\n", 400, 0 },
	{ "chunk data without its line end", POST "Transfer-Encoding: chunked\r\n\r\n3\r\nabcX\r\n",
	  400, 0 },
	{ "a chunk size that is no number", POST "Transfer-Encoding: chunked\r\n\r\nzz\r\n", 400,
	  0 },
	{ "a chunk size with a blank", POST "Transfer-Encoding: chunked\r\n\r\n3 \r\nabc\r\n", 400,
	  0 },
	{ "a chunk size with a bare line feed", POST "Transfer-Encoding: chunked\r\n\r\n3\nabc\r\n",
	  400, 0 },
	{ "a negative chunk size", POST "Transfer-Encoding: chunked\r\n\r\n-1\r\n", 400, 0 },
	{ "a chunk size beyond 64 bits",
	  POST "Transfer-Encoding: chunked\r\n\r\n10000000000000000\r\n", 400, 0 },
	{ "no Host", "GET / HTTP/1.1\r\n\r\n", 400, 0 },
	{ "two Hosts", LINE HOST HOST "\r\n", 400, 0 },
	{ "a high byte in the target", "GET /\xc3\xa9 HTTP/1.1\r\n" HOST "\r\n", 400, 0 },
	{ "a control byte in the target", "GET /\001 HTTP/1.1\r\n" HOST "\r\n", 400, 0 },
	{ "a space in the target", "GET /a b HTTP/1.1\r\n" HOST "\r\n", 400, 0 },
	{ "an absolute target", "GET http://x/a HTTP/1.1\r\n" HOST "\r\n", 400, 0 },
	{ "a target without a slash", "GET a HTTP/1.1\r\n" HOST "\r\n", 400, 0 },
	{ "a fragment", "GET /a#b HTTP/1.1\r\n" HOST "\r\n", 400, 0 },
	{ "a star for another method", "GET * HTTP/1.1\r\n" HOST "\r\n", 400, 0 },
	{ "CONNECT", "CONNECT x:80 HTTP/1.1\r\n" HOST "\r\n", 400, 0 },
	{ "an unknown method", "FROB / HTTP/1.1\r\n" HOST "\r\n", 400, 0 },
	{ "a method in small letters", "get / HTTP/1.1\r\n" HOST "\r\n", 400, 0 },
	{ "HTTP/2.0", "GET / HTTP/2.0\r\n" HOST "\r\n", 400, 0 },
	{ "HTTP/0.9", "GET / HTTP/0.9\r\n" HOST "\r\n", 400, 0 },
	{ "HTTP/1.2", "GET / HTTP/1.2\r\n" HOST "\r\n", 400, 0 },
	{ "no version", "GET /\r\n" HOST "\r\n", 400, 0 },
	{ "the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, 0 },
	{ "TLS on a plain port", "\x16\x03\x01\x02\x01\x03", 400, 0 },
	{ "another expectation", POST "Expect: 200-ok\r\nContent-Length: 1\r\n\r\nx", 417, 0 },
};

static void
row_holds(void **state)
{
	const struct row *row = *state;
	struct outcome whole, piecewise;

	run_parser(&LIMITS, str_of(row->input), SIZE_MAX, &whole);
	if (whole.status != row->status || whole.requests != row->requests)
		fail_msg("got %d (%s) after %u requests, want %d after %u", whole.status,
			 whole.reason ? whole.reason : "", whole.requests, row->status,
			 row->requests);
	if (row->status != 0 && (!whole.reason || !*whole.reason))
		fail_msg("no reason given");
	for (size_t step = 1; step < 8; step++) {
		run_parser(&LIMITS, str_of(row->input), step, &piecewise);
		assert_int_equal(piecewise.status, whole.status);
		assert_int_equal(piecewise.requests, whole.requests);
		if (row->status == 0)
			check_str("in pieces", buf_str(&piecewise.text), buf_str(&whole.text));
		buf_release(&piecewise.text);
	}
	buf_release(&whole.text);
}

static void
head_is_read_whole(void **state)
{
	struct outcome o;

	(void)state;
	run_parser(
		&LIMITS,
		STR("PATCH /p%20q?x=1&y=2 HTTP/1.1\r\nHOST: h\r\nX-Name:  padded \t\r\nEmpty:\r\n"
		    "Connection: close\r\nContent-Length: 2\r\n\r\nhi"),
		SIZE_MAX, &o);
	check_str("head and body", buf_str(&o.text),
		  STR("\nPATCH [/p%20q|x=1&y=2] length=2 keep=0\nhost=h\nx-name=padded\nempty=\n"
		      "connection=close\ncontent-length=2\nhi"));
	buf_release(&o.text);
}

/* A request whose head has exactly `bytes` bytes. */
static void
make_head(struct buf *out, size_t bytes, bool in_target)
{
	const char *before = in_target ? "GET /" : "GET / HTTP/1.1\r\nHost: x\r\nX: ";
	const char *after = in_target ? " HTTP/1.1\r\nHost: x\r\n\r\n" : "\r\n\r\n";

	buf_puts(out, before);
	while (out->len + strlen(after) < bytes)
		buf_putc(out, 'a');
	buf_puts(out, after);
}

static void
head_ends_at_its_limit(void **state)
{
	static const struct {
		size_t bytes;
		bool in_target;
		int status;
	} CASES[] = {
		{ 16384, false, 0 }, { 16385, false, 431 }, { 1000000, false, 431 },
		{ 16384, true, 0 },  { 16385, true, 431 },  { 17000, true, 414 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(CASES); i++) {
		struct buf input;
		struct outcome o;

		buf_init(&input, 2000000);
		make_head(&input, CASES[i].bytes, CASES[i].in_target);
		for (size_t step = 1000; step <= 64000; step *= 4) {
			run_parser(&LIMITS, buf_str(&input), step, &o);
			if (o.status != CASES[i].status)
				fail_msg("case %zu, step %zu: %d", i, step, o.status);
			buf_release(&o.text);
		}
		buf_release(&input);
	}
}

static void
blanks_before_a_value_count(void **state)
{
	struct buf input;
	struct outcome o;

	(void)state;
	buf_init(&input, 100000);
	buf_puts(&input, "GET / HTTP/1.1\r\nHost: x\r\nX:");
	for (int i = 0; i < 20000; i++)
		buf_putc(&input, ' ');
	run_parser(&LIMITS, buf_str(&input), 100, &o);
	assert_int_equal(o.status, 431);
	buf_release(&o.text);
	buf_release(&input);
}

static void
headers_are_counted(void **state)
{
	(void)state;
	for (int count = 99; count <= 101; count++) {
		struct buf input;
		struct outcome o;

		buf_init(&input, 100000);
		buf_puts(&input, "GET / HTTP/1.1\r\nHost: x\r\n");
		for (int i = 1; i < count; i++)
			buf_printf(&input, "X-%d: y\r\n", i);
		buf_puts(&input, "\r\n");
		run_parser(&LIMITS, buf_str(&input), SIZE_MAX, &o);
		assert_int_equal(o.status, count <= 100 ? 0 : 431);
		buf_release(&o.text);
		buf_release(&input);
	}
}

static void
trailers_are_bounded(void **state)
{
	struct buf input;
	struct outcome o;

	(void)state;
	buf_init(&input, 100000);
	buf_puts(&input, POST "Transfer-Encoding: chunked\r\n\r\n0\r\n");
	for (int i = 0; i < 2000; i++)
		buf_printf(&input, "X-%d: yyyyyy\r\n", i);
	buf_puts(&input, "\r\n");
	run_parser(&LIMITS, buf_str(&input), SIZE_MAX, &o);
	assert_int_equal(o.status, 431);
	buf_release(&o.text);
	buf_release(&input);
}

/* Many small chunks are fine; what means nothing may not go on for ever, however it is cut. */
static void
chunk_extensions_are_bounded(void **state)
{
	static const size_t CUTS[] = { 1, 100, SIZE_MAX };
	struct buf input;
	struct outcome o;

	(void)state;
	for (size_t cut = 0; cut < ARRAY_LEN(CUTS); cut++)
		for (int ext = 0; ext <= 40; ext += 40) {
			buf_init(&input, 1000000);
			buf_puts(&input, POST "Transfer-Encoding: chunked\r\n\r\n");
			for (int i = 0; i < 5000; i++)
				buf_printf(&input, "1%s%.*s\r\nx\r\n", ext > 0 ? ";" : "", ext,
					   "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
			buf_puts(&input, "0\r\n\r\n");
			run_parser(&LIMITS, buf_str(&input), CUTS[cut], &o);
			assert_int_equal(o.status, ext > 0 ? 400 : 0);
			buf_release(&o.text);
			buf_release(&input);
		}
}

/* Valid pipelines, mutated: however they are cut, the answer is the same. */
static void
property_cuts_do_not_matter(void **state)
{
	static const char PIPELINE[] =
		LINE HOST "Accept: */*\r\n\r\n" POST
			  "Transfer-Encoding: chunked\r\n\r\n4\r\nwxyz\r\n0\r\n\r\n" POST
			  "Content-Length: 3\r\n\r\nabc" LINE HOST "\r\n";
	static const char BYTES[] = "\r\n \t:0a;%\x80\xff\001GHTC-";

	(void)state;
	for (uint64_t seed = 0; seed < suite_seeds(2000); seed++) {
		char text[sizeof PIPELINE];
		struct outcome whole, cut;
		struct rand r;

		rand_init_seed(&r, seed);
		memcpy(text, PIPELINE, sizeof text);
		for (uint64_t i = rand_below(&r, 3); i > 0; i--)
			text[rand_below(&r, sizeof text - 1)] =
				BYTES[rand_below(&r, sizeof BYTES - 1)];
		run_parser(&LIMITS, (struct str){ text, sizeof text - 1 }, SIZE_MAX, &whole);
		run_parser(&LIMITS, (struct str){ text, sizeof text - 1 },
			   1 + (size_t)rand_below(&r, 20), &cut);
		if (whole.status != cut.status || whole.requests != cut.requests ||
		    (whole.status == 0 && !str_eq(buf_str(&whole.text), buf_str(&cut.text))))
			fail_msg("seed %llu", (unsigned long long)seed);
		buf_release(&whole.text);
		buf_release(&cut.text);
	}
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, row_holds);
	SUITE_TEST(&s, head_is_read_whole);
	SUITE_TEST(&s, head_ends_at_its_limit);
	SUITE_TEST(&s, blanks_before_a_value_count);
	SUITE_TEST(&s, headers_are_counted);
	SUITE_TEST(&s, trailers_are_bounded);
	SUITE_TEST(&s, chunk_extensions_are_bounded);
	SUITE_TEST(&s, property_cuts_do_not_matter);
	return suite_run(&s, "net/http_parse");
}
