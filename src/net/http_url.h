/* http_url - where does a URL lead? Strict: what two readers could read in two ways is refused, so
 * that the host that was checked is the host that is asked.
 * Refused: other schemes, user names, blanks, control and non-ASCII bytes, backslashes, hosts with
 * escapes, numbers that are no address, IPv6 zones. A fragment is dropped, it is never sent. */
#pragma once
#include "base/arena.h"
#include "base/err.h"
#include "net/net_address.h"

enum { HTTP_URL_MAX = 8192, HTTP_URL_HOST_MAX = 253 };

struct http_url {
	bool tls;
	bool is_address;            /* the host is *address in some spelling */
	struct net_address address; /* else it is a name */
	struct str host;            /* lower case; addresses in their canonical form, no brackets */
	int port;                   /* 80 or 443 when none is given */
	struct str target;          /* "/path?query", at least "/" */
	struct str authority;       /* "host:port" for people: the port always, IPv6 in brackets */
	struct str whole;           /* all of it again, from these parts; NUL behind it */
};

/* The texts live in a. The sentence of an error never contains the URL: it may hold secrets. */
NODISCARD int http_url_parse(struct arena *a, struct str text, struct http_url *out, struct err *e);
