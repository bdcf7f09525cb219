#include "base/buf.h"
#include "base/rand.h"
#include "core/shell_split.h"
#include "harness.h"

/* want: commands joined by " | ", words by ",", then redirections and a flag letter each:
 * S substitution, E expansion, G glob, H here-document, P process, A assignment, K keyword,
 * C control, N odd name. "error: ..." is part of the refusal. */
static const struct row {
	const char *name, *line, *want;
} ROWS[] = {
	{ "T8 words are split at blanks", "git  log\t-1", "git,log,-1" },
	{ "T8 an empty line is nothing", "  \n\t ", "" },
	{ "T8 semicolon separates", "a;rm -rf /", "a | rm,-rf,/" },
	{ "T8 and separates", "a&&b", "a | b" },
	{ "T8 or separates", "a || b", "a | b" },
	{ "T8 pipe separates", "a|b", "a | b" },
	{ "T8 pipe of both outputs separates", "a |& b", "a | b" },
	{ "T8 background separates", "a & b &", "a | b" },
	{ "T8 a line end separates", "a\nb\n\nc", "a | b | c" },
	{ "T8 a subshell is looked into", "(a; b) && c", "a | b | c" },
	{ "T8 nested subshells", "( ( a ) ; (b) )", "a | b" },
	{ "T8 a group is looked into", "{ a; b; }", "a | b" },
	{ "T8 negation is no word", "! a && ! b c", "a | b,c" },
	{ "T8 time is no word", "time a b; time ! c", "a,b | c" },
	{ "T8 time before a keyword", "time if rm x; then y; fi", "rm,x K | y K" },
	{ "T8 options of time", "time -p rm x; time -- a; time -p -- b; time -p -p c",
	  "rm,x | a | b | -p,c" },
	{ "T8 options of time are plain", "time '-p' a; time --x", "-p,a | --x" },
	{ "T8 time in a pipe is a command", "a | time -p b; c |\ntime d",
	  "a | time,-p,b | c | time,d" },
	{ "T8 time in a group in a pipe", "a | { time -p b; }", "a | b" },
	{ "T8 time before a group", "time { a; }; time (b)", "a | b" },
	{ "T8 a negation sign elsewhere is", "a !", "a,!" },
	{ "T8 single quotes", "echo 'a;b  $c `d`'", "echo,a;b  $c `d`" },
	{ "T8 double quotes", "echo \"a;b|c && d\"", "echo,a;b|c && d" },
	{ "T8 quotes inside a word", "r'm' \"-\"rf", "rm,-rf" },
	{ "T8 an empty word is a word", "a '' \"\"", "a,," },
	{ "T8 a backslash quotes", "r\\m a\\ b \\;", "rm,a b,;" },
	{ "T8 escapes in double quotes", "echo \"\\$a \\\" \\\\ \\x \\`\"", "echo,$a \" \\ \\x `" },
	{ "T8 a backslash in single quotes is itself", "echo 'a\\'", "echo,a\\" },
	{ "T8 a continued line is one line", "git \\\nstatus", "git,status" },
	{ "T8 a continued word is one word", "r\\\nm x", "rm,x" },
	{ "T8 a continued line in double quotes", "echo \"a\\\nb\"", "echo,ab" },
	{ "T8 a continued line in single quotes is text", "echo 'a\\\nb'", "echo,a\\\nb" },
	{ "T8 a comment ends at the line end", "a # rm x; b\nc", "a | c" },
	{ "T8 a comment is not continued", "a # x \\\nb", "a | b" },
	{ "T8 a hash inside a word is a byte", "a#b c#", "a#b,c#" },
	{ "T8 a line of comment is nothing", "# rm -rf /", "" },
	{ "T8 command substitution", "echo $(rm x)", "echo,$(rm x) S | rm,x" },
	{ "T8 command substitution in quotes", "echo \"$(rm x)\"", "echo,$(rm x) S | rm,x" },
	{ "T8 command substitution in single quotes is text", "echo '$(rm x)'", "echo,$(rm x)" },
	{ "T8 an escaped dollar is text", "echo \\$(", "error: a function or an array" },
	{ "T8 nested substitution", "a $(b $(c))", "a,$(b $(c)) S | b,$(c) S | c" },
	{ "T8 a substitution with a closing bracket in quotes", "a $(b ')' \")\" \\)) c",
	  "a,$(b ')' \")\" \\)),c S | b,),),)" },
	{ "T8 empty quotes in a substitution", "a $(b '') c", "a,$(b ''),c S | b," },
	{ "T8 several commands in a substitution", "a $(b; c)", "a,$(b; c) S | b | c" },
	{ "T8 backticks", "echo `rm x`", "echo,`rm x` S | rm,x" },
	{ "T8 backticks in quotes", "echo \"`rm x`\" y", "echo,`rm x`,y S | rm,x" },
	{ "T8 escaped backticks inside backticks", "a `b \\`c\\`` d", "error: a backslash within" },
	{ "T8 an escaped backtick is text", "echo \\`", "echo,`" },
	{ "T8 a variable", "echo $HOME", "echo,$HOME E" },
	{ "T8 a variable in quotes", "echo \"$HOME\"", "echo,$HOME E" },
	{ "T8 a variable in single quotes is text", "echo '$HOME'", "echo,$HOME" },
	{ "T8 a variable in braces", "echo ${a:-b c} d", "echo,${a:-b c},d E" },
	{ "T8 a substitution inside braces", "echo ${a:-$(rm x)}", "echo,${a:-$(rm x)} E | rm,x" },
	{ "T8 braces end at the first", "echo ${a:-{} b}", "echo,${a:-{},b} E" },
	{ "T8 braces with a comment sign", "echo ${a:- # $(rm x)}",
	  "echo,${a:- # $(rm x)} E | rm,x" },
	{ "T8 a single quote in braces in quotes", "echo \"${a:-'}\" ; rm x ; echo \"'}\"",
	  "error: unclosed substitution" },
	{ "T8 harmless single quotes there", "echo \"${a:-'b c'}\"", "echo,${a:-'b c'} E" },
	{ "T8 newer shells' substitution", "echo ${ rm x; }", "error: unclosed substitution" },
	{ "T8 a process inside braces", "echo ${a:-<(rm x)}", "error: unclosed substitution" },
	{ "T8 special parameters", "echo $1 $@ $? $$ $! $# $- $*",
	  "echo,$1,$@,$?,$$,$!,$#,$-,$* E" },
	{ "T8 a lone dollar is text", "echo $ a$ $% \"$\"", "echo,$,a$,$%,$" },
	{ "T8 a dollar before a continued line", "echo $\\\n(rm x)", "error: continued inside" },
	{ "T8 a dollar before a continued line in quotes", "echo \"$\\\n(rm x)\"",
	  "error: continued inside" },
	{ "T8 two dollars are one parameter", "echo $$'\\' ; rm x ; echo ''",
	  "echo,$$\\ E | rm,x | echo," },
	{ "T8 arithmetic", "echo $((1+2))", "echo,$((1+2)) E" },
	{ "T8 arithmetic with brackets", "echo $(( (1+2)*3 ))", "echo,$(( (1+2)*3 )) E" },
	{ "T8 arithmetic with a substitution", "echo $(( $(rm x) + 1 ))",
	  "echo,$(( $(rm x) + 1 )) E | rm,x" },
	{ "T8 a command that looks like arithmetic", "echo $((rm x)|(b))", "error: unclosed" },
	{ "T8 an arithmetic command", "((i++)) && a", " K | a" },
	{ "T8 an arithmetic shift is no here-document", "((a <<E))\nrm x\nE", " K | rm,x | E" },
	{ "T8 two groups that look like it", "((a);(b))", "error: arithmetic" },
	{ "T8 old arithmetic", "echo $[1]", "echo,$[1] E" },
	{ "T8 escapes that spell anything", "$'\\x72m' x", "$'\\x72m',x E" },
	{ "T8 translated text", "echo $\"a b\"", "echo,a b E" },
	{ "T8 a dollar quote inside quotes is text", "echo \"$'a'\"", "echo,$'a'" },
	{ "T8 a star is a glob", "ls *.c", "ls,*.c G" },
	{ "T8 a question mark is a glob", "ls a?", "ls,a? G" },
	{ "T8 brackets are a glob", "ls [ab]", "ls,[ab] G" },
	{ "T8 a quoted star is text", "find -name '*.c' \"*\" \\*", "find,-name,*.c,*,*" },
	{ "T8 the test command is no glob", "[ -f x ]", "[,-f,x,]" },
	{ "T8 the test command at the end", "[", "[" },
	{ "T8 a tilde at the start expands", "ls ~/x", "ls,~/x E" },
	{ "T8 a tilde elsewhere is text", "git show HEAD~1 '~'", "git,show,HEAD~1,~" },
	{ "T8 a brace list expands", "echo {a,b}", "echo,{a,b} E" },
	{ "T8 a brace range expands", "echo x{1..3}", "echo,x{1..3} E" },
	{ "T8 other braces are text", "find {} @{u} '{a,b}' a,b{", "find,{},@{u},{a,b},a,b{" },
	{ "T8 a here-document", "cat <<EOF\nrm x\nEOF\nls", "cat H | ls" },
	{ "T8 a quoted delimiter", "cat <<'E F' ; a\nrm x\nE F\nls", "cat H | a | ls" },
	{ "T8 a delimiter behind tabs", "cat <<-EOF\n\trm x\n\tEOF\nls", "cat H | ls" },
	{ "T8 tabs count without the dash", "cat <<EOF\n\tEOF\nEOF\nls", "cat H | ls" },
	{ "T8 what a here-document substitutes", "cat <<E\n$(rm x) `b` ${c:-$(d)}\nE",
	  "cat H | rm,x | b | d" },
	{ "T8 what a quoted one does not", "cat <<'E'\n$(rm x) `\nE\na", "cat H | a" },
	{ "T8 a line continued in a here-document", "cat <<E\nE\\\n\nrm x\nE",
	  "error: continued inside a here-document" },
	{ "T8 an end that is replaced", "cat <<$x\n$x\nrm x", "error: without a plain end" },
	{ "T8 an end with a dollar", "cat <<$;\n'\n$x\nb <<E\n`rm x`\nE",
	  "error: without a plain end" },
	{ "T8 a line end inside a word before the body", "cat <<E $(a\nb)\nE\nrm x",
	  "error: a line end" },
	{ "T8 a here-document in a substitution", "a \"$(cat <<'E'\nit's ) b\nE\n)\" c",
	  "a,$(cat <<'E'\nit's ) b\nE\n),c S | cat H" },
	{ "T8 a comment in a substitution", "a $(b # ) '\n) c", "a,$(b # ) '\n),c S | b" },
	{ "T8 a comment does not swallow commands", "a $(b # \"\n)\nrm x\na \")\" #\"",
	  "a,$(b # \"\n) S | rm,x | a,) | b" },
	{ "T8 case in a substitution", "a $(case x in x) rm y;; esac)", "error: unclosed" },
	{ "T8 a keyword behind a redirection in a substitution", "a $(<f ! rm x)",
	  "error: a keyword" },
	{ "T8 two here-documents", "a <<X <<Y\n1\nX\n2\nY\nb", "a H | b" },
	{ "T8 a here-document without end", "cat <<EOF\nrm x", "cat H" },
	{ "T8 a here-document without command", "<<EOF\nrm x\nEOF", " H" },
	{ "T8 a here-string", "cat <<<'rm x'", "cat H" },
	{ "T8 reading from a process", "diff <(a b) x", "diff,<(a b),x P | a,b" },
	{ "T8 writing to a process", "a >(rm x)", "a,>(rm x) P | rm,x" },
	{ "T8 a process where a command begins", "<(a)", "<(a) P | a" },
	{ "T8 an assignment before a command", "A=b cmd", "A=b,cmd A" },
	{ "T8 an assignment alone", "PATH=/x", "PATH=/x A" },
	{ "T8 an appending assignment", "A+=b cmd", "A+=b,cmd A" },
	{ "T8 an element assignment", "a[0]=b", "a[0]=b GA" },
	{ "T8 an element with blanks", "a[ <<E ]=b\nrm x\nE", "error: a subscript" },
	{ "T8 a home in an assignment", "a=~/x b c=~ d=e:~/f HEAD~1",
	  "a=~/x,b,c=~,d=e:~/f,HEAD~1 EA" },
	{ "T8 an assignment of nothing", "A= cmd", "A=,cmd A" },
	{ "T8 an argument with an equals sign is none", "dd if=x --a=b", "dd,if=x,--a=b" },
	{ "T8 a number before equals is no assignment", "1=2 +=x _", "1=2,+=x,_" },
	{ "T8 if", "if a; then b; elif c; then d; else e; fi", "a K | b K | c K | d K | e K" },
	{ "T8 while", "while a; do b; done", "a K | b K" },
	{ "T8 until", "until a; do b; done >f", "a K | b K |  >f" },
	{ "T8 for", "for x in a b; do c; done", "for,x,in,a,b K | c K" },
	{ "T8 case", "case x in a) rm y;; b) c;; esac", "case,x,in,a K | rm,y | b | c" },
	{ "T8 select", "select x in a; do b; done", "select,x,in,a K | b K" },
	{ "T8 a coprocess", "coproc rm x", "error: a coprocess" },
	{ "T8 for without a list", "for x do rm y; done", "error: a body" },
	{ "T8 conditional brackets", "[[ a < b ]]", "[[,a,]] <b GK" },
	{ "T8 the function keyword", "function f { rm x; }", "error: a body" },
	{ "T8 a keyword behind a redirection is a word", ">f if a; 2>&1 { b", "if,a >f | {,b" },
	{ "T8 a group behind a duplication", "2>&1 (a)", "error: a function or an array" },
	{ "T8 a keyword alone", "while\na; do b; done", " K | a | b K" },
	{ "T8 a keyword elsewhere is a word", "echo if then done {", "echo,if,then,done,{" },
	{ "T8 a quoted keyword is a word", "'if' x", "if,x" },
	{ "T8 a control byte", "ls \x1b[1m; a", "ls,\x1b[1m GC | a C" },
	{ "T8 a carriage return", "ls\r", "ls\r C" },
	{ "T8 a delete byte", "ls \x7f", "ls,\x7f C" },
	{ "T8 a name with blanks", "'git status'", "git status N" },
	{ "T8 a name with a line end", "'git\nx' y", "git\nx,y N" },
	{ "T8 an argument with blanks is not odd", "git 'a b'", "git,a b" },
	{ "T8 output to a file", "echo a > f b", "echo,a,b >f" },
	{ "T8 output without blanks", "echo a>f", "echo,a >f" },
	{ "T8 appending", "a >>f", "a >f" },
	{ "T8 output past noclobber", "a >|f", "a >f" },
	{ "T8 both outputs", "a &>f", "a >f" },
	{ "T8 both outputs appended", "a &>>f", "a >f" },
	{ "T8 both outputs, the other way", "a >&f", "a >f" },
	{ "T8 input from a file", "a <f", "a <f" },
	{ "T8 both directions", "a <>f", "a <>f" },
	{ "T8 a numbered descriptor", "a 2>f 10>>g", "a >f >g" },
	{ "T8 a number that is a word", "a 2 >f", "a,2 >f" },
	{ "T8 a quoted number is a word", "a '2'>f", "a,2 >f" },
	{ "T8 duplications touch nothing", "a 2>&1 >&2 <&3 2>&- >&- 3>&1-", "a" },
	{ "T8 the null device touches nothing", "a >/dev/null 2>/dev/null </dev/null", "a" },
	{ "T8 a closing ends where it ends", "a >&-b <&-c", "a,b,c" },
	{ "T8 a closing behind a blank", "a >& -", "a" },
	{ "T8 a closing behind a blank ends there too", "<& -eval echo \"; id\"",
	  "eval,echo,; id" },
	{ "T8 a closing behind a continued line", "a >& \\\n-b", "a,b" },
	{ "T8 a duplication continued", "a >&\\\n-b", "error: continued inside an operator" },
	{ "T8 a closing and a comment", "a >&-#b", "a" },
	{ "T8 a duplication of what is quoted", "a >&'$(rm x)'", "error: not plain" },
	{ "T8 a duplication of what is replaced", "a >&$x", "error: not plain" },
	{ "T8 a redirection that sets a variable", "git {x}>f log", "error: sets a variable" },
	{ "T8 braces that are a word", "git {x} >f", "git,{x} >f" },
	{ "T8 a descriptor of too many digits", "a 1234567890>f", "error: too many digits" },
	{ "T8 an operator continued", "a >\\\n>f", "error: continued inside an operator" },
	{ "T8 a separator continued", "a &\\\n>f", "error: continued inside an operator" },
	{ "T8 a separator before a continued line", "a |\\\n b &&\\\nc", "a | b | c" },
	{ "T8 a word continued before an operator", "a 2\\\n>f", "error: continued inside" },
	{ "T8 a quoted target", "a > 'x y'", "a >x y" },
	{ "T8 a target behind a continued line", "a > \\\n f", "a >f" },
	{ "T8 a target with a variable", "a > $x", "a >$x E" },
	{ "T8 a target with a tilde", "a > ~/x", "a >~/x E" },
	{ "T8 a redirection before the command", ">f a b", "a,b >f" },
	{ "T8 a redirection alone", "> f", " >f" },
	{ "T8 a redirection of a group", "(a; b) > f", "a | b |  >f" },
	{ "T8 an unclosed single quote", "echo 'a", "error: unclosed quote" },
	{ "T8 an unclosed double quote", "echo \"a", "error: unclosed quote" },
	{ "T8 an unclosed double quote behind a backslash", "echo \"a\\", "error: unclosed quote" },
	{ "T8 an unclosed dollar quote", "echo $'a\\'", "error: unclosed quote" },
	{ "T8 an unclosed backtick", "echo `a", "error: unclosed backtick" },
	{ "T8 an unclosed substitution", "echo $(a", "error: unclosed substitution" },
	{ "T8 an unclosed quote in a substitution", "echo $(a 'b)",
	  "error: unclosed substitution" },
	{ "T8 an unclosed brace", "echo ${a", "error: unclosed substitution" },
	{ "T8 an unclosed process", "cat <(a", "error: unclosed substitution" },
	{ "T8 an operator at the end", "git log ||", "error: without a command behind it" },
	{ "T8 a pipe at the end", "git log | # then", "error: without a command behind it" },
	{ "T8 an operator before a closing bracket", "(git log &&)",
	  "error: without a command behind it" },
	{ "T8 an operator at the start", "&& git log", "error: without a command before it" },
	{ "T8 a separator at the start", "; git log", "error: without a command before it" },
	{ "T8 two separators", "git log;; git log", "error: without a command before it" },
	{ "T8 two operators", "a && || b", "error: without a command before it" },
	{ "T8 a backslash at the end", "echo a\\", "error: ends in a backslash" },
	{ "T8 an unclosed subshell", "(a", "error: an unclosed group" },
	{ "T8 an unclosed group", "{ a", "error: an unclosed group" },
	{ "T8 a brace that is an argument closes nothing", "{ a }", "error: an unclosed group" },
	{ "T8 an unopened subshell", "a)", "error: not opened" },
	{ "T8 an unopened group", "a; }", "error: not opened" },
	{ "T8 crossed groups", "( { a; ) }", "error: not opened" },
	{ "T8 a function", "f() { rm x; }", "error: a function or an array" },
	{ "T8 a function with a blank", "f () (a)", "error: a function or an array" },
	{ "T8 an array", "a=(1 2)", "error: a function or an array" },
	{ "T8 a subshell behind a subshell", "(a)(b)", "error: a function or an array" },
	{ "T8 a subshell behind a redirection", ">f (b)", "error: a function or an array" },
	{ "T8 words behind a subshell", "(a) b", "error: words follow" },
	{ "T8 words behind a group", "{ a; } b", "error: words follow" },
	{ "T8 a redirection without target", "a >", "error: without its target" },
	{ "T8 a redirection into an operator", "a > ; b", "error: without its target" },
};

static void
render_command(const struct shell_command *c, struct buf *out)
{
	static const char *const SIGNS[] = { "<", ">", "<>" };

	for (size_t i = 0; i < c->word_count; i++) {
		buf_puts(out, i ? "," : "");
		buf_put_str(out, c->words[i]);
	}
	for (size_t i = 0; i < c->redirect_count; i++) {
		buf_printf(out, " %s", SIGNS[c->redirects[i].direction]);
		buf_put_str(out, c->redirects[i].path);
	}
	if (c->unsafe)
		buf_putc(out, ' ');
	for (size_t bit = 0; bit < 9; bit++)
		if (c->unsafe & (1u << bit))
			buf_putc(out, "SEGHPAKCN"[bit]);
}

static void
render(struct str line, struct buf *out)
{
	struct shell_line split = { 0 };
	struct err e = { 0 };
	struct arena a;

	arena_init(&a);
	if (shell_split(line, &a, &split, &e) != 0)
		buf_printf(out, "error: %s", e.text);
	for (size_t i = 0; i < split.count; i++) {
		buf_puts(out, i ? " | " : "");
		render_command(&split.commands[i], out);
	}
	arena_release(&a);
}

static void
check_row(void **state)
{
	const struct row *r = *state;
	struct str want = str_of(r->want);
	struct buf got;

	buf_init(&got, 1 << 20);
	render(str_of(r->line), &got);
	if (str_starts(want, STR("error: "))) {
		if (!str_starts(buf_str(&got), STR("error: ")) ||
		    !str_contains(buf_str(&got), str_slice(want, 7, want.len)))
			check_str(r->name, buf_str(&got), want);
	} else {
		check_str(r->name, buf_str(&got), want);
	}
	buf_release(&got);
}

static void
T8_text_and_source_of_a_command(void **state)
{
	struct shell_line line = { 0 };
	struct arena a;

	(void)state;
	arena_init(&a);
	assert_int_equal(shell_split(STR("x;  g\"i\"t   'a b'  2>f c ; y"), &a, &line, NULL), 0);
	assert_int_equal(line.count, 3);
	check_str("text", line.commands[1].text, STR("git a b c"));
	check_str("source", line.commands[1].source, STR("g\"i\"t   'a b'  2>f c"));
	check_str("word", line.commands[1].words[1], STR("a b"));
	arena_release(&a);
}

/* `count` times `piece` around `end`: is it refused, and with this sentence? */
static void
check_limit(const char *open, const char *close, size_t count, const char *refusal)
{
	struct buf line, got;

	buf_init(&line, 1 << 20);
	buf_init(&got, 1 << 20);
	for (size_t i = 0; i < count; i++)
		buf_puts(&line, open);
	buf_puts(&line, "x");
	for (size_t i = 0; i < count; i++)
		buf_puts(&line, close);
	render(buf_str(&line), &got);
	if (refusal ? !str_contains(buf_str(&got), str_of(refusal))
		    : str_starts(buf_str(&got), STR("error")))
		fail_msg("%zu times '%s': " STR_FMT, count, open,
			 STR_ARG(str_slice(buf_str(&got), 0, 200)));
	buf_release(&line);
	buf_release(&got);
}

static void
T8_everything_is_bounded(void **state)
{
	(void)state;
	check_limit("a;", "", SHELL_COMMANDS_MAX - 1, NULL);
	check_limit("a;", "", SHELL_COMMANDS_MAX, "too many commands");
	check_limit("a ", "", SHELL_WORDS_MAX - 1, NULL);
	check_limit("a ", "", SHELL_WORDS_MAX, "too many words");
	check_limit(">f ", "", SHELL_REDIRECTS_MAX, NULL);
	check_limit(">f ", "", SHELL_REDIRECTS_MAX + 1, "too many redirections");
	check_limit("( ", ")", SHELL_DEPTH_MAX, NULL);
	check_limit("( ", ")", SHELL_DEPTH_MAX + 1, "nested too deeply");
	check_limit("{ ", ";}", SHELL_DEPTH_MAX + 1, "nested too deeply");
	check_limit("$(", ")", SHELL_NESTED_MAX, NULL);
	check_limit("$(", ")", SHELL_NESTED_MAX + 1, "too many substitutions");
	check_limit("`a` ", "", SHELL_NESTED_MAX + 1, "too many substitutions");
	check_limit("<<E ", "", SHELL_HERE_DOCS_MAX, NULL);
	check_limit("<<E ", "", SHELL_HERE_DOCS_MAX + 1, "too many here-documents");
	check_limit("x", "", SHELL_LINE_MAX_BYTES - 1, NULL);
	check_limit("x", "", SHELL_LINE_MAX_BYTES, "longer than");
	/* A limit reached inside a substitution is not forgiven as unreadable. */
	check_limit("`a;b;c;d;e;f;g;h;i;j` ", "", 30, "too many commands");
}

static void
T8_a_nul_byte_is_refused(void **state)
{
	struct shell_line line = { 0 };
	struct err e = { 0 };
	struct arena a;

	(void)state;
	arena_init(&a);
	assert_int_equal(shell_split(STR("a\0b"), &a, &line, &e), ERR_INVALID);
	assert_int_equal(line.count, 0);
	arena_release(&a);
}

/* Any list of plain words, quoted at random, reads back as that list. */
static void
quote(struct rand *r, struct str word, struct buf *out)
{
	for (size_t i = 0; i < word.len; i++) {
		char c = word.ptr[i];

		switch (rand_below(r, 3)) {
		case 0:
			if (c == '\n')
				buf_puts(out, "'\n'");
			else
				buf_printf(out, "\\%c", c);
			break;
		case 1: buf_printf(out, c == '\'' ? "\"%c\"" : "'%c'", c); break;
		default: buf_printf(out, c && strchr("\"$`\\", c) ? "\"\\%c\"" : "\"%c\"", c);
		}
	}
	if (word.len == 0)
		buf_puts(out, "''");
}

static void
T8_property_quoted_words_read_back(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < suite_seeds(5000); seed++) {
		static const char BYTES[] = "ab ;&|()<>$`\"'\\\n\t*?[]{}~#!=,.";
		struct rand r;
		struct buf line;
		struct shell_line got = { 0 };
		struct arena a;
		struct str words[4];
		size_t count, at = 0;

		rand_init_seed(&r, seed);
		arena_init(&a);
		buf_init(&line, 4096);
		count = 1 + (size_t)rand_below(&r, 4);
		char bytes[4][8];
		for (size_t i = 0; i < count; i++) {
			words[i] = (struct str){ bytes[i], (size_t)rand_below(&r, 8) };
			for (size_t k = 0; k < words[i].len; k++)
				bytes[i][k] = BYTES[rand_below(&r, sizeof BYTES - 1)];
			quote(&r, words[i], &line);
			buf_puts(&line, rand_below(&r, 4) ? " " : " \\\n\t");
		}
		if (shell_split(buf_str(&line), &a, &got, NULL) != 0 || got.count != 1 ||
		    got.commands[0].word_count != count || got.commands[0].redirect_count != 0 ||
		    (got.commands[0].unsafe & ~(unsigned)(SHELL_ASSIGNMENT | SHELL_ODD_NAME)))
			fail_msg("seed %llu: " STR_FMT, (unsigned long long)seed,
				 STR_ARG(buf_str(&line)));
		for (; at < count; at++)
			check_str("word", got.commands[0].words[at], words[at]);
		buf_release(&line);
		arena_release(&a);
	}
}

/* A command behind any separator is found, whatever stands before it. */
static void
T8_property_nothing_hides_a_command(void **state)
{
	static const char *const BEFORE[] = { "a",      "a 'x;y'",  "a > f",   "! a",   "(a)",
					      "{ a; }", "a \"$x\"", "a #c\na", "a 2>&1" };
	static const char *const BETWEEN[] = { ";", "&&", " || ", "|", "|&", "\n", "&", ";\\\n( " };

	(void)state;
	for (uint64_t seed = 0; seed < suite_seeds(3000); seed++) {
		struct rand r;
		struct buf line;
		struct shell_line got = { 0 };
		struct arena a;
		size_t depth = 0;

		rand_init_seed(&r, seed);
		arena_init(&a);
		buf_init(&line, 4096);
		for (uint64_t n = 1 + rand_below(&r, 4); n > 0; n--) {
			size_t between = (size_t)rand_below(&r, ARRAY_LEN(BETWEEN));

			buf_puts(&line, BEFORE[rand_below(&r, ARRAY_LEN(BEFORE))]);
			buf_puts(&line, BETWEEN[between]);
			depth += between == ARRAY_LEN(BETWEEN) - 1;
		}
		buf_puts(&line, "rm -rf /");
		while (depth-- > 0)
			buf_puts(&line, ")");
		if (shell_split(buf_str(&line), &a, &got, NULL) != 0 ||
		    !str_eq(got.commands[got.count - 1].text, STR("rm -rf /")))
			fail_msg("seed %llu: " STR_FMT, (unsigned long long)seed,
				 STR_ARG(buf_str(&line)));
		buf_release(&line);
		arena_release(&a);
	}
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, check_row);
	SUITE_TEST(&s, T8_text_and_source_of_a_command);
	SUITE_TEST(&s, T8_everything_is_bounded);
	SUITE_TEST(&s, T8_a_nul_byte_is_refused);
	SUITE_TEST(&s, T8_property_quoted_words_read_back);
	SUITE_TEST(&s, T8_property_nothing_hides_a_command);
	return suite_run(&s, "core/shell_split");
}
