#include "net/egress.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "net/http_client.h"

/* Each policy has threads of its own: names that others choose cannot hold up the operator's. */
enum { LOOKUP_THREADS = 8, POLICIES = 2 };

struct egress {
	struct http_client *client;
	struct lookup_pool *lookups[POLICIES];
};

/* A lookup under way for an exchange that waits for its route. */
struct question {
	enum egress_policy policy;
	struct http_exchange *exchange;
	struct lookup *lookup;
};

bool
egress_admits(enum egress_policy policy, const struct net_address *address)
{
	return policy == EGRESS_OPERATOR || net_address_kind(address) == NET_ADDRESS_PUBLIC;
}

static bool
admits_operator(const struct net_address *address)
{
	return egress_admits(EGRESS_OPERATOR, address);
}

static bool
admits_foreign(const struct net_address *address)
{
	return egress_admits(EGRESS_FOREIGN, address);
}

/* The sentence does not tell the address: whoever sent the URL may not know what is in here. */
static int
check_addresses(enum egress_policy policy, const struct http_url *url,
		const struct lookup_found *found, struct err *e)
{
	for (size_t i = 0; i < found->count; i++) {
		enum net_address_kind kind = net_address_kind(&found->addresses[i]);
		if (!egress_admits(policy, &found->addresses[i]))
			return err_set(e, ERR_DENIED,
				       STR_FMT " is %s%s; only public addresses may be reached",
				       STR_ARG(url->host), url->is_address ? "" : "at ",
				       net_address_kind_name(kind));
	}
	return 0;
}

static void
route(struct http_exchange *x, enum egress_policy policy, const struct lookup_found *found)
{
	bool by_operator = policy == EGRESS_OPERATOR;
	struct http_route r = {
		.addresses = found->addresses,
		.count = found->count,
		.scope = by_operator ? "operator" : "foreign",
		.admits = by_operator ? admits_operator : admits_foreign,
	};

	http_exchange_route(x, &r);
}

static void
on_found(void *context, int rc, const struct lookup_found *found, const struct err *e)
{
	struct question *q = context;
	struct http_exchange *x = q->exchange;
	enum egress_policy policy = q->policy;
	struct err denied;

	x->on_over = NULL;
	free(q);
	if (rc != 0)
		http_exchange_fail(x, e);
	else if (check_addresses(policy, &x->url, found, &denied) != 0)
		http_exchange_fail(x, &denied);
	else
		route(x, policy, found);
}

static void
on_over(void *context)
{
	struct question *q = context;

	lookup_cancel(&q->lookup);
	free(q);
}

static void
ask(struct egress *egress, enum egress_policy policy, struct http_exchange *x)
{
	struct question *q = xcalloc(1, sizeof *q);

	q->policy = policy;
	q->exchange = x;
	q->lookup = lookup_new(egress->lookups[policy], x->url.host, on_found, q);
	x->on_over = on_over;
	x->over_context = q;
}

/* Finds the way that needs no lookup; *asks: there is none. */
static int
choose(enum egress_policy policy, struct http_exchange *x, bool *asks, struct err *e)
{
	struct lookup_found found = { .addresses = { x->url.address },
				      .count = x->url.is_address ? 1 : 0 };
	int rc = 0;

	*asks = !x->url.is_address && x->unix_socket.len == 0;
	if (x->unix_socket.len > 0 && policy != EGRESS_OPERATOR)
		rc = err_set(e, ERR_DENIED, "a Unix socket is for the operator's URLs only");
	else if (x->unix_socket.len == 0)
		rc = check_addresses(policy, &x->url, &found, e);
	if (rc == 0 && !*asks)
		route(x, policy, &found);
	return rc;
}

int
egress_send(struct egress *egress, enum egress_policy policy, const struct http_call *call,
	    const struct http_call_events *events, struct http_exchange **out, struct err *e)
{
	struct http_exchange *x;
	bool asks;
	int rc = http_client_send(egress->client, call, events, &x, e);

	if (rc != 0)
		return rc;
	rc = choose(policy, x, &asks, e);
	if (rc != 0) {
		http_exchange_cancel(&x);
		return rc;
	}
	if (asks)
		ask(egress, policy, x);
	*out = x;
	return 0;
}

struct egress *
egress_new(struct loop *loop, const struct egress_options *options)
{
	struct egress *egress = xcalloc(1, sizeof *egress);
	lookup_fn fn = options && options->lookup ? options->lookup : lookup_system;

	egress->client = http_client_new(loop, options ? options->ca_file : NULL);
	for (size_t i = 0; i < POLICIES; i++)
		egress->lookups[i] = lookup_pool_new(loop, fn, LOOKUP_THREADS);
	return egress;
}

void
egress_free(struct egress **out)
{
	struct egress *egress = TAKE(*out);

	if (!egress)
		return;
	http_client_free(&egress->client);
	for (size_t i = 0; i < POLICIES; i++)
		lookup_pool_free(&egress->lookups[i]);
	free(egress);
}
