#include "net/ws_frame.h"

#include "harness.h"

static const struct size_row {
	const char *name;
	size_t len;
	struct str head;
} SIZE_ROWS[] = {
	{ "no text", 0, STR("\x81\x00") },
	{ "the longest short length", 125, STR("\x81\x7d") },
	{ "the shortest length of two bytes", 126, STR("\x81\x7e\x00\x7e") },
	{ "the longest length of two bytes", 65535, STR("\x81\x7e\xff\xff") },
	{ "the shortest length of eight bytes", 65536, STR("\x81\x7f\0\0\0\0\0\1\0\0") },
	{ "a length above 16 MiB", 0x1234567, STR("\x81\x7f\0\0\0\0\x01\x23\x45\x67") },
};

static void
size_row_holds(void **state)
{
	const struct size_row *row = *state;
	struct net_bytes *text = net_bytes_new(row->len), *frame;
	struct str got;

	memset(net_bytes_fill(text), 'x', row->len);
	frame = ws_frame_text(net_bytes_data(text));
	got = net_bytes_data(frame);
	assert_int_equal(got.len, row->head.len + row->len);
	assert_memory_equal(got.ptr, row->head.ptr, row->head.len);
	assert_true(str_ends(got, net_bytes_data(text)));
	net_bytes_unref(frame);
	net_bytes_unref(text);
}

/* The same head for a frame that is written in place, behind what stands in the buf already. */
static void
size_row_holds_in_place(void **state)
{
	const struct size_row *row = *state;
	struct buf out;
	size_t at;

	buf_init(&out, 64 * 1024 * 1024);
	buf_puts(&out, "before");
	at = ws_frame_reserve(&out);
	if (row->len > 0)
		memset(buf_extend(&out, row->len), 'x', row->len);
	ws_frame_finish(&out, at, WS_WHOLE);
	assert_int_equal(out.len, 6 + row->head.len + row->len);
	assert_memory_equal(out.ptr, "before", 6);
	assert_memory_equal(out.ptr + 6, row->head.ptr, row->head.len);
	for (size_t i = 6 + row->head.len; i < out.len; i++)
		assert_int_equal(out.ptr[i], 'x');
	buf_release(&out);
}

static void
a_message_may_come_in_two_frames(void **state)
{
	struct buf out;
	size_t at;

	(void)state;
	buf_init(&out, 64);
	at = ws_frame_reserve(&out);
	buf_puts(&out, "Hel");
	ws_frame_finish(&out, at, WS_BEGINNING);
	at = ws_frame_reserve(&out);
	buf_puts(&out, "lo");
	ws_frame_finish(&out, at, WS_END);
	check_str("frames", buf_str(&out), STR("\x01\x03Hel\x80\x02lo"));
	buf_release(&out);
	buf_init(&out, 12); /* less than it takes */
	at = ws_frame_reserve(&out);
	buf_puts(&out, "Hello");
	ws_frame_finish(&out, at, WS_WHOLE);
	assert_true(out.overflow);
	buf_release(&out);
}

#define TEN "0123456789"

static const struct close_row {
	const char *name;
	int code;
	struct str reason, want;
} CLOSE_ROWS[] = {
	{ "a code", 1000, STR(""), STR("\x88\x02\x03\xe8") },
	{ "a code and a reason", 4001, STR("bye"), STR("\x88\x05\x0f\xa1\x62ye") },
	{ "neither", WS_NO_CODE, STR("unsaid"), STR("\x88\x00") },
	{ "a reason that is cut", 1001,
	  STR(TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN "abcdef"),
	  STR("\x88\x7d\x03\xe9" TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN "abc") },
	{ "a reason that is cut at a character", 1001,
	  STR(TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN "ab\xc3\xa9"),
	  STR("\x88\x7c\x03\xe9" TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN "ab") },
};

static void
close_row_holds(void **state)
{
	const struct close_row *row = *state;
	struct net_bytes *frame = ws_frame_close(row->code, row->reason);

	check_str("frame", net_bytes_data(frame), row->want);
	net_bytes_unref(frame);
}

static void
pings_and_pongs_carry_their_payload(void **state)
{
	struct net_bytes *ping = ws_frame_ping((struct str){ 0 }), *pong = ws_frame_pong(STR("hi"));

	(void)state;
	check_str("ping", net_bytes_data(ping), STR("\x89\x00"));
	check_str("pong", net_bytes_data(pong), STR("\x8a\x02hi"));
	net_bytes_unref(ping);
	net_bytes_unref(pong);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, SIZE_ROWS, size_row_holds);
	SUITE_ROWS(&s, SIZE_ROWS, size_row_holds_in_place);
	SUITE_TEST(&s, a_message_may_come_in_two_frames);
	SUITE_ROWS(&s, CLOSE_ROWS, close_row_holds);
	SUITE_TEST(&s, pings_and_pongs_carry_their_payload);
	return suite_run(&s, "net/ws_frame");
}
