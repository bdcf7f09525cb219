#include "tool/local/file_tool.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"
#include "tool/local/tool_job.h"
#include "work_dir.h"

/* The files every row begins with. */
static void
fill(const struct work_dir *d)
{
	work_dir_put(d, "a.txt", "one\ntwo\nthree\n");
	work_dir_put(d, "b/c.txt", "two twos\n\ttab\n");
	work_dir_put(d, "b/d.c", "int main(void);\nint Two = 2;");
	work_dir_put(d, ".hidden/e.txt", "two\n");
	work_dir_put(d, ".hidden/f/words", "café\nÉTÉ\nя\nx\xe9\n");
	work_dir_put(d, "empty", "");
	work_dir_put(d, "link", ">a.txt");
	work_dir_put(d, "out", ">/etc/passwd");
	work_dir_put(d, "secret/owner.token", "two\n");
	work_dir_put(d, "data", ">secret");
}

struct rig {
	struct work_dir d;
	struct arena a;
	struct buf out;
	struct err e;
};

static void
rig_init(struct rig *r)
{
	work_dir_init(&r->d);
	arena_init(&r->a);
	buf_init(&r->out, 64 * 1024);
}

static void
rig_release(struct rig *r)
{
	buf_release(&r->out);
	arena_release(&r->a);
	work_dir_release(&r->d);
}

static int (*const TOOLS[LOCAL_TOOLS])(const struct beneath *b, const struct tool_args *args,
				       struct buf *out, struct err *e) = {
	[LOCAL_READ] = read_tool, [LOCAL_WRITE] = write_tool, [LOCAL_EDIT] = edit_tool,
	[LOCAL_GLOB] = glob_tool, [LOCAL_GREP] = grep_tool,
};

static int
run_job(struct rig *r, const struct tool_job *job)
{
	struct tool_args args = { 0 };
	struct beneath b;
	int rc;

	assert_int_equal(tool_job_args(&r->a, job, &args, &r->e), 0);
	assert_int_equal(beneath_init(&b, job->directory, job->hidden, &r->a, &r->e), 0);
	buf_clear(&r->out);
	rc = TOOLS[args.tool](&b, &args, &r->out, &r->e);
	beneath_release(&b);
	return rc;
}

/* In the directory; its folder "secret" is the server's. */
static int
run(struct rig *r, const char *tool, const char *arguments)
{
	return run_job(r,
		       &(struct tool_job){ .tool = str_of(tool),
					   .arguments = str_of(arguments),
					   .directory = str_of(r->d.path),
					   .hidden = work_dir_text(&r->d, "DIR/secret", &r->a) });
}

/* want: the whole answer; or '!' and a part of the complaint. */
static const struct row {
	const char *name, *tool, *arguments, *want, *file, *content;
} ROWS[] = {
	{ "T12 read a file", "read", "{\"file_path\":\"a.txt\"}", "one\ntwo\nthree\n" },
	{ "T12 read from a line on", "read", "{\"file_path\":\"a.txt\",\"offset\":3}", "three\n" },
	{ "T12 read some lines", "read", "{\"file_path\":\"a.txt\",\"offset\":2,\"limit\":1}",
	  "two\n[lines 2 to 2 of 3; go on with offset 3]\n" },
	{ "T12 read behind the end", "read", "{\"file_path\":\"a.txt\",\"offset\":9}",
	  "!behind the end of a.txt: it has 3 lines" },
	{ "T12 read an empty file", "read", "{\"file_path\":\"empty\"}", "[the file is empty]\n" },
	{ "T12 read a folder", "read", "{\"file_path\":\"b\"}", "!is a directory; glob" },
	{ "T12 read what is not there", "read", "{\"file_path\":\"x\"}",
	  "!cannot open x: No such" },
	{ "T12 read by a link", "read", "{\"file_path\":\"link\"}", "one\ntwo\nthree\n" },
	{ "T12 read by a link out", "read", "{\"file_path\":\"out\"}", "!outside the working dir" },
	{ "T12 read the server's data", "read", "{\"file_path\":\"secret/owner.token\"}",
	  "!No such file" },
	{ "T12 write a file", "write", "{\"file_path\":\"n\",\"content\":\"x\"}",
	  "Made n (1 bytes)\n", "n", "x" },
	{ "T12 write over a file", "write", "{\"file_path\":\"a.txt\",\"content\":\"\"}",
	  "Replaced a.txt (0 bytes)\n", "a.txt", "" },
	{ "T12 write into folders that are not there", "write",
	  "{\"file_path\":\"x/y/z\",\"content\":\"x\"}", "Made x/y/z (1 bytes)\n", "x/y/z", "x" },
	{ "T12 write by a link", "write", "{\"file_path\":\"link\",\"content\":\"x\"}",
	  "Replaced link (1 bytes)\n", "a.txt", "x" },
	{ "T12 write over a folder", "write", "{\"file_path\":\"b\",\"content\":\"x\"}",
	  "!is a directory" },
	{ "T12 write into a file as a folder", "write",
	  "{\"file_path\":\"a.txt/x\",\"content\":\"x\"}", "!Not a directory" },
	{ "T12 write to no name", "write", "{\"file_path\":\"b/..\",\"content\":\"x\"}",
	  "!no name of a file" },
	{ "T12 write to the server's data", "write",
	  "{\"file_path\":\"secret/x\",\"content\":\"x\"}", "!cannot write", "secret/x", NULL },
	{ "T12 write to the server's data makes no folders", "write",
	  "{\"file_path\":\"secret/x/y\",\"content\":\"x\"}", "!cannot write", "secret/x", NULL },
	{ "T12 write to the server's data by a detour", "write",
	  "{\"file_path\":\"b/../secret/x/y\",\"content\":\"x\"}", "!cannot write", "secret/x",
	  NULL },
	{ "T12 write to the server's data by a link", "write",
	  "{\"file_path\":\"data/x/y\",\"content\":\"x\"}", "!cannot write", "secret/x", NULL },
	{ "T12 edit once", "edit",
	  "{\"file_path\":\"a.txt\",\"old_string\":\"two\",\"new_string\":\"2\"}",
	  "Replaced 1 occurrence in a.txt\n", "a.txt", "one\n2\nthree\n" },
	{ "T12 edit what is twice there", "edit",
	  "{\"file_path\":\"b/c.txt\",\"old_string\":\"two\",\"new_string\":\"2\"}",
	  "!old_string occurs 2 times in b/c.txt: give more", "b/c.txt", "two twos\n\ttab\n" },
	{ "T12 edit all", "edit",
	  "{\"file_path\":\"b/c.txt\",\"old_string\":\"two\",\"new_string\":\"2\","
	  "\"replace_all\":true}",
	  "Replaced 2 occurrences in b/c.txt\n", "b/c.txt", "2 2s\n\ttab\n" },
	{ "T12 edit what is not there", "edit",
	  "{\"file_path\":\"a.txt\",\"old_string\":\"four\",\"new_string\":\"4\"}",
	  "!old_string does not occur in a.txt" },
	{ "T12 edit makes no folders", "edit",
	  "{\"file_path\":\"x/y\",\"old_string\":\"a\",\"new_string\":\"b\"}",
	  "!cannot open x/y: No such", "x", NULL },
	{ "T12 edit a folder", "edit",
	  "{\"file_path\":\"b\",\"old_string\":\"a\",\"new_string\":\"b\"}", "!is a directory" },
	{ "T12 edit by a link", "edit",
	  "{\"file_path\":\"link\",\"old_string\":\"two\",\"new_string\":\"2\"}",
	  "Replaced 1 occurrence in link\n", "a.txt", "one\n2\nthree\n" },
	{ "T12 glob", "glob", "{\"pattern\":\"**/*.txt\"}", "a.txt\nb/c.txt\n" },
	{ "T12 glob below a path", "glob", "{\"pattern\":\"*\",\"path\":\"b\"}", "c.txt\nd.c\n" },
	{ "T12 glob of hidden files", "glob", "{\"pattern\":\".*/*\"}", ".hidden/e.txt\n" },
	{ "T12 glob of nothing", "glob", "{\"pattern\":\"*.zip\"}", "[no file matches]\n" },
	{ "T12 glob in a file", "glob", "{\"pattern\":\"*\",\"path\":\"a.txt\"}", "!Not a direct" },
	{ "T12 grep", "grep", "{\"pattern\":\"two\"}", "a.txt:2:two\nb/c.txt:1:two twos\n" },
	{ "T12 grep in any case", "grep", "{\"pattern\":\"^int two\",\"case_insensitive\":true}",
	  "b/d.c:2:int Two = 2;\n" },
	{ "T12 grep digits", "grep", "{\"pattern\":\"\\\\d;$\"}", "b/d.c:2:int Two = 2;\n" },
	{ "T12 grep a tab", "grep", "{\"pattern\":\"\\\\ttab\"}", "b/c.txt:2:\ttab\n" },
	{ "T12 grep in some files", "grep", "{\"pattern\":\"two|Two\",\"glob\":\"*.c\"}",
	  "b/d.c:2:int Two = 2;\n" },
	{ "T12 grep for files", "grep",
	  "{\"pattern\":\"t\",\"output_mode\":\"files_with_matches\"}", "a.txt\nb/c.txt\nb/d.c\n" },
	{ "T12 grep and count", "grep", "{\"pattern\":\"t\",\"output_mode\":\"count\"}",
	  "a.txt:2\nb/c.txt:2\nb/d.c:2\n" },
	{ "T12 grep one file", "grep", "{\"pattern\":\"o\",\"path\":\"a.txt\"}",
	  "a.txt:1:one\na.txt:2:two\n" },
	{ "T12 grep the first", "grep", "{\"pattern\":\"o\",\"limit\":1}",
	  "a.txt:1:one\n[there is more: shown are the first 1]\n" },
	{ "T12 grep for nothing", "grep", "{\"pattern\":\"zebra\"}", "[nothing matches]\n" },
	{ "T12 grep for nonsense", "grep", "{\"pattern\":\"(\"}", "!pattern: " },
	{ "T12 grep a class within brackets", "grep", "{\"pattern\":\"= [\\\\d]\"}",
	  "b/d.c:2:int Two = 2;\n" },
	{ "T12 grep a name nobody knows", "grep", "{\"pattern\":\"[[.hyphen.]]\"}", "!pattern: " },
	{ "T12 grep any one character", "grep", "{\"path\":\".hidden/f\",\"pattern\":\"caf.$\"}",
	  ".hidden/f/words:1:café\n" },
	{ "T12 grep other letters in any case", "grep",
	  "{\"path\":\".hidden/f\",\"pattern\":\"été\",\"case_insensitive\":true}",
	  ".hidden/f/words:2:ÉTÉ\n" },
	{ "T12 grep a range of other letters", "grep",
	  "{\"path\":\".hidden/f\",\"pattern\":\"[а-я]\"}", ".hidden/f/words:3:я\n" },
	{ "T12 grep a border beside other letters", "grep",
	  "{\"path\":\".hidden/f\",\"pattern\":\"\\\\bT\"}", "[nothing matches]\n" },
	{ "T12 grep bytes that are no characters", "grep",
	  "{\"path\":\".hidden/f\",\"pattern\":\"^x.$\"}", ".hidden/f/words:4:x\ufffd\n" },
	{ "T12 grep for what has no form in POSIX", "grep", "{\"pattern\":\"[\\\\W]\"}",
	  "!cannot stand within [ ]" },
};

/* DIR is where the files are. */
static void
check_row(const struct row *row, const char *directory)
{
	struct tool_job job;
	struct rig r;

	rig_init(&r);
	fill(&r.d);
	job = (struct tool_job){ .tool = str_of(row->tool),
				 .arguments = work_dir_text(&r.d, row->arguments, &r.a),
				 .directory = work_dir_text(&r.d, directory, &r.a),
				 .hidden = work_dir_text(&r.d, "DIR/secret", &r.a) };
	if (run_job(&r, &job) == 0)
		check_str("answer", buf_str(&r.out), work_dir_text(&r.d, row->want, &r.a));
	else if (row->want[0] != '!' || !str_contains(str_of(r.e.text), str_of(row->want + 1)))
		fail_msg("said: %s", r.e.text);
	if (row->file)
		work_dir_check(&r.d, row->file, row->content);
	rig_release(&r);
}

static void
test_row(void **state)
{
	check_row(*state, "DIR");
}

/* The whole machine as the working directory. */
static const struct row AT_ROOT[] = {
	{ "T12 at the root: read", "read", "{\"file_path\":\"DIR/a.txt\"}", "one\ntwo\nthree\n" },
	{ "T12 at the root: read by a path from there on", "read",
	  "{\"file_path\":\"./DIR/a.txt\"}", "one\ntwo\nthree\n" },
	{ "T12 at the root: read by a link", "read", "{\"file_path\":\"DIR/link\"}",
	  "one\ntwo\nthree\n" },
	{ "T12 at the root: read the server's data", "read",
	  "{\"file_path\":\"DIR/secret/owner.token\"}", "!No such file" },
	{ "T12 at the root: write", "write", "{\"file_path\":\"DIR/x/y\",\"content\":\"x\"}",
	  "Made DIR/x/y (1 bytes)\n", "x/y", "x" },
	{ "T12 at the root: write to the server's data", "write",
	  "{\"file_path\":\"DIR/secret/x\",\"content\":\"x\"}", "!cannot write", "secret/x", NULL },
	{ "T12 at the root: edit", "edit",
	  "{\"file_path\":\"DIR/a.txt\",\"old_string\":\"two\",\"new_string\":\"2\"}",
	  "Replaced 1 occurrence in DIR/a.txt\n", "a.txt", "one\n2\nthree\n" },
	{ "T12 at the root: glob", "glob", "{\"pattern\":\"**/*.{c,txt}\",\"path\":\"DIR\"}",
	  "a.txt\nb/c.txt\nb/d.c\n" },
	{ "T12 at the root: glob leaves out the server's data", "glob",
	  "{\"pattern\":\"secret/*\",\"path\":\"DIR\"}", "[no file matches]\n" },
	{ "T12 at the root: grep", "grep", "{\"pattern\":\"two\",\"path\":\"DIR\"}",
	  "DIR/a.txt:2:two\nDIR/b/c.txt:1:two twos\n" },
};

static void
test_at_root(void **state)
{
	check_row(*state, "/");
}

static void
T12_a_file_keeps_its_mode_and_leaves_no_parts(void **state)
{
	char path[128];
	struct stat st;
	struct rig r;

	(void)state;
	rig_init(&r);
	fill(&r.d);
	snprintf(path, sizeof path, "%s/a.txt", r.d.path);
	assert_int_equal(chmod(path, 0751), 0);
	assert_int_equal(run(&r, "write", "{\"file_path\":\"a.txt\",\"content\":\"x\"}"), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0751);
	assert_int_equal(run(&r, "glob", "{\"pattern\":\".*\"}"), 0);
	check_str("left", buf_str(&r.out), STR("[no file matches]\n"));
	rig_release(&r);
}

static void
T12_an_answer_fits_its_room(void **state)
{
	struct rig r;
	static const char *const ASKS[][2] = {
		{ "read", "{\"file_path\":\"long\"}" },
		{ "read", "{\"file_path\":\"one-line\"}" },
		{ "grep", "{\"pattern\":\"x\",\"limit\":100000}" },
		{ "glob", "{\"pattern\":\"many/*\"}" },
	};
	char text[4000];

	(void)state;
	rig_init(&r);
	buf_init(&r.out, 2048);
	for (size_t i = 0; i + 2 < sizeof text; i += 2)
		memcpy(text + i, "x\n", 3);
	work_dir_put(&r.d, "long", text);
	memset(text, 'x', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	work_dir_put(&r.d, "one-line", text);
	for (int i = 0; i < 100; i++) {
		snprintf(text, sizeof text, "many/a-rather-long-name-of-a-file-%d", i);
		work_dir_put(&r.d, text, "x");
	}
	for (size_t i = 0; i < ARRAY_LEN(ASKS); i++) {
		assert_int_equal(run(&r, ASKS[i][0], ASKS[i][1]), 0);
		assert_false(r.out.overflow);
		assert_true(r.out.len > 300);
		assert_true(
			str_ends(buf_str(&r.out), STR("]\n"))); /* and says that it is not all */
	}
	rig_release(&r);
}

static void
T12_binary_files_are_refused(void **state)
{
	char path[128];
	struct rig r;
	FILE *file;

	(void)state;
	rig_init(&r);
	snprintf(path, sizeof path, "%s/program", r.d.path);
	file = fopen(path, "we");
	fwrite("\177ELF\0two", 1, 8, file);
	fclose(file);
	assert_int_equal(run(&r, "read", "{\"file_path\":\"program\"}"), ERR_INVALID);
	assert_true(str_contains(str_of(r.e.text), STR("is a binary file of 8 bytes")));
	assert_int_equal(
		run(&r, "edit",
		    "{\"file_path\":\"program\",\"old_string\":\"two\",\"new_string\":\"2\"}"),
		ERR_INVALID);
	assert_int_equal(run(&r, "grep", "{\"pattern\":\"two\"}"), 0);
	check_str("found", buf_str(&r.out), STR("[nothing matches]\n"));
	rig_release(&r);
}

/* A tool in a process of its own, as the helpers are; it begins when the gate is closed. */
static pid_t
begin_apart(struct rig *r, const char *tool, const char *arguments, int64_t file_bytes,
	    const int gate[2])
{
	struct rlimit limit = { (rlim_t)file_bytes, (rlim_t)file_bytes };
	pid_t pid = fork();
	char byte;
	int rc;

	if (pid != 0)
		return pid;
	close(gate[1]);
	IGNORE(read(gate[0], &byte, 1));
	rc = file_bytes > 0 ? setrlimit(RLIMIT_FSIZE, &limit) : 0;
	if (rc == 0)
		rc = run(r, tool, arguments);
	_exit(rc == 0 ? 0 : rc == ERR_TOO_LARGE ? 2 : 1);
}

static void
check_end(pid_t pid, int code)
{
	int status = -1;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), code);
}

static void
T12_edits_at_once_lose_nothing(void **state)
{
	enum { EDITS = 8, ROUNDS = 20 };

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		pid_t pids[EDITS];
		struct rig r;
		int gate[2];

		rig_init(&r);
		work_dir_put(&r.d, "f", "a b c d e f g h\n");
		assert_int_equal(pipe2(gate, O_CLOEXEC), 0);
		for (int i = 0; i < EDITS; i++) {
			char arguments[128];

			snprintf(arguments, sizeof arguments,
				 "{\"file_path\":\"f\",\"old_string\":\"%c\","
				 "\"new_string\":\"%c\"}",
				 'a' + i, 'A' + i);
			pids[i] = begin_apart(&r, "edit", arguments, 0, gate);
		}
		close(gate[0]);
		close(gate[1]);
		for (int i = 0; i < EDITS; i++)
			check_end(pids[i], 0);
		work_dir_check(&r.d, "f", "A B C D E F G H\n");
		rig_release(&r);
	}
}

/* The kernel calls a file that was replaced after it was opened "f (deleted)". */
static void
T12_a_file_that_is_replaced_meanwhile_keeps_its_name(void **state)
{
	enum { WRITERS = 8, ROUNDS = 40 };
	struct rig r;

	(void)state;
	rig_init(&r);
	work_dir_put(&r.d, "f", "x");
	for (int round = 0; round < ROUNDS; round++) {
		pid_t pids[WRITERS];
		int gate[2];

		assert_int_equal(pipe2(gate, O_CLOEXEC), 0);
		for (int i = 0; i < WRITERS; i++)
			pids[i] = begin_apart(&r, "write",
					      "{\"file_path\":\"f\",\"content\":\"x\"}", 0, gate);
		close(gate[0]);
		close(gate[1]);
		for (int i = 0; i < WRITERS; i++)
			check_end(pids[i], 0);
	}
	assert_int_equal(run(&r, "glob", "{\"pattern\":\"*\"}"), 0);
	check_str("files", buf_str(&r.out), STR("f\n"));
	rig_release(&r);
}

/* Each helper has the same number in its sandbox: that makes no name. */
static void
T12_a_part_of_another_call_is_left_alone(void **state)
{
	char name[64];
	struct rig r;

	(void)state;
	rig_init(&r);
	snprintf(name, sizeof name, ".perdure-%d.part", (int)getpid());
	work_dir_put(&r.d, name, "theirs");
	assert_int_equal(run(&r, "write", "{\"file_path\":\"n\",\"content\":\"x\"}"), 0);
	work_dir_check(&r.d, "n", "x");
	work_dir_check(&r.d, name, "theirs");
	rig_release(&r);
}

static void
T12_a_file_that_grows_too_large_leaves_no_part(void **state)
{
	struct rig r;
	int gate[2];
	pid_t pid;

	(void)state;
	rig_init(&r);
	assert_int_equal(pipe2(gate, O_CLOEXEC), 0);
	pid = begin_apart(&r, "write", "{\"file_path\":\"n\",\"content\":\"123456789\"}", 4, gate);
	close(gate[0]);
	close(gate[1]);
	check_end(pid, 2);
	assert_int_equal(run(&r, "glob", "{\"pattern\":\"{*,.*}\"}"), 0);
	check_str("left", buf_str(&r.out), STR("[no file matches]\n"));
	rig_release(&r);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, test_row);
	SUITE_ROWS(&s, AT_ROOT, test_at_root);
	SUITE_TEST(&s, T12_a_file_keeps_its_mode_and_leaves_no_parts);
	SUITE_TEST(&s, T12_an_answer_fits_its_room);
	SUITE_TEST(&s, T12_binary_files_are_refused);
	SUITE_TEST(&s, T12_edits_at_once_lose_nothing);
	SUITE_TEST(&s, T12_a_file_that_is_replaced_meanwhile_keeps_its_name);
	SUITE_TEST(&s, T12_a_part_of_another_call_is_left_alone);
	SUITE_TEST(&s, T12_a_file_that_grows_too_large_leaves_no_part);
	return suite_run(&s, "tool/local/file_tool");
}
