#include "cli/cli.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/err.h"
#include "cli_rig.h"

enum { OUTPUT_MAX = 65536 };

#define SESSION                                                                                  \
	"{\"id\":\"cli:a\",\"type\":\"session\",\"status\":\"idle\",\"lifecycle\":\"active\","   \
	"\"agent\":{\"id\":\"main\"},\"title\":null,\"description\":\"hi\",\"message_count\":2," \
	"\"head_seq\":7,\"last_activity_at\":\"2026-03-29T00:00:00Z\",\"stop_reason\":null}"
#define WAITING                                                                           \
	"{\"id\":\"cli:a\",\"head_seq\":7,\"status\":\"idle\",\"stop_reason\":{\"type\":" \
	"\"requires_action\",\"event_ids\":[\"c1\",\"c2\"]}}"
#define CALLS                                                                                      \
	"{\"data\":[{\"id\":\"c2\",\"type\":\"agent.custom_tool_use\",\"name\":\"add\",\"input\":" \
	"{}},{\"id\":\"c1\",\"type\":\"agent.tool_use\",\"name\":\"bash\",\"input\":{\"command\":" \
	"\"ls\"}},{\"id\":\"c0\",\"type\":\"agent.tool_use\",\"name\":\"old\",\"input\":{}}],"     \
	"\"next_page\":null}"
#define STORED  "{\"data\":[{\"id\":\"e9\",\"type\":\"x\"}]}"
#define REFUSED "{\"error\":{\"message\":\"there is no session x\"}}"
#define NO_STEPS          \
	{                 \
		{         \
			0 \
		}         \
	}

static const struct row {
	const char *name;
	const char *argv; /* words with | between */
	struct rig_step steps[5];
	const char *out; /* all of stdout */
	const char *err; /* what stderr contains; NULL: it is empty */
	int code;
	const char *asked; /* what the last request contains; NULL: anything */
} rows[] = {
	/* clang-format off: a case a paragraph */
	{ "L1 create prints the id",
	  "agent|session|create|--name|main|--environment|e1",
	  { { "POST /v1/sessions", .body = SESSION } },
	  "cli:a\n",
	  NULL,
	  0,
	  "{\"agent\":\"main\",\"environment_id\":\"e1\",\"source\":{\"kind\":\"cli\"}}" },
	{ "L1 create finds an agent by its name",
	  "agent|session|create|--name|Helper",
	  { { "POST /v1/sessions", .status = 404, .body = REFUSED },
	    { "GET /v1/agents", .body = "{\"data\":[{\"id\":\"agent_1\",\"name\":\"Helper\"}]}" },
	    { "POST /v1/sessions", .body = SESSION } },
	  "cli:a\n",
	  NULL,
	  0,
	  "\"agent\":\"agent_1\"" },
	{ "L1 create without an agent of that name",
	  "agent|session|create|--name|Nobody",
	  { { "POST /v1/sessions", .status = 404,
	      .body = "{\"error\":{\"message\":\"no agent\"}}" },
	    { "GET /v1/agents", .body = "{\"data\":[]}" } },
	  "",
	  "perdure agent session create: no agent\n",
	  1,
	  NULL },
	{ "L1 create --json",
	  "agent|session|create|--name|main|--json",
	  { { "POST /v1/sessions", .body = "{\"id\":\"s\"}" } },
	  "{\"id\":\"s\"}\n",
	  NULL,
	  0,
	  NULL },
	{ "L1 send",
	  "agent|session|send|--session|cli:a|--message|Hi \"you\"",
	  { { "POST /v1/sessions/cli%3Aa/messages", .body = "{\"message_id\":\"m1\"}" } },
	  "m1\n",
	  NULL,
	  0,
	  "{\"text\":\"Hi \\\"you\\\"\"}" },
	{ "L1 send to a session that is not there is refused",
	  "agent|session|send|--session|x|--message|y",
	  { { "POST /v1/sessions/x/messages", .status = 404, .body = REFUSED } },
	  "",
	  "perdure agent session send: there is no session x\n",
	  1,
	  NULL },
	{ "L1 send without a message is usage", "agent|session|send|--session|x", NO_STEPS, "",
	  "--message TEXT is missing", 2, NULL },
	{ "L1 status --json",
	  "agent|session|status|--session|cli:a|--json",
	  { { "GET /v1/sessions/cli%3Aa", .body = "{\"id\":\"cli:a\"}" } },
	  "{\"id\":\"cli:a\"}\n",
	  NULL,
	  0,
	  NULL },
	{ "L1 status says what answers",
	  "agent|session|status|--session|cli:a",
	  { { "GET /v1/sessions/cli%3Aa", .body = WAITING },
	    { "GET ", .body = CALLS },
	    { "GET /v1/sessions/cli%3Aa/queue", .body = "{\"data\":[1,2]}" } },
	  "- session: cli:a\n- status: idle\n- stop reason: requires_action\n- events: 7\n"
	  "- pending messages: 2\n"
	  "- waits for: add\n    perdure agent session custom-tool-result --session cli:a "
	  "--request c2 "
	  "--output TEXT\n"
	  "- waits for: bash: ls\n    perdure agent session confirm-tool --session cli:a --request "
	  "c1 "
	  "--allowed true\n    perdure agent session confirm-tool --session cli:a --request c1 "
	  "--allowed false\n",
	  NULL,
	  0,
	  NULL },
	{ "L1 events: the last ten, oldest first",
	  "agent|session|events|--session|s",
	  { { "GET /v1/sessions/s/events?order=desc&limit=10",
	      .body = "{\"data\":[{\"seq\":2,\"type\":\"user.message\",\"created_at\":\"T2\","
		      "\"content\":"
		      "\"hi\"},{\"seq\":1,\"type\":\"session.created\",\"created_at\":\"T1\"}]"
		      "}" } },
	  "1\tT1\tsession.created\t\n2\tT2\tuser.message\thi\n",
	  NULL,
	  0,
	  NULL },
	{ "L1 events --limit --json",
	  "agent|session|events|--session|s|--limit|1|--json",
	  { { "GET /v1/sessions/s/events?order=desc&limit=1", .body = "{\"data\":[{\"seq\":2}],"
								      "\"next_page\":\"p\"}" } },
	  "{\"data\":[{\"seq\":2}]}\n",
	  NULL,
	  0,
	  NULL },
	{ "L1 confirm-tool names the only call that waits",
	  "agent|session|confirm-tool|--session|a|--allowed|true",
	  { { "GET /v1/sessions/a", .body = WAITING },
	    { "GET ", .body = CALLS },
	    { "POST /v1/sessions/a/events", .body = STORED } },
	  "e9\n",
	  NULL,
	  0,
	  "{\"events\":[{\"type\":\"user.tool_confirmation\",\"tool_use_id\":\"c1\","
	  "\"result\":\"allow\"}]}" },
	{ "L1 confirm-tool denies with a note",
	  "agent|session|confirm-tool|--session|a|--allowed|false|--request|c7|--note|No",
	  { { "POST /v1/sessions/a/events", .body = STORED } },
	  "e9\n",
	  NULL,
	  0,
	  "\"tool_use_id\":\"c7\",\"result\":\"deny\",\"deny_message\":\"No\"}" },
	{ "L1 confirm-tool wants a decision",
	  "agent|session|confirm-tool|--session|a|--allowed|maybe", NO_STEPS, "",
	  "--allowed must be true or false", 2, NULL },
	{ "L1 confirm-tool where nothing waits",
	  "agent|session|confirm-tool|--session|a|--allowed|true",
	  { { "GET /v1/sessions/a", .body = SESSION } },
	  "",
	  "the session waits for no decision about a tool call",
	  1,
	  NULL },
	{ "L1 custom-tool-result",
	  "agent|session|custom-tool-result|--session|a|--output|42|--error",
	  { { "GET /v1/sessions/a", .body = WAITING },
	    { "GET ", .body = CALLS },
	    { "POST /v1/sessions/a/events", .body = STORED } },
	  "e9\n",
	  NULL,
	  0,
	  "\"custom_tool_use_id\":\"c2\",\"content\":[{\"type\":\"text\",\"text\":\"42\"}],"
	  "\"is_error\":true}" },
	{ "L1 interrupt",
	  "agent|session|interrupt|--session|a",
	  { { "POST /v1/sessions/a/events", .body = STORED } },
	  "e9\n",
	  NULL,
	  0,
	  "{\"events\":[{\"type\":\"user.interrupt\"}]}" },
	{ "L1 wake",
	  "agent|wake|--session|a",
	  { { "POST /v1/sessions/a/wake", .body = SESSION } },
	  "idle\n",
	  NULL,
	  0,
	  NULL },

	{ "session list follows the pages",
	  "session|list|--agent|main|--limit|0",
	  { { "GET /v1/sessions?agent_id=main&limit=100",
	      .body = "{\"data\":[" SESSION "],\"next_page\":\"p 2\"}" },
	    { "GET /v1/sessions?agent_id=main&limit=100&page=p%202",
	      .body = "{\"data\":[" SESSION "],\"next_page\":null}" } },
	  "cli:a\tidle\tmain\thi\t2\t2026-03-29T00:00:00Z\ncli:a\tidle\tmain\thi\t2\t2026-03-29T00:"
	  "00:00Z\n",
	  NULL,
	  0,
	  NULL },
	{ "session list --json is a page",
	  "session|list|--limit|1|--json",
	  { { "GET /v1/sessions?limit=1",
	      .body = "{\"data\":[{\"id\":\"a\"}],\"next_page\":\"p\"}" } },
	  "{\"data\":[{\"id\":\"a\"}],\"next_page\":\"p\"}\n",
	  NULL,
	  0,
	  NULL },
	{ "session list --all",
	  "session|list|--all|--limit|5",
	  { { "GET /v1/sessions?include_archived=true&include_inactive=true&limit=5",
	      .body = "{\"data\":[]}" } },
	  "",
	  NULL,
	  0,
	  NULL },
	{ "session rename",
	  "session|rename|a|New name",
	  { { "POST /v1/sessions/a", .body = "{\"title\":\"New name\"}" } },
	  "New name\n",
	  NULL,
	  0,
	  "{\"title\":\"New name\"}" },
	{ "session delete asks", "session|delete|a", NO_STEPS, "", "Say --yes if so", 2, NULL },
	{ "session delete --yes",
	  "session|delete|a|--yes",
	  { { "DELETE /v1/sessions/a", .body = "{\"id\":\"a\"}" } },
	  "a\n",
	  NULL,
	  0,
	  NULL },
	{ "session archive",
	  "session|archive|a",
	  { { "POST /v1/sessions/a/archive", .body = SESSION } },
	  "cli:a\n",
	  NULL,
	  0,
	  NULL },
	{ "session export to stdout",
	  "session|export|a",
	  { { "GET /v1/sessions/a/export", .body = "{}\n{}\n" } },
	  "{}\n{}\n",
	  NULL,
	  0,
	  NULL },
	{ "session export that is refused leaves no file",
	  "session|export|x|/tmp/perdure-none.bundle",
	  { { "GET /v1/sessions/x/export", .status = 404, .body = REFUSED } },
	  "",
	  "there is no session x",
	  1,
	  NULL },
	{ "session tail ends with its session",
	  "session|tail|a|--json",
	  { { "GET /v1/sessions/a", .body = SESSION },
	    { "GET /v1/sessions/a/events/stream",
	      .body = "id: 8\nevent: session.deleted\ndata: {\"seq\":8}\n\n" } },
	  "{\"seq\":8}\n",
	  NULL,
	  0,
	  "last-event-id: 0" },
	{ "agent create",
	  "agent|create|--name|N|--system|S",
	  { { "POST /v1/agents", .body = "{\"id\":\"g\"}" } },
	  "g\n",
	  NULL,
	  0,
	  "{\"name\":\"N\",\"system\":\"S\"}" },
	{ "agent create wants a name", "agent|create", NO_STEPS, "", "--name NAME or --file FILE",
	  2, NULL },
	{ "agent update",
	  "agent|update|g|--model|m|--version|3",
	  { { "POST /v1/agents/g", .body = "{\"version\":4}" } },
	  "4\n",
	  NULL,
	  0,
	  "{\"model\":\"m\",\"version\":3}" },
	{ "agent show of a version",
	  "agent|show|g|--version|2",
	  { { "GET /v1/agents/g?version=2", .body = "{\"id\":\"g\",\"version\":2}" } },
	  "id\tg\nversion\t2\n",
	  NULL,
	  0,
	  NULL },
	{ "token create prints the secret alone",
	  "token|create|--kind|user|--user|u",
	  { { "POST /v1/tokens", .body = "{\"id\":\"t\",\"token\":\"pdr_x\"}" } },
	  "pdr_x\n",
	  NULL,
	  0,
	  "{\"kind\":\"user\",\"user_id\":\"u\"}" },
	{ "token revoke",
	  "token|revoke|t",
	  { { "DELETE /v1/tokens/t", .body = "{\"id\":\"t\"}" } },
	  "t\n",
	  NULL,
	  0,
	  NULL },
	{ "user create",
	  "user|create|--name|n|--role|guest",
	  { { "POST /v1/users", .body = "{\"id\":\"u\"}" } },
	  "u\n",
	  NULL,
	  0,
	  "{\"name\":\"n\",\"role\":\"guest\"}" },
	{ "options may stand before the command",
	  "--json|environment|show|e",
	  { { "GET /v1/environments/e", .body = "{\"id\":\"e\"}" } },
	  "{\"id\":\"e\"}\n",
	  NULL,
	  0,
	  NULL },
	{ "--verbose tells the request",
	  "session|archive|a|-v",
	  { { "POST /v1/sessions/a/archive", .status = 409,
	      .body = "{\"error\":{\"message\":\"busy\"}}" } },
	  "",
	  "busy [req_1]",
	  1,
	  NULL },

	{ "a word that is no command", "sesion|list", NO_STEPS, "",
	  "perdure: 'sesion' is not a command; did you mean 'session'?\n", 2, NULL },
	{ "a verb that is none", "session|lst", NO_STEPS, "",
	  "'session lst' is not a command; did you mean 'session list'?\n", 2, NULL },
	{ "a group alone is usage", "token", NO_STEPS, "", "usage: perdure token <command>", 2,
	  NULL },
	{ "version", "version", NO_STEPS, "perdure " PERDURE_VERSION "\n", NULL, 0, NULL },
	{ "--version", "--version", NO_STEPS, "perdure " PERDURE_VERSION "\n", NULL, 0, NULL },
	{ "another shell", "completion|fish", NO_STEPS, "", "completion for bash", 2, NULL },
	/* clang-format on */
};

/* ---- running the program in this process ---- */

struct capture {
	int fd, saved;
};

static struct capture
capture_begin(int fd)
{
	struct capture c = { .saved = dup(fd) };
	char path[] = "/tmp/perdure-cli-XXXXXX";

	c.fd = mkstemp(path);
	assert_true(c.fd >= 0 && c.saved >= 0);
	unlink(path);
	assert_int_equal(dup2(c.fd, fd), fd);
	return c;
}

static void
capture_end(struct capture *c, int fd, char out[OUTPUT_MAX])
{
	ssize_t n;

	assert_int_equal(dup2(c->saved, fd), fd);
	n = pread(c->fd, out, OUTPUT_MAX - 1, 0);
	assert_true(n >= 0);
	out[n] = '\0';
	close(c->fd);
	close(c->saved);
}

static int
run(const char *argv_text, char out[OUTPUT_MAX], char err[OUTPUT_MAX])
{
	struct str rest = str_of(argv_text), word;
	char words[16][256], *argv[17] = { (char[]){ "perdure" } };
	struct capture outs, errs;
	int argc = 1, code;

	while (rest.len > 0) {
		str_cut(rest, '|', &word, &rest);
		snprintf(words[argc - 1], sizeof words[0], STR_FMT, STR_ARG(word));
		argv[argc] = words[argc - 1];
		argc++;
	}
	fflush(stdout);
	outs = capture_begin(STDOUT_FILENO);
	errs = capture_begin(STDERR_FILENO);
	code = cli_run(argc, argv, NULL, 0);
	fflush(stdout);
	fflush(stderr);
	capture_end(&errs, STDERR_FILENO, err);
	capture_end(&outs, STDOUT_FILENO, out);
	return code;
}

static void
test_row(void **state)
{
	static char out[OUTPUT_MAX], err[OUTPUT_MAX];
	const struct row *row = *state;
	struct cli_rig *rig;
	char url[64];
	size_t count = 0;
	int code;

	while (count < ARRAY_LEN(row->steps) && row->steps[count].want)
		count++;
	rig = cli_rig_start(row->steps, count);
	snprintf(url, sizeof url, "http://127.0.0.1:%d", cli_rig_port(rig));
	assert_int_equal(setenv("PERDURE_SERVER", url, 1), 0);
	code = run(row->argv, out, err);
	check_str(row->name, str_of(out), str_of(row->out));
	if (row->err ? !strstr(err, row->err) : err[0] != '\0')
		fail_msg("%s: said '%s'", row->name, err);
	if (code != row->code)
		fail_msg("%s: exit code %d, not %d (%s)", row->name, code, row->code, err);
	if (row->asked && !str_contains(cli_rig_asked(rig, count - 1), str_of(row->asked)))
		fail_msg("%s: asked " STR_FMT, row->name, STR_ARG(cli_rig_asked(rig, count - 1)));
	cli_rig_stop(&rig);
}

int
main(void)
{
	struct suite s = { 0 };

	if (setenv("PERDURE_TOKEN", "pdr_test", 1) != 0 || !freopen("/dev/null", "r", stdin))
		abort();
	SUITE_ROWS(&s, rows, test_row);
	return suite_run(&s, "cli");
}
