/* doctor_data - the data directory: is it there, ours and private, on a disk that keeps promises, free
 * or held by a living process, and of a schema that this program knows? */
#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "app/doctor_private.h"
#include "store/migrate.h"
#include "store/sqlite/db.h"
#include "store/sqlite/lock.h"

static const int64_t SPACE_FAIL = INT64_C(100) << 20, SPACE_WARN = INT64_C(1) << 30;

/* ---- the folder ---- */

/* The deepest part of path that exists, in place. */
static void
cut_to_existing(char *path)
{
	struct stat st;

	while (stat(path, &st) != 0) {
		char *slash = strrchr(path, '/');
		if (!slash || (slash == path && path[1] == '\0')) {
			memcpy(path, ".", 2);
			return;
		}
		slash[slash == path] = '\0';
	}
}

static void
check_absent(struct doctor_report *r, const char *directory, const char *parent)
{
	struct stat st;

	if (stat(parent, &st) == 0 && S_ISDIR(st.st_mode) && access(parent, W_OK | X_OK) == 0)
		doctor_report_ok(r, "data", "%s is not there yet; the server makes it", directory);
	else
		doctor_report_add(r, DOCTOR_FAIL, "data",
				  "make it (mkdir -p, chmod 700) or name another one with data:",
				  "%s is not there, and %s does not let it be made", directory,
				  parent);
}

/* True when what is inside may be looked at. */
static bool
check_folder(struct doctor_report *r, const char *directory, const struct stat *st)
{
	const char *advice;

	if (!S_ISDIR(st->st_mode)) {
		doctor_report_add(r, DOCTOR_FAIL, "data",
				  "name a folder with data:", "%s is not a folder", directory);
		return false;
	}
	if (st->st_uid != geteuid()) {
		doctor_report_add(
			r, DOCTOR_FAIL, "data",
			"run this and the server as its owner, or change the owner (chown -R)",
			"%s belongs to user %u, this is user %u", directory, (unsigned)st->st_uid,
			(unsigned)geteuid());
		return false;
	}
	if (access(directory, R_OK | W_OK | X_OK) != 0) {
		advice = arena_printf(&r->a, "chmod 700 %s, unless its disk is mounted read-only",
				      directory)
				 .ptr;
		doctor_report_add(r, DOCTOR_FAIL, "data", advice, "%s cannot be written: %s",
				  directory, strerror(errno));
		return false;
	}
	if ((st->st_mode & 077) != 0) {
		advice = arena_printf(&r->a, "chmod 700 %s", directory).ptr;
		doctor_report_add(r, DOCTOR_WARN, "data", advice,
				  "%s is open to other users (mode %03o)", directory,
				  (unsigned)(st->st_mode & 0777));
	} else {
		doctor_report_ok(r, "data", "%s is ours, private and writable", directory);
	}
	return true;
}

/* ---- its disk ---- */

static void
check_space(struct doctor_report *r, const char *path)
{
	struct statvfs fs;
	int64_t bytes;

	if (statvfs(path, &fs) != 0) {
		doctor_report_add(r, DOCTOR_WARN, "disk", "look at it with df", "%s: %s", path,
				  strerror(errno));
		return;
	}
	bytes = (int64_t)fs.f_bavail * (int64_t)fs.f_frsize;
	if (bytes >= SPACE_WARN)
		doctor_report_ok(r, "disk", "%lld GiB are free", (long long)(bytes >> 30));
	else
		doctor_report_add(r, bytes < SPACE_FAIL ? DOCTOR_FAIL : DOCTOR_WARN, "disk",
				  "make room: without it nothing more is accepted",
				  "%lld MiB are free", (long long)(bytes >> 20));
}

void
doctor_filesystem(struct doctor_report *r, const char *path, int64_t magic)
{
	static const struct {
		int64_t magic;
		enum doctor_verdict verdict;
		const char *name;
	} KNOWN[] = {
		{ 0x6969, DOCTOR_FAIL, "NFS" },        { 0x517b, DOCTOR_FAIL, "SMB" },
		{ 0xff534d42, DOCTOR_FAIL, "CIFS" },   { 0xfe534d42, DOCTOR_FAIL, "SMB" },
		{ 0x5346414f, DOCTOR_FAIL, "AFS" },    { 0x00c36400, DOCTOR_FAIL, "Ceph" },
		{ 0x0bd00bd0, DOCTOR_FAIL, "Lustre" }, { 0x01161970, DOCTOR_FAIL, "GFS2" },
		{ 0x7461636f, DOCTOR_FAIL, "OCFS2" },  { 0x01021997, DOCTOR_WARN, "9p" },
		{ 0x65735546, DOCTOR_WARN, "FUSE" },   { 0x01021994, DOCTOR_WARN, "tmpfs" },
		{ 0x858458f6, DOCTOR_WARN, "ramfs" },
	};

	for (size_t i = 0; i < ARRAY_LEN(KNOWN); i++) {
		if (KNOWN[i].magic != (magic & 0xffffffff))
			continue;
		doctor_report_add(
			r, KNOWN[i].verdict, "filesystem",
			"use a folder on a local disk: data there is lost or damaged when "
			"the machine or the network fails",
			"%s is on %s", path, KNOWN[i].name);
		return;
	}
	doctor_report_ok(r, "filesystem", "%s is on a local disk", path);
}

static void
check_disk(struct doctor_report *r, const char *path)
{
	struct statfs fs;

	check_space(r, path);
	if (statfs(path, &fs) == 0)
		doctor_filesystem(r, path, (int64_t)fs.f_type);
}

/* ---- what is inside ---- */

static int64_t
check_lock(struct doctor_report *r, const char *directory)
{
	int64_t pid = -1;
	struct err e;

	if (lock_holder(directory, &pid, &e) != 0)
		doctor_report_add(r, DOCTOR_FAIL, "lock", "look at the file's owner and mode", "%s",
				  e.text);
	else if (pid == 0)
		doctor_report_ok(r, "lock", "no server holds the data");
	else if (pid > 0 && (kill((pid_t)pid, 0) == 0 || errno == EPERM))
		doctor_report_ok(r, "lock", "process %lld holds the data", (long long)pid);
	else
		doctor_report_add(r, DOCTOR_WARN, "lock",
				  "find it with fuser or lsof on perdure.lock",
				  "a process that cannot be named holds the data");
	return pid;
}

static int
schema_version(const char *path, int64_t *out, struct err *e)
{
	struct db db;
	sqlite3_stmt *st;
	int code, rc = db_open(&db, path, DB_READER, NULL, e);

	if (rc != 0)
		return rc;
	st = db_prepare(&db, "PRAGMA user_version", &code);
	if (st)
		code = sqlite3_step(st);
	if (code == SQLITE_ROW)
		*out = sqlite3_column_int64(st, 0);
	else
		rc = db_fail(&db, code, "reading the schema version", e);
	db_close(&db);
	return rc;
}

static void
check_schema(struct doctor_report *r, const char *directory)
{
	struct str path = arena_printf(&r->a, "%s/perdure.db", directory);
	int64_t have, known = 0;
	struct err e;

	while (MIGRATE_SQLITE[known].version != 0)
		known++;
	if (access(path.ptr, F_OK) != 0)
		doctor_report_ok(r, "schema", "there is no database yet");
	else if (schema_version(path.ptr, &have, &e) != 0)
		doctor_report_add(r, DOCTOR_FAIL, "schema",
				  "stop the server and run perdure check, or restore a backup",
				  "%s", e.text);
	else if (have > known)
		doctor_report_add(r, DOCTOR_FAIL, "schema",
				  "run the newer program that wrote the database",
				  "the database has schema %lld, this program knows %lld",
				  (long long)have, (long long)known);
	else
		doctor_report_ok(r, "schema",
				 have < known ? "schema %lld; the server brings it to %lld"
					      : "schema %lld",
				 (long long)have, (long long)known);
}

int64_t
doctor_data(struct doctor_report *r, const char *directory)
{
	char *parent = (char *)(uintptr_t)arena_str(&r->a, str_of(directory)).ptr;
	struct stat st;
	int64_t holder;

	if (stat(directory, &st) != 0) {
		cut_to_existing(parent);
		check_absent(r, directory, parent);
		check_disk(r, parent);
		return 0;
	}
	if (!check_folder(r, directory, &st))
		return 0;
	check_disk(r, directory);
	holder = check_lock(r, directory);
	check_schema(r, directory);
	return holder;
}
