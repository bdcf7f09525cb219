#include "mcp_rig.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"

enum { BOUND_MS = 20000, LISTING_MAX = 1 << 20, LOG_MAX = 16 << 20 };

extern char **environ;

/* ---- waiting ---- */

static void
on_bound(void *ctx)
{
	struct mcp_rig *r = ctx;

	loop_stop(r->loop);
}

void
mcp_rig_run(struct mcp_rig *r, int64_t ms)
{
	loop_timer_set(r->bound, ms);
	loop_run(r->loop);
	loop_timer_cancel(r->bound);
}

size_t
mcp_rig_count(struct mcp_rig *r, const char *words)
{
	struct str text = { 0 }, line;
	struct arena a;
	struct err e;
	size_t count = 0;

	arena_init(&a);
	if (file_read(r->log, LOG_MAX, &a, &text, &e) != 0)
		fail_msg("%s", e.text);
	while (text.len > 0) {
		str_cut(text, '\n', &line, &text);
		count += str_contains(line, str_of(words));
	}
	arena_release(&a);
	return count;
}

bool
mcp_rig_logged(struct mcp_rig *r, const char *words)
{
	return mcp_rig_count(r, words) > 0;
}

void
mcp_rig_await_log(struct mcp_rig *r, const char *words)
{
	for (int i = 0; i < BOUND_MS / 10; i++) {
		if (mcp_rig_logged(r, words))
			return;
		mcp_rig_run(r, 10);
	}
	fail_msg("the peer was never asked %s", words);
}

/* ---- listing ---- */

static void
on_listed(void *ctx, const struct tool_listing *listing)
{
	struct mcp_rig *r = ctx;

	r->listed++;
	buf_clear(&r->listing);
	for (size_t i = 0; i < listing->tool_count; i++)
		buf_printf(&r->listing, "%s" STR_FMT, i > 0 ? " " : "",
			   STR_ARG(listing->tools[i].name));
	for (size_t i = 0; i < listing->problem_count; i++) {
		buf_printf(&r->listing, "!%s", listing->problems[i].err.text);
		r->authentication = listing->problems[i].authentication;
	}
	loop_stop(r->loop);
}

struct str
mcp_rig_list(struct mcp_rig *r)
{
	struct tool_ask ask = { r->place, &r->server, 1 };
	unsigned before = r->listed;

	r->tools->ops->list(r->tools, &ask, on_listed, r);
	assert_int_equal(r->listed, before); /* never from inside */
	mcp_rig_run(r, BOUND_MS);
	assert_int_equal(r->listed, before + 1);
	return buf_str(&r->listing);
}

/* ---- calls ---- */

static void
on_done(void *ctx, const struct tool_result *result)
{
	struct rig_call *c = ctx;

	c->dones++;
	c->run = NULL;
	c->outcome = result->outcome;
	buf_printf(&c->output, "%s ", tool_outcome_name(result->outcome));
	buf_put_str(&c->output, result->output);
	loop_stop(c->rig->loop);
}

void
mcp_rig_start(struct mcp_rig *r, struct rig_call *c, const char *tool, const char *arguments,
	      int64_t timeout_ms)
{
	struct tool_request request = { .id = STR("c"),
					.name = str_of(tool),
					.arguments = str_of(arguments),
					.place = r->place,
					.server = &r->server,
					.timeout_ms = timeout_ms };

	*c = (struct rig_call){ .rig = r };
	buf_init(&c->output, 32 << 20);
	c->run = r->tools->ops->start(r->tools, &request, on_done, c);
	assert_int_equal(c->dones, 0);
}

struct str
mcp_rig_await(struct mcp_rig *r, struct rig_call *c)
{
	for (int i = 0; i < 10 && c->dones == 0; i++)
		mcp_rig_run(r, BOUND_MS);
	assert_int_equal(c->dones, 1);
	return buf_str(&c->output);
}

struct str
mcp_rig_call(struct mcp_rig *r, struct rig_call *c, const char *tool, const char *arguments)
{
	mcp_rig_start(r, c, tool, arguments, BOUND_MS);
	return mcp_rig_await(r, c);
}

void
rig_call_release(struct rig_call *c)
{
	buf_release(&c->output);
}

/* ---- life ---- */

static void
start_http(struct mcp_rig *r, char **arguments)
{
	posix_spawn_file_actions_t actions;
	char port[16] = "";
	int in[2], out[2];

	assert_int_equal(pipe2(in, O_CLOEXEC) + pipe2(out, O_CLOEXEC), 0);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
	assert_int_equal(posix_spawnp(&r->peer_pid, "python3", &actions, NULL, arguments, environ),
			 0);
	posix_spawn_file_actions_destroy(&actions);
	close(in[0]);
	close(out[1]);
	r->peer_stdin = in[1];
	for (size_t len = 0; len < sizeof port - 1 && !strchr(port, '\n'); len++)
		assert_int_equal(read(out[0], port + len, 1), 1);
	close(out[0]);
	snprintf(r->url, sizeof r->url, "http://127.0.0.1:" STR_FMT "/mcp",
		 STR_ARG(str_trim(str_of(port))));
	r->server.url = str_of(r->url);
}

void
mcp_rig_init(struct mcp_rig *r, bool http, const char *words)
{
	char *arguments[RIG_WORDS_MAX + 5] = { (char *)"python3", (char *)MCP_PEER,
					       http ? (char *)"http" : (char *)"stdio" };
	size_t count = 3;
	int fd;

	*r = (struct mcp_rig){ .peer_pid = -1 };
	snprintf(r->log, sizeof r->log, "/tmp/perdure-mcp-log-XXXXXX");
	fd = mkstemp(r->log);
	assert_true(fd >= 0);
	close(fd);
	snprintf(r->log_word, sizeof r->log_word, "log=%s", r->log);
	snprintf(r->script, sizeof r->script, "%s", words);
	for (char *rest = r->script, *word; (word = strsep(&rest, " ")) != NULL;)
		if (*word)
			arguments[count++] = word;
	arguments[count++] = r->log_word;
	r->server.name = STR("peer");
	if (http) {
		start_http(r, arguments);
	} else {
		r->server.command = STR("python3");
		for (size_t i = 1; i < count; i++)
			r->arguments[i - 1] = str_of(arguments[i]);
		r->server.arguments = r->arguments;
		r->server.argument_count = count - 1;
	}
	buf_init(&r->listing, LISTING_MAX);
	r->loop = loop_new();
	r->host = host_loop_new(r->loop);
	r->egress = egress_new(r->loop, NULL);
	r->bound = loop_timer_new(r->loop, on_bound, r);
	r->place = (struct tool_place){ .session = STR("s"), .directory = STR("/tmp") };
	r->config = (struct mcp_config){ .host = r->host,
					 .loop = r->loop,
					 .egress = r->egress,
					 .name = STR("us"),
					 .version = STR("1") };
}

void
mcp_rig_open(struct mcp_rig *r)
{
	r->tools = mcp_tools_new(&r->config);
}

void
mcp_rig_release(struct mcp_rig *r)
{
	r->tools->ops->free(r->tools);
	egress_free(&r->egress);
	host_loop_free(&r->host);
	loop_timer_free(&r->bound);
	loop_settle(r->loop);
	loop_free(&r->loop);
	if (r->peer_pid > 0) {
		close(r->peer_stdin);
		kill(r->peer_pid, SIGTERM);
		waitpid(r->peer_pid, NULL, 0);
	}
	unlink(r->log);
	buf_release(&r->listing);
}
