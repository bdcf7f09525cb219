#include "core/redact.h"

#include "base/rand.h"
#include "harness.h"

static const struct applies_row {
	const char *name, *platform;
	bool enabled, pii_safe, want;
} applies_rows[] = {
	{ "K9 whatsapp", "whatsapp", true, false, true },
	{ "K9 signal", "signal", true, false, true },
	{ "K9 telegram", "telegram", true, false, true },
	{ "K9 bluebubbles", "bluebubbles", true, false, true },
	{ "K9 discord needs raw ids", "discord", true, false, false },
	{ "K9 slack is not on the list", "slack", true, false, false },
	{ "K9 a platform marked pii_safe", "slack", true, true, true },
	{ "K9 off", "telegram", false, false, false },
	{ "K9 off whatever the mark", "slack", false, true, false },
	{ "K9 the list is exact", "Telegram", true, false, false },
};

static void
check_applies(void **state)
{
	const struct applies_row *row = *state;

	assert_int_equal(redact_applies(str_of(row->platform), row->enabled, row->pii_safe),
			 row->want);
}

/* Hashes from sha256sum. */
static const struct id_row {
	const char *name;
	void (*redact)(struct str, struct buf *);
	const char *id, *want;
} id_rows[] = {
	{ "K9 user", redact_user_id, "abc", "user_ba7816bf8f01" },
	{ "K9 a user id keeps no prefix", redact_user_id, "x:abc", "user_05837f54bb4b" },
	{ "K9 chat without prefix is hashed whole", redact_chat_id, "abc", "ba7816bf8f01" },
	{ "K9 chat prefix stays", redact_chat_id, "group:abc", "group:ba7816bf8f01" },
	{ "K9 the prefix ends at the first colon", redact_chat_id, "x:x:abc", "x:05837f54bb4b" },
	{ "K9 an empty prefix is none", redact_chat_id, ":abc", "6e850a0e91c1" },
	{ "K9 the raw id is hashed", redact_user_id, "+491701234567", "user_b4267a2234e2" },
};

static void
check_id(void **state)
{
	const struct id_row *row = *state;
	struct buf out;

	buf_init(&out, 200);
	row->redact(str_of(row->id), &out);
	check_str(row->name, buf_str(&out), str_of(row->want));
	buf_release(&out);
}

static const struct secret_row {
	const char *name, *text, *want;
} secret_rows[] = {
	{ "P8 plain text passes", "the key to it is a skill", "the key to it is a skill" },
	{ "P8 sk-", "use sk-abcdefghijklmnopqrst.", "use sk-[redacted]." },
	{ "P8 sk-ant-", "sk-ant-api03-abcdefghijkl", "sk-ant-[redacted]" },
	{ "P8 sk- is not in a word", "task-abcdefghijklmnopqrst", "task-abcdefghijklmnopqrst" },
	{ "P8 sk- and little else", "sk-1", "sk-1" },
	{ "P8 our own token",
	  "pdr_0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
	  "pdr_[redacted]" },
	{ "P8 ghp_", "(ghp_abcdefghijklmnopqrstuvwxyz0123456789)", "(ghp_[redacted])" },
	{ "P8 github_pat_", "github_pat_11ABCDEFG0abcdefghijk", "github_pat_[redacted]" },
	{ "P8 xoxb-", "xoxb-123456789012-abcdef", "xoxb-[redacted]" },
	{ "P8 xapp-", "xapp-1-A0123456789-abc", "xapp-[redacted]" },
	{ "P8 AKIA", "id AKIAIOSFODNN7EXAMPLE!", "id AKIA[redacted]!" },
	{ "P8 AKIA in small letters", "AKIAiosfodnn7example", "AKIAiosfodnn7example" },
	{ "P8 AIza", "AIzaSyA1234567890abcdefghijklmnopqrstuv", "AIza[redacted]" },
	{ "P8 JWT", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl", "eyJ[redacted]" },
	{ "P8 Bearer", "Authorization: Bearer abc.def-123/x=", "Authorization: Bearer [redacted]" },
	{ "P8 bearer in small letters", "authorization: bearer abcdefgh",
	  "authorization: bearer [redacted]" },
	{ "P8 Basic", "Basic dXNlcjpwYXNzd29yZA==", "Basic [redacted]" },
	{ "P8 Basic English", "Basic english", "Basic english" },
	{ "P8 key=", "?key=0123456789abcdef&x=1", "?key=[redacted]&x=1" },
	{ "P8 key= and a short value", "key=name", "key=name" },
	{ "P8 api_key in JSON", "{\"api_key\":\"abcdef123\",\"a\":1}",
	  "{\"api_key\":\"[redacted]\",\"a\":1}" },
	{ "P8 an environment variable", "OPENAI_API_KEY=abcdef123 run",
	  "OPENAI_API_KEY=[redacted] run" },
	{ "P8 a header", "X-Api-Key: abcdef123", "X-Api-Key: [redacted]" },
	{ "P8 password", "password = 'x y'", "password = '[redacted] y'" },
	{ "P8 a password in JSON with blanks", "{\"password\" : \"hunter2\"}",
	  "{\"password\" : \"[redacted]\"}" },
	{ "P8 a password not given", "password: ", "password: " },
	{ "P8 a password spoken of", "the password is long", "the password is long" },
	{ "P8 the name at the end", "token", "token" },
	{ "P8 a password in a URL", "postgres://app:s3cret@db/x",
	  "postgres://app:[redacted]@db/x" },
	{ "P8 a URL with a port", "http://host:8080/a@b", "http://host:8080/a@b" },
	{ "P8 a URL with a user alone", "ssh://git@host", "ssh://git@host" },
	{ "P8 a password with a colon in a URL", "amqp://a:b:c@h", "amqp://a:[redacted]@h" },
	{ "P8 a URL with an empty password", "ftp://a:@h", "ftp://a:@h" },
	{ "P8 an address is no URL", "mail a:b@c", "mail a:b@c" },
	{ "P8 a URL that ends", "http://a:b", "http://a:b" },
	{ "P8 a Telegram bot's token", "/bot123456789:AAEabcdefghijklmnopqrstuvwxyz0123456/getMe",
	  "/bot123456789:[redacted]/getMe" },
	{ "P8 a time of day", "at 123456:30", "at 123456:30" },
	{ "P8 digits at the end", "123456789", "123456789" },
	{ "P8 a private key", "-----BEGIN PRIVATE KEY-----\nMII\n-----END PRIVATE KEY-----\nmore",
	  "-----BEGIN PRIVATE KEY-----[redacted]-----END PRIVATE KEY-----\nmore" },
	{ "P8 a private key without its end", "-----BEGIN RSA PRIVATE KEY-----\nMII",
	  "-----BEGIN RSA PRIVATE KEY-----[redacted]" },
	{ "P8 several", "sk-abcdefghijklmnop ghp_abcdefghijklmnopqrst",
	  "sk-[redacted] ghp_[redacted]" },
};

static void
check_secret(void **state)
{
	const struct secret_row *row = *state;
	struct buf out, again;
	size_t count;

	buf_init(&out, REDACT_GROWTH * strlen(row->text));
	buf_init(&again, 1000);
	count = redact_secrets(str_of(row->text), &out);
	check_str(row->name, buf_str(&out), str_of(row->want));
	assert_int_equal(count > 0, strcmp(row->text, row->want) != 0);
	assert_int_equal(redact_secrets(buf_str(&out), &again), 0);
	check_str("again", buf_str(&again), buf_str(&out));
	buf_release(&out);
	buf_release(&again);
}

static void
P8_property_redacting_twice_changes_nothing(void **state)
{
	static const char *const BITS[] = { "sk-",
					    "ghp_",
					    "password=",
					    "token: ",
					    "\"",
					    "key=",
					    "abcdefghijklmnop",
					    "0123456789",
					    "://",
					    "@",
					    ":",
					    "/",
					    " ",
					    "Bearer ",
					    "eyJ",
					    ".",
					    "AKIA",
					    "ABCDEFGHIJKLMNOP",
					    "-----BEGIN PRIVATE KEY-----",
					    "[redacted]",
					    "secret" };
	uint64_t seeds = suite_seeds(5000);

	(void)state;
	for (uint64_t seed = 0; seed < seeds; seed++) {
		struct buf text, once, twice;
		struct rand r;

		rand_init_seed(&r, seed);
		buf_init(&text, 4000);
		for (size_t i = 0, count = rand_below(&r, 14); i < count; i++)
			buf_puts(&text, BITS[rand_below(&r, ARRAY_LEN(BITS))]);
		buf_init(&once, REDACT_GROWTH * text.len), buf_init(&twice, 20000);
		redact_secrets(buf_str(&text), &once);
		if (once.overflow || redact_secrets(buf_str(&once), &twice) != 0)
			fail_msg("seed %llu: " STR_FMT " -> " STR_FMT " -> " STR_FMT,
				 (unsigned long long)seed, STR_ARG(buf_str(&text)),
				 STR_ARG(buf_str(&once)), STR_ARG(buf_str(&twice)));
		buf_release(&text), buf_release(&once), buf_release(&twice);
	}
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, applies_rows, check_applies);
	SUITE_ROWS(&s, id_rows, check_id);
	SUITE_ROWS(&s, secret_rows, check_secret);
	SUITE_TEST(&s, P8_property_redacting_twice_changes_nothing);
	return suite_run(&s, "redact");
}
