/* cmd_restart - `perdure restart`: the server begins anew, and whoever asked waits until it serves again. */
#include <stdio.h>

#include "base/clock.h"
#include "cli/commands.h"
#include "cli/record.h"

enum { LOOK_AGAIN_MS = 200 };
static const int64_t START_MS = 60 * 1000; /* what ending and starting may take beside the drain */

/* ---- waiting ---- */

struct nap {
	struct client *client;
	bool over;
};

static void
on_nap_over(void *context)
{
	struct nap *n = context;

	n->over = true;
	client_stop(n->client);
}

static void
nap(struct client *client)
{
	struct nap n = { client, false };
	struct loop_timer *timer = loop_timer_new(client_loop(client), on_nap_over, &n);

	loop_timer_set(timer, LOOK_AGAIN_MS);
	client_run(client, &n.over);
	loop_timer_free(&timer);
}

/* Until another instance than that one answers. */
static int
await_next(struct cli_call *call, struct str instance, int64_t wait_ms, struct json *out,
	   struct err *e)
{
	int64_t until_ns = clock_monotonic_ns() + wait_ms * 1000000;
	struct err last;
	int rc;

	for (;;) {
		rc = call_ask(call, "GET", STR("/v1/server"), (struct str){ 0 }, out, &last);
		if (rc == 0 && !str_eq(record_value(*out, "instance_id", &call->a), instance))
			return 0;
		if (rc == ERR_AUTH || rc == ERR_NOT_FOUND) { /* it is another server, or says no */
			*e = last;
			return rc;
		}
		if (clock_monotonic_ns() > until_ns)
			break;
		nap(call->client);
	}
	if (rc == 0)
		return err_set(e, ERR_CONFLICT,
			       "the server at " STR_FMT
			       " was asked to restart, but the same one answers",
			       STR_ARG(call->place.shown));
	return err_set(e, ERR_IO,
		       "the server at " STR_FMT
		       " was asked to restart and has not come back: %.200s. Its log says why",
		       STR_ARG(call->place.shown), last.text);
}

/* ---- asking ---- */

static int
ask(struct cli_call *call, struct json *out, struct err *e)
{
	int rc = call_ask(call, "POST", STR("/v1/server/restart"), (struct str){ 0 }, out, e);

	if (rc == ERR_NOT_FOUND || rc == ERR_DENIED)
		rc = err_set(e, rc,
			     "only an owner may restart the server at " STR_FMT
			     ", and the token of " STR_FMT " is no owner's. See --token-file",
			     STR_ARG(call->place.shown), STR_ARG(call->place.token_from));
	return rc;
}

static int64_t
number(struct cli_call *call, struct json object, const char *name)
{
	int64_t value = 0;

	IGNORE(str_to_int(record_value(object, name, &call->a), &value)); /* absent: 0 */
	return value;
}

static const char *
turns(int64_t count)
{
	return count == 1 ? "turn" : "turns";
}

int
cmd_restart(struct cli_call *call, struct err *e)
{
	int64_t since_ns = clock_monotonic_ns(), running, carried, drain_ms;
	struct json asked, server;
	int rc = ask(call, &asked, e);

	if (rc != 0)
		return rc;
	running = number(call, asked, "running_turns");
	drain_ms = number(call, asked, "drain_timeout_ms");
	if (running > 0)
		fprintf(stderr, "%lld %s still at work: waiting up to %lld s\n", (long long)running,
			running == 1 ? "turn is" : "turns are", (long long)(drain_ms / 1000));
	rc = await_next(call, record_value(asked, "instance_id", &call->a), drain_ms + START_MS,
			&server, e);
	if (rc != 0)
		return rc;
	if (call_wants_json(call)) {
		call_print_foreign_line(call, json_raw(server));
		return 0;
	}
	carried = number(call, server, "carried_over_turns");
	printf("restarted in %.1f s; %lld %s carried over\n",
	       (double)(clock_monotonic_ns() - since_ns) / 1e9, (long long)carried, turns(carried));
	return 0;
}
