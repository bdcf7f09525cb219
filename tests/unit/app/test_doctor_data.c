#include <sys/stat.h>
#include <unistd.h>

#include "doctor_rows.h"
#include "sqlite_fill.h"
#include "store/migrate.h"
#include "store/sqlite/lock.h"

/* The items of one check only: disk and filesystem are the machine's. */
static void
keep_only(struct doctor_report *r, const char *check)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->items.len; i++)
		if (str_eq(str_of(r->items.ptr[i].check), str_of(check)))
			r->items.ptr[kept++] = r->items.ptr[i];
	r->items.len = kept;
}

static void PRINTF_LIKE(4, 5)
	check_one(const char *name, const char *directory, const char *check, const char *fmt, ...)
{
	struct doctor_report r;
	char want[600];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(want, sizeof want, fmt, ap);
	va_end(ap);
	doctor_report_init(&r);
	doctor_data(&r, directory);
	keep_only(&r, check);
	doctor_rows_check(name, &r, want);
	doctor_report_release(&r);
}

static void
a_folder_that_is_not_there(void **state)
{
	char folder[64], path[128], below[200];
	struct doctor_report r;

	(void)state;
	config_rows_mkdir(folder);
	snprintf(below, sizeof below, "%s/a/b", folder);
	check_one("fresh", below, "data", "ok data: %s is not there yet; the server makes it",
		  below);
	check_one("no lock to look at", below, "lock", "%s", "");
	config_rows_write(folder, "file", "", path);
	check_one("a file", path, "data", "fail data: %s is not a folder", path);
	snprintf(below, sizeof below, "%s/a", path);
	check_one("below a file", below, "data",
		  "fail data: %s is not there, and %s does not let it be made", below, path);
	doctor_report_init(&r);
	assert_int_equal(doctor_data(&r, "nowhere-relative"), 0); /* found from here */
	doctor_report_release(&r);
	unlink(path);
	rmdir(folder);
}

static void
a_folder_must_be_private(void **state)
{
	char folder[64];

	(void)state;
	config_rows_mkdir(folder);
	check_one("private", folder, "data", "ok data: %s is ours, private and writable", folder);
	assert_int_equal(chmod(folder, 0750), 0);
	check_one("open", folder, "data", "warn data: %s is open to other users (mode 750)",
		  folder);
	if (geteuid() == 0) {
		assert_int_equal(chown(folder, 12345, (gid_t)-1), 0);
		check_one("foreign", folder, "data",
			  "fail data: %s belongs to user 12345, this is user 0", folder);
		check_one("nothing else is touched", folder, "schema", "%s", "");
	} else {
		assert_int_equal(chmod(folder, 0500), 0);
		check_one("read-only", folder, "data",
			  "fail data: %s cannot be written: Permission denied", folder);
		assert_int_equal(chmod(folder, 0700), 0);
	}
	rmdir(folder);
}

static void
S1_the_holder_is_named(void **state)
{
	char folder[64], path[128];
	struct lock l;
	struct err e;

	(void)state;
	config_rows_mkdir(folder);
	check_one("nobody", folder, "lock", "ok lock: no server holds the data");
	assert_int_equal(lock_take(&l, folder, &e), 0);
	check_one("us", folder, "lock", "ok lock: process %d holds the data", (int)getpid());
	assert_int_equal(ftruncate(l.fd, 0), 0);
	check_one("who knows", folder, "lock",
		  "warn lock: a process that cannot be named holds the data");
	lock_release(&l);
	snprintf(path, sizeof path, "%s/perdure.lock", folder);
	unlink(path);
	rmdir(folder);
}

static void
set_version(struct fill *f, long version)
{
	char sql[64];

	snprintf(sql, sizeof sql, "PRAGMA user_version=%ld", version);
	fill_run(f, sql);
}

static void
S1_the_schema_is_known_or_not(void **state)
{
	struct fill f;
	char empty[64];
	long known = 0;
	FILE *file;

	(void)state;
	while (MIGRATE_SQLITE[known].version != 0)
		known++;
	config_rows_mkdir(empty);
	check_one("fresh", empty, "schema", "ok schema: there is no database yet");
	rmdir(empty);
	fill_open(&f);
	set_version(&f, known);
	check_one("while it is open", f.dir, "schema", "ok schema: schema %ld", known);
	set_version(&f, known + 1);
	check_one("newer", f.dir, "schema",
		  "fail schema: the database has schema %ld, this program knows %ld", known + 1,
		  known);
	set_version(&f, known - 1);
	check_one("older", f.dir, "schema", "ok schema: schema %ld; the server brings it to %ld",
		  known - 1, known);
	db_close(&f.db);
	file = fopen(f.path, "w");
	fputs("this is not a database, however long one looks at it and whatever it says....",
	      file);
	fclose(file);
	check_one("damaged", f.dir, "schema", "fail schema: %s: file is not a database (sqlite 26)",
		  f.path);
	fill_close(&f);
}

static const struct fs_row {
	const char *name;
	int64_t magic;
	const char *want;
} FILESYSTEMS[] = {
	{ "ext4", 0xef53, "ok filesystem: /d is on a local disk" },
	{ "overlayfs", 0x794c7630, "ok filesystem: /d is on a local disk" },
	{ "NFS", 0x6969, "fail filesystem: /d is on NFS" },
	{ "CIFS, sign-extended", (int32_t)0xff534d42, "fail filesystem: /d is on CIFS" },
	{ "FUSE", 0x65735546, "warn filesystem: /d is on FUSE" },
	{ "tmpfs", 0x01021994, "warn filesystem: /d is on tmpfs" },
};

static void
filesystems(void **state)
{
	const struct fs_row *row = *state;
	struct doctor_report r;

	doctor_report_init(&r);
	doctor_filesystem(&r, "/d", row->magic);
	doctor_rows_check(row->name, &r, row->want);
	doctor_report_release(&r);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, a_folder_that_is_not_there);
	SUITE_TEST(&s, a_folder_must_be_private);
	SUITE_TEST(&s, S1_the_holder_is_named);
	SUITE_TEST(&s, S1_the_schema_is_known_or_not);
	SUITE_ROWS(&s, FILESYSTEMS, filesystems);
	return suite_run(&s, "app/doctor_data");
}
