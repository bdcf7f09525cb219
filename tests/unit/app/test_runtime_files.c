#include "app/runtime_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/xalloc.h"
#include "harness.h"

struct place {
	char data[64];
	struct arena arena;
	struct loop *loop;
	struct runtime_files *files;
	struct engine_files port;
	int removed; /* rc of the last removal; 1: none was answered */
};

static void
begin(struct place *p)
{
	struct err e;

	snprintf(p->data, sizeof p->data, "/tmp/perdure-runtime-XXXXXX");
	assert_non_null(mkdtemp(p->data));
	arena_init(&p->arena);
	p->loop = loop_new();
	p->removed = 1;
	assert_int_equal(runtime_files_new(&p->files, p->loop, str_of(p->data), &e), 0);
	p->port = runtime_files_port(p->files);
}

static void
end(struct place *p)
{
	runtime_files_free(&p->files);
	loop_settle(p->loop);
	loop_free(&p->loop);
	assert_int_equal(system(arena_printf(&p->arena, "rm -rf %s", p->data).ptr), 0);
	arena_release(&p->arena);
}

static struct str
text_of(struct place *p, const char *below)
{
	struct str text = { 0 };
	struct err e;

	if (file_read(arena_printf(&p->arena, "%s/%s", p->data, below).ptr, 1 << 20, &p->arena,
		      &text, &e) != 0)
		fail_msg("%s", e.text);
	return text;
}

static void
M13_files_are_replaced_and_each_session_has_its_own(void **state)
{
	struct place p;
	struct stat st;

	(void)state;
	begin(&p);
	p.port.put(p.port.ctx, STR("main"), STR("s"), STR("checkpoint.json"), STR("old and long"));
	p.port.put(p.port.ctx, STR("main"), STR("s"), STR("checkpoint.json"), STR("new"));
	p.port.put(p.port.ctx, STR("main"), STR("cli:t"), STR("checkpoint.json"), STR("other"));
	runtime_files_free(&p.files); /* writes what waits */
	check_str("s", text_of(&p, "agents/main/sessions/s/runtime/checkpoint.json"), STR("new"));
	check_str("t", text_of(&p, "agents/main/sessions/cli%3At/runtime/checkpoint.json"),
		  STR("other"));
	assert_int_equal(
		stat(arena_printf(&p.arena, "%s/agents/main/sessions/s/runtime/checkpoint.json",
				  p.data)
			     .ptr,
		     &st),
		0);
	assert_int_equal(st.st_mode & 0777, 0600);
	end(&p);
}

/* A reload lets go of the configuration that the folder's name came from. */
static void
M13_the_folders_name_is_its_own(void **state)
{
	struct place p;
	struct err e;
	char *name;

	(void)state;
	begin(&p);
	runtime_files_free(&p.files);
	name = xstrdup(p.data);
	assert_int_equal(runtime_files_new(&p.files, p.loop, str_of(name), &e), 0);
	free(name);
	p.port = runtime_files_port(p.files);
	p.port.put(p.port.ctx, STR("main"), STR("s"), STR("x"), STR("text"));
	runtime_files_free(&p.files);
	check_str("text", text_of(&p, "agents/main/sessions/s/runtime/x"), STR("text"));
	end(&p);
}

static void
M13_learnings_are_lines_of_the_agents_file(void **state)
{
	struct place p;

	(void)state;
	begin(&p);
	p.port.learn(p.port.ctx, STR("main"), STR("{\"title\":\"a\"}"));
	p.port.learn(p.port.ctx, STR("main"), STR("{\"title\":\"b\"}"));
	runtime_files_free(&p.files);
	check_str("learnt", text_of(&p, "agents/main/learn/lessons.jsonl"),
		  STR("{\"title\":\"a\"}\n{\"title\":\"b\"}\n"));
	end(&p);
}

static void
on_removed(void *ctx, int rc, const struct err *err)
{
	struct place *p = ctx;

	(void)err;
	p->removed = rc;
	loop_stop(p->loop);
}

/* Behind what was written before, and without the rest that files keep between two texts. */
static void
P6_a_sessions_folder_is_removed(void **state)
{
	struct place p;

	(void)state;
	begin(&p);
	p.port.put(p.port.ctx, STR("main"), STR("cli:s"), STR("x"), STR("text"));
	p.port.put(p.port.ctx, STR("main"), STR("cli:t"), STR("x"), STR("kept"));
	runtime_files_remove(p.files, STR("main"), STR("cli:s"), on_removed, &p);
	loop_run(p.loop);
	assert_int_equal(p.removed, 0);
	runtime_files_free(&p.files);
	assert_int_not_equal(
		access(arena_printf(&p.arena, "%s/agents/main/sessions/cli%%3As", p.data).ptr,
		       F_OK),
		0);
	check_str("another's", text_of(&p, "agents/main/sessions/cli%3At/runtime/x"), STR("kept"));
	end(&p);
}

static void
P6_nobody_is_told_after_the_end(void **state)
{
	struct place p;

	(void)state;
	begin(&p);
	runtime_files_remove(p.files, STR("main"), STR("cli:s"), on_removed, &p);
	runtime_files_free(&p.files);
	loop_settle(p.loop);
	assert_int_equal(p.removed, 1);
	end(&p);
}

/* What was written last, and before it, is written over: no file is made for a text. */
static void
M13_a_file_is_made_once(void **state)
{
	struct place p;
	struct stat st;
	ino_t seen[2] = { 0 };
	const char *path;

	(void)state;
	begin(&p);
	path = arena_printf(&p.arena, "%s/agents/main/sessions/s/runtime/x", p.data).ptr;
	for (int i = 0; i < 5; i++) {
		struct err e;

		p.port.put(p.port.ctx, STR("main"), STR("s"), STR("x"),
			   i % 2 == 0 ? STR("a long text") : STR("short"));
		runtime_files_free(&p.files);
		check_str("text", text_of(&p, "agents/main/sessions/s/runtime/x"),
			  i % 2 == 0 ? STR("a long text") : STR("short"));
		assert_int_equal(stat(path, &st), 0);
		if (i < 2)
			seen[i] = st.st_ino;
		else
			assert_int_equal(st.st_ino, seen[i % 2]);
		assert_int_equal(runtime_files_new(&p.files, p.loop, str_of(p.data), &e), 0);
		p.port = runtime_files_port(p.files);
	}
	end(&p);
}

/* An agent may put something else where its files are. */
static const struct trap_row {
	const char *name, *command;
} TRAPS[] = {
	{ "M13 a link for the file", "ln -s ../../../../outside x" },
	{ "M13 a link for the spare", "ln -s ../../../../outside .spare" },
	{ "M13 a pipe for the file", "mkfifo x" },
	{ "M13 a pipe for the spare", "mkfifo .spare" },
	{ "M13 a folder for the spare", "mkdir .spare" },
};

static void
test_trap(void **state)
{
	const struct trap_row *row = *state;
	struct place p;

	begin(&p);
	assert_int_equal(system(arena_printf(&p.arena,
					     "mkdir -p %s/agents/main/sessions/s/runtime && "
					     "cd %s/agents/main/sessions/s/runtime && "
					     "printf mine > ../../../../outside && %s",
					     p.data, p.data, row->command)
					.ptr),
			 0);
	for (int i = 0; i < 3; i++) {
		struct str text = arena_printf(&p.arena, "text %d", i);
		struct err e;

		p.port.put(p.port.ctx, STR("main"), STR("s"), STR("x"), text);
		runtime_files_free(&p.files);
		check_str(row->name, text_of(&p, "agents/main/sessions/s/runtime/x"), text);
		assert_int_equal(runtime_files_new(&p.files, p.loop, str_of(p.data), &e), 0);
		p.port = runtime_files_port(p.files);
	}
	check_str("what a link leads to", text_of(&p, "agents/outside"), STR("mine"));
	end(&p);
}

/* How often was a file written? Each time another one takes its place. */
static void
M13_a_busy_session_writes_its_files_twice_a_second_at_most(void **state)
{
	struct place p;
	struct stat st;
	ino_t last = 0;
	int64_t begun_ns = clock_monotonic_ns(), halves;
	int made = 0;
	const char *path;

	(void)state;
	begin(&p);
	path = arena_printf(&p.arena, "%s/agents/main/sessions/s/runtime/x", p.data).ptr;
	for (int i = 0; i < 300; i++) { /* 600 ms and more */
		p.port.put(p.port.ctx, STR("main"), STR("s"), STR("x"),
			   arena_printf(&p.arena, "%d", i));
		usleep(2000);
		if (stat(path, &st) == 0 && st.st_ino != last) {
			last = st.st_ino;
			made++;
		}
	}
	halves = (clock_monotonic_ns() - begun_ns) / 500000000; /* a busy machine takes longer */
	assert_in_range(made, 1, halves + 2);
	runtime_files_free(&p.files);
	check_str("the newest", text_of(&p, "agents/main/sessions/s/runtime/x"), STR("299"));
	end(&p);
}

static void
M13_what_cannot_be_written_stops_nothing(void **state)
{
	struct place p;

	(void)state;
	begin(&p);
	assert_int_equal(system(arena_printf(&p.arena, "touch %s/agents", p.data).ptr), 0);
	p.port.put(p.port.ctx, STR("main"), STR("s"), STR("x"), STR("text"));
	p.port.learn(p.port.ctx, STR("main"), STR("{}"));
	end(&p);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, M13_files_are_replaced_and_each_session_has_its_own);
	SUITE_TEST(&s, M13_the_folders_name_is_its_own);
	SUITE_TEST(&s, P6_a_sessions_folder_is_removed);
	SUITE_TEST(&s, P6_nobody_is_told_after_the_end);
	SUITE_TEST(&s, M13_learnings_are_lines_of_the_agents_file);
	SUITE_TEST(&s, M13_a_file_is_made_once);
	SUITE_ROWS(&s, TRAPS, test_trap);
	SUITE_TEST(&s, M13_a_busy_session_writes_its_files_twice_a_second_at_most);
	SUITE_TEST(&s, M13_what_cannot_be_written_stops_nothing);
	return suite_run(&s, "app/runtime_files");
}
