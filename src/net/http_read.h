/* http_read - the asking side of a connection: bytes to requests, bodies to their owners.
 * For http_conn, http_request and http_server only. */
#pragma once
#include "net/http_conn.h"

void http_read_init(struct http_conn *c);
/* Harmless when it reads already or there is nothing more to read. */
void http_read_start(struct http_conn *c);
/* Goes on with what was read before its turn. */
void http_read_pending(struct http_conn *c);
