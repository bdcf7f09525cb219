/* egress - the one way out: every connection this program opens is asked for here.
 * Looks names up (never inside curl, never on the loop's thread), decides whether the addresses may
 * be reached, and pins the connection to them, so that a name cannot mean something else by the time
 * it is connected to. What happens then is an exchange (net/http_exchange). */
#pragma once
#include "net/http_exchange.h"
#include "net/lookup.h"
#include "net/loop.h"

/* Who chose the URL? */
enum egress_policy {
	EGRESS_OPERATOR, /* the configuration or the command line: any address, also a Unix socket */
	/* Anybody else: public addresses only. If one of a name's addresses is not public, none of
	 * them is used: such a name is made to deceive. */
	EGRESS_FOREIGN
};

struct egress_options {
	lookup_fn lookup;    /* NULL: the system's resolver */
	const char *ca_file; /* certificates to trust instead of the system's; NULL: those */
};

struct egress;
/* options may be NULL. */
struct egress *egress_new(struct loop *loop, const struct egress_options *options);
/* Exchanges that are left are cancelled; their handles are gone. */
void egress_free(struct egress **egress);

/* ERR_INVALID: the call makes no sense. ERR_DENIED: the URL itself says an address that may not be
 * reached. Then there is no exchange and no callback. Texts need to live only during the call. */
NODISCARD int
egress_send(struct egress *egress, enum egress_policy policy, const struct http_call *call,
	    const struct http_call_events *events, struct http_exchange **out, struct err *e);
/* The decision by itself: pure. */
bool egress_admits(enum egress_policy policy, const struct net_address *address);
