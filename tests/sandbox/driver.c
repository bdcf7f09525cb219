/* The local toolset on a real loop, driven by lines of JSON: what the escape attempts run through.
 *   driver PROGRAM DATA_DIRECTORY
 *   {"id":"1","tool":"bash","arguments":{…},"directory":"/…","access":"rw","network":false,
 *    "sandboxed":true,"session":"s","timeout_ms":10000}      → {"id":"1","outcome":"ok","output":"…"}
 *   {"cancel":"1"}   {"end_session":"s"}   {"busy":"s"} → {"busy":1}
 * The end of its input is the end of the toolset. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/host_loop.h"
#include "base/json.h"
#include "base/json_write.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "tool/local/local.h"

enum { LINE_MAX_BYTES = 16 << 20, POLL_MS = 5 };

struct call {
	struct arena arena;
	struct str id;
	struct tool_run *run;
};

static struct loop *loop;
static struct toolset *tools;
static struct loop_timer *timer;
static struct buf input;
static VEC(struct call *) calls;

static void
say(struct buf *line)
{
	buf_putc(line, '\n');
	fwrite(line->ptr, 1, line->len, stdout);
	fflush(stdout);
	buf_release(line);
}

static void
forget(struct call *c)
{
	for (size_t i = 0; i < calls.len; i++)
		if (calls.ptr[i] == c)
			calls.ptr[i] = calls.ptr[--calls.len];
	arena_release(&c->arena);
	free(c);
}

static void
on_done(void *ctx, const struct tool_result *result)
{
	struct call *c = ctx;
	struct buf line;
	struct jw w;

	buf_init(&line, LINE_MAX_BYTES);
	jw_init(&w, &line);
	jw_object(&w);
	jw_field_str(&w, "id", c->id);
	jw_field_str(&w, "outcome", str_of(tool_outcome_name(result->outcome)));
	jw_field_str(&w, "output", result->output);
	jw_end_object(&w);
	say(&line);
	forget(c);
}

static struct str
text_of(struct json v, const char *name, struct arena *a)
{
	struct json found;

	return json_find(v, str_of(name), &found) ? json_str(found, a) : STR("");
}

static bool
is_true(struct json v, const char *name)
{
	struct json found;

	return json_find(v, str_of(name), &found) && json_type(found) == JSON_TRUE;
}

static void
start(struct json v, struct call *c)
{
	struct json arguments = { 0 }, timeout = { 0 };
	struct str access = text_of(v, "access", &c->arena);
	struct tool_request q = {
		.id = text_of(v, "id", &c->arena),
		.name = text_of(v, "tool", &c->arena),
		.place = { .session = text_of(v, "session", &c->arena),
			   .directory = text_of(v, "directory", &c->arena),
			   .sandboxed = is_true(v, "sandboxed"),
			   .network = is_true(v, "network"),
			   .access = str_eq(access, STR("rw"))   ? TOOL_ACCESS_WRITE
				     : str_eq(access, STR("ro")) ? TOOL_ACCESS_READ
								 : TOOL_ACCESS_NONE },
		.timeout_ms = 120000,
	};

	if (json_find(v, STR("arguments"), &arguments))
		q.arguments = json_raw(arguments);
	if (json_find(v, STR("timeout_ms"), &timeout))
		IGNORE(json_int(timeout, &q.timeout_ms));
	c->id = arena_str(&c->arena, q.id);
	*vec_push(&calls) = c;
	c->run = tools->ops->start(tools, &q, on_done, c);
}

static void
cancel(struct str id)
{
	for (size_t i = 0; i < calls.len; i++) {
		struct call *c = calls.ptr[i];

		if (!str_eq(c->id, id))
			continue;
		tools->ops->cancel(c->run);
		forget(c);
		return;
	}
}

static void
obey(struct str text)
{
	struct call *c = xcalloc(1, sizeof *c);
	struct json_doc doc;
	struct json v;
	struct err e;
	struct buf line;

	arena_init(&c->arena);
	if (json_parse(&c->arena, arena_str(&c->arena, text), &JSON_LIMITS_DEFAULT, &doc, &e) !=
	    0) {
		fprintf(stderr, "driver: %s\n", e.text);
		exit(2);
	}
	v = json_root(&doc);
	if (str_contains(text, STR("\"cancel\":"))) {
		cancel(text_of(v, "cancel", &c->arena));
	} else if (str_contains(text, STR("\"end_session\":"))) {
		tools->ops->end_session(tools, text_of(v, "end_session", &c->arena));
	} else if (str_contains(text, STR("\"busy\":"))) {
		buf_init(&line, 64);
		buf_printf(&line, "{\"busy\":%zu}",
			   tools->ops->busy(tools, text_of(v, "busy", &c->arena)));
		say(&line);
	} else {
		start(v, c);
		return;
	}
	arena_release(&c->arena);
	free(c);
}

static void
on_time(void *ctx)
{
	char chunk[64 * 1024];
	ssize_t got = read(STDIN_FILENO, chunk, sizeof chunk);
	struct str line, rest;

	(void)ctx;
	if (got == 0) {
		loop_stop(loop);
		return;
	}
	if (got > 0)
		buf_put(&input, chunk, (size_t)got);
	while (str_cut(buf_str(&input), '\n', &line, &rest)) {
		struct buf left;

		obey(line);
		buf_init(&left, LINE_MAX_BYTES);
		buf_put_str(&left, rest);
		buf_release(&input);
		input = left;
	}
	loop_timer_set(timer, POLL_MS);
}

int
main(int argc, char **argv)
{
	struct host *host;

	if (argc != 3)
		return 2;
	loop = loop_new();
	host = host_loop_new(loop);
	tools = local_tools_new(&(struct local_config){
		.loop = loop, .host = host, .program = argv[1], .data_directory = argv[2] });
	buf_init(&input, LINE_MAX_BYTES);
	fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK);
	timer = loop_timer_new(loop, on_time, NULL);
	loop_timer_set(timer, 0);
	loop_run(loop);
	while (calls.len > 0) {
		struct call *c = calls.ptr[0];

		tools->ops->cancel(c->run);
		forget(c);
	}
	tools->ops->free(tools);
	loop_timer_free(&timer);
	buf_release(&input);
	vec_release(&calls);
	host_loop_free(&host);
	loop_settle(loop);
	loop_free(&loop);
	return 0;
}
