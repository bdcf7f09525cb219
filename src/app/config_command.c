#include "app/config_command.h"

#include "app/config.h"
#include "app/config_folder.h"
#include "app/config_show.h"

enum { OUTPUT_MAX = 64 * 1024 * 1024 };

static const char HELP[] =
	"usage: perdure config check [FILE]\n"
	"       perdure config show [FILE] [--json] [--defaults]\n"
	"       perdure config keys\n\n"
	"check  tells everything that is wrong with the file, each with its line\n"
	"show   prints the values in force and where each comes from; --defaults as if there were\n"
	"       no file\n"
	"keys   prints the table of all keys with their defaults\n\n"
	"FILE may also be given as --config FILE. Without it: $PERDURE_CONFIG, else\n"
	"$XDG_CONFIG_HOME/perdure/config.yaml or ~/.config/perdure/config.yaml if there is one.\n"
	"Exit codes: 0 all is well, 2 usage or problems in the file, 3 it could not be read.\n";

struct options {
	struct str verb;
	const char *file;
	bool json, defaults, help;
};

static int
parse_options(int argc, char **argv, struct options *o, struct err *e)
{
	for (int i = 1; i < argc; i++) {
		struct str arg = str_of(argv[i]);
		bool option = str_starts(arg, STR("-"));

		if (str_eq(arg, STR("--help")) || str_eq(arg, STR("-h")))
			o->help = true;
		else if (str_eq(arg, STR("--json")))
			o->json = true;
		else if (str_eq(arg, STR("--defaults")))
			o->defaults = true;
		else if (str_eq(arg, STR("--config")) && i + 1 < argc)
			o->file = argv[++i];
		else if (!option && o->verb.len == 0)
			o->verb = arg;
		else if (!option && !o->file)
			o->file = argv[i];
		else
			return err_set(e, ERR_USAGE, "'%.60s' is not understood; see --help",
				       argv[i]);
	}
	return 0;
}

static int
print(struct buf *text, FILE *to, struct err *e)
{
	int rc = buf_check(text, "the output", e);

	if (rc == 0 && text->len > 0 && fwrite(text->ptr, 1, text->len, to) != text->len)
		rc = err_set(e, ERR_IO, "the output could not be written");
	return rc;
}

static int
show_problems(const struct config_problems *p, FILE *to, struct err *e)
{
	struct buf text;
	int rc;

	buf_init(&text, OUTPUT_MAX);
	config_problem_format_all(p, &text);
	rc = print(&text, to, e);
	buf_release(&text);
	if (rc == 0)
		rc = err_set(e, ERR_INVALID, "%s has %zu problem%s",
			     p->file ? p->file : "the configuration", p->count,
			     p->count == 1 ? "" : "s");
	return rc;
}

static int
answer(const struct options *o, const struct config *c, struct buf *text, struct err *e)
{
	if (str_eq(o->verb, STR("show")))
		config_show(c, o->json, text);
	else if (c->file.len > 0)
		buf_printf(text, STR_FMT ": ok\n", STR_ARG(c->file));
	else
		buf_puts(text, "ok: there is no file, every value is the default\n");
	return buf_check(text, "the output", e);
}

static int
load_and_answer(const struct options *o, struct buf *text, FILE *problems, struct err *e)
{
	AUTO(config_free) struct config *c = NULL;
	struct config_source from = { 0 };
	struct config_problems p;
	struct arena a;
	int rc;

	arena_init(&a);
	if (!o->defaults)
		from.file = config_folder_find_file(o->file, &a);
	rc = config_load_with(&from, &c, &p, e);
	if (rc != 0 && p.count > 0)
		rc = show_problems(&p, problems, e);
	else if (rc == 0)
		rc = answer(o, c, text, e);
	else
		rc = e->code = ERR_IO; /* absent, unreadable: nothing can be said about it */
	arena_release(&a);
	return rc;
}

int
config_command(int argc, char **argv, FILE *out, FILE *problems, struct err *e)
{
	struct options o = { 0 };
	struct buf text;
	int rc = parse_options(argc, argv, &o, e);

	if (rc != 0)
		return rc;
	buf_init(&text, OUTPUT_MAX);
	if (o.help)
		buf_puts(&text, HELP);
	else if (str_eq(o.verb, STR("keys")))
		config_show_keys(&text);
	else if (str_eq(o.verb, STR("check")) || str_eq(o.verb, STR("show")))
		rc = load_and_answer(&o, &text, problems, e);
	else
		rc = err_set(e, ERR_USAGE, "say check, show or keys; see --help");
	if (rc == 0)
		rc = print(&text, out, e);
	buf_release(&text);
	return rc;
}

int
config_command_run(int argc, char **argv, struct err *e)
{
	return config_command(argc, argv, stdout, stderr, e);
}
