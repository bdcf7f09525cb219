#include "base/buf.h"
#include "core/shell_runner.h"
#include "harness.h"

/* inner: the inner commands, joined by " | ". */
static const struct row {
	const char *name, *line;
	bool hides;
	const char *inner;
} ROWS[] = {
	{ "T8 a plain command runs nothing else", "git status", false, "" },
	{ "T8 eval", "eval rm x", true, "rm x" },
	{ "T8 source", "source x", true, "x" },
	{ "T8 dot", ". x", true, "x" },
	{ "T8 trap", "trap 'rm x' EXIT", true, "rm x EXIT" },
	{ "T8 watch", "watch rm", true, "rm" },
	{ "T8 alias", "alias x='rm y'", true, "" },
	{ "T8 hash", "hash -p ./x git", true, "x git | git" },
	{ "T8 mapfile", "mapfile -C rm x", true, NULL },
	{ "T8 export sets what others run", "export -n A B=c", true, "" },
	{ "T8 export of a name sets nothing", "export rm", false, "" },
	{ "T8 declare", "sudo declare -x PATH=.", true, NULL },
	{ "T8 exec", "exec rm x", true, "rm x" },
	{ "T8 command", "command rm x", true, "rm x" },
	{ "T8 builtin", "builtin eval x", true, "eval x | x" },
	{ "T8 env with an assignment", "env FOO=1 rm x", true, "rm x" },
	{ "T8 env by path", "/usr/bin/env rm x", true, "env rm x | rm x" },
	{ "T8 env alone", "env", true, "" },
	{ "T8 xargs", "xargs -n 1 rm", true, "rm" },
	{ "T8 xargs with an option's value", "xargs -I {} rm {}", true, "{} rm {} | rm {}" },
	{ "T8 parallel", "parallel rm", true, "rm" },
	{ "T8 find runs nothing by itself", "find . -name x", false, "" },
	{ "T8 find -exec", "find . -exec rm {} +", true, "rm {} +" },
	{ "T8 find -execdir", "find -execdir rm", true, "rm" },
	{ "T8 find -ok", "find . -ok rm", true, "rm" },
	{ "T8 find -okdir", "find . -okdir rm", true, "rm" },
	{ "T8 sh -c", "sh -c 'rm x'", true, "rm x" },
	{ "T8 bash -c", "bash -c ls", true, "ls" },
	{ "T8 bash -lc", "bash -lc ls", true, "ls" },
	{ "T8 bash -o x -c", "bash -o pipefail -c ls", true, "pipefail -c ls | ls" },
	{ "T8 sh by path", "/bin/sh -c ls", true, "sh -c ls | ls" },
	{ "T8 a shell on its stdin", "sh", true, "" },
	{ "T8 a shell told to read stdin", "bash -s x", true, "x" },
	{ "T8 a shell with options alone", "zsh --login", true, "" },
	{ "T8 a shell with a long option", "fish --command=ls x", true, "x" },
	{ "T8 a script file is a file", "bash x.sh", false, "x.sh" },
	{ "T8 su", "su -c ls", true, "ls" },
	{ "T8 sudo shows what it runs", "sudo ls", false, "ls" },
	{ "T8 sudo with an option's value", "sudo -u root rm x", false, "root rm x | rm x" },
	{ "T8 sudo of sh -c", "sudo sh -c ls", true, "sh -c ls | ls" },
	{ "T8 timeout", "timeout 5 rm x", false, "rm x" },
	{ "T8 timeout with a signal", "timeout -s KILL 5 rm x", false, "KILL 5 rm x | rm x" },
	{ "T8 nested runners", "nohup nice -n 5 timeout 10s sudo rm x", false,
	  "nice -n 5 timeout 10s sudo rm x | timeout 10s sudo rm x | sudo rm x | rm x" },
	{ "T8 a runner behind an assignment", "A=b eval x", true, "eval x | x" },
	{ "T8 a command behind an assignment", "A=b rm x", false, "rm x" },
	{ "T8 a command by path", "/bin/rm x", false, "rm x" },
	{ "T8 a runner's name as an argument is nothing", "echo eval x", false, "" },
	{ "T8 a name that only begins like one", "evaluate x", false, "" },
	{ "T8 no words at all", "> f", false, "" },
	{ "T8 wrapped beyond reason",
	  "nice nice nice nice nice nice nice nice nice nice nice nice nice nice nice nice nice a",
	  true, NULL },
};

static void
check_row(void **state)
{
	const struct row *r = *state;
	struct str inner[SHELL_INNER_MAX];
	struct shell_line line = { 0 };
	struct arena a;
	struct buf got;
	size_t count;

	arena_init(&a);
	buf_init(&got, 4096);
	assert_int_equal(shell_split(str_of(r->line), &a, &line, NULL), 0);
	assert_int_equal(shell_runner_hides(&line.commands[0]), r->hides);
	count = shell_runner_inner(&line.commands[0], inner);
	for (size_t i = 0; i < count; i++) {
		buf_puts(&got, i ? " | " : "");
		buf_put_str(&got, inner[i]);
	}
	if (r->inner)
		check_str(r->name, buf_str(&got), str_of(r->inner));
	buf_release(&got);
	arena_release(&a);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, check_row);
	return suite_run(&s, "core/shell_runner");
}
