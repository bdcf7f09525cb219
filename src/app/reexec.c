#include "app/reexec.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "base/vec.h"

/* Leads to what runs also when its file is gone. */
static const char SELF[] = "/proc/self/exe";

/* Is it the program that runs now? Whoever started it could call it anything. */
static bool
is_self(const char *path)
{
	struct stat there, self;

	return stat(path, &there) == 0 && stat(SELF, &self) == 0 && there.st_dev == self.st_dev &&
	       there.st_ino == self.st_ino;
}

/* from: a folder; empty: the working directory. False: it is not there. */
static bool
try_folder(struct reexec *r, struct str from, const char *name)
{
	char here[REEXEC_PATH_BYTES] = "";
	int n;

	if ((from.len == 0 || from.ptr[0] != '/') && !getcwd(here, sizeof here))
		return false;
	n = snprintf(r->program, sizeof r->program, "%s%s" STR_FMT "%s%s", here,
		     from.len > 0 && here[0] != '\0' ? "/" : "", STR_ARG(from), "/", name);
	return n > 0 && n < (int)sizeof r->program && is_self(r->program);
}

static bool
search_path(struct reexec *r, const char *name)
{
	const char *path = getenv("PATH");
	struct str rest = str_of(path ? path : ""), folder;

	while (rest.len > 0) {
		str_cut(rest, ':', &folder, &rest);
		if (try_folder(r, folder, name))
			return true;
	}
	return false;
}

void
reexec_init(struct reexec *r, const char *name)
{
	ssize_t len;

	r->name = name;
	if (name[0] == '/') {
		if (snprintf(r->program, sizeof r->program, "%s", name) < (int)sizeof r->program &&
		    is_self(name))
			return;
	} else if (strchr(name, '/') ? try_folder(r, STR(""), name) : search_path(r, name)) {
		return;
	}
	len = readlink(SELF, r->program, sizeof r->program - 1);
	r->program[len > 0 ? len : 0] = '\0';
}

int
reexec_check(const struct reexec *r, struct err *e)
{
	if (access(r->program, X_OK) != 0)
		return err_set(e, ERR_CONFLICT, "the program %s cannot be started again: %s",
			       r->program, strerror(errno));
	return 0;
}

int
reexec_go(const struct reexec *r, char *const *arguments, struct err *e)
{
	VEC(char *) argv = { 0 };
	int why;

	*vec_push(&argv) = (char *)(uintptr_t)r->name;
	for (size_t i = 0; arguments[i]; i++)
		*vec_push(&argv) = arguments[i];
	*vec_push(&argv) = NULL;
	fflush(NULL);
	IGNORE(close_range(STDERR_FILENO + 1, ~0u, 0)); /* all of ours are close-on-exec anyway */
	execv(r->program, argv.ptr);
	why = errno;
	execv(SELF, argv.ptr); /* better the program as it was than none */
	vec_release(&argv);
	return err_set(e, ERR_IO, "cannot start %s again: %s", r->program, strerror(why));
}
