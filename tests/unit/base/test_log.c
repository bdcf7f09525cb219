#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/json.h"
#include "base/log.h"
#include "base/timestamp.h"
#include "harness.h"

/* The log of one test goes to memory; lines() reads it back. */
struct fixture {
	int fd;
	struct arena a;
};

static void
begin(struct fixture *f, enum log_level least)
{
	f->fd = memfd_create("log", MFD_CLOEXEC);
	assert_true(f->fd >= 0);
	arena_init(&f->a);
	log_clear_secrets();
	log_init(f->fd, least);
}

static struct str
lines(struct fixture *f)
{
	off_t size = lseek(f->fd, 0, SEEK_END);
	char *text = arena_alloc(&f->a, (size_t)size + 1);

	assert_int_equal(pread(f->fd, text, (size_t)size, 0), size);
	return (struct str){ text, (size_t)size };
}

static void
end(struct fixture *f)
{
	log_init(STDERR_FILENO, LOG_INFO);
	log_use_form(LOG_FORM_JSON);
	log_clear_secrets();
	close(f->fd);
	arena_release(&f->a);
}

/* The only line behind its timestamp, which is checked here. */
static struct str
after_time(struct fixture *f)
{
	struct str line = lines(f), ts, rest;
	int64_t ms;

	assert_true(str_starts(line, STR("{\"ts\":\"")));
	assert_true(str_cut(str_slice(line, 7, line.len), '"', &ts, &rest));
	assert_true(timestamp_parse(ts, &ms));
	assert_true(str_ends(rest, STR("\n")));
	return str_slice(rest, 0, rest.len - 1);
}

static void
a_line_is_one_object(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, LOG_DEBUG);
	log_write(LOG_WARN, "turn.retry", LOG_STR("session", STR("sesn_1\n")),
		  LOG_INT("attempt", -2), LOG_BOOL("final", true));
	check_str("line", after_time(&f),
		  STR(",\"level\":\"warn\",\"event\":\"turn.retry\",\"session\":\"sesn_1\\n\","
		      "\"attempt\":-2,\"final\":true}"));
	end(&f);
}

static void
fields_are_optional(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, LOG_DEBUG);
	log_write(LOG_DEBUG, "start");
	check_str("line", after_time(&f), STR(",\"level\":\"debug\",\"event\":\"start\"}"));
	end(&f);
}

static void
lower_levels_are_not_written(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, LOG_WARN);
	log_write(LOG_DEBUG, "a");
	log_write(LOG_INFO, "b");
	assert_int_equal(lines(&f).len, 0);
	log_write(LOG_ERROR, "c");
	check_str("line", after_time(&f), STR(",\"level\":\"error\",\"event\":\"c\"}"));
	end(&f);
}

static const struct name_row {
	const char *name;
	bool secret;
} name_rows[] = {
	{ "authorization", true },
	{ "Authorization", true },
	{ "Proxy-Authorization", true },
	{ "token", true },
	{ "access_token", true },
	{ "accessToken", true },
	{ "api_key", true },
	{ "provider_api_key", true },
	{ "X-Api-Key", true },
	{ "apiKey", true },
	{ "APIKEY", true },
	{ "client_secret", true },
	{ "password", true },
	{ "DB_PASSWORD", true },
	{ "Set-Cookie", true },
	{ "cookies", true },
	{ "private_key", true },
	{ "aws_secret_access_key", true },
	{ "tokens", false },
	{ "input_tokens", false },
	{ "session_key", false },
	{ "key", false },
	{ "secretary", false },
	{ "password_length", false },
	{ "ken", false },
	{ "", false },
};

static void
secret_names_are_known(void **state)
{
	const struct name_row *row = *state;
	struct fixture f;

	assert_int_equal(log_name_is_secret(str_of(row->name)), row->secret);
	begin(&f, LOG_INFO);
	log_write(LOG_INFO, "x", LOG_STR(row->name, STR("hunter2")));
	assert_int_equal(str_contains(lines(&f), STR("hunter2")), !row->secret);
	assert_int_equal(str_contains(lines(&f), STR("\"[redacted]\"")), row->secret);
	end(&f);
}

static void
secret_numbers_are_hidden_too(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, LOG_INFO);
	log_write(LOG_INFO, "x", LOG_INT("pin_token", 4711));
	assert_false(str_contains(lines(&f), STR("4711")));
	end(&f);
}

static void
registered_secrets_vanish_from_values(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, LOG_INFO);
	log_add_secret(STR("sk-abc"));
	log_add_secret(STR("sk-abcdef")); /* begins like the other: none of it may stay */
	log_add_secret(STR("abc"));       /* too short to be a secret */
	log_add_secret(STR(""));
	log_write(LOG_INFO, "x",
		  LOG_STR("url", STR("a?k=sk-abcdef&l=sk-abc&m=sk-ab abc sk-abcsk-abcdef")));
	check_str("line", after_time(&f),
		  STR(",\"level\":\"info\",\"event\":\"x\",\"url\":\"a?k=[redacted]&l=[redacted]"
		      "&m=sk-ab abc [redacted][redacted]\"}"));
	end(&f);
}

static void
long_values_are_cut_between_characters(void **state)
{
	struct fixture f;
	struct buf value;

	(void)state;
	for (int secrets = 0; secrets < 2; secrets++) {
		begin(&f, LOG_INFO);
		if (secrets)
			log_add_secret(STR("hunter2"));
		buf_init(&value, 1 << 20);
		buf_putc(&value, 'x'); /* odd, so that the cut falls inside a character */
		while (value.len < 100001)
			buf_puts(&value, "\xc3\xa9");
		log_write(LOG_INFO, "x", LOG_STR("v", buf_str(&value)), LOG_INT("n", 1));
		assert_true(str_ends(lines(&f),
				     STR("\xc3\xa9... [cut, 100001 bytes in all]\",\"n\":1}\n")));
		assert_false(str_contains(lines(&f), STR("\xef\xbf\xbd")));
		assert_true(lines(&f).len < LOG_VALUE_MAX + 200);
		buf_release(&value);
		end(&f);
	}
}

static void
a_value_at_the_limit_is_whole(void **state)
{
	struct fixture f;
	char value[LOG_VALUE_MAX + 1];

	(void)state;
	begin(&f, LOG_INFO);
	memset(value, 'a', sizeof value);
	log_write(LOG_INFO, "x", LOG_STR("v", ((struct str){ value, LOG_VALUE_MAX })));
	assert_false(str_contains(lines(&f), STR("[cut")));
	log_write(LOG_INFO, "x", LOG_STR("v", ((struct str){ value, LOG_VALUE_MAX + 1 })));
	assert_true(str_contains(lines(&f), STR("... [cut, 8193 bytes in all]")));
	end(&f);
}

static void
lines_stay_within_their_limit(void **state)
{
	struct log_field fields[20];
	char value[LOG_VALUE_MAX];
	struct json_doc doc;
	struct json dropped;
	struct fixture f;
	int64_t count;

	(void)state;
	begin(&f, LOG_INFO);
	memset(value, 1, sizeof value); /* each byte becomes \u0001 */
	for (size_t i = 0; i < 20; i++)
		fields[i] = (struct log_field)LOG_STR("v", ((struct str){ value, sizeof value }));
	fields[19] = (struct log_field)LOG_INT("last", 1);
	for (size_t i = 0; i < 19; i++)
		fields[i].name = (const char *[]){ "a", "b", "c", "d", "e", "f", "g", "h", "i", "j",
						   "k", "l", "m", "n", "o", "p", "q", "r", "s" }[i];
	log_write_fields(LOG_INFO, "x", fields, 20);
	assert_true(lines(&f).len <= LOG_LINE_MAX);
	assert_int_equal(json_parse(&f.a, lines(&f), &JSON_LIMITS_DEFAULT, &doc, NULL), 0);
	assert_true(json_find(json_root(&doc), STR("dropped_fields"), &dropped));
	assert_true(json_int(dropped, &count));
	assert_int_equal(count, 18);
	assert_true(json_find(json_root(&doc), STR("last"), &dropped));
	end(&f);
}

/* Lines that end around the limit, byte by byte: the closing always fits. */
static void
property_the_closing_fits(void **state)
{
	static const char *const names[] = { "a", "b", "c", "d", "e", "f", "g", "h" };
	struct log_field fields[9];
	char value[LOG_VALUE_MAX];
	struct fixture f;

	(void)state;
	begin(&f, LOG_INFO);
	memset(value, 'x', sizeof value);
	for (size_t last = LOG_VALUE_MAX - 300; last <= LOG_VALUE_MAX; last++) {
		struct str line;

		for (size_t i = 0; i < 8; i++)
			fields[i] = (struct log_field)LOG_STR(
				names[i], ((struct str){ value, i < 7 ? LOG_VALUE_MAX : last }));
		fields[8] = (struct log_field)LOG_INT("last", 1);
		assert_int_equal(ftruncate(f.fd, 0), 0);
		lseek(f.fd, 0, SEEK_SET);
		arena_reset(&f.a);
		log_write_fields(LOG_INFO, "x", fields, 9);
		line = lines(&f);
		if (line.len > LOG_LINE_MAX || !str_ends(line, STR("}\n")))
			fail_msg("%zu bytes at last %zu", line.len, last);
	}
	end(&f);
}

static void
a_broken_descriptor_is_not_the_callers_problem(void **state)
{
	(void)state;
	log_init(-1, LOG_INFO);
	errno = ENOENT;
	log_write(LOG_ERROR, "x", LOG_INT("n", 1));
	assert_int_equal(errno, ENOENT);
	log_init(STDERR_FILENO, LOG_INFO);
}

enum { THREADS = 4, LINES_EACH = 200 };

static void *
write_many(void *context)
{
	for (int i = 0; i < LINES_EACH; i++)
		log_write(LOG_INFO, "x", LOG_INT("n", i), LOG_STR("who", str_of(context)));
	return NULL;
}

static void
threads_do_not_mix_lines(void **state)
{
	static char names[THREADS][2] = { "a", "b", "c", "d" };
	pthread_t threads[THREADS];
	struct fixture f;
	struct str rest, line;
	int count = 0;

	(void)state;
	begin(&f, LOG_INFO);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, write_many, names[i]), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (rest = lines(&f); rest.len > 0; count++) {
		struct json_doc doc;
		str_cut(rest, '\n', &line, &rest);
		assert_int_equal(json_parse(&f.a, line, &JSON_LIMITS_DEFAULT, &doc, NULL), 0);
	}
	assert_int_equal(count, THREADS * LINES_EACH);
	end(&f);
}

/* What follows the timestamp of a line of text. */
static void
check_text(struct fixture *f, struct str want)
{
	struct str ts, rest;
	int64_t ms;

	assert_true(str_cut(lines(f), ' ', &ts, &rest));
	assert_true(timestamp_parse(ts, &ms));
	check_str("line", rest, want);
}

static void
L2_text_lines_are_words_with_values(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, LOG_DEBUG);
	log_use_form(LOG_FORM_TEXT);
	log_add_secret(STR("hunter22"));
	log_write(LOG_WARN, "turn.retry", LOG_STR("session", STR("cli:a")), LOG_INT("attempt", -2),
		  LOG_BOOL("final", true), LOG_STR("reason", STR("two words\n\"x\" a=b")),
		  LOG_STR("empty", STR("")), LOG_STR("pair", STR("a=b")),
		  LOG_STR("name", STR("J\xc3\xbcrg")), LOG_STR("api_key", STR("abcdefgh")),
		  LOG_STR("said", STR("it is hunter22")), LOG_INT("token", 4));
	check_text(&f, STR("warn turn.retry session=cli:a attempt=-2 final=true "
			   "reason=\"two words\\n\\\"x\\\" a=b\" empty=\"\" pair=\"a=b\" "
			   "name=\"J\xc3\xbcrg\" api_key=[redacted] said=\"it is [redacted]\" "
			   "token=[redacted]\n"));
	end(&f);
}

static void
L2_a_text_line_that_is_full_says_what_it_lacks(void **state)
{
	static char large[LOG_VALUE_MAX];
	struct log_field fields[20];
	struct fixture f;
	struct str line;

	(void)state;
	memset(large, 'x', sizeof large);
	begin(&f, LOG_DEBUG);
	log_use_form(LOG_FORM_TEXT);
	for (size_t i = 0; i < ARRAY_LEN(fields); i++)
		fields[i] = (struct log_field)LOG_STR("v", ((struct str){ large, sizeof large }));
	log_write_fields(LOG_INFO, "many", fields, ARRAY_LEN(fields));
	line = lines(&f);
	assert_true(line.len <= LOG_LINE_MAX);
	assert_true(str_ends(line, STR(" dropped_fields=13\n")));
	end(&f);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, a_line_is_one_object);
	SUITE_TEST(&s, fields_are_optional);
	SUITE_TEST(&s, L2_text_lines_are_words_with_values);
	SUITE_TEST(&s, L2_a_text_line_that_is_full_says_what_it_lacks);
	SUITE_TEST(&s, lower_levels_are_not_written);
	SUITE_ROWS(&s, name_rows, secret_names_are_known);
	SUITE_TEST(&s, secret_numbers_are_hidden_too);
	SUITE_TEST(&s, registered_secrets_vanish_from_values);
	SUITE_TEST(&s, long_values_are_cut_between_characters);
	SUITE_TEST(&s, a_value_at_the_limit_is_whole);
	SUITE_TEST(&s, lines_stay_within_their_limit);
	SUITE_TEST(&s, property_the_closing_fits);
	SUITE_TEST(&s, a_broken_descriptor_is_not_the_callers_problem);
	SUITE_TEST(&s, threads_do_not_mix_lines);
	return suite_run(&s, "log");
}
