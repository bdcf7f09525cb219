/* cmd_session_log - `perdure session events|tail`: the log, its end and what comes next. */
#include <stdio.h>

#include "cli/commands.h"
#include "cli/event_table.h"
#include "cli/log_tail.h"
#include "cli/record.h"

int
cmd_session_events(struct cli_call *call, struct err *e)
{
	int64_t limit = 20;
	int rc = args_int(&call->args, "--limit", 0, INT64_MAX, &limit, e);

	if (rc != 0)
		return rc;
	return event_table_print(call, args_word(&call->args, 0), limit,
				 args_value(&call->args, "--type"), e);
}

struct tail {
	struct cli_call *call;
	bool done;
	int rc;
	struct err err;
};

static void
on_event(void *context, struct str type, struct json event)
{
	struct tail *t = context;

	(void)type;
	event_table_line(t->call, event);
	if (fflush(stdout) != 0 || ferror(stdout)) { /* nobody reads any more */
		t->done = true;
		client_stop(t->call->client);
	}
}

static void
on_state(void *context, bool connected, const struct err *why)
{
	struct tail *t = context;

	if (connected)
		fprintf(stderr, "connected again\n");
	else
		fprintf(stderr, "lost the server at " STR_FMT "%s%s; trying again\n",
			STR_ARG(t->call->place.shown), why ? ": " : "", why ? why->text : "");
}

static void
on_end(void *context, int rc, const struct err *e)
{
	struct tail *t = context;

	t->rc = rc;
	if (rc != 0)
		t->err = *e;
	t->done = true;
	client_stop(t->call->client);
}

/* So many events back from the head of the log. */
static int
find_start(struct cli_call *call, int64_t *after, struct err *e)
{
	struct json session, head;
	int64_t limit = 10, seq = 0;
	int rc = args_int(&call->args, "--limit", 0, INT64_MAX, &limit, e);

	if (rc == 0)
		rc = args_int(&call->args, "--after", 0, INT64_MAX, after, e);
	if (rc == 0)
		rc = call_ask(call, "GET",
			      call_path(call, "/v1/sessions/", args_word(&call->args, 0), ""),
			      (struct str){ 0 }, &session, e);
	if (rc != 0 || args_value(&call->args, "--after"))
		return rc;
	if (json_find(session, STR("head_seq"), &head) && json_int(head, &seq))
		*after = limit > 0 && seq > limit ? seq - limit : 0;
	return 0;
}

int
cmd_session_tail(struct cli_call *call, struct err *e)
{
	struct tail t = { .call = call };
	const struct log_tail_events events = { on_event, on_state, on_end, &t };
	struct log_tail *tail;
	int64_t after = 0;
	int rc = find_start(call, &after, e);

	if (rc != 0)
		return rc;
	tail = log_tail_new(call->client, str_of(args_word(&call->args, 0)), after, false, &events);
	client_run(call->client, &t.done);
	log_tail_free(&tail);
	if (t.rc != 0)
		*e = t.err;
	return t.rc;
}
