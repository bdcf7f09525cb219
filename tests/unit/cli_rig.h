/* cli_rig - a server in a thread of its own that answers as a script says, and remembers what it was
 * asked: the API as the command line's client sees it. Every wait has a bound. */
#pragma once
#include "cli/server_find.h"
#include "harness.h"

enum rig_how {
	RIG_ANSWER, /* status and body; a body that begins with "id:" or "event:" is a stream that ends */
	RIG_STREAM, /* body, and then it stays open */
	RIG_CUT,    /* the head and body, then the connection breaks */
	RIG_HANG_UP /* the connection breaks without an answer */
};

struct rig_step {
	const char *want; /* how the request begins: "GET /v1/agents" */
	enum rig_how how;
	int status; /* 0: 200 */
	const char *body;
};

struct cli_rig;

/* Steps are taken in order; a request that is none of them ends the test program. */
struct cli_rig *cli_rig_start(const struct rig_step *steps, size_t count);
/* Fails when a step was not asked for. */
void cli_rig_stop(struct cli_rig **rig);
int cli_rig_port(const struct cli_rig *rig);
/* Where a client finds it; lives as long as the rig. */
const struct server_place *cli_rig_place(const struct cli_rig *rig);
/* How many steps were asked for so far. */
size_t cli_rig_taken(const struct cli_rig *rig);
/* The request of that step: method, target, the headers that matter and the body, a line each. */
struct str cli_rig_asked(struct cli_rig *rig, size_t step);
