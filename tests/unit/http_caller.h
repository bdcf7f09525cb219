/* http_caller - the asking side in a test: calls through net/egress on a loop in this thread, each
 * with a record of what came. Every wait has a bound. */
#pragma once
#include "base/buf.h"
#include "harness.h"
#include "net/egress.h"

enum { CALLER_WAIT_MS = 20000 };

struct caller {
	struct loop *loop;
	struct egress *egress;
	struct loop_timer *bound;
	unsigned open; /* records that wait for on_done */
	char url[256];
};

/* One exchange. Zero it; hooks are called after the record is written and may be NULL. */
struct record {
	struct caller *caller;
	struct http_exchange *exchange; /* NULL once it is over */
	int heads, dones, status, rc;
	size_t pieces;
	struct buf body;
	struct err err;
	char type[64]; /* content-type */
	void (*on_head)(struct record *r);
	void (*on_body)(struct record *r, struct str piece);
	void (*on_done)(struct record *r);
	size_t (*on_send)(struct record *r, char *to, size_t room);
	bool keeps_nothing; /* of the body but its length */
	size_t bytes;
	int64_t done_ms;
	void *context;
};

/* options may be NULL. */
void caller_init(struct caller *c, const struct egress_options *options);
void caller_release(struct caller *c);
/* "http://127.0.0.1:PORT/PATH"; valid until the next. */
struct str caller_url(struct caller *c, int port, const char *path);
/* Sends, by the operator's policy. Fails the test when it is refused. */
void caller_send(struct caller *c, struct record *r, const struct http_call *call);
/* Runs until r is done. */
void caller_wait(struct caller *c, struct record *r);
/* Runs until all are done. */
void caller_wait_all(struct caller *c);
/* Runs for a while, or until somebody stops the loop. */
void caller_run(struct caller *c, int64_t for_ms);
/* GET http://127.0.0.1:PORT/PATH and wait. */
void caller_get(struct caller *c, struct record *r, int port, const char *path);
void record_release(struct record *r);
extern const struct http_call_events RECORD_EVENTS; /* context: the record */
