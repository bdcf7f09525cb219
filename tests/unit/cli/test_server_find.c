#include "cli/server_find.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "harness.h"

/* A folder with: data/owner.token "one", other/owner.token "two", sock/perdure.sock and owner.token
 * "three", state/perdure/owner.token "four", token "five", bad "a b", empty. It is the working
 * directory of every row. */
static char folder[] = "/tmp/perdure-find-XXXXXX";

static void
put(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void
make_socket(const char *path)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(at.sun_path, sizeof at.sun_path, "%s", path);
	assert_int_equal(bind(fd, (const struct sockaddr *)&at, sizeof at), 0);
	close(fd);
}

static void
make_folder(void)
{
	static const char *const FOLDERS[] = { "data",  "other",         "sock",
					       "state", "state/perdure", "none" };

	assert_non_null(mkdtemp(folder));
	assert_int_equal(chdir(folder), 0);
	for (size_t i = 0; i < ARRAY_LEN(FOLDERS); i++)
		assert_int_equal(mkdir(FOLDERS[i], 0700), 0);
	put("data/owner.token", "one\n");
	put("other/owner.token", "two\n");
	put("sock/owner.token", "three\n");
	put("state/perdure/owner.token", "four\n");
	put("token", " five \n");
	put("bad", "a b\n");
	put("empty", "\n");
	make_socket("sock/perdure.sock");
}

static const struct row {
	const char *name;
	struct server_facts facts;
	const char *want; /* "shown token from", or "error: …" */
} rows[] = {
	{ "by itself: ./data and the usual address",
	  { 0 },
	  "http://127.0.0.1:7340 one data/owner.token" },
	{ "--server",
	  { .server = "http://127.0.0.1:9/" },
	  "http://127.0.0.1:9 one data/owner.token" },
	{ "--server without a scheme",
	  { .server = "localhost:9" },
	  "http://localhost:9 one data/owner.token" },
	{ "--server wins over the environment",
	  { .server = "http://[::1]:9", .env_server = "http://127.0.0.1:8" },
	  "http://[::1]:9 one data/owner.token" },
	{ "$PERDURE_SERVER",
	  { .env_server = "http://127.0.0.1:8" },
	  "http://127.0.0.1:8 one data/owner.token" },
	{ "a socket", { .server = "unix:/run/p.sock" }, "unix:/run/p.sock one data/owner.token" },
	{ "a socket in the data directory",
	  { .data = "sock" },
	  "unix:sock/perdure.sock three sock/owner.token" },
	{ "--data", { .data = "other" }, "http://127.0.0.1:7340 two other/owner.token" },
	{ "$PERDURE_DATA", { .env_data = "other" }, "http://127.0.0.1:7340 two other/owner.token" },
	{ "--data wins over $PERDURE_DATA",
	  { .data = "data", .env_data = "other" },
	  "http://127.0.0.1:7340 one data/owner.token" },
	{ "--token-file wins over all",
	  { .token_file = "token", .env_token = "x", .data = "other" },
	  "http://127.0.0.1:7340 five token" },
	{ "$PERDURE_TOKEN", { .env_token = "six" }, "http://127.0.0.1:7340 six $PERDURE_TOKEN" },
	{ "empty variables say nothing",
	  { .env_token = "", .env_server = "", .env_data = "" },
	  "http://127.0.0.1:7340 one data/owner.token" },
	{ "a token that lies there is not shown to others",
	  { .server = "http://192.168.1.1:7340" },
	  "http://192.168.1.1:7340  " },
	{ "nor to names", { .server = "https://example.org" }, "https://example.org  " },
	{ "one that was named is",
	  { .server = "https://example.org", .data = "other" },
	  "https://example.org two other/owner.token" },
	{ "a token file that is not there", { .token_file = "nowhere" }, "error: " },
	{ "a token file with something else",
	  { .token_file = "bad" },
	  "error: bad: holds no token" },
	{ "an empty token file", { .token_file = "empty" }, "error: empty: is empty" },
	{ "a data directory without a token",
	  { .data = "none" },
	  "error: none has no owner.token: is it a server's data directory?" },
	{ "no server's address", { .server = "ftp://x" }, "error: --server: " },
	{ "nor in the environment", { .env_server = "http://a b" }, "error: $PERDURE_SERVER: " },
};

static void
check_row(const struct row *row, const char *want)
{
	struct server_place p;
	struct arena a;
	struct err e;
	char got[1000];

	arena_init(&a);
	if (server_find(&row->facts, &a, &p, &e) != 0)
		snprintf(got, sizeof got, "error: %s", e.text);
	else
		snprintf(got, sizeof got, STR_FMT " " STR_FMT " " STR_FMT, STR_ARG(p.shown),
			 STR_ARG(p.token), STR_ARG(p.token_from));
	if (strncmp(want, "error", 5) == 0 ? strncmp(got, want, strlen(want)) != 0
					   : strcmp(got, want) != 0)
		fail_msg("%s: got '%s'", row->name, got);
	arena_release(&a);
}

static void
test_row(void **state)
{
	const struct row *row = *state;

	assert_int_equal(chdir(folder), 0);
	check_row(row, row->want);
}

static void
test_the_state_folder_comes_last(void **state)
{
	char path[64], want[200];
	struct row row = { "state folder", { .env_state = path }, want };
	struct row home = { "home", { .env_home = path, .env_state = "relative" }, "" };

	(void)state;
	snprintf(path, sizeof path, "%s/state", folder);
	snprintf(want, sizeof want, "http://127.0.0.1:7340 four %s/perdure/owner.token", path);
	assert_int_equal(chdir(folder), 0);
	assert_int_equal(chdir("none"), 0);
	check_row(&row, want);
	check_row(&home, "http://127.0.0.1:7340  ");
	assert_int_equal(chdir(folder), 0);
}

static void
remove_folder(void)
{
	static const char *const PATHS[] = {
		"data/owner.token",
		"other/owner.token",
		"sock/owner.token",
		"sock/perdure.sock",
		"state/perdure/owner.token",
		"token",
		"bad",
		"empty",
	};
	static const char *const FOLDERS[] = { "data",          "other", "sock",
					       "state/perdure", "state", "none" };

	if (chdir(folder) != 0)
		abort();
	for (size_t i = 0; i < ARRAY_LEN(PATHS); i++)
		unlink(PATHS[i]);
	for (size_t i = 0; i < ARRAY_LEN(FOLDERS); i++)
		rmdir(FOLDERS[i]);
	if (chdir("/") != 0)
		abort();
	rmdir(folder);
}

int
main(void)
{
	struct suite s = { 0 };
	int rc;

	make_folder();
	SUITE_ROWS(&s, rows, test_row);
	SUITE_TEST(&s, test_the_state_folder_comes_last);
	rc = suite_run(&s, "server_find");
	remove_folder();
	return rc;
}
