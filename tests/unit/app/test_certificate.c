#include "app/certificate.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "tls_peer.h"

enum { DAY_S = 24 * 3600, LOG_MAX = 8192 };

/* What the log says while the certificate is loaded. */
static int
load(const struct config *c, struct tls_config **out, struct err *e, char said[LOG_MAX])
{
	int ends[2], rc;
	ssize_t n;

	assert_int_equal(pipe(ends), 0);
	log_init(ends[1], LOG_INFO);
	rc = certificate_load(c, clock_now_ms(), out, e);
	log_init(STDERR_FILENO, LOG_INFO);
	close(ends[1]);
	n = read(ends[0], said, LOG_MAX - 1);
	said[n > 0 ? n : 0] = '\0';
	close(ends[0]);
	return rc;
}

static const struct row {
	const char *name;
	struct tls_cert_want want;
	const char *level, *part;
} ROWS[] = {
	{ "a valid one is named",
	  { .valid_from_s = -DAY_S, .valid_until_s = 30 * DAY_S },
	  "info",
	  "" },
	{ "one that expires soon",
	  { .valid_from_s = -DAY_S, .valid_until_s = 13 * DAY_S },
	  "warn",
	  "expires soon" },
	{ "one that has expired",
	  { .valid_from_s = -2 * DAY_S, .valid_until_s = -60 },
	  "warn",
	  "expired" },
	{ "one of tomorrow",
	  { .valid_from_s = DAY_S, .valid_until_s = 30 * DAY_S },
	  "warn",
	  "not valid yet" },
};

static void
row_holds(void **state)
{
	const struct row *row = *state;
	struct config c = { 0 };
	struct tls_config *tls = NULL;
	struct tls_files files;
	char said[LOG_MAX], level[32];
	struct err e;

	tls_files_make(&files, &row->want);
	c.tls.certificate = str_of(files.cert);
	c.tls.key = str_of(files.key);
	assert_int_equal(load(&c, &tls, &e, said), 0);
	assert_non_null(tls);
	snprintf(level, sizeof level, "\"level\":\"%s\"", row->level);
	if (!strstr(said, level) || !strstr(said, row->part) ||
	    !strstr(said, "\"valid_until\":\"20") || !strstr(said, files.cert))
		fail_msg("%s", said);
	tls_config_unref(tls);
	tls_files_remove(&files);
}

static void
without_one_there_is_none(void **state)
{
	struct config c = { 0 };
	struct tls_config *tls = (struct tls_config *)&c; /* must be told */
	char said[LOG_MAX];
	struct err e;

	(void)state;
	assert_int_equal(load(&c, &tls, &e, said), 0);
	assert_null(tls);
	assert_string_equal(said, "");
}

static void
a_file_that_is_missing_is_named(void **state)
{
	struct config c = { .tls = { STR("/nonexistent/cert.pem"), STR("/nonexistent/key.pem") } };
	struct tls_config *tls = NULL;
	char said[LOG_MAX];
	struct err e;

	(void)state;
	assert_int_not_equal(load(&c, &tls, &e, said), 0);
	assert_null(tls);
	assert_non_null(strstr(e.text, "/nonexistent/cert.pem"));
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, row_holds);
	SUITE_TEST(&s, without_one_there_is_none);
	SUITE_TEST(&s, a_file_that_is_missing_is_named);
	return suite_run(&s, "app/certificate");
}
