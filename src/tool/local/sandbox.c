#include "tool/local/sandbox.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

enum { ARGUMENTS_MAX = 512, WAY_MAX = 64 /* folders between the directory and the data */ };

/* Where our own program is in there. */
static const char HELPER[] = "/run/perdure";
static const char PRIVATE_BYTES[] = "268435456"; /* of each private directory: it is memory */

static const char *const SYSTEM[] = { "bin", "lib", "lib32", "lib64", "libx32", "sbin" };

/* Of /etc what programs need to run. Not whole folders that may hold keys: a server that runs as
 * root may read those, and so could a tool. */
static const char *const ETC[] = {
	"alternatives",    "ca-certificates",
	"debian_version",  "fonts",
	"group",           "host.conf",
	"hosts",           "inputrc",
	"java-11-openjdk", "java-17-openjdk",
	"java-21-openjdk", "ld.so.cache",
	"ld.so.conf",      "ld.so.conf.d",
	"localtime",       "lsb-release",
	"magic",           "mime.types",
	"nsswitch.conf",   "os-release",
	"passwd",          "perl",
	"pki/ca-trust",    "pki/tls/certs",
	"protocols",       "python3",
	"resolv.conf",     "services",
	"ssl/cert.pem",    "ssl/certs",
	"ssl/openssl.cnf", "terminfo",
	"timezone",        "xdg",
};

/* A working directory that would put the host's own there; and one that is the kernel's all the way
 * down. */
static const char *const NO_PLACE[] = { "/", "/dev", "/run" };
static const char *const NO_PLACE_BELOW[] = { "/proc", "/sys" };

struct arguments {
	const char **ptr;
	size_t count;
};

static void
add(struct arguments *out, const char *argument)
{
	if (out->count + 1 < ARGUMENTS_MAX) /* ours are fewer: WAY_MAX bounds the only list */
		out->ptr[out->count++] = argument;
}

#define ADD(out, ...)                                                      \
	do {                                                               \
		const char *const all_[] = { __VA_ARGS__ };                \
		for (size_t i_ = 0; i_ < sizeof all_ / sizeof *all_; i_++) \
			add((out), all_[i_]);                              \
	} while (0)

/* ---- where ---- */

/* Is path at or below folder? Both without links. */
static bool
is_within(const char *path, const char *folder)
{
	size_t len = strlen(folder);

	return strncmp(path, folder, len) == 0 && (path[len] == '/' || path[len] == '\0');
}

static bool
shows_hidden(const struct sandbox *s)
{
	return s->hidden && is_within(s->hidden, s->directory);
}

/* Does what everyone is shown show it? */
static bool
system_shows_hidden(const struct sandbox *s)
{
	return s->hidden && is_within(s->hidden, "/usr") && !shows_hidden(s);
}

/* Where the data went nobody knows: perhaps to where a tool would see it. */
static int
find_hidden(struct sandbox *s, struct str path, struct arena *a, struct err *e)
{
	struct str found;
	int failed = file_real_path(path, a, &found);

	if (failed == 0) {
		s->hidden = found.ptr;
		return 0;
	}
	return err_set(e, ERR_DENIED,
		       "the server's own data is not at " STR_FMT " any more (%s) and cannot be "
		       "hidden from tools: put that folder back, or start the server again with "
		       "the data it is to have",
		       STR_ARG(path), strerror(failed));
}

static size_t
folders_on_way(const struct sandbox *s)
{
	size_t count = 0;

	for (const char *at = s->hidden + strlen(s->directory) + 1; (at = strchr(at, '/')); at++)
		count++;
	return count;
}

static bool
is_no_place(const char *directory)
{
	for (size_t i = 0; i < ARRAY_LEN(NO_PLACE); i++)
		if (strcmp(directory, NO_PLACE[i]) == 0)
			return true;
	for (size_t i = 0; i < ARRAY_LEN(NO_PLACE_BELOW); i++)
		if (is_within(directory, NO_PLACE_BELOW[i]))
			return true;
	return false;
}

static int
check_place(const struct sandbox *s, bool sandboxed, struct err *e)
{
	struct stat st;

	if (stat(s->directory, &st) != 0 || !S_ISDIR(st.st_mode))
		return err_set(e, ERR_NOT_FOUND, "the working directory %s is no directory",
			       s->directory);
	if (sandboxed && is_no_place(s->directory))
		return err_set(e, ERR_DENIED,
			       "%s cannot be a working directory: give the environment a folder "
			       "of its own",
			       s->directory);
	if (s->hidden && strcmp(s->directory, s->hidden) == 0)
		return err_set(e, ERR_DENIED,
			       "%s holds the server's own data and cannot be a working directory: "
			       "give the environment another one",
			       s->directory);
	if (sandboxed && shows_hidden(s) && folders_on_way(s) > WAY_MAX)
		return err_set(e, ERR_DENIED,
			       "the server's own data is more than %d folders below %s, too many "
			       "to guard: give the environment a directory that does not hold it",
			       WAY_MAX, s->directory);
	return 0;
}

int
sandbox_place(struct sandbox *s, const struct tool_job *job, const char *program, struct arena *a,
	      struct err *e)
{
	struct str directory;
	int failed = file_real_path(job->directory, a, &directory);
	int rc = 0;

	if (failed != 0)
		return err_set(e, ERR_NOT_FOUND, "the working directory " STR_FMT ": %s",
			       STR_ARG(job->directory), strerror(failed));
	*s = (struct sandbox){ .program = program, .directory = directory.ptr };
	if (job->hidden.len > 0)
		rc = find_hidden(s, job->hidden, a, e);
	return rc == 0 ? check_place(s, job->sandboxed, e) : rc;
}

/* ---- what it sees ---- */

static void
add_system(struct arguments *out, struct arena *a)
{
	char target[PATH_MAX];

	ADD(out, "--ro-bind", "/usr", "/usr");
	for (size_t i = 0; i < ARRAY_LEN(SYSTEM); i++) {
		const char *path = arena_printf(a, "/%s", SYSTEM[i]).ptr;
		ssize_t len = readlink(path, target, sizeof target - 1);

		if (len > 0)
			ADD(out, "--symlink", arena_str(a, (struct str){ target, (size_t)len }).ptr,
			    path);
		else
			ADD(out, "--ro-bind-try", path, path);
	}
	for (size_t i = 0; i < ARRAY_LEN(ETC); i++) {
		const char *path = arena_printf(a, "/etc/%s", ETC[i]).ptr;

		ADD(out, "--ro-bind-try", path, path);
	}
}

static void
add_private(struct arguments *out, const char *path)
{
	ADD(out, "--perms", "1777", "--size", PRIVATE_BYTES, "--tmpfs", path);
}

/* A mount point cannot be renamed or removed, but the folders above it can, and what it covers goes
 * with them: so each of those is one as well. */
static void
add_cover(struct arguments *out, const struct sandbox *s, const char *bind, struct arena *a)
{
	for (const char *at = s->hidden + strlen(s->directory) + 1; (at = strchr(at, '/')); at++) {
		struct str folder = { s->hidden, (size_t)(at - s->hidden) };
		const char *path = arena_str(a, folder).ptr;

		ADD(out, bind, path, path);
	}
	ADD(out, "--perms", "0000", "--tmpfs", s->hidden, "--remount-ro", s->hidden);
}

static void
add_directory(struct arguments *out, const struct sandbox *s, enum tool_access access,
	      struct arena *a)
{
	const char *bind = access == TOOL_ACCESS_WRITE ? "--bind" : "--ro-bind";

	if (access == TOOL_ACCESS_NONE) {
		add_private(out, s->directory);
		return;
	}
	ADD(out, bind, s->directory, s->directory);
	if (shows_hidden(s))
		add_cover(out, s, bind, a);
}

static void
add_namespaces(struct arguments *out, bool network)
{
	ADD(out, "bwrap", "--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-uts",
	    "--unshare-cgroup-try", "--die-with-parent", "--new-session", "--cap-drop", "ALL",
	    "--hostname", "perdure");
	if (!network)
		add(out, "--unshare-net");
	if (geteuid() == 0) /* programs that find themselves root try what only root may */
		ADD(out, "--uid", "65534", "--gid", "65534");
}

const char *const *
sandbox_command(const struct sandbox *s, const struct tool_job *job, struct arena *a)
{
	struct arguments out = { .ptr = ARENA_ARRAY(a, ARGUMENTS_MAX, const char *) };

	add_namespaces(&out, job->network);
	ADD(&out, "--clearenv", "--setenv", "PATH",
	    "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "--setenv", "HOME",
	    "/tmp", "--setenv", "LANG", "C.UTF-8");
	add_system(&out, a);
	if (system_shows_hidden(s)) /* passable: a session's own folder may lie in it */
		ADD(&out, "--perms", "0111", "--tmpfs", s->hidden);
	ADD(&out, "--proc", "/proc", "--dev", "/dev");
	add_private(&out, "/dev/shm");
	add_private(&out, "/tmp");
	ADD(&out, "--symlink", "../tmp", "/var/tmp", "--ro-bind", s->program, HELPER);
	add_directory(&out, s, job->access, a);
	if (system_shows_hidden(s))
		ADD(&out, "--remount-ro", s->hidden);
	/* The rest of it is memory without a bound; and the kernel's settings in /proc are files
	 * that root owns. */
	ADD(&out, "--remount-ro", "/dev", "--remount-ro", "/proc", "--remount-ro", "/");
	ADD(&out, "--chdir", s->directory, "--", HELPER, "tool-helper", "inside");
	return out.ptr;
}
