/* child - a process of ours and its pipes, on the loop: started, fed, read, ended.
 *
 * It leads a process group of its own: signals reach everything in it, and what is left of it when
 * the child ends is killed. Of our descriptors it has its three pipes and extra_fd, whatever else is
 * open here and whoever opened it. Events never come from inside a call here; on_exit is the last
 * one and comes once, after both pipes have ended (or a moment after the exit, when somebody who
 * left the group holds them open; two seconds at most, however much it says). */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include "base/err.h"
#include "base/str.h"
#include "net/loop.h"

struct child_spec {
	const char *const *argv; /* ends with NULL; argv[0] is looked up in our PATH */
	const char *const *env;  /* ends with NULL, whole; NULL: empty */
	const char *directory;   /* NULL: ours */
	bool ends_all; /* our own, which on SIGTERM ends whatever it started and then itself: it is
			  killed only when it does not */
	int extra_fd;  /* is descriptor 3 of the child; -1: none. Stays the caller's */
};

struct child_events {
	void (*on_output)(void *ctx, struct str bytes);
	void (*on_errors)(void *ctx, struct str bytes);
	void (*on_exit)(void *ctx, int code, int signal); /* signal 0: it ended by itself */
};

struct child;

/* ERR_NOT_FOUND when there is no such program. */
NODISCARD int
child_start(struct loop *l, const struct child_spec *spec, const struct child_events *events,
	    void *ctx, struct child **out, struct err *e);
/* Its standard input; bytes are copied. Input nobody reads is dropped with the child. */
void child_write(struct child *c, struct str bytes);
void child_close_input(struct child *c);
/* Bytes that it has not taken yet. */
size_t child_unsent(const struct child *c);
/* While paused its output waits in the pipes. */
void child_pause(struct child *c, bool paused);
/* To the process and its group, while it runs. */
void child_signal(struct child *c, int signal);
int child_pid(const struct child *c);
/* No event comes any more; what still runs is killed, or asked to end all (ends_all). */
void child_free(struct child **c);
/* Where a program is: name if it is a path, else looked up in our PATH. ERR_NOT_FOUND. */
enum { CHILD_PATH_BYTES = 4096 };
NODISCARD int child_find(const char *name, char path[CHILD_PATH_BYTES], struct err *e);
