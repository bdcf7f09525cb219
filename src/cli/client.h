/* client - the API from its other side: calls that wait for their answer, and streams.
 * A refusal is an error with the server's own sentence. Every change carries an Idempotency-Key, so a
 * call whose answer got lost is asked again without being done twice. */
#pragma once
#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "cli/server_find.h"
#include "net/loop.h"
#include "net/sse_decode.h"

enum { CLIENT_REQUEST_ID_MAX = 64 };

struct client;

/* verbose: a line on stderr for each request. place must stay. */
struct client *client_new(const struct server_place *place, bool verbose);
void client_free(struct client **c);
struct loop *client_loop(struct client *c);

struct client_request {
	const char *method;
	struct str path; /* "/v1/…", encoded */
	struct str body; /* JSON; empty: none */
};
/* *out (may be NULL) is the answer; it lives in a. */
NODISCARD int client_ask(struct client *c, const struct client_request *r, struct arena *a,
			 struct json *out, struct err *e);
/* The answer's body into a file as it comes. A pipe whose reader leaves is no failure: the rest is not
 * fetched. */
NODISCARD int client_download(struct client *c, struct str path, int to_fd, struct err *e);
/* A file as the body. */
struct client_upload {
	struct str path, content_type;
	int fd;
};
NODISCARD int client_upload(struct client *c, const struct client_upload *u, struct arena *a,
			    struct json *out, struct err *e);

/* The same without waiting: for use while a stream runs. on_done comes once; answer lives during it. */
typedef void (*client_done_fn)(void *context, int rc, struct json answer, const struct err *e);
void
client_send(struct client *c, const struct client_request *r, client_done_fn fn, void *context);
/* Whatever was sent with that context and is not answered is given up: on_done does not come, and what
 * the server did not take is not tried again. Not from within an on_done. */
void client_forget(struct client *c, const void *context);

struct client_stream;
struct client_stream_events {
	void (*on_open)(void *context);
	/* false: no more of them. */
	bool (*on_event)(void *context, const struct sse_event *event);
	/* The stream is over and gone, not by client_stream_close. rc 0: the server ended it. */
	void (*on_end)(void *context, int rc, const struct err *e);
	void *context;
};
/* after: go on behind this cursor; -1: from now on. */
struct client_stream *client_stream_open(struct client *c, struct str path, int64_t after,
					 const struct client_stream_events *events);
void client_stream_close(struct client_stream **s);

/* Lets things happen until *done; whoever sets it calls client_stop. */
void client_run(struct client *c, const bool *done);
void client_stop(struct client *c);
/* While fn is set, Ctrl-C calls it instead of ending the program; NULL: as usual again. */
void client_on_interrupt(struct client *c, void (*fn)(void *context), void *context);
