/* http_transfer - a call in curl's terms: options on the way in, callbacks on the way out.
 * Sees to it that curl does nothing by itself: no lookups, no proxies of the environment, no
 * redirects, no cookies, no second sending of what must not happen twice. */
#pragma once
#include "net/http_client.h"

/* Checks the call and copies it into x, whose client is set. */
NODISCARD int
http_transfer_init(struct http_exchange *x, const struct http_call *call, struct err *e);
void http_transfer_route(struct http_exchange *x, const struct http_route *route);
/* Accepts a half-made one. */
void http_transfer_release(struct http_exchange *x);
