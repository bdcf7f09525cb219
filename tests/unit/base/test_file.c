#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "harness.h"

/* A folder of its own, with one file of 100,000 bytes in it. */
struct fixture {
	char dir[64], path[96];
	struct arena a;
	struct err e;
	struct str text;
};

enum { FILE_BYTES = 100000 };

static void
begin(struct fixture *f)
{
	FILE *out;

	*f = (struct fixture){ .dir = "/tmp/perdure-file-XXXXXX" };
	assert_non_null(mkdtemp(f->dir));
	snprintf(f->path, sizeof f->path, "%s/data", f->dir);
	out = fopen(f->path, "w");
	assert_non_null(out);
	for (int i = 0; i < FILE_BYTES; i++)
		fputc(i % 251, out);
	fclose(out);
	arena_init(&f->a);
}

static void
end(struct fixture *f)
{
	unlink(f->path);
	rmdir(f->dir);
	arena_release(&f->a);
}

static void
a_file_is_read_whole_up_to_its_ceiling(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	assert_int_equal(file_read(f.path, FILE_BYTES, &f.a, &f.text, &f.e), 0);
	assert_int_equal(f.text.len, FILE_BYTES);
	for (int i = 0; i < FILE_BYTES; i++)
		assert_int_equal((unsigned char)f.text.ptr[i], i % 251);
	assert_int_equal(f.text.ptr[FILE_BYTES], '\0');
	f.text = STR("before");
	assert_int_equal(file_read(f.path, FILE_BYTES - 1, &f.a, &f.text, &f.e), ERR_TOO_LARGE);
	assert_true(str_starts(str_of(f.e.text), str_of(f.path)));
	check_str("untouched", f.text, STR("before"));
	end(&f);
}

static void
what_is_no_file_is_refused(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	assert_int_equal(file_read("/nonexistent/x", 9, &f.a, &f.text, &f.e), ERR_NOT_FOUND);
	assert_string_equal(f.e.text, "/nonexistent/x: No such file or directory");
	assert_int_equal(file_read(f.dir, 9, &f.a, &f.text, &f.e), ERR_INVALID);
	unlink(f.path);
	assert_int_equal(mkfifo(f.path, 0600), 0);
	assert_int_equal(file_read(f.path, 9, &f.a, &f.text, &f.e), ERR_INVALID);
	end(&f);
}

static void
a_pipe_is_read_to_its_end(void **state)
{
	struct fixture f;
	int ends[2];

	(void)state;
	begin(&f);
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], "hello", 5), 5);
	close(ends[1]);
	assert_int_equal(file_read_fd(ends[0], "stdin", 5, &f.a, &f.text, &f.e), 0);
	check_str("text", f.text, STR("hello"));
	close(ends[0]);
	assert_int_equal(file_read_fd(ends[0], "stdin", 5, &f.a, &f.text, &f.e), ERR_IO);
	assert_string_equal(f.e.text, "stdin: Bad file descriptor");
	end(&f);
}

/* More than a pipe holds: the reader takes it in pieces. */
static void
all_of_a_text_is_written(void **state)
{
	struct fixture f;
	struct str text, got;
	int ends[2];
	pid_t pid;

	(void)state;
	begin(&f);
	assert_int_equal(file_read(f.path, FILE_BYTES, &f.a, &text, &f.e), 0);
	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (pid == 0) {
		close(ends[0]);
		_exit(file_write_fd(ends[1], text));
	}
	close(ends[1]);
	assert_int_equal(file_read_fd(ends[0], "pipe", FILE_BYTES, &f.a, &got, &f.e), 0);
	check_str("text", got, text);
	close(ends[0]);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(file_write_fd(ends[0], text), EBADF);
	end(&f);
}

static void
links_are_taken_out_of_a_path(void **state)
{
	char link[96];
	struct fixture f;

	(void)state;
	begin(&f);
	snprintf(link, sizeof link, "%s/link", f.dir);
	assert_int_equal(symlink("data", link), 0);
	assert_int_equal(file_real_path(str_of(link), &f.a, &f.text), 0);
	check_str("path", f.text, str_of(f.path));
	assert_int_equal(unlink(f.path), 0);
	assert_int_equal(file_real_path(str_of(link), &f.a, &f.text), ENOENT);
	check_str("untouched", f.text, str_of(f.path));
	unlink(link);
	end(&f);
}

static const struct zone_row {
	const char *name;
	bool ok;
} zone_rows[] = {
	{ "Europe/Berlin", true },
	{ "UTC", true },
	{ "Etc/GMT+5", true },
	{ "America/Argentina/Buenos_Aires", true },
	{ "Europe/Atlantis", false },
	{ "", false },
	{ "Europe", false }, /* a folder */
	{ "/etc/passwd", false },
	{ "../../../etc/passwd", false },
	{ "Europe/../UTC", false },
	{ "Europe//Berlin", false },
	{ "Europe/", false },
	{ "zone.tab", false },
	{ "Europe/Berlin ", false },
	{ "Aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false },
};

static void
zones_are_read_by_name(void **state)
{
	const struct zone_row *row = *state;
	struct str text = { 0 };
	struct err e = { 0 };
	struct arena a;
	int rc;

	arena_init(&a);
	rc = file_read_zoneinfo(str_of(row->name), &a, &text, &e);
	assert_int_equal(rc, row->ok ? 0 : ERR_INVALID);
	assert_int_equal(str_starts(text, STR("TZif")), row->ok);
	arena_release(&a);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, a_file_is_read_whole_up_to_its_ceiling);
	SUITE_TEST(&s, what_is_no_file_is_refused);
	SUITE_TEST(&s, a_pipe_is_read_to_its_end);
	SUITE_TEST(&s, all_of_a_text_is_written);
	SUITE_TEST(&s, links_are_taken_out_of_a_path);
	SUITE_ROWS(&s, zone_rows, zones_are_read_by_name);
	return suite_run(&s, "file");
}
