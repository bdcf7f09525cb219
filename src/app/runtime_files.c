#include "app/runtime_files.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "app/folder_remove.h"
#include "app/session_folder.h"
#include "base/list.h"
#include "base/log.h"
#include "base/map.h"
#include "base/rand.h"
#include "base/xalloc.h"

/* A turn writes three files, the next one writes them again: a busy session's are not written for each of
 * them. Beyond so many they are let go. */
enum { WAITING_MAX = 10000, APART_MS = 500, PATH_BYTES = 4000 };

struct job {
	struct list node;
	struct str agent, session, name, text; /* behind the struct; session empty: a learning */
	struct str
		key; /* of a file: agent, session and name as they lie there; empty: a learning */
	/* of a removal, and what became of it */
	void (*done)(void *ctx, int rc, const struct err *err);
	void *ctx;
	int rc;
	struct err err;
};

struct runtime_files {
	struct str data; /* behind the struct */
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t filled, over; /* there is something to do, it is all over */
	struct list jobs;
	struct map files; /* jobs that replace a file, by key */
	size_t waiting;
	bool ending, hurried; /* hurried: a removal waits, and whoever asked for it */
	struct list removed;  /* jobs to be answered */
	struct loop_wake *answer;
};

/* ---- the thread ---- */

static int
write_all(int fd, struct str text)
{
	while (text.len > 0) {
		ssize_t n = write(fd, text.ptr, text.len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		text = str_slice(text, (size_t)n, text.len);
	}
	return 0;
}

static int
io_failed(const char *path, struct err *e)
{
	return err_set(e, errno == ENOSPC ? ERR_NO_SPACE : ERR_IO, "cannot write %s: %s", path,
		       strerror(errno));
}

static int
open_for_writing(const char *path)
{
	return open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
}

/* Agents may write there too: what is no file of ours does not stay in our way. */
static int
open_spare(const char *path)
{
	int fd = open_for_writing(path);
	int why = errno;

	if (fd < 0 && remove(path) == 0)
		return open_for_writing(path);
	errno = why;
	return fd;
}

/* Over what it holds: a file that is emptied first, and one that is made, cost the system far more. */
static int
overwrite(const char *path, struct str text, struct err *e)
{
	int fd = open_spare(path);
	int rc = 0;

	if (fd < 0)
		return io_failed(path, e);
	if (write_all(fd, text) != 0 || ftruncate(fd, (off_t)text.len) != 0)
		rc = io_failed(path, e);
	if (close(fd) != 0 && rc == 0)
		rc = io_failed(path, e);
	if (rc != 0)
		unlink(path);
	return rc;
}

/* Whoever reads it sees the old text or the new one, never half of either. What was there becomes the
 * spare for the next; it stays with the session, for whoever has it open reads what is written there. */
static int
replace(struct str folder, struct str name, struct str text, struct arena *a, struct err *e)
{
	const char *path = arena_printf(a, STR_FMT "/" STR_FMT, STR_ARG(folder), STR_ARG(name)).ptr;
	const char *spare = arena_printf(a, STR_FMT "/.spare", STR_ARG(folder)).ptr;
	int rc = overwrite(spare, text, e);

	if (rc == 0 && renameat2(AT_FDCWD, spare, AT_FDCWD, path, RENAME_EXCHANGE) != 0 &&
	    rename(spare, path) != 0)
		rc = io_failed(path, e);
	return rc;
}

static int
append(struct str folder, struct str text, struct arena *a, struct err *e)
{
	const char *path = arena_printf(a, STR_FMT "/lessons.jsonl", STR_ARG(folder)).ptr;
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
	int rc = 0;

	if (fd < 0)
		return io_failed(path, e);
	if (write_all(fd, text) != 0)
		rc = io_failed(path, e);
	close(fd);
	return rc;
}

/* Asked between any two files: an end does not wait for a large folder. */
static bool
is_ending(void *ctx)
{
	struct runtime_files *f = ctx;
	bool ending;

	pthread_mutex_lock(&f->lock);
	ending = f->ending;
	pthread_mutex_unlock(&f->lock);
	return ending;
}

static void
do_removal(struct runtime_files *f, struct job *job)
{
	struct buf path;

	buf_init(&path, PATH_BYTES);
	session_folder_path(&(struct session_folder){ .data = f->data,
						      .agent = job->agent,
						      .session = job->session },
			    &path);
	job->rc = buf_check(&path, "the path of the session's folder", &job->err);
	if (job->rc == 0)
		job->rc = folder_remove(buf_str(&path), is_ending, f, &job->err);
	buf_release(&path);
	pthread_mutex_lock(&f->lock);
	list_append(&f->removed, &job->node);
	pthread_mutex_unlock(&f->lock);
	loop_wake_send(f->answer);
}

static int
do_job(const struct runtime_files *f, const struct job *job, struct arena *a, struct err *e)
{
	struct session_folder where = { .data = f->data,
					.agent = job->agent,
					.session = job->session,
					.part = job->session.len > 0 ? STR("runtime")
								     : STR("learn") };
	struct str folder;
	int rc = session_folder_make(&where, a, &folder, e);

	if (rc == 0 && job->session.len > 0)
		rc = replace(folder, job->name, job->text, a, e);
	else if (rc == 0)
		rc = append(folder, job->text, a, e);
	return rc;
}

static void
do_jobs(struct runtime_files *f, struct list *jobs, struct arena *a)
{
	struct err e;

	while (!list_is_empty(jobs)) {
		struct job *job = LIST_OWNER(jobs->next, struct job, node);

		list_remove(&job->node);
		if (job->done) {
			do_removal(f, job);
			continue;
		}
		if (do_job(f, job, a, &e) != 0)
			log_write(LOG_WARN, "runtime.not_written", LOG_STR("session", job->session),
				  LOG_STR("error", str_of(e.text)));
		arena_reset(a);
		free(job);
	}
}

/* Waits for something to do and takes all of it; false: nothing is left and nothing more will come. */
static bool
take_jobs(struct runtime_files *f, struct list *out)
{
	while (list_is_empty(&f->jobs) && !f->ending)
		pthread_cond_wait(&f->filled, &f->lock);
	while (!list_is_empty(&f->jobs)) {
		struct job *job = LIST_OWNER(f->jobs.next, struct job, node);

		list_remove(&job->node);
		list_append(out, &job->node);
		if (job->key.len > 0)
			map_remove(&f->files, job->key);
	}
	f->waiting = 0;
	f->hurried = false;
	return !list_is_empty(out);
}

static void
rest(struct runtime_files *f)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += APART_MS * 1000000L;
	until.tv_sec += until.tv_nsec / 1000000000L;
	until.tv_nsec %= 1000000000L;
	while (!f->ending && !f->hurried && pthread_cond_timedwait(&f->over, &f->lock, &until) == 0)
		;
}

static void *
work(void *ctx)
{
	struct runtime_files *f = ctx;
	struct list jobs;
	struct arena a;

	list_init(&jobs);
	arena_init(&a);
	pthread_mutex_lock(&f->lock);
	while (take_jobs(f, &jobs)) {
		pthread_mutex_unlock(&f->lock);
		do_jobs(f, &jobs, &a);
		pthread_mutex_lock(&f->lock);
		rest(f);
	}
	pthread_mutex_unlock(&f->lock);
	arena_release(&a);
	return NULL;
}

/* ---- the owner's side ---- */

static struct str
copy_to(char **at, struct str text)
{
	struct str copy = { *at, text.len };

	if (text.len > 0)
		memcpy(*at, text.ptr, text.len);
	(*at)[text.len] = '\0'; /* so that keys of several texts differ where the texts do */
	*at += text.len + 1;
	return copy;
}

/* A newer text takes the place of one that waits. */
static bool
queue(struct runtime_files *f, struct job *job)
{
	struct job *older = job->key.len > 0 ? map_remove(&f->files, job->key) : NULL;

	if (older) {
		list_remove(&older->node);
		free(older);
		f->waiting--;
	}
	if (f->waiting >= WAITING_MAX && job->key.len > 0)
		return false;
	if (job->key.len > 0)
		map_put(&f->files, job->key, job);
	list_append(&f->jobs, &job->node);
	f->waiting++;
	f->hurried |= job->done != NULL;
	pthread_cond_signal(&f->filled);
	if (f->hurried)
		pthread_cond_signal(&f->over);
	return true;
}

static void
submit(struct runtime_files *f, const struct job *from)
{
	struct job *job = xmalloc(sizeof *job + from->agent.len + from->session.len +
				  from->name.len + from->text.len + 4);
	char *at = (char *)(job + 1);
	bool taken;

	list_init(&job->node);
	job->agent = copy_to(&at, from->agent);
	job->session = copy_to(&at, from->session);
	job->name = copy_to(&at, from->name);
	job->key = (struct str){ job->agent.ptr,
				 from->name.len > 0 ? (size_t)(at - job->agent.ptr) : 0 };
	job->text = copy_to(&at, from->text);
	job->done = from->done;
	job->ctx = from->ctx;
	pthread_mutex_lock(&f->lock);
	taken = queue(f, job);
	pthread_mutex_unlock(&f->lock);
	if (!taken)
		free(job);
}

static void
put(void *ctx, struct str agent, struct str session, struct str name, struct str text)
{
	submit(ctx,
	       &(struct job){ .agent = agent, .session = session, .name = name, .text = text });
}

static void
learn(void *ctx, struct str agent, struct str line)
{
	struct arena a;

	arena_init(&a);
	submit(ctx, &(struct job){ .agent = agent,
				   .text = arena_printf(&a, STR_FMT "\n", STR_ARG(line)) });
	arena_release(&a);
}

void
runtime_files_remove(struct runtime_files *f, struct str agent, struct str session,
		     void (*done)(void *ctx, int rc, const struct err *err), void *ctx)
{
	submit(f, &(struct job){ .agent = agent, .session = session, .done = done, .ctx = ctx });
}

static struct job *
take_removed(struct runtime_files *f)
{
	struct job *job = NULL;

	pthread_mutex_lock(&f->lock);
	if (!list_is_empty(&f->removed)) {
		job = LIST_OWNER(f->removed.next, struct job, node);
		list_remove(&job->node);
	}
	pthread_mutex_unlock(&f->lock);
	return job;
}

static void
on_removed(void *ctx)
{
	struct runtime_files *f = ctx;
	struct job *job;

	while ((job = take_removed(f))) {
		job->done(job->ctx, job->rc, &job->err);
		free(job);
	}
}

static void
files_free(struct runtime_files *f)
{
	struct job *job;

	while ((job = take_removed(f)))
		free(job); /* whoever asked is gone */
	loop_wake_free(&f->answer);
	pthread_mutex_destroy(&f->lock);
	pthread_cond_destroy(&f->filled);
	pthread_cond_destroy(&f->over);
	map_release(&f->files);
	free(f);
}

int
runtime_files_new(struct runtime_files **out, struct loop *loop, struct str data, struct err *e)
{
	struct runtime_files *f = xcalloc(1, sizeof *f + data.len + 1);
	char *at = (char *)(f + 1);
	pthread_condattr_t monotonic;
	struct rand random;
	int status;

	f->data = copy_to(&at, data);
	list_init(&f->jobs);
	list_init(&f->removed);
	f->answer = loop_wake_new(loop, on_removed, f);
	rand_init_os(&random);
	map_init(&f->files, rand_u64(&random));
	pthread_mutex_init(&f->lock, NULL);
	pthread_cond_init(&f->filled, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&f->over, &monotonic);
	pthread_condattr_destroy(&monotonic);
	status = pthread_create(&f->thread, NULL, work, f);
	if (status != 0) {
		files_free(f);
		return err_set(e, ERR_UNAVAILABLE, "cannot start a thread for files: %s",
			       strerror(status));
	}
	*out = f;
	return 0;
}

void
runtime_files_free(struct runtime_files **files)
{
	struct runtime_files *f = TAKE(*files);

	if (!f)
		return;
	pthread_mutex_lock(&f->lock);
	f->ending = true;
	pthread_cond_signal(&f->filled);
	pthread_cond_signal(&f->over);
	pthread_mutex_unlock(&f->lock);
	pthread_join(f->thread, NULL);
	files_free(f);
}

struct engine_files
runtime_files_port(struct runtime_files *files)
{
	return (struct engine_files){ put, learn, files };
}
