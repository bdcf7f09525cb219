#include "app/folder_remove.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness.h"

enum { DEEP = 3000 };

struct place {
	char root[64], inside[80], outside[80];
};

static void
run(const char *command)
{
	assert_int_equal(system(command), 0);
}

static void
begin(struct place *p)
{
	char command[300];

	snprintf(p->root, sizeof p->root, "/tmp/perdure-remove-XXXXXX");
	assert_non_null(mkdtemp(p->root));
	snprintf(p->inside, sizeof p->inside, "%s/inside", p->root);
	snprintf(p->outside, sizeof p->outside, "%s/outside", p->root);
	snprintf(command, sizeof command, "mkdir %s %s && echo kept > %s/kept", p->inside,
		 p->outside, p->outside);
	run(command);
}

static void
end(struct place *p)
{
	char command[100];

	snprintf(command, sizeof command, "rm -rf %s", p->root);
	run(command);
}

static bool
exists(const char *path, const char *below)
{
	char whole[200];

	snprintf(whole, sizeof whole, "%s%s", path, below);
	return access(whole, F_OK) == 0;
}

static bool
never(void *ctx)
{
	(void)ctx;
	return false;
}

static bool
after_some(void *ctx)
{
	int *left = ctx;

	return --*left < 0;
}

static void
P6_nothing_outside_is_touched(void **state)
{
	char command[600];
	struct place p;
	struct stat st;
	struct err e;

	(void)state;
	begin(&p);
	snprintf(command, sizeof command,
		 "cd %s && chmod 711 ../outside && ln -s ../outside link && ln -s ../outside/kept "
		 "file"
		 " && mkdir -p a/b/c d && ln -s ../../../outside a/b/link && echo x > a/b/c/x"
		 " && echo y > .removed-1 && mkfifo pipe && ln ../outside/kept hard && chmod 0 a/b "
		 "a d",
		 p.inside);
	run(command);
	assert_int_equal(folder_remove(str_of(p.inside), never, NULL, &e), 0);
	assert_false(exists(p.inside, ""));
	assert_true(exists(p.outside, "/kept"));
	assert_int_equal(stat(p.outside, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0711);
	assert_int_equal(folder_remove(str_of(p.inside), never, NULL, &e), 0); /* again: none */
	end(&p);
}

static void
P6_the_folder_itself_may_be_a_link(void **state)
{
	char path[100];
	struct place p;
	struct err e;

	(void)state;
	begin(&p);
	snprintf(path, sizeof path, "%s/link", p.root);
	assert_int_equal(symlink("outside", path), 0);
	snprintf(path, sizeof path, "%s/link/", p.root);
	assert_int_not_equal(folder_remove(str_of(path), never, NULL, &e), 0);
	assert_true(exists(p.outside, "/kept"));
	end(&p);
}

/* Deeper than a path may be long, and than there are descriptors. */
static void
P6_deep_folders_go_too(void **state)
{
	struct place p;
	struct err e;
	int fd;

	(void)state;
	begin(&p);
	fd = open(p.inside, O_DIRECTORY | O_CLOEXEC);
	for (int i = 0; i < DEEP; i++) {
		int next;

		assert_int_equal(mkdirat(fd, "deep", 0700), 0);
		next = openat(fd, "deep", O_DIRECTORY | O_CLOEXEC);
		assert_true(next >= 0);
		close(fd);
		fd = next;
	}
	close(fd);
	assert_int_equal(folder_remove(str_of(p.inside), never, NULL, &e), 0);
	assert_false(exists(p.inside, ""));
	end(&p);
}

static void
P6_it_stops_when_told_and_goes_on_later(void **state)
{
	char command[200];
	struct place p;
	struct err e;
	int left = 10;

	(void)state;
	begin(&p);
	snprintf(command, sizeof command, "cd %s && mkdir -p a/b && touch a/1 a/2 a/b/3 $(seq 100)",
		 p.inside);
	run(command);
	assert_int_equal(folder_remove(str_of(p.inside), after_some, &left, &e), ERR_UNAVAILABLE);
	assert_true(exists(p.inside, ""));
	assert_int_equal(folder_remove(str_of(p.inside), never, NULL, &e), 0);
	assert_false(exists(p.inside, ""));
	end(&p);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, P6_nothing_outside_is_touched);
	SUITE_TEST(&s, P6_the_folder_itself_may_be_a_link);
	SUITE_TEST(&s, P6_deep_folders_go_too);
	SUITE_TEST(&s, P6_it_stops_when_told_and_goes_on_later);
	return suite_run(&s, "folder_remove");
}
