/* cmd_explain - `perdure explain <what>`: facts on stdin, the decision on stdout. */
#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/explain.h"

enum { FACTS_MAX = 8 * 1024 * 1024 };

static const struct question {
	const char *what;
	int (*answer)(struct json facts, struct arena *a, struct jw *out, struct err *e);
	const char *example;
} QUESTIONS[] = {
	{ "key", explain_key, "{\"source\":{\"platform\":\"telegram\",\"chat_id\":\"12345\"}}" },
	{ "reset", explain_reset,
	  "{\"policy\":{\"mode\":\"daily\",\"at_hour\":4},\"now\":\"2026-03-29T10:00:00Z\","
	  "\"updated_at\":\"2026-03-28T22:00:00Z\",\"zone\":\"Europe/Berlin\"}" },
	{ "resolve", explain_resolve, "{\"entry\":{\"suspended\":false,\"resume_pending\":true}}" },
	{ "route", explain_route, "{\"type\":\"group\",\"sender_role\":\"owner\"}" },
	{ "silence", explain_silence, "{\"text\":\"<NO_REPLY>\"}" },
	{ "tokens", explain_tokens, "{\"text\":\"How long is this?\"}" },
	{ "cron", explain_cron,
	  "{\"expression\":\"30 2 * * *\",\"zone\":\"Europe/Berlin\","
	  "\"after\":\"2026-03-28T12:00:00Z\",\"count\":2}" },
	{ "redact", explain_redact,
	  "{\"platform\":\"signal\",\"user_id\":\"7\",\"enabled\":true}" },
	{ "prune", explain_prune,
	  "{\"messages\":[{\"role\":\"user\",\"content\":\"hi\"},"
	  "{\"role\":\"assistant\",\"content\":\"hello\"}],\"window\":1000}" },
	{ "compact", explain_compact,
	  "{\"messages\":[{\"role\":\"user\",\"content\":\"hi\"},"
	  "{\"role\":\"assistant\",\"content\":\"hello\"}],\"window\":1000}" },
	{ "approval", explain_approval,
	  "{\"rules\":[{\"tool\":\"bash\",\"pattern\":\"git *\",\"action\":\"allow\"}],"
	  "\"tool\":\"bash\",\"arguments\":{\"command\":\"git log | tee /tmp/log\"}}" },
	{ NULL, NULL, NULL },
};

static const struct question *
question_find(struct str what)
{
	for (const struct question *q = QUESTIONS; q->what; q++)
		if (str_eq(str_of(q->what), what))
			return q;
	return NULL;
}

static int
unknown_question(struct str what, struct err *e)
{
	struct buf names;

	buf_init(&names, ERR_TEXT_MAX);
	for (const struct question *q = QUESTIONS; q->what; q++)
		buf_printf(&names, "%s%s", q == QUESTIONS ? "" : ", ", q->what);
	err_set(e, ERR_USAGE, "'" STR_FMT "' is not something to explain; ask one of: " STR_FMT,
		STR_ARG(str_slice(what, 0, 40)), STR_ARG(buf_str(&names)));
	buf_release(&names);
	return ERR_USAGE;
}

int
explain_answer(struct str what, struct str facts, struct buf *answer, struct err *e)
{
	const struct question *q = question_find(what);
	struct arena a;
	struct json_doc doc;
	struct jw out;
	int rc;

	if (!q)
		return unknown_question(what, e);
	arena_init(&a);
	jw_init(&out, answer);
	rc = json_parse(&a, facts, &JSON_LIMITS_DEFAULT, &doc, e);
	if (rc == 0 && json_type(json_root(&doc)) != JSON_OBJECT)
		rc = err_set(e, ERR_INVALID, "the facts must be one JSON object, not %s",
			     json_type_name(json_root(&doc)));
	if (rc == 0)
		rc = q->answer(json_root(&doc), &a, &out, e);
	if (rc == 0)
		rc = buf_check(answer, "the answer", e);
	arena_release(&a);
	return rc;
}

static void
print_help(FILE *to)
{
	fputs("usage: perdure explain <what> < facts.json\n\n"
	      "Reads one JSON object of facts on stdin and prints the decision and its reason.\n"
	      "Exit 0 with an answer, 2 when the facts are wrong (the message names the field).\n\n"
	      "Try:\n",
	      to);
	for (const struct question *q = QUESTIONS; q->what; q++)
		fprintf(to, "  echo '%s' | perdure explain %s\n", q->example, q->what);
}

int
cmd_explain(int argc, char **argv, struct err *e)
{
	struct arena a;
	struct buf answer;
	struct str facts;
	int rc;

	if (argc == 2 &&
	    (str_eq(str_of(argv[1]), STR("--help")) || str_eq(str_of(argv[1]), STR("-h")))) {
		print_help(stdout);
		return 0;
	}
	if (argc != 2) {
		print_help(stderr);
		return err_set(e, ERR_USAGE, "explain takes one argument: what to explain");
	}
	if (!question_find(str_of(argv[1])))
		return unknown_question(str_of(argv[1]), e);
	arena_init(&a);
	buf_init(&answer, EXPLAIN_ANSWER_MAX);
	rc = file_read_fd(STDIN_FILENO, "stdin", FACTS_MAX, &a, &facts, e);
	if (rc == 0)
		rc = explain_answer(str_of(argv[1]), facts, &answer, e);
	if (rc == 0)
		printf(STR_FMT "\n", STR_ARG(buf_str(&answer)));
	buf_release(&answer);
	arena_release(&a);
	return rc;
}
