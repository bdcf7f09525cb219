#include "harness.h"
#include "store/sqlite/key_digest.h"

static const struct key {
	const char *name;
	enum store_key_kind kind;
	const char *scope, *key;
} KEYS[] = {
	{ "idempotency a b", STORE_KEY_IDEMPOTENCY, "a", "b" },
	{ "dedupe a b", STORE_KEY_DEDUPE, "a", "b" },
	{ "ab and nothing", STORE_KEY_DEDUPE, "ab", "" },
	{ "nothing and ab", STORE_KEY_DEDUPE, "", "ab" },
	{ "names swapped", STORE_KEY_DEDUPE, "b", "a" },
};

static struct key_digest
digest(const struct key *k)
{
	struct sha256_ctx ctx;
	struct key_digest d;

	sha256_init(&ctx);
	d = key_digest_of(&ctx, k->kind, str_of(k->scope), str_of(k->key));
	sha256_release(&ctx);
	return d;
}

static void
no_two_keys_share_a_digest(void **state)
{
	struct key_digest a, b;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(KEYS); i++) {
		for (size_t k = 0; k < ARRAY_LEN(KEYS); k++) {
			a = digest(&KEYS[i]);
			b = digest(&KEYS[k]);
			if ((memcmp(&a, &b, sizeof a) == 0) != (i == k))
				fail_msg("%s and %s", KEYS[i].name, KEYS[k].name);
		}
	}
}

/* Digests are stored: a change of their form would forget every key. */
static void
the_form_is_fixed(void **state)
{
	struct key_digest got = digest(&KEYS[0]);
	struct sha256 want =
		sha256_of((struct str){ "\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0ab", 26 });

	(void)state;
	assert_memory_equal(got.bytes, want.bytes, KEY_DIGEST_BYTES);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, no_two_keys_share_a_digest);
	SUITE_TEST(&s, the_form_is_fixed);
	return suite_run(&s, "store/sqlite/key_digest");
}
