/* driver - the toolset of tool/mcp on the command line, for tests: commands on stdin, one a line,
 * answers as lines of JSON on stdout.
 *
 *   driver [--protocol stateful|stateless] [--defaults] [--connect-ms N] [--idle-ms N]
 *          URL | -- COMMAND ARGS...
 *   list                   {"tools":[...],"problems":[...],"peer":{...}}
 *   call KEY NAME JSON [MS]  starts it; time limit MS
 *   await KEY              {"key","outcome","output"}
 *   cancel KEY             {"cancelled"}
 *   run MS                 lets time pass: {"ran"}
 *   connections            {"connections"}
 * The end of stdin leaves in good order. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "app/host_loop.h"
#include "base/buf.h"
#include "base/json_write.h"
#include "tool/mcp/mcp.h"

enum { KEYS_MAX = 16, LINE_MAX_BYTES = 1 << 20, TIMEOUT_MS = 20000 };

struct driver;

struct key {
	struct driver *driver;
	char name[16];
	struct tool_run *run;
	bool done;
	struct buf output;
	enum tool_outcome outcome;
};

struct driver {
	struct loop *loop;
	struct host *host;
	struct egress *egress;
	struct toolset *tools;
	struct loop_timer *timer;
	struct tool_server server;
	struct tool_place place;
	struct key keys[KEYS_MAX];
	bool listed;
	const struct key *awaited;
};

/* ---- output ---- */

static void
print(struct buf *line)
{
	buf_putc(line, '\n');
	fwrite(line->ptr, 1, line->len, stdout);
	fflush(stdout);
	buf_release(line);
}

static void
begin(struct jw *w, struct buf *line)
{
	buf_init(line, 64 << 20);
	jw_init(w, line);
	jw_object(w);
}

static void
write_peer(struct driver *d, struct jw *w)
{
	struct mcp_peer peer;

	if (!mcp_tools_peer(d->tools, &d->server, &d->place, &peer))
		return;
	jw_field_object(w, "peer");
	jw_field_str(w, "protocol", peer.protocol);
	jw_field_str(w, "name", peer.name);
	jw_field_str(w, "version", peer.version);
	jw_field_int(w, "pid", peer.pid);
	jw_end_object(w);
}

static void
write_tool(const struct tool_doc *tool, struct jw *w)
{
	jw_object(w);
	jw_field_str(w, "name", tool->name);
	jw_field_str(w, "server", tool->server);
	jw_field_str(w, "description", tool->description);
	jw_field_raw(w, "schema", tool->input_schema);
	jw_field_bool(w, "read_only", tool->read_only);
	jw_field_bool(w, "idempotent", tool->idempotent);
	jw_end_object(w);
}

static void
on_listed(void *ctx, const struct tool_listing *listing)
{
	struct driver *d = ctx;
	struct buf line;
	struct jw w;

	begin(&w, &line);
	jw_field_array(&w, "tools");
	for (size_t i = 0; i < listing->tool_count; i++)
		write_tool(&listing->tools[i], &w);
	jw_end_array(&w);
	jw_field_array(&w, "problems");
	for (size_t i = 0; i < listing->problem_count; i++) {
		jw_object(&w);
		jw_field_bool(&w, "authentication", listing->problems[i].authentication);
		jw_field_str(&w, "text", str_of(listing->problems[i].err.text));
		jw_end_object(&w);
	}
	jw_end_array(&w);
	write_peer(d, &w);
	jw_end_object(&w);
	print(&line);
	d->listed = true;
	loop_stop(d->loop);
}

static void
say_number(const char *name, int64_t value)
{
	struct buf line;
	struct jw w;

	begin(&w, &line);
	jw_field_int(&w, name, value);
	jw_end_object(&w);
	print(&line);
}

/* ---- commands ---- */

static struct key *
find_key(struct driver *d, const char *name)
{
	for (size_t i = 0; i < KEYS_MAX; i++)
		if (strcmp(d->keys[i].name, name) == 0)
			return &d->keys[i];
	return NULL;
}

static void
on_done(void *ctx, const struct tool_result *result)
{
	struct key *key = ctx;

	key->done = true;
	key->run = NULL;
	key->outcome = result->outcome;
	buf_init(&key->output, 64 << 20);
	buf_put_str(&key->output, result->output);
	if (key->driver->awaited == key)
		loop_stop(key->driver->loop);
}

static void
start_call(struct driver *d, const char *name, const char *tool, const char *json, long long ms)
{
	struct key *key = find_key(d, "");
	struct tool_request request = { .id = STR("call"),
					.name = str_of(tool),
					.arguments = str_of(json),
					.place = d->place,
					.server = &d->server,
					.timeout_ms = ms };

	if (!key)
		abort();
	*key = (struct key){ .driver = d };
	snprintf(key->name, sizeof key->name, "%s", name);
	key->run = d->tools->ops->start(d->tools, &request, on_done, key);
}

static void
await_call(struct driver *d, const char *name)
{
	struct key *key = find_key(d, name);
	struct buf line;
	struct jw w;

	if (!key)
		exit(2);
	d->awaited = key;
	while (!key->done)
		loop_run(d->loop);
	d->awaited = NULL;
	begin(&w, &line);
	jw_field_str(&w, "key", str_of(name));
	jw_field_str(&w, "outcome", str_of(tool_outcome_name(key->outcome)));
	jw_field_str(&w, "output", buf_str(&key->output));
	jw_end_object(&w);
	print(&line);
	buf_release(&key->output);
	*key = (struct key){ 0 };
}

static void
on_time(void *ctx)
{
	struct driver *d = ctx;

	loop_stop(d->loop);
}

static void
run_for(struct driver *d, int64_t ms)
{
	loop_timer_set(d->timer, ms);
	loop_run(d->loop);
	loop_timer_cancel(d->timer);
}

static void
list_tools(struct driver *d)
{
	struct tool_ask ask = { d->place, &d->server, 1 };

	d->listed = false;
	d->tools->ops->list(d->tools, &ask, on_listed, d);
	while (!d->listed)
		loop_run(d->loop);
}

static void
obey(struct driver *d, char *line)
{
	char *word[5] = { 0 }, *at = line;

	for (size_t i = 0; i < 4; i++)
		word[i] = strsep(&at, "\t\n");
	if (strcmp(word[0], "list") == 0) {
		list_tools(d);
	} else if (strcmp(word[0], "call") == 0) {
		char *ms = strsep(&at, "\t\n");

		start_call(d, word[1], word[2], word[3],
			   ms && *ms ? strtoll(ms, NULL, 10) : TIMEOUT_MS);
	} else if (strcmp(word[0], "await") == 0) {
		await_call(d, word[1]);
	} else if (strcmp(word[0], "cancel") == 0) {
		struct key *key = find_key(d, word[1]);

		d->tools->ops->cancel(key->run);
		*key = (struct key){ 0 };
		say_number("cancelled", 1);
	} else if (strcmp(word[0], "run") == 0) {
		run_for(d, strtoll(word[1], NULL, 10));
		say_number("ran", strtoll(word[1], NULL, 10));
	} else if (strcmp(word[0], "connections") == 0) {
		say_number("connections", (int64_t)mcp_tools_connections(d->tools));
	} else {
		exit(2);
	}
}

/* ---- life ---- */

static int
read_arguments(int argc, char **argv, struct mcp_config *config, struct driver *d)
{
	int i = 1;

	for (; i < argc && strncmp(argv[i], "--", 2) == 0; i++) {
		if (strcmp(argv[i], "--") == 0)
			break;
		if (strcmp(argv[i], "--defaults") == 0)
			config->accepts_defaults = true;
		else if (i + 1 < argc && strcmp(argv[i], "--protocol") == 0)
			config->protocol =
				strcmp(argv[++i], "stateful") == 0 ? MCP_STATEFUL : MCP_STATELESS;
		else if (i + 1 < argc && strcmp(argv[i], "--connect-ms") == 0)
			config->connect_ms = strtoll(argv[++i], NULL, 10);
		else if (i + 1 < argc && strcmp(argv[i], "--idle-ms") == 0)
			config->idle_ms = strtoll(argv[++i], NULL, 10);
		else
			return -1;
	}
	d->server.name = STR("peer");
	if (i < argc && strcmp(argv[i], "--") != 0) {
		d->server.url = str_of(argv[i]);
		return 0;
	}
	if (i + 1 >= argc)
		return -1;
	d->server.command = str_of(argv[i + 1]);
	d->server.argument_count = (size_t)(argc - i - 2);
	struct str *arguments = calloc(d->server.argument_count + 1, sizeof *arguments);
	for (size_t k = 0; k < d->server.argument_count; k++)
		arguments[k] = str_of(argv[(size_t)i + 2 + k]);
	d->server.arguments = arguments;
	return 0;
}

static void
leave(struct driver *d)
{
	d->tools->ops->free(d->tools);
	egress_free(&d->egress);
	host_loop_free(&d->host);
	loop_timer_free(&d->timer);
	loop_settle(d->loop);
	loop_free(&d->loop);
	free((void *)(uintptr_t)d->server.arguments);
}

int
main(int argc, char **argv)
{
	static char line[LINE_MAX_BYTES];
	static struct driver d;
	struct mcp_config config = { .name = STR("perdure"), .version = STR("test") };

	if (read_arguments(argc, argv, &config, &d) != 0)
		return 2;
	d.loop = loop_new();
	d.host = host_loop_new(d.loop);
	d.egress = egress_new(d.loop, NULL);
	d.timer = loop_timer_new(d.loop, on_time, &d);
	config.host = d.host;
	config.loop = d.loop;
	config.egress = d.egress;
	d.tools = mcp_tools_new(&config);
	while (fgets(line, sizeof line, stdin))
		obey(&d, line);
	leave(&d);
	return 0;
}
