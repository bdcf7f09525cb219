/* Runs itself anew, in processes of its own: what it is asked for stands behind its name. */
#include "app/reexec.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"

enum { ARRIVED = 42, ELSEWHERE = 43, FAILED = 44, NUMBER_MAX = 16 };

static char SELF[REEXEC_PATH_BYTES];

/* ---- in a process of its own ---- */

static int
arrive(char **argv)
{
	int fd = (int)strtol(argv[3], NULL, 10);

	if (strtol(argv[2], NULL, 10) != getpid() || fcntl(fd, F_GETFD) != -1 || errno != EBADF)
		return FAILED;
	return ARRIVED;
}

/* How: what becomes of its own file before it begins anew. */
static int
leave(const char *name, const char *how)
{
	char pid[NUMBER_MAX], fd[NUMBER_MAX], other[REEXEC_PATH_BYTES + 8];
	char *arguments[] = { (char *)"arrive", pid, fd, NULL };
	struct reexec r;
	struct err e;

	reexec_init(&r, name);
	if (reexec_check(&r, &e) != 0)
		return FAILED;
	snprintf(other, sizeof other, "%s.new", r.program);
	if (strcmp(how, "replaced") == 0 && rename(other, r.program) != 0)
		return FAILED;
	if (strcmp(how, "gone") == 0 &&
	    (unlink(r.program) != 0 || reexec_check(&r, &e) != ERR_CONFLICT))
		return FAILED;
	snprintf(pid, sizeof pid, "%d", (int)getpid());
	snprintf(fd, sizeof fd, "%d", open("/dev/null", O_RDONLY)); /* without close-on-exec */
	return reexec_go(&r, arguments, &e) == 0 ? 0 : FAILED;
}

/* ---- the tests ---- */

static int
exit_code_of(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int
run(const char *program, const char *name, const char *how)
{
	pid_t pid = fork();

	if (pid == 0) {
		execl(program, name, "leave", how, (char *)NULL);
		_exit(FAILED);
	}
	return exit_code_of(pid);
}

static void
copy_self(const char *to)
{
	char command[3 * REEXEC_PATH_BYTES];

	snprintf(command, sizeof command, "cp '%s' '%s'", SELF, to);
	assert_int_equal(system(command), 0); // NOLINT(cert-env33-c): names of our own
}

static void
H5_it_begins_anew_in_the_same_process_with_nothing_open(void **state)
{
	(void)state;
	assert_int_equal(run(SELF, SELF, "as it is"), ARRIVED);
	assert_int_equal(run(SELF, "called anything", "as it is"), ARRIVED);
}

static void
H5_a_program_that_was_replaced_is_the_new_one(void **state)
{
	char folder[] = "/tmp/perdure-reexec-XXXXXX", here[64], next[64];
	FILE *script;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(here, sizeof here, "%s/program", folder);
	snprintf(next, sizeof next, "%s/program.new", folder);
	copy_self(here);
	script = fopen(next, "we");
	assert_non_null(script);
	fprintf(script, "#!/bin/sh\nexit %d\n", ELSEWHERE);
	assert_int_equal(fclose(script), 0);
	assert_int_equal(chmod(next, 0700), 0);
	assert_int_equal(run(here, here, "replaced"), ELSEWHERE);
	assert_int_equal(unlink(here), 0);
	assert_int_equal(rmdir(folder), 0);
}

static void
H5_a_program_that_is_gone_is_told_and_begins_anew_all_the_same(void **state)
{
	char folder[] = "/tmp/perdure-reexec-XXXXXX", here[64];

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(here, sizeof here, "%s/program", folder);
	copy_self(here);
	assert_int_equal(run(here, here, "gone"), ARRIVED);
	assert_int_equal(rmdir(folder), 0);
}

/* Where the name leads, and where it does not. */
static void
H5_the_program_is_found_by_its_name(void **state)
{
	char folder[] = "/tmp/perdure-reexec-XXXXXX", link[64], path[96];
	char before[REEXEC_PATH_BYTES];
	struct reexec r;

	(void)state;
	assert_non_null(getcwd(before, sizeof before));
	assert_non_null(mkdtemp(folder));
	snprintf(link, sizeof link, "%s/program", folder);
	assert_int_equal(symlink(SELF, link), 0);
	reexec_init(&r, link);
	assert_string_equal(r.program, link); /* it may lead elsewhere the next time */
	assert_int_equal(chdir(folder), 0);
	reexec_init(&r, "./program");
	assert_int_equal(chdir("/"), 0);
	assert_true(str_starts(str_of(r.program), STR("/")));
	assert_int_equal(access(r.program, X_OK), 0);
	snprintf(path, sizeof path, "/nowhere:%s", folder);
	assert_int_equal(setenv("PATH", path, 1), 0);
	reexec_init(&r, "program");
	assert_string_equal(r.program, link);
	reexec_init(&r, "another");
	assert_string_equal(r.program, SELF);
	reexec_init(&r, "/bin/sh"); /* whoever started it could call it anything */
	assert_string_equal(r.program, SELF);
	assert_int_equal(chdir(before), 0);
	assert_int_equal(unlink(link), 0);
	assert_int_equal(rmdir(folder), 0);
}

int
main(int argc, char **argv)
{
	struct suite s = { 0 };
	ssize_t len;

	if (argc > 3 && strcmp(argv[1], "arrive") == 0)
		return arrive(argv);
	if (argc > 2 && strcmp(argv[1], "leave") == 0)
		return leave(argv[0], argv[2]);
	len = readlink("/proc/self/exe", SELF, sizeof SELF - 1);
	assert_true(len > 0);
	SUITE_TEST(&s, H5_it_begins_anew_in_the_same_process_with_nothing_open);
	SUITE_TEST(&s, H5_a_program_that_was_replaced_is_the_new_one);
	SUITE_TEST(&s, H5_a_program_that_is_gone_is_told_and_begins_anew_all_the_same);
	SUITE_TEST(&s, H5_the_program_is_found_by_its_name);
	return suite_run(&s, "app/reexec");
}
