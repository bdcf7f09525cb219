#include "cli/completion.h"

#include <string.h>

#include "base/str.h"

/* What may follow these words: the next words of longer names. */
static void
put_next_words(const struct command_table *t, struct str words, struct buf *out)
{
	struct str last = { 0 };

	for (size_t i = 0; i < command_count(t); i++) {
		struct str name = str_of(command_at(t, i)->name), rest = name, next, tail;

		if (words.len > 0) {
			if (!str_starts(name, words) || name.len <= words.len ||
			    name.ptr[words.len] != ' ')
				continue;
			rest = str_slice(name, words.len + 1, name.len);
		}
		str_cut(rest, ' ', &next, &tail);
		if (str_eq(next, last))
			continue;
		buf_printf(out, " " STR_FMT, STR_ARG(next));
		last = next;
	}
}

static void
put_case(const struct command_table *t, const struct command *c, struct str words, struct buf *out)
{
	const struct command_option *o;

	buf_printf(out, "\t'" STR_FMT "') echo '", STR_ARG(words));
	put_next_words(t, words, out);
	for (size_t i = 0; c && (o = command_option_at(c, i)) != NULL; i++)
		buf_printf(out, " %s", o->name);
	buf_puts(out, " --help' ;;\n");
}

/* Groups: words that begin a name without being one, each told at its first row. */
static void
put_groups(const struct command_table *t, size_t row, struct buf *out)
{
	struct str name = str_of(command_at(t, row)->name);

	for (size_t at = 0; str_find(name, STR(" "), at, &at); at++) {
		struct str group = str_slice(name, 0, at);
		bool known = false;

		for (size_t i = 0; i < command_count(t) && !known; i++) {
			struct str other = str_of(command_at(t, i)->name);

			known = str_eq(other, group) ||
				(i < row && str_starts(other, group) && other.len > group.len &&
				 other.ptr[group.len] == ' ');
		}
		if (!known)
			put_case(t, NULL, group, out);
	}
}

void
completion_bash(const struct command_table *t, struct buf *out)
{
	buf_puts(out, "# bash completion for perdure, made by `perdure completion bash`\n"
		      "_perdure_words()\n{\n\tcase $1 in\n");
	put_case(t, NULL, STR(""), out);
	for (size_t i = 0; i < command_count(t); i++) {
		put_groups(t, i, out);
		put_case(t, command_at(t, i), str_of(command_at(t, i)->name), out);
	}
	buf_puts(out,
		 "\tesac\n}\n\n"
		 "_perdure()\n{\n"
		 "\tlocal words= i word\n"
		 "\tfor ((i = 1; i < COMP_CWORD; i++)); do\n"
		 "\t\tword=${COMP_WORDS[i]}\n"
		 "\t\tcase \"$(_perdure_words \"$words\") \" in\n"
		 "\t\t*\" $word \"*) [[ $word == -* ]] || words=\"${words:+$words }$word\" ;;\n"
		 "\t\tesac\n"
		 "\tdone\n"
		 "\tCOMPREPLY=($(compgen -W \"$(_perdure_words \"$words\")\" -- "
		 "\"${COMP_WORDS[COMP_CWORD]}\"))\n"
		 "}\n\n"
		 "complete -o default -F _perdure perdure\n");
}
