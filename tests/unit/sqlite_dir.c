#include "sqlite_dir.h"

#include <dirent.h>
#include <unistd.h>

void
sqlite_dir_init(struct sqlite_dir *d)
{
	const char *base = getenv("TMPDIR");

	snprintf(d->path, sizeof d->path, "%s/perdure_XXXXXX", base ? base : "/tmp");
	if (!mkdtemp(d->path))
		fail_msg("no directory %s", d->path);
	snprintf(d->file, sizeof d->file, "%s/perdure.db", d->path);
}

void
sqlite_dir_release(struct sqlite_dir *d)
{
	DIR *dir = opendir(d->path);
	struct dirent *f;
	char path[512];

	while (dir && (f = readdir(dir))) {
		snprintf(path, sizeof path, "%s/%s", d->path, f->d_name);
		unlink(path);
	}
	if (dir)
		closedir(dir);
	rmdir(d->path);
}

struct store *
sqlite_dir_open(struct sqlite_dir *d, const struct store_sqlite_config *cfg)
{
	struct store_sqlite_config c = cfg ? *cfg : (struct store_sqlite_config){ 0 };
	struct store *s = NULL;
	struct err e;

	c.directory = d->path;
	if (c.incarnation.len == 0)
		c.incarnation = STR("test");
	if (store_sqlite_open(&s, &c, (struct store_owner){ 0 }, &e) != 0)
		fail_msg("%s", e.text);
	return s;
}
