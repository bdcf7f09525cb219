#include "core/approval_subject.h"
#include "core/canonical_json.h"
#include "core/shell_runner.h"

static struct approval_subject
subject_of(struct str text)
{
	return (struct approval_subject){ .exact = { text }, .exact_count = 1 };
}

static struct approval_subjects
only(struct approval_subject subject, struct arena *a)
{
	struct approval_subject *ptr = ARENA_NEW(a, struct approval_subject);

	*ptr = subject;
	return (struct approval_subjects){ .ptr = ptr, .count = 1 };
}

/* Lexical: `a/./b//c/../d` becomes `a/b/d`; what leads out of a relative path stays `../x`. */
static struct str
clean_path(struct str path, struct arena *a)
{
	char *out = arena_alloc(a, path.len + 1);
	bool absolute = str_starts(path, STR("/"));
	size_t len = 0, floor = absolute ? 1 : 0;
	struct str part, rest = path;

	if (absolute)
		out[len++] = '/';
	while (rest.len > 0) {
		str_cut(rest, '/', &part, &rest);
		if (part.len == 0 || str_eq(part, STR(".")))
			continue;
		if (str_eq(part, STR("..")) && (absolute || len > floor)) {
			while (len > floor && out[len - 1] != '/')
				len--;
			if (len > floor)
				len--;
			continue;
		}
		if (len > 0 && out[len - 1] != '/')
			out[len++] = '/';
		memcpy(out + len, part.ptr, part.len);
		len += part.len;
		if (str_eq(part, STR("..")))
			floor = len; /* a later `..` cannot take this one back */
	}
	return len > 0 ? (struct str){ out, len } : STR(".");
}

static bool
climbs(struct str path)
{
	struct str part, rest = path;

	while (rest.len > 0) {
		str_cut(rest, '/', &part, &rest);
		if (str_eq(part, STR("..")))
			return true;
	}
	return false;
}

static struct approval_subject
path_subject(struct str path, struct arena *a)
{
	struct approval_subject s = subject_of(clean_path(path, a));

	if (!climbs(path)) {
		s.exact[s.exact_count++] = path;
	} else {
		s.wider = ARENA_NEW(a, struct str);
		s.wider[s.wider_count++] = path;
	}
	return s;
}

static struct approval_subject
command_subject(const struct shell_command *c, struct arena *a)
{
	struct approval_subject s = subject_of(c->text);

	s.exact[s.exact_count++] = c->source;
	s.command = c;
	s.wider = ARENA_ARRAY(a, SHELL_INNER_MAX, struct str);
	s.wider_count = shell_runner_inner(c, s.wider);
	if (c->unsafe || shell_runner_hides(c))
		s.trust = APPROVAL_UNSAFE;
	return s;
}

static struct approval_subject
redirect_subject(const struct shell_redirect *r, unsigned unsafe, struct arena *a)
{
	struct approval_subject s = path_subject(r->path, a);

	s.reads_file = r->direction != SHELL_WRITES;
	s.writes_file = r->direction != SHELL_READS;
	if (unsafe)
		s.trust = APPROVAL_UNSAFE;
	return s;
}

static struct approval_subjects
shell_subjects(struct str command, struct arena *a)
{
	struct shell_line line = { 0 };
	struct approval_subjects out = { 0 };
	size_t count = 0;

	if (shell_split(command, a, &line, NULL) != 0) {
		struct approval_subject s = { .trust = APPROVAL_UNREADABLE, .wider_count = 1 };

		s.wider = ARENA_NEW(a, struct str);
		s.wider[0] = command;
		return only(s, a);
	}
	if (line.count == 0)
		return only(subject_of(STR("")), a);
	for (size_t i = 0; i < line.count; i++)
		count += 1 + line.commands[i].redirect_count;
	out.ptr = ARENA_ARRAY(a, count, struct approval_subject);
	for (size_t i = 0; i < line.count; i++) {
		const struct shell_command *c = &line.commands[i];

		if (c->word_count > 0 || c->unsafe)
			out.ptr[out.count++] = command_subject(c, a);
		for (size_t r = 0; r < c->redirect_count; r++)
			out.ptr[out.count++] = redirect_subject(&c->redirects[r], c->unsafe, a);
	}
	return out;
}

static struct approval_subject
argument_subject(struct json arguments, struct arena *a)
{
	struct json_iter it = json_iter(arguments);
	struct approval_subject s = subject_of(canonical_json_str(arguments, a));

	s.all_arguments = true;
	s.wider = ARENA_ARRAY(a, json_count(arguments), struct str);
	while (json_next(&it))
		if (json_type(it.value) == JSON_STRING)
			s.wider[s.wider_count++] = json_str(it.value, a);
	if (json_count(arguments) == 1 && s.wider_count == 1)
		s.exact[s.exact_count++] = s.wider[0];
	return s;
}

enum seen { SEEN_COMMAND, SEEN_PATH, SEEN_TEXT };

/* Which argument of a tool patterns see, and as what; the first one present counts. */
static const struct known_argument {
	const char *tool, *argument;
	enum seen seen;
} KNOWN_ARGUMENTS[] = {
	{ "bash", "command", SEEN_COMMAND }, { "shell", "command", SEEN_COMMAND },
	{ "exec", "command", SEEN_COMMAND }, { "read", "file_path", SEEN_PATH },
	{ "read", "path", SEEN_PATH },       { "write", "file_path", SEEN_PATH },
	{ "write", "path", SEEN_PATH },      { "edit", "file_path", SEEN_PATH },
	{ "edit", "path", SEEN_PATH },       { "glob", "pattern", SEEN_PATH },
	{ "glob", "path", SEEN_PATH },       { "grep", "path", SEEN_PATH },
	{ "grep", "pattern", SEEN_TEXT },    { "skill", "name", SEEN_TEXT },
};

static struct approval_subjects
known_subjects(enum seen seen, struct str text, struct arena *a)
{
	switch (seen) {
	case SEEN_COMMAND: return shell_subjects(text, a);
	case SEEN_PATH: return only(path_subject(text, a), a);
	case SEEN_TEXT: break;
	}
	return only(subject_of(text), a);
}

/* The argument that says what a known tool does; false when it is not there. */
static bool
known_argument(struct str tool, struct json arguments, const struct known_argument **out,
	       struct json *value)
{
	for (size_t i = 0; i < ARRAY_LEN(KNOWN_ARGUMENTS); i++) {
		const struct known_argument *k = &KNOWN_ARGUMENTS[i];

		if (!str_eq_nocase(tool, str_of(k->tool)))
			continue;
		*out = k;
		if (json_find(arguments, str_of(k->argument), value) &&
		    json_type(*value) == JSON_STRING)
			return true;
	}
	return false;
}

struct approval_subjects
approval_subjects_of(struct tool_ref tool, struct json arguments, struct arena *a)
{
	struct str name = tool.server.len > 0 ? tool.own_name : tool.name;
	const struct known_argument *known = NULL;
	struct json value;

	if (known_argument(name, arguments, &known, &value))
		return known_subjects(known->seen, json_str(value, a), a);
	if (known)
		return only((struct approval_subject){ 0 }, a);
	if (json_count(arguments) == 1 && json_find(arguments, STR("command"), &value) &&
	    json_type(value) == JSON_STRING)
		return shell_subjects(json_str(value, a), a);
	return only(argument_subject(arguments, a), a);
}
