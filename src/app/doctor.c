#include "app/doctor.h"

#include <stdio.h>
#include <sys/resource.h>

#include "app/config_folder.h"
#include "app/doctor_private.h"
#include "base/clock.h"

/* What the server opens besides connections: database, logs, tools. */
enum { DESCRIPTORS_RESERVED = 128, OUTPUT_MAX = 1024 * 1024 };

static const char HELP[] =
	"usage: perdure doctor [--config FILE] [--data DIR] [--json]\n\n"
	"Looks at what the server depends on and says what to do where something is wrong:\n"
	"program and SQLite, clock and time zones, the sandbox of tools, open files, the\n"
	"configuration, TLS files, keys (names only), the data directory with its disk, lock and\n"
	"schema, and whether the addresses are free or held by a server that is ready.\n\n"
	"A line for each check, ok, warn or fail; with --json one object. Exit codes: 0 nothing\n"
	"failed, 1 something did, 2 usage.\n";

static void
report_problems(struct doctor_report *r, const struct config_problems *p)
{
	struct buf line;

	buf_init(&line, ERR_TEXT_MAX * 10);
	for (size_t i = 0; i < p->count && i < CONFIG_PROBLEMS_MAX; i++) {
		buf_clear(&line);
		config_problem_format(p, i, &line);
		doctor_report_add(r, DOCTOR_FAIL, "config",
				  "see docs/CONFIG.md or perdure config keys", STR_FMT,
				  STR_ARG(buf_str(&line)));
	}
	buf_release(&line);
}

/* NULL when there is none to go by; the reason is in the report. */
static struct config *
load(const struct doctor_options *o, struct doctor_report *r)
{
	const struct config_override given = { "data", o->data };
	const struct config_source from = {
		.file = config_folder_find_file(o->config, &r->a),
		.overrides = &given,
		.override_count = o->data != NULL,
	};
	struct config_problems p;
	struct config *c = NULL;
	struct err e;

	if (config_load_with(&from, &c, &p, &e) == 0)
		doctor_report_ok(r, "config", "%s",
				 from.file ? from.file : "no file: every value is the default");
	else if (p.count > 0)
		report_problems(r, &p);
	else
		doctor_report_add(r, DOCTOR_FAIL, "config",
				  "name a file that is there with --config or $PERDURE_CONFIG",
				  "%s", e.text);
	return c;
}

void
doctor_examine(const struct doctor_options *o, struct doctor_report *r)
{
	AUTO(config_free) struct config *c = NULL;
	int64_t holder, connections = HTTP_LIMITS_DEFAULT.connections;
	struct rlimit files = { 0 };

	doctor_version(r);
	doctor_clock(r, clock_now_ms());
	doctor_sandbox(r, "bwrap");
	c = load(o, r);
	if (c)
		connections = c->limits.connections;
	if (getrlimit(RLIMIT_NOFILE, &files) == 0)
		doctor_descriptors(r, connections + DESCRIPTORS_RESERVED,
				   files.rlim_cur > INT64_MAX ? INT64_MAX
							      : (int64_t)files.rlim_cur);
	if (!c) {
		if (o->data)
			IGNORE(doctor_data(r,
					   o->data)); /* no addresses to compare the holder with */
		return;
	}
	doctor_keys(r, c);
	doctor_tls(r, c, clock_now_ms());
	holder = doctor_data(r, c->data.ptr);
	doctor_listen(r, c, holder);
}

static int
parse_options(int argc, char **argv, struct doctor_options *o, struct err *e)
{
	for (int i = 1; i < argc; i++) {
		struct str arg = str_of(argv[i]);
		if (str_eq(arg, STR("--json")))
			o->json = true;
		else if (str_eq(arg, STR("--data")) && i + 1 < argc)
			o->data = argv[++i];
		else if (str_eq(arg, STR("--config")) && i + 1 < argc)
			o->config = argv[++i];
		else
			return err_set(e, ERR_USAGE, "'%.60s' is not understood; see --help",
				       argv[i]);
	}
	return 0;
}

static int
report_and_judge(const struct doctor_options *o, struct err *e)
{
	struct doctor_report r;
	struct buf text;
	size_t failed;

	doctor_report_init(&r);
	doctor_examine(o, &r);
	buf_init(&text, OUTPUT_MAX);
	doctor_report_format(&r, o->json, &text);
	fwrite(text.ptr, 1, text.len, stdout);
	buf_release(&text);
	failed = r.counts[DOCTOR_FAIL];
	doctor_report_release(&r);
	if (failed > 0)
		return err_set(e, ERR_MISMATCH, "%zu check%s failed", failed,
			       failed == 1 ? "" : "s");
	return 0;
}

int
doctor_run(int argc, char **argv, struct err *e)
{
	struct doctor_options o = { 0 };
	int rc;

	if (argc > 1 &&
	    (str_eq(str_of(argv[1]), STR("--help")) || str_eq(str_of(argv[1]), STR("-h")))) {
		fputs(HELP, stdout);
		return 0;
	}
	rc = parse_options(argc, argv, &o, e);
	return rc == 0 ? report_and_judge(&o, e) : rc;
}
