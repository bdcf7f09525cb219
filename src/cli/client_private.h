/* client_private - what the client's files share: the client itself, and how its requests look. */
#pragma once
#include "base/id.h"
#include "base/list.h"
#include "cli/client.h"
#include "net/egress.h"

enum { CLIENT_ANSWER_MAX = 256 * 1024 * 1024, CLIENT_HEADERS_MAX = 6 };

struct client {
	const struct server_place *place;
	bool verbose;
	struct loop *loop;
	struct egress *egress;
	struct loop_signal *interrupt;
	struct rand rand;
	struct id_gen ids;
	struct list asks, streams;
};

/* What both kinds of requests say; the value of the token lives in a. */
size_t client_headers(struct client *c, struct arena *a, struct str accept,
		      struct http_header headers[CLIENT_HEADERS_MAX]);
/* Notes the status and the request's id, and tells them when that was asked for. */
void client_head(struct client *c, const char *what, const struct http_answer *answer, int *status,
		 char request_id[CLIENT_REQUEST_ID_MAX]);
/* All streams that are left. */
void client_streams_free(struct client *c);
