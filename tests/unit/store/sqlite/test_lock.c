#include "store/sqlite/lock.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sqlite_dir.h"

static void
S1_the_lock_is_had_once(void **state)
{
	struct sqlite_dir d;
	struct lock one, two;
	struct err e;
	char want[64];

	(void)state;
	sqlite_dir_init(&d);
	assert_int_equal(lock_take(&one, d.path, &e), 0);
	assert_int_equal(lock_take(&two, d.path, &e), ERR_CONFLICT);
	snprintf(want, sizeof want, "held by pid %d", (int)getpid());
	assert_true(str_contains(str_of(e.text), str_of(want)));
	lock_release(&one);
	assert_int_equal(lock_take(&two, d.path, &e), 0);
	lock_release(&two);
	lock_release(&two);
	sqlite_dir_release(&d);
}

static void
S1_a_killed_holder_leaves_no_lock(void **state)
{
	struct sqlite_dir d;
	struct lock mine;
	struct err e;
	int ready[2];
	char want[64], byte;
	pid_t child;

	(void)state;
	sqlite_dir_init(&d);
	assert_int_equal(pipe(ready), 0);
	child = fork();
	if (child == 0) {
		IGNORE(lock_take(&mine, d.path, &e));
		IGNORE(write(ready[1], "x", 1));
		for (;;)
			pause();
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	assert_int_equal(lock_take(&mine, d.path, &e), ERR_CONFLICT);
	snprintf(want, sizeof want, "held by pid %d", (int)child);
	assert_true(str_contains(str_of(e.text), str_of(want)));
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	assert_int_equal(lock_take(&mine, d.path, &e), 0);
	lock_release(&mine);
	close(ready[0]);
	close(ready[1]);
	sqlite_dir_release(&d);
}

/* A process that is killed right after it forked: the child has the lock until it executes its program. */
static void
S1_what_a_dead_holder_left_is_waited_for(void **state)
{
	struct sqlite_dir d;
	struct lock mine;
	struct err e;
	int status;
	pid_t child;

	(void)state;
	sqlite_dir_init(&d);
	child = fork();
	if (child == 0) {
		if (lock_take(&mine, d.path, &e) != 0)
			_exit(1);
		if (fork() == 0)
			nanosleep(&(struct timespec){ .tv_nsec = 300 * 1000 * 1000 }, NULL);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(lock_take(&mine, d.path, &e), 0);
	lock_release(&mine);
	sqlite_dir_release(&d);
}

static void
S1_no_directory_is_told(void **state)
{
	struct lock l;
	struct err e;

	(void)state;
	assert_int_equal(lock_take(&l, "/nonexistent/perdure", &e), ERR_IO);
	assert_int_equal(l.fd, -1);
}

static void
S1_the_holder_is_known_without_taking_the_lock(void **state)
{
	struct sqlite_dir d;
	struct lock l;
	struct err e;
	int64_t pid = 7;

	(void)state;
	sqlite_dir_init(&d);
	assert_int_equal(lock_holder(d.path, &pid, &e), 0);
	assert_int_equal(pid, 0); /* there is no lock file, and none was made */
	assert_int_equal(lock_take(&l, d.path, &e), 0);
	assert_int_equal(lock_holder(d.path, &pid, &e), 0);
	assert_int_equal(pid, getpid());
	assert_int_equal(ftruncate(l.fd, 0), 0);
	assert_int_equal(lock_holder(d.path, &pid, &e), 0);
	assert_int_equal(pid, -1);
	lock_release(&l);
	assert_int_equal(lock_holder(d.path, &pid, &e), 0);
	assert_int_equal(pid, 0);
	assert_int_equal(lock_take(&l, d.path, &e), 0); /* looking left nothing behind */
	lock_release(&l);
	sqlite_dir_release(&d);
}

static void
S1_a_second_store_is_refused(void **state)
{
	struct sqlite_dir d;
	struct store *one, *two = NULL;
	struct store_sqlite_config cfg = { .incarnation = STR("two") };
	struct err e;

	(void)state;
	sqlite_dir_init(&d);
	one = sqlite_dir_open(&d, NULL);
	cfg.directory = d.path;
	assert_int_equal(store_sqlite_open(&two, &cfg, (struct store_owner){ 0 }, &e),
			 ERR_CONFLICT);
	assert_null(two);
	store_free(&one);
	one = sqlite_dir_open(&d, NULL);
	store_free(&one);
	sqlite_dir_release(&d);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, S1_the_lock_is_had_once);
	SUITE_TEST(&s, S1_a_killed_holder_leaves_no_lock);
	SUITE_TEST(&s, S1_what_a_dead_holder_left_is_waited_for);
	SUITE_TEST(&s, S1_no_directory_is_told);
	SUITE_TEST(&s, S1_the_holder_is_known_without_taking_the_lock);
	SUITE_TEST(&s, S1_a_second_store_is_refused);
	return suite_run(&s, "lock");
}
