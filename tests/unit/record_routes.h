/* record_routes - what holds for the routes of every plain record: each request becomes its command and is
 * answered with the record, refusals are passed on, one and all of them can be read. */
#pragma once
#include "fake_engine.h"

struct record_route {
	const char *name;
	struct rig_ask ask;
	const char *command, *id; /* that the engine is given */
};

struct record_routes {
	const char *suite, *path; /* of all of them */
	const char *not_found;    /* the error code */
	struct str kind;
	const struct record_route *rows;
	size_t count;
};

extern struct api_rig RECORD_RIG; /* while the suite runs */

/* Runs it, behind what is in it already. */
int record_routes_run(struct suite *s, const struct record_routes *routes);
