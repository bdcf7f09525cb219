#include "app/wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <uv.h>

#include "base/file.h"
#include "config_rows.h"

/* A server on this thread, in a folder of its own; the rest of it is tried as a process by
 * tests/server. */
struct stage {
	struct loop *loop;
	struct wire *wire;
	struct config *config;
	char folder[64], data[128];
	int ready, drained, broken;
	struct err err;
	bool drains_at_once;
};

static void
on_ready(void *ctx)
{
	struct stage *g = ctx;

	g->ready++;
	if (g->drains_at_once)
		wire_drain(g->wire, RECOVER_SHUTDOWN_TIMEOUT);
	else
		loop_stop(g->loop);
}

static void
on_broken(void *ctx, int rc, const struct err *err)
{
	struct stage *g = ctx;

	(void)rc;
	g->broken++;
	g->err = *err;
	loop_stop(g->loop);
}

static void
on_drained(void *ctx)
{
	struct stage *g = ctx;

	g->drained++;
	loop_stop(g->loop);
}

static void
stage_init(struct stage *g, const char *data)
{
	char text[512];

	*g = (struct stage){ .loop = loop_new() };
	config_rows_mkdir(g->folder);
	snprintf(g->data, sizeof g->data, "%s/%s", g->folder, data);
	snprintf(text, sizeof text, "data: %s\nlisten: ['127.0.0.1:0', 'unix:%s/socket']\n",
		 g->data, g->folder);
	g->config = config_rows_load(text);
}

static int
stage_open(struct stage *g, struct wire **wire, struct err *e)
{
	return wire_open(wire, g->loop, g->config,
			 &(struct wire_events){ .on_ready = on_ready,
						.on_broken = on_broken,
						.on_drained = on_drained,
						.ctx = g },
			 e);
}

static void
stage_release(struct stage *g)
{
	char command[256];

	wire_close(&g->wire);
	wire_close(&g->wire);
	loop_free(&g->loop);
	config_free(&g->config);
	snprintf(command, sizeof command, "rm -rf '%s'", g->folder);
	assert_int_equal(system(command), 0);
}

static void
it_opens_serves_drains_and_closes(void **state)
{
	struct stage g;
	struct stat st;
	struct err e;

	(void)state;
	stage_init(&g, "a/b/c"); /* folders are made on the way */
	if (stage_open(&g, &g.wire, &e) != 0)
		fail_msg("%s", e.text);
	assert_int_equal(g.ready, 0); /* never inside the call */
	loop_run(g.loop);
	assert_int_equal(g.ready, 1);
	assert_int_equal(g.broken, 0);
	assert_int_equal(stat(g.data, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	assert_non_null(wire_new_token_file(g.wire));
	wire_drain(g.wire, RECOVER_SHUTDOWN_TIMEOUT);
	assert_int_equal(g.drained, 0);
	loop_run(g.loop);
	assert_int_equal(g.drained, 1);
	wire_close(&g.wire);
	assert_null(g.wire);
	if (stage_open(&g, &g.wire, &e) != 0) /* and again: the token is there */
		fail_msg("%s", e.text);
	assert_null(wire_new_token_file(g.wire));
	loop_run(g.loop);
	stage_release(&g);
}

static void
S1_a_second_one_on_the_same_data_is_refused(void **state)
{
	struct stage g;
	struct wire *second = NULL;
	struct err e;

	(void)state;
	stage_init(&g, "data");
	assert_int_equal(stage_open(&g, &g.wire, &e), 0);
	loop_run(g.loop);
	assert_int_equal(stage_open(&g, &second, &e), ERR_CONFLICT);
	assert_null(second);
	assert_non_null(strstr(e.text, "is held by pid"));
	stage_release(&g);
}

/* Told to stop while it still loads: it never says that it is ready. */
static void
H5_a_stop_during_the_start_is_a_stop(void **state)
{
	struct stage g;
	struct err e;

	(void)state;
	stage_init(&g, "data");
	assert_int_equal(stage_open(&g, &g.wire, &e), 0);
	wire_drain(g.wire, RECOVER_SHUTDOWN_TIMEOUT);
	loop_run(g.loop);
	assert_int_equal(g.drained, 1);
	assert_int_equal(g.ready, 0);
	stage_release(&g);
}

static void
H5_a_stop_in_a_hurry_is_over_once(void **state)
{
	struct stage g;
	struct err e;

	(void)state;
	stage_init(&g, "data");
	assert_int_equal(stage_open(&g, &g.wire, &e), 0);
	loop_run(g.loop);
	wire_drain(g.wire, RECOVER_SHUTDOWN_TIMEOUT);
	wire_hurry(g.wire);
	wire_hurry(g.wire);
	loop_run(g.loop);
	assert_int_equal(g.drained, 1);
	stage_release(&g);
}

static void
L2_a_reload_outlives_the_configuration_before(void **state)
{
	struct config *next[3];
	struct stage g;
	struct err e;

	(void)state;
	stage_init(&g, "data");
	assert_int_equal(stage_open(&g, &g.wire, &e), 0);
	loop_run(g.loop);
	for (int i = 0; i < 3; i++) {
		next[i] = config_rows_load("hosts: [example.org]\nqueue:\n  depth: 7\n");
		assert_int_equal(wire_reload(g.wire, next[i], &e), 0);
		if (i > 0)
			config_free(&next[i - 1]);
	}
	g.drains_at_once = true;
	wire_drain(g.wire, RECOVER_SHUTDOWN_TIMEOUT);
	loop_run(g.loop);
	assert_int_equal(g.drained, 1);
	wire_close(&g.wire);
	config_free(&next[2]);
	stage_release(&g);
}

enum { CLIENTS = 8, SESSIONS = 20, ROUNDS = 16 }; /* sessions of each client, one after the other */

/* Asks for sessions, all at once. */
static int
ask_for_sessions(const struct stage *g, struct str token)
{
	static const char BODY[] = "{\"agent\":\"main\",\"environment_id\":\"local-default\"}";
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char text[1024];
	int len = snprintf(text, sizeof text,
			   "POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\n"
			   "Authorization: Bearer " STR_FMT "\r\nContent-Type: application/json\r\n"
			   "Content-Length: %zu\r\n\r\n%s",
			   STR_ARG(token), sizeof BODY - 1, BODY);

	snprintf(to.sun_path, sizeof to.sun_path, "%s/socket", g->folder);
	assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
	for (int i = 0; i < SESSIONS; i++)
		assert_int_equal(write(fd, text, (size_t)len), len);
	return fd;
}

static void
check_made(int fd)
{
	char answer[64] = "";

	if (recv(fd, answer, sizeof answer - 1, MSG_DONTWAIT) > 0 && !strstr(answer, " 200 "))
		fail_msg("%s", answer);
}

/* Asks and closes, some turns of the loop after the first answer: others are not yet stored. */
static void
close_amid_sessions(struct stage *g, struct str token, int turns)
{
	int fds[CLIENTS];
	char byte;

	for (int i = 0; i < CLIENTS; i++)
		fds[i] = ask_for_sessions(g, token);
	while (recv(fds[0], &byte, 1, MSG_PEEK | MSG_DONTWAIT) != 1)
		uv_run(loop_uv(g->loop), UV_RUN_NOWAIT);
	for (int i = 0; i < turns; i++)
		uv_run(loop_uv(g->loop), UV_RUN_NOWAIT);
	wire_close(&g->wire);
	for (int i = 0; i < CLIENTS; i++) {
		check_made(fds[i]);
		close(fds[i]);
	}
}

/* The store answers while it is closed, when there are no hooks any more that could be told. */
static void
H5_sessions_made_while_it_closes_are_told_to_nobody(void **state)
{
	struct str token = { 0 };
	struct arena a;
	struct stage g;
	struct err e;

	(void)state;
	arena_init(&a);
	stage_init(&g, "data");
	for (int i = 0; i < ROUNDS; i++) {
		assert_int_equal(stage_open(&g, &g.wire, &e), 0);
		loop_run(g.loop);
		if (i == 0)
			assert_int_equal(
				file_read(wire_new_token_file(g.wire), 1024, &a, &token, &e), 0);
		close_amid_sessions(&g, str_trim(token), i);
	}
	arena_release(&a);
	stage_release(&g);
}

static void
a_path_that_cannot_be_is_named(void **state)
{
	struct stage g;
	struct err e;
	char file[128];

	(void)state;
	stage_init(&g, "file/data");
	config_rows_write(g.folder, "file", "x", file);
	assert_int_equal(stage_open(&g, &g.wire, &e), ERR_IO);
	assert_non_null(strstr(e.text, g.data));
	assert_null(g.wire);
	stage_release(&g);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, it_opens_serves_drains_and_closes);
	SUITE_TEST(&s, S1_a_second_one_on_the_same_data_is_refused);
	SUITE_TEST(&s, H5_a_stop_during_the_start_is_a_stop);
	SUITE_TEST(&s, H5_a_stop_in_a_hurry_is_over_once);
	SUITE_TEST(&s, L2_a_reload_outlives_the_configuration_before);
	SUITE_TEST(&s, H5_sessions_made_while_it_closes_are_told_to_nobody);
	SUITE_TEST(&s, a_path_that_cannot_be_is_named);
	return suite_run(&s, "app/wire");
}
