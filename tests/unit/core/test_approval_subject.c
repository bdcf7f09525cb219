#include "core/approval_subject.h"
#include "harness.h"

/* want: subjects joined by " ; ", each: exact spellings, then ~wider ones, then a mark:
 * ! unsafe, ? unreadable, r and w what a redirection does. */
static const struct row {
	const char *name, *tool, *arguments, *want;
} ROWS[] = {
	{ "T8 bash is seen by its commands", "bash", "{\"command\":\"a 'b c' | d\"}",
	  "a b c,a 'b c' ; d,d" },
	{ "T8 shell too", "shell", "{\"command\":\"a\"}", "a,a" },
	{ "T8 exec too", "exec", "{\"command\":\"a\"}", "a,a" },
	{ "T8 known tools in any case", "Bash", "{\"command\":\"a;b\"}", "a,a ; b,b" },
	{ "T8 a lone command is a command", "x", "{\"command\":\"a;b\"}", "a,a ; b,b" },
	{ "T8 a command among others is data", "x", "{\"command\":\"a\",\"n\":1}",
	  "{\"command\":\"a\",\"n\":1} ~a" },
	{ "T8 a command that is no text is data", "x", "{\"command\":1}", "{\"command\":1}" },
	{ "T8 a redirection is a subject", "bash", "{\"command\":\"a > f < g\"}",
	  "a,a > f < g ; f,f w ; g,g r" },
	{ "T8 a redirection both ways", "bash", "{\"command\":\"<>f\"}", "f,f rw" },
	{ "T8 an unsafe command marks its files", "bash", "{\"command\":\"a $x > f\"}",
	  "a $x,a $x > f ! ; f,f !w" },
	{ "T8 inner commands are wider", "bash", "{\"command\":\"sudo /bin/a\"}",
	  "sudo /bin/a,sudo /bin/a ~a" },
	{ "T8 an unreadable command", "bash", "{\"command\":\"a 'b\"}", "~a 'b ?" },
	{ "T8 no command", "bash", "{\"command\":\" # x\"}", "" },
	{ "T8 bash without its argument", "bash", "{\"cmd\":\"a\"}", "" },
	{ "T8 an argument of another type", "bash", "{\"command\":1}", "" },
	{ "T8 read by file_path", "read", "{\"file_path\":\"/a\",\"path\":\"/b\"}", "/a,/a" },
	{ "T8 read by path", "read", "{\"path\":\"/b\"}", "/b,/b" },
	{ "T8 write by file_path", "write", "{\"file_path\":\"/a\",\"content\":\"x\"}", "/a,/a" },
	{ "T8 edit by file_path", "edit", "{\"file_path\":\"/a\"}", "/a,/a" },
	{ "T8 glob by pattern", "glob", "{\"path\":\"/b\",\"pattern\":\"**/*.c\"}",
	  "**/*.c,**/*.c" },
	{ "T8 grep by path", "grep", "{\"pattern\":\"x\",\"path\":\"/b\"}", "/b,/b" },
	{ "T8 grep by pattern", "grep", "{\"pattern\":\"a//b\"}", "a//b" },
	{ "T8 skill by name", "skill", "{\"name\":\"pdf\"}", "pdf" },
	{ "T8 another tool by its arguments", "x", "{ \"b\":1, \"a\":[2] }",
	  "{\"a\":[2],\"b\":1}" },
	{ "T8 another tool with one text", "x", "{\"u\":\"v\"}", "{\"u\":\"v\"},v ~v" },
	{ "T8 another tool with two texts", "x", "{\"u\":\"v\",\"w\":\"z\"}",
	  "{\"u\":\"v\",\"w\":\"z\"} ~v ~z" },
	{ "T8 a text beside a number", "x", "{\"u\":\"v\",\"w\":1}", "{\"u\":\"v\",\"w\":1} ~v" },
	{ "T8 another tool without arguments", "x", "{}", "{}" },
	{ "T8 paths lose dots and doubled slashes", "read", "{\"path\":\"/a/./b//c/\"}",
	  "/a/b/c,/a/./b//c/" },
	{ "T8 paths lose what they climb", "read", "{\"path\":\"/a/b/../c\"}", "/a/c ~/a/b/../c" },
	{ "T8 paths lose whole components", "read", "{\"path\":\"/aa/bb/../../cc/dd\"}",
	  "/cc/dd ~/aa/bb/../../cc/dd" },
	{ "T8 paths do not climb above the root", "read", "{\"path\":\"/../../a\"}",
	  "/a ~/../../a" },
	{ "T8 paths climb back to the root", "read", "{\"path\":\"/a/..\"}", "/ ~/a/.." },
	{ "T8 relative paths keep what leads out", "read", "{\"path\":\"../../a\"}",
	  "../../a ~../../a" },
	{ "T8 relative paths climb inside", "read", "{\"path\":\"a/../b\"}", "b ~a/../b" },
	{ "T8 relative paths climb inside and out", "read", "{\"path\":\"a/../../b\"}",
	  "../b ~a/../../b" },
	{ "T8 relative paths that are nothing", "read", "{\"path\":\"./\"}", ".,./" },
	{ "T8 an empty path", "read", "{\"path\":\"\"}", ".," },
	{ "T8 dots in a name are a name", "read", "{\"path\":\"/a/..b/c..\"}",
	  "/a/..b/c..,/a/..b/c.." },
};

static void
render(const struct approval_subject *s, struct buf *out)
{
	for (size_t i = 0; i < s->exact_count; i++) {
		buf_puts(out, i ? "," : "");
		buf_put_str(out, s->exact[i]);
	}
	for (size_t i = 0; i < s->wider_count; i++) {
		buf_puts(out, s->exact_count ? " ~" : "~");
		buf_put_str(out, s->wider[i]);
	}
	if (s->trust != APPROVAL_PLAIN || s->reads_file || s->writes_file)
		buf_puts(out, " ");
	buf_puts(out, s->trust == APPROVAL_UNSAFE ? "!" : s->trust == APPROVAL_PLAIN ? "" : "?");
	buf_puts(out, s->reads_file ? "r" : "");
	buf_puts(out, s->writes_file ? "w" : "");
}

static void
check_row(void **state)
{
	const struct row *r = *state;
	struct approval_subjects subjects;
	struct json_doc doc;
	struct err e = { 0 };
	struct arena a;
	struct buf got;

	arena_init(&a);
	buf_init(&got, 4096);
	if (json_parse(&a, str_of(r->arguments), &JSON_LIMITS_DEFAULT, &doc, &e) != 0)
		fail_msg("%s: %s", r->name, e.text);
	subjects = approval_subjects_of((struct tool_ref){ .name = str_of(r->tool) },
					json_root(&doc), &a);
	assert_true(subjects.count > 0);
	for (size_t i = 0; i < subjects.count; i++) {
		buf_puts(&got, i ? " ; " : "");
		render(&subjects.ptr[i], &got);
	}
	check_str(r->name, buf_str(&got), str_of(r->want));
	buf_release(&got);
	arena_release(&a);
}

static void
T8_absent_arguments_are_no_arguments(void **state)
{
	struct approval_subjects subjects;
	struct arena a;

	(void)state;
	arena_init(&a);
	subjects = approval_subjects_of((struct tool_ref){ .name = STR("bash") },
					(struct json){ 0 }, &a);
	assert_int_equal(subjects.count, 1);
	assert_int_equal(subjects.ptr[0].exact_count, 0);
	subjects =
		approval_subjects_of((struct tool_ref){ .name = STR("x") }, (struct json){ 0 }, &a);
	check_str("canonical", subjects.ptr[0].exact[0], STR("null"));
	arena_release(&a);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, check_row);
	SUITE_TEST(&s, T8_absent_arguments_are_no_arguments);
	return suite_run(&s, "core/approval_subject");
}
