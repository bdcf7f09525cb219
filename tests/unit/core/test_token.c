#include "core/token.h"

#include "base/rand.h"
#include "harness.h"

static void
P3_token_text_is_the_secret_in_hex(void **state)
{
	unsigned char secret[TOKEN_SECRET_BYTES] = { 0x00, 0x1f, 0xa0, 0xff };
	char text[TOKEN_TEXT_LEN + 1];

	(void)state;
	token_format(secret, text);
	check_str("text", str_of(text),
		  STR("pdr_001fa0ff00000000000000000000000000000000000000000000000000000000"));
	check_str("prefix", token_prefix(str_of(text)), STR("pdr_001fa0ff"));
	assert_int_equal(token_prefix(STR("pdr_001fa0ff-not-a-token")).len, 0);
}

static const struct form_row {
	const char *name, *text;
	bool want;
} form_rows[] = {
	{ "P3 well formed", "pdr_0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
	  true },
	{ "P3 too short", "pdr_0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde",
	  false },
	{ "P3 too long", "pdr_0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0",
	  false },
	{ "P3 another mark", "sk__0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
	  false },
	{ "P3 upper case", "pdr_0123456789ABCDEF0123456789abcdef0123456789abcdef0123456789abcdef",
	  false },
	{ "P3 empty", "", false },
};

static void
check_form(void **state)
{
	const struct form_row *row = *state;

	assert_int_equal(token_is_well_formed(str_of(row->text)), row->want);
}

static void
P3_at_rest_is_the_sha256_of_the_text(void **state)
{
	struct sha256 digest = token_digest(STR("abc"));
	char hex[SHA256_HEX + 1];

	(void)state;
	sha256_hex(&digest, SHA256_BYTES, hex);
	assert_string_equal(hex,
			    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

static void
P3_compare_sees_every_byte(void **state)
{
	struct sha256 a = token_digest(STR("abc")), b = a;

	(void)state;
	assert_true(token_digest_eq(&a, &b));
	for (size_t i = 0; i < SHA256_BYTES; i++) {
		b = a;
		b.bytes[i] ^= 0x80;
		assert_false(token_digest_eq(&a, &b));
	}
}

static void
P3_compare_of_texts_sees_every_character(void **state)
{
	char a[TOKEN_TEXT_LEN + 1], b[TOKEN_TEXT_LEN + 1];

	(void)state;
	token_format((unsigned char[TOKEN_SECRET_BYTES]){ 1, 2, 3 }, a);
	memcpy(b, a, sizeof b);
	assert_true(token_text_eq(a, b));
	for (size_t i = 0; i < TOKEN_TEXT_LEN; i++) {
		b[i] ^= 1;
		assert_false(token_text_eq(a, b));
		b[i] = a[i];
	}
}

static const struct expiry_row {
	const char *name;
	int64_t expires_ms, now_ms;
	bool want;
} expiry_rows[] = {
	{ "P3 no expiry", 0, INT64_MAX, false },
	{ "P3 1 ms before", 1000, 999, false },
	{ "P3 at the instant", 1000, 1000, true },
	{ "P3 after", 1000, 1001, true },
};

static void
check_expiry(void **state)
{
	const struct expiry_row *row = *state;

	assert_int_equal(token_is_expired(row->expires_ms, row->now_ms), row->want);
}

static void
P3_property_other_secrets_give_other_tokens(void **state)
{
	uint64_t seeds = suite_seeds(2000);

	(void)state;
	for (uint64_t seed = 0; seed < seeds; seed++) {
		unsigned char secret[TOKEN_SECRET_BYTES];
		char one[TOKEN_TEXT_LEN + 1], two[TOKEN_TEXT_LEN + 1];
		struct sha256 a, b;
		struct rand r;

		rand_init_seed(&r, seed);
		rand_bytes(&r, secret, sizeof secret);
		token_format(secret, one);
		secret[rand_below(&r, sizeof secret)] ^= 1;
		token_format(secret, two);
		a = token_digest(str_of(one));
		b = token_digest(str_of(two));
		if (!token_is_well_formed(str_of(one)) || str_eq(str_of(one), str_of(two)) ||
		    token_digest_eq(&a, &b))
			fail_msg("seed %llu", (unsigned long long)seed);
	}
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, P3_token_text_is_the_secret_in_hex);
	SUITE_ROWS(&s, form_rows, check_form);
	SUITE_TEST(&s, P3_at_rest_is_the_sha256_of_the_text);
	SUITE_TEST(&s, P3_compare_sees_every_byte);
	SUITE_TEST(&s, P3_compare_of_texts_sees_every_character);
	SUITE_ROWS(&s, expiry_rows, check_expiry);
	SUITE_TEST(&s, P3_property_other_secrets_give_other_tokens);
	return suite_run(&s, "token");
}
