#include "core/shell_runner.h"

enum runner {
	RUNNER_NONE,
	RUNNER_TEXT,        /* runs what its arguments spell */
	RUNNER_OPERANDS,    /* runs its operands, changed or with more of them */
	RUNNER_TRANSPARENT, /* runs its operands as they stand */
	RUNNER_FIND,        /* runs what follows -exec */
	RUNNER_SHELL,       /* runs text with -c, stdin without operands, else a file */
	RUNNER_ASSIGNS,     /* sets variables that say what other commands run: PATH, LD_PRELOAD */
};

static struct str
last_component(struct str word)
{
	size_t at = word.len;

	while (at > 0 && word.ptr[at - 1] != '/')
		at--;
	return str_slice(word, at, word.len);
}

static enum runner
runner_of(struct str word)
{
	static const struct {
		const char *name;
		enum runner kind;
	} RUNNERS[] = {
		{ "eval", RUNNER_TEXT },
		{ "source", RUNNER_TEXT },
		{ ".", RUNNER_TEXT },
		{ "trap", RUNNER_TEXT },
		{ "watch", RUNNER_TEXT },
		{ "alias", RUNNER_TEXT },
		{ "hash", RUNNER_TEXT },
		{ "enable", RUNNER_TEXT },
		{ "mapfile", RUNNER_TEXT },
		{ "readarray", RUNNER_TEXT },
		{ "complete", RUNNER_TEXT },
		{ "compgen", RUNNER_TEXT },
		{ "bind", RUNNER_TEXT },
		{ "fc", RUNNER_TEXT },
		{ "export", RUNNER_ASSIGNS },
		{ "declare", RUNNER_ASSIGNS },
		{ "typeset", RUNNER_ASSIGNS },
		{ "readonly", RUNNER_ASSIGNS },
		{ "local", RUNNER_ASSIGNS },
		{ "exec", RUNNER_OPERANDS },
		{ "command", RUNNER_OPERANDS },
		{ "builtin", RUNNER_OPERANDS },
		{ "env", RUNNER_OPERANDS },
		{ "xargs", RUNNER_OPERANDS },
		{ "parallel", RUNNER_OPERANDS },
		{ "sudo", RUNNER_TRANSPARENT },
		{ "doas", RUNNER_TRANSPARENT },
		{ "nohup", RUNNER_TRANSPARENT },
		{ "nice", RUNNER_TRANSPARENT },
		{ "ionice", RUNNER_TRANSPARENT },
		{ "timeout", RUNNER_TRANSPARENT },
		{ "setsid", RUNNER_TRANSPARENT },
		{ "stdbuf", RUNNER_TRANSPARENT },
		{ "time", RUNNER_TRANSPARENT },
		{ "busybox", RUNNER_TRANSPARENT },
		{ "chroot", RUNNER_TRANSPARENT },
		{ "find", RUNNER_FIND },
		{ "sh", RUNNER_SHELL },
		{ "bash", RUNNER_SHELL },
		{ "dash", RUNNER_SHELL },
		{ "ash", RUNNER_SHELL },
		{ "zsh", RUNNER_SHELL },
		{ "ksh", RUNNER_SHELL },
		{ "mksh", RUNNER_SHELL },
		{ "fish", RUNNER_SHELL },
		{ "su", RUNNER_SHELL },
	};

	word = last_component(word);
	for (size_t i = 0; i < ARRAY_LEN(RUNNERS); i++)
		if (str_eq(word, str_of(RUNNERS[i].name)))
			return RUNNERS[i].kind;
	return RUNNER_NONE;
}

static bool
is_option(struct str word)
{
	return word.len > 1 && word.ptr[0] == '-';
}

static bool
is_find_exec(struct str word)
{
	return str_eq(word, STR("-exec")) || str_eq(word, STR("-execdir")) ||
	       str_eq(word, STR("-ok")) || str_eq(word, STR("-okdir"));
}

/* 5, 10s, 0.5m: the operand of timeout, the value of an option. */
static bool
is_quantity(struct str word)
{
	return word.len > 0 && word.ptr[0] >= '0' && word.ptr[0] <= '9';
}

/* Is the shell called at words[at] given text rather than a file to run? */
static bool
shell_takes_text(const struct shell_command *c, size_t at)
{
	bool has_operand = false;

	for (size_t i = at + 1; i < c->word_count; i++) {
		struct str w = c->words[i];
		bool cluster = is_option(w) && w.ptr[1] != '-';

		if (cluster && (memchr(w.ptr, 'c', w.len) || memchr(w.ptr, 's', w.len)))
			return true;
		if (str_starts(w, STR("--command")))
			return true;
		has_operand |= !is_option(w);
	}
	return !has_operand;
}

static bool
hides_at(const struct shell_command *c, size_t at)
{
	switch (runner_of(c->words[at])) {
	case RUNNER_NONE:
	case RUNNER_TRANSPARENT: return false;
	case RUNNER_TEXT:
	case RUNNER_OPERANDS: return true;
	case RUNNER_SHELL: return shell_takes_text(c, at);
	case RUNNER_ASSIGNS:
		for (size_t i = at + 1; i < c->word_count; i++)
			if (shell_word_is_assignment(c->words[i]))
				return true;
		return false;
	case RUNNER_FIND:
		for (size_t i = at + 1; i < c->word_count; i++)
			if (is_find_exec(c->words[i]))
				return true;
		return false;
	}
	return false;
}

/* Word indexes at which an inner command may begin. Walks through assignments, runners and their
 * options; stops at the first word that is certainly a command and runs nothing else. */
static size_t
inner_starts(const struct shell_command *c, size_t out[SHELL_INNER_MAX])
{
	enum runner kind = RUNNER_NONE;
	bool maybe_value = false;
	size_t count = 0;

	for (size_t i = 0; i < c->word_count && count < SHELL_INNER_MAX; i++) {
		struct str w = c->words[i];

		if (kind == RUNNER_FIND) {
			if (i > 0 && is_find_exec(c->words[i - 1]))
				out[count++] = i;
			continue;
		}
		if (is_option(w)) {
			maybe_value = true;
			continue;
		}
		if (shell_word_is_assignment(w) || is_quantity(w))
			continue;
		out[count++] = i;
		if (runner_of(w) != RUNNER_NONE && runner_of(w) != RUNNER_ASSIGNS)
			kind = runner_of(w);
		else if (!maybe_value)
			break;
		maybe_value = false;
	}
	return count;
}

bool
shell_runner_hides(const struct shell_command *c)
{
	size_t starts[SHELL_INNER_MAX];
	size_t count = inner_starts(c, starts);

	for (size_t i = 0; i < count; i++)
		if (hides_at(c, starts[i]))
			return true;
	/* More wrapping than anyone means honestly. */
	return count == SHELL_INNER_MAX;
}

size_t
shell_runner_inner(const struct shell_command *c, struct str out[SHELL_INNER_MAX])
{
	size_t starts[SHELL_INNER_MAX];
	size_t starts_count = inner_starts(c, starts), count = 0;

	for (size_t i = 0; i < starts_count; i++) {
		const char *from = last_component(c->words[starts[i]]).ptr;

		if (from != c->text.ptr) /* the whole command is no inner one */
			out[count++] =
				(struct str){ from, (size_t)(c->text.ptr + c->text.len - from) };
	}
	return count;
}
