#include "work_dir.h"

#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness.h"

enum { TEXT_BYTES = 4096 };

void
work_dir_init(struct work_dir *d)
{
	snprintf(d->path, sizeof d->path, "/tmp/perdure-work-XXXXXX");
	assert_non_null(mkdtemp(d->path));
}

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st, (void)type, (void)at;
	return remove(path);
}

void
work_dir_release(struct work_dir *d)
{
	nftw(d->path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

void
work_dir_put(const struct work_dir *d, const char *path, const char *text)
{
	char whole[TEXT_BYTES];
	FILE *file;

	snprintf(whole, sizeof whole, "%s/%s", d->path, path);
	for (char *at = whole + strlen(d->path) + 1; (at = strchr(at, '/')) != NULL; *at++ = '/') {
		*at = '\0';
		mkdir(whole, 0777);
	}
	if (text[0] == '>') {
		assert_int_equal(symlink(text + 1, whole), 0);
		return;
	}
	file = fopen(whole, "we");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

void
work_dir_check(const struct work_dir *d, const char *path, const char *want)
{
	char whole[TEXT_BYTES], text[TEXT_BYTES];
	FILE *file;

	snprintf(whole, sizeof whole, "%s/%s", d->path, path);
	file = fopen(whole, "re");
	if (!want) {
		assert_null(file);
		return;
	}
	assert_non_null(file);
	text[fread(text, 1, sizeof text - 1, file)] = '\0';
	fclose(file);
	assert_string_equal(text, want);
}

struct str
work_dir_text(const struct work_dir *d, const char *text, struct arena *a)
{
	struct str head, rest = str_of(text), out = STR("");
	size_t at;

	while (str_find(rest, STR("DIR"), 0, &at)) {
		head = str_slice(rest, 0, at);
		out = arena_printf(a, STR_FMT STR_FMT "%s", STR_ARG(out), STR_ARG(head), d->path);
		rest = str_slice(rest, at + 3, rest.len);
	}
	return arena_printf(a, STR_FMT STR_FMT, STR_ARG(out), STR_ARG(rest));
}
