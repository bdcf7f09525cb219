#include "base/sha256.h"
#include "harness.h"

/* FIPS 180-2 vectors. */
static const struct row {
	const char *name;
	const char *text, *hex;
} rows[] = {
	{ "empty", "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
	{ "abc", "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
	{ "two blocks", "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
	  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
};

static void
knows_the_vectors(void **state)
{
	const struct row *row = *state;
	struct sha256 d = sha256_of(str_of(row->text)), piecewise;
	char hex[SHA256_HEX + 1];
	struct sha256_ctx c;

	sha256_hex(&d, SHA256_BYTES, hex);
	assert_string_equal(hex, row->hex);
	sha256_hex(&d, 6, hex);
	assert_memory_equal(hex, row->hex, 12);
	assert_int_equal(hex[12], '\0');
	sha256_init(&c);
	for (int again = 0; again < 2; again++) {
		sha256_begin(&c);
		for (const char *at = row->text; *at; at++)
			sha256_update(&c, at, 1);
		piecewise = sha256_end(&c);
		assert_memory_equal(piecewise.bytes, d.bytes, SHA256_BYTES);
	}
	sha256_release(&c);
}

static void
knows_a_million_letters(void **state)
{
	char hex[SHA256_HEX + 1], thousand[1000];
	struct sha256_ctx c;
	struct sha256 d;

	(void)state;
	memset(thousand, 'a', sizeof thousand);
	sha256_init(&c);
	sha256_begin(&c);
	for (int i = 0; i < 1000; i++)
		sha256_update(&c, thousand, sizeof thousand);
	d = sha256_end(&c);
	sha256_release(&c);
	sha256_hex(&d, SHA256_BYTES, hex);
	assert_string_equal(hex,
			    "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, rows, knows_the_vectors);
	SUITE_TEST(&s, knows_a_million_letters);
	return suite_run(&s, "sha256");
}
