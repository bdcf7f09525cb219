/* approval_subject - what of a tool call do approval patterns look at?
 *
 *   bash, shell, exec    `command`: every sub-command, and every redirection's target as a path
 *   read, write, edit    `file_path`, else `path`
 *   glob                 `pattern` as a path, else `path`
 *   grep                 `path`, else `pattern`
 *   skill                `name`
 *   any other            the canonical JSON of the arguments, or the one argument when there is
 *                        only one and it is a string; if that is a `command`, as for bash
 *
 * The names of these tools are known in any case: agents call them Bash and Read too. A server's tool
 * is known by what its server calls it.
 * A call is allowed when every subject of it is. */
#pragma once
#include "base/arena.h"
#include "base/json.h"
#include "core/shell_split.h"
#include "core/tool_ref.h"

enum approval_trust {
	APPROVAL_PLAIN, /* the text says what will happen */
	APPROVAL_UNSAFE, /* it does not (core/shell_split, core/shell_runner): no pattern allows it */
	APPROVAL_UNREADABLE, /* it cannot even be taken apart: nothing allows it */
};

struct approval_subject {
	enum approval_trust trust;
	/* Spellings that are exactly this subject: any rule may match one. A shell command is
	 * unquoted (`git commit -m a b`) and as written; a path is free of `.`, `..` and doubled
	 * slashes, so that `/work/../etc/passwd` is not below `/work/`, and as written unless it
	 * has a `..`. */
	struct str exact[2];
	size_t exact_count;
	const struct shell_command *command; /* NULL unless the subject is a sub-command */
	/* Further spellings that ask and deny rules match too, but no allow: the command behind
	 * `sudo`, the path as written, each text among the arguments. */
	struct str *wider;
	size_t wider_count;
	bool all_arguments; /* the tool is not known: the subject is whatever it was given */
	/* A redirection is also what the file tools do: their rules apply to it as well. */
	bool reads_file, writes_file;
};

struct approval_subjects {
	struct approval_subject *ptr;
	size_t count; /* at least 1 */
};

/* Total: arguments that lack what the tool needs give one subject without spellings, which only
 * rules without a pattern match. Everything lives in a, or in the document of arguments. */
struct approval_subjects
approval_subjects_of(struct tool_ref tool, struct json arguments, struct arena *a);
