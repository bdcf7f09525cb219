#include "cli/client.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "cli_rig.h"

struct ask {
	struct cli_rig *rig;
	struct client *client;
	struct arena a;
	struct json answer;
	struct err e;
};

static void
ask_begin(struct ask *k, const struct rig_step *steps, size_t count)
{
	*k = (struct ask){ .rig = cli_rig_start(steps, count) };
	k->client = client_new(cli_rig_place(k->rig), false);
	arena_init(&k->a);
}

static int
ask(struct ask *k, const char *method, const char *path, const char *body)
{
	const struct client_request r = { method, str_of(path), str_of(body) };

	return client_ask(k->client, &r, &k->a, &k->answer, &k->e);
}

static void
ask_end(struct ask *k)
{
	client_free(&k->client);
	arena_release(&k->a);
	cli_rig_stop(&k->rig);
}

static void
test_a_question_and_its_answer(void **state)
{
	static const struct rig_step STEPS[] = {
		{ "GET /v1/agents", .body = "{\"data\":[1]}" },
		{ "POST /v1/users", .body = "{\"id\":\"u\"}" },
	};
	struct json member;
	struct ask k;

	(void)state;
	ask_begin(&k, STEPS, 2);
	assert_int_equal(ask(&k, "GET", "/v1/agents", NULL), 0);
	assert_true(json_find(k.answer, STR("data"), &member));
	assert_int_equal(json_count(member), 1);
	assert_int_equal(ask(&k, "POST", "/v1/users", "{\"name\":\"n\"}"), 0);
	check_str("asked", cli_rig_asked(k.rig, 0),
		  STR("GET /v1/agents\nauthorization: Bearer pdr_test\n"));
	check_str("asked", cli_rig_asked(k.rig, 1),
		  STR("POST /v1/users\nauthorization: Bearer pdr_test\n"
		      "content-type: application/json\n{\"name\":\"n\"}"));
	ask_end(&k);
}

static void
test_a_refusal_is_an_error(void **state)
{
	static const struct rig_step STEPS[] = {
		{ "GET /x", .status = 404, .body = "{\"error\":{\"message\":\"not here\"}}" },
	};
	struct ask k;

	(void)state;
	ask_begin(&k, STEPS, 1);
	assert_int_equal(ask(&k, "GET", "/x", NULL), ERR_NOT_FOUND);
	assert_string_equal(k.e.text, "not here");
	ask_end(&k);
}

static void
test_an_answer_that_got_lost_is_asked_for_again(void **state)
{
	static const struct rig_step STEPS[] = {
		{ "POST /x", RIG_HANG_UP },
		{ "POST /x", .status = 503, .body = "{\"error\":{\"message\":\"starting\"}}" },
		{ "POST /x", .body = "{}" },
	};
	struct ask k;

	(void)state;
	ask_begin(&k, STEPS, 3);
	assert_int_equal(ask(&k, "POST", "/x", "{}"), 0);
	ask_end(&k);
}

static void
test_nobody_is_there(void **state)
{
	const struct server_place place = { .url = STR("http://127.0.0.1:1"),
					    .shown = STR("http://127.0.0.1:1") };
	struct client *c = client_new(&place, false);
	struct arena a;
	struct err e;

	(void)state;
	arena_init(&a);
	assert_int_equal(
		client_ask(c, &(struct client_request){ "GET", STR("/x"), { 0 } }, &a, NULL, &e),
		ERR_IO);
	assert_string_equal(
		e.text,
		"no server at http://127.0.0.1:1: connection refused. Start one: perdure serve");
	arena_release(&a);
	client_free(&c);
}

static void
test_files_both_ways(void **state)
{
	static const struct rig_step STEPS[] = {
		{ "GET /export", .body = "{\"line\":1}\n{\"line\":2}\n" },
		{ "POST /import", .body = "{\"id\":\"s\"}" },
	};
	char path[] = "/tmp/perdure-client-XXXXXX", got[64] = "";
	int fd = mkstemp(path);
	struct ask k;

	(void)state;
	assert_true(fd >= 0);
	ask_begin(&k, STEPS, 2);
	assert_int_equal(client_download(k.client, STR("/export"), fd, &k.e), 0);
	assert_int_equal(pread(fd, got, sizeof got, 0), 22);
	assert_string_equal(got, STEPS[0].body);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_int_equal(client_upload(k.client,
				       &(struct client_upload){ STR("/import"),
								STR("application/x-ndjson"), fd },
				       &k.a, &k.answer, &k.e),
			 0);
	assert_true(str_ends(cli_rig_asked(k.rig, 1), str_of(STEPS[0].body)));
	ask_end(&k);
	close(fd);
	unlink(path);
}

/* The server goes on for ever; whoever waited for it would never come back. */
static void
test_a_download_ends_when_it_cannot_be_written(void **state)
{
	static const struct rig_step STEPS[] = {
		{ "GET /export", RIG_STREAM, 200, "{\"seq\":1}\n" },
	};
	int pipes[2], full = open("/dev/full", O_WRONLY | O_CLOEXEC);
	struct ask k;

	(void)state;
	assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
	close(pipes[0]);
	ask_begin(&k, STEPS, 1);
	assert_int_equal(client_download(k.client, STR("/export"), pipes[1], &k.e), 0);
	ask_end(&k);
	ask_begin(&k, STEPS, 1);
	assert_int_equal(client_download(k.client, STR("/export"), full, &k.e), ERR_IO);
	check_str("said", str_of(k.e.text), STR("could not write: No space left on device"));
	ask_end(&k);
	close(pipes[1]);
	close(full);
}

static void
on_done(void *context, int rc, struct json answer, const struct err *e)
{
	int *count = context;

	(void)rc;
	(void)answer;
	(void)e;
	(*count)++;
}

static void
on_later(void *context)
{
	struct ask *k = context;

	k->e.code = 1;
	client_stop(k->client);
}

static void
run_for(struct ask *k, int64_t ms)
{
	struct loop_timer *later = loop_timer_new(client_loop(k->client), on_later, k);

	loop_timer_set(later, ms);
	for (k->e.code = 0; k->e.code == 0;)
		loop_run(client_loop(k->client));
	loop_timer_free(&later);
}

static void
test_L1_what_is_forgotten_is_neither_sent_again_nor_answered(void **state)
{
	static const struct rig_step STEPS[] = {
		{ "POST /x", .status = 503, .body = "{}" },
		{ "GET /y", .body = "{}" },
	};
	int left = 0, kept = 0;
	struct ask k;

	(void)state;
	ask_begin(&k, STEPS, 2);
	client_send(k.client, &(struct client_request){ "POST", STR("/x"), STR("{}") }, on_done,
		    &left);
	while (cli_rig_taken(k.rig) == 0)
		run_for(&k, 10);
	client_forget(k.client, &left);
	client_send(k.client, &(struct client_request){ "GET", STR("/y"), { 0 } }, on_done, &kept);
	client_forget(k.client, &left);
	run_for(&k, 600); /* longer than until the next try, which the rig would refuse */
	assert_int_equal(left, 0);
	assert_int_equal(kept, 1);
	ask_end(&k);
}

static void
on_interrupt(void *context)
{
	struct ask *k = context;

	k->e.code = 1;
	client_stop(k->client);
}

static void
test_ctrl_c_is_caught_while_it_is_wanted(void **state)
{
	struct ask k;
	bool done = false;

	(void)state;
	ask_begin(&k, NULL, 0);
	client_on_interrupt(k.client, on_interrupt, &k);
	assert_int_equal(raise(SIGINT), 0);
	loop_run(client_loop(k.client));
	assert_int_equal(k.e.code, 1);
	done = true;
	client_run(k.client, &done);
	client_on_interrupt(k.client, NULL, NULL);
	ask_end(&k);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, test_a_question_and_its_answer);
	SUITE_TEST(&s, test_a_refusal_is_an_error);
	SUITE_TEST(&s, test_an_answer_that_got_lost_is_asked_for_again);
	SUITE_TEST(&s, test_nobody_is_there);
	SUITE_TEST(&s, test_files_both_ways);
	SUITE_TEST(&s, test_a_download_ends_when_it_cannot_be_written);
	SUITE_TEST(&s, test_L1_what_is_forgotten_is_neither_sent_again_nor_answered);
	SUITE_TEST(&s, test_ctrl_c_is_caught_while_it_is_wanted);
	return suite_run(&s, "client");
}
