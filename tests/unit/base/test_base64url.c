#include "base/base64url.h"

#include <string.h>

#include "harness.h"

static const struct row {
	const char *name, *bytes, *text;
} ROWS[] = {
	{ "base64url of nothing", "", "" },
	{ "base64url of one byte", "f", "Zg" },
	{ "base64url of two bytes", "fo", "Zm8" },
	{ "base64url of three bytes", "foo", "Zm9v" },
	{ "base64url of four bytes", "foob", "Zm9vYg" },
	{ "base64url of what a URL could not hold", "\xfb\xff\xfe", "-__-" },
};

static void
row_holds(void **state)
{
	const struct row *row = *state;
	char text[16];
	unsigned char back[16];
	size_t len = base64url_encode((const unsigned char *)row->bytes, strlen(row->bytes), text);

	check_str(row->name, (struct str){ text, len }, str_of(row->text));
	assert_int_equal(len, BASE64URL_LEN(strlen(row->bytes)));
	assert_true(base64url_decode(str_of(row->text), back, &len));
	check_str(row->name, (struct str){ (const char *)back, len }, str_of(row->bytes));
}

static const struct bad_row {
	const char *name, *text;
} BAD[] = {
	{ "no base64url: one character alone", "Z" },
	{ "no base64url: padding", "Zg==" },
	{ "no base64url: of the other alphabet", "+//+" },
	{ "no base64url: bits left over", "Zh" },
	{ "no base64url: a blank", "Zm9 v" },
	{ "no base64url: beyond ASCII", "Zm9\xc3" },
};

static void
bad_holds(void **state)
{
	const struct bad_row *row = *state;
	unsigned char back[16];
	size_t len;

	assert_false(base64url_decode(str_of(row->text), back, &len));
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, row_holds);
	SUITE_ROWS(&s, BAD, bad_holds);
	return suite_run(&s, "base64url");
}
