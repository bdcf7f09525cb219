#include "net/egress.h"

#include <semaphore.h>
#include <stdatomic.h>
#include <unistd.h>

#include "http_caller.h"
#include "http_probe.h"

/* --- the decision --- */

static const struct denied_row {
	const char *name; /* the URL */
	int rc;
} DENIED_ROWS[] = {
	{ "http://127.0.0.1/", ERR_DENIED },
	{ "http://127.1/", ERR_DENIED },
	{ "http://127.0.0.1./", ERR_DENIED },
	{ "http://127.255.255.254/", ERR_DENIED },
	{ "http://2130706433/", ERR_DENIED },
	{ "http://0x7f000001/", ERR_DENIED },
	{ "http://0X7F.0X0.0X0.0X1/", ERR_DENIED },
	{ "http://0177.0.0.1/", ERR_DENIED },
	{ "http://017700000001/", ERR_DENIED },
	{ "http://0/", ERR_DENIED },
	{ "http://0.0.0.0/", ERR_DENIED },
	{ "http://10.0.0.1/", ERR_DENIED },
	{ "http://172.16.0.1/", ERR_DENIED },
	{ "http://192.168.1.1:8080/x?y", ERR_DENIED },
	{ "http://100.64.0.1/", ERR_DENIED },
	{ "http://169.254.1.1/", ERR_DENIED },
	{ "http://169.254.169.254/latest/meta-data/", ERR_DENIED },
	{ "http://2852039166/", ERR_DENIED },
	{ "http://0xa9fea9fe/", ERR_DENIED },
	{ "http://100.100.100.200/", ERR_DENIED },
	{ "http://168.63.129.16/", ERR_DENIED },
	{ "http://192.0.0.192/", ERR_DENIED },
	{ "http://198.18.0.1/", ERR_DENIED },
	{ "http://224.0.0.1/", ERR_DENIED },
	{ "http://255.255.255.255/", ERR_DENIED },
	{ "https://[::1]/", ERR_DENIED },
	{ "https://[::]/", ERR_DENIED },
	{ "https://[0:0:0:0:0:0:0:1]/", ERR_DENIED },
	{ "https://[::127.0.0.1]/", ERR_DENIED },
	{ "https://[::ffff:127.0.0.1]/", ERR_DENIED },
	{ "https://[::ffff:7f00:1]/", ERR_DENIED },
	{ "https://[::ffff:8.8.8.8]/", ERR_DENIED },
	{ "https://[::ffff:0:127.0.0.1]/", ERR_DENIED },
	{ "https://[64:ff9b::7f00:1]/", ERR_DENIED },
	{ "https://[64:ff9b:1::7f00:1]/", ERR_DENIED },
	{ "https://[2002:7f00:1::]/", ERR_DENIED },
	{ "https://[2001:0:7f00:1::]/", ERR_DENIED },
	{ "https://[fe80::1]/", ERR_DENIED },
	{ "https://[fc00::1]/", ERR_DENIED },
	{ "https://[fd00:ec2::254]/", ERR_DENIED },
	{ "https://[ff02::1]/", ERR_DENIED },
	{ "http://0x7f.1.1.1.1/", ERR_INVALID },
	{ "http://127.0.0.256/", ERR_INVALID },
	{ "http://user@127.0.0.1/", ERR_INVALID },
	{ "http://%31%32%37.0.0.1/", ERR_INVALID },
	{ "http://[fe80::1%25lo]/", ERR_INVALID },
	{ "file:///etc/passwd", ERR_INVALID },
	{ "gopher://127.0.0.1:70/", ERR_INVALID },
};

static int
never_asked(const char *name, struct lookup_found *out, struct err *e)
{
	(void)out;
	(void)e;
	fprintf(stderr, "looked up %s\n", name);
	abort();
}

static void
denied_row_holds(void **state)
{
	const struct denied_row *row = *state;
	struct http_call call = { .method = STR("GET"), .url = str_of(row->name) };
	struct egress_options options = { .lookup = never_asked };
	struct http_exchange *x = NULL;
	struct caller c;
	struct err e;

	caller_init(&c, &options);
	assert_int_equal(egress_send(c.egress, EGRESS_FOREIGN, &call, &RECORD_EVENTS, &x, &e),
			 row->rc);
	assert_null(x);
	assert_true(strlen(e.text) > 10);
	caller_release(&c);
}

static void
foreign_urls_get_no_unix_socket(void **state)
{
	struct http_call call = { .method = STR("GET"),
				  .url = STR("http://example.com/"),
				  .unix_socket = STR("/run/perdure.sock") };
	struct egress_options options = { .lookup = never_asked };
	struct http_exchange *x = NULL;
	struct caller c;
	struct err e;

	(void)state;
	caller_init(&c, &options);
	assert_int_equal(egress_send(c.egress, EGRESS_FOREIGN, &call, &RECORD_EVENTS, &x, &e),
			 ERR_DENIED);
	assert_null(x);
	caller_release(&c);
}

static void
the_operator_may_go_anywhere_others_to_public_places(void **state)
{
	struct net_address local = { .bytes = { 127, 0, 0, 1 } };
	struct net_address public = { .bytes = { 8, 8, 8, 8 } };

	(void)state;
	assert_true(egress_admits(EGRESS_OPERATOR, &local));
	assert_true(egress_admits(EGRESS_OPERATOR, &public));
	assert_false(egress_admits(EGRESS_FOREIGN, &local));
	assert_true(egress_admits(EGRESS_FOREIGN, &public));
}

/* --- names --- */

static sem_t gate;
static atomic_int lookups, lookups_ended;

#define V4(a, b, c, d)                  \
	{                               \
		.bytes = { a, b, c, d } \
	}

static const struct name {
	const char *name;
	struct lookup_found found;
} NAMES[] = {
	{ "loopback.example", { { V4(127, 0, 0, 1) }, 1 } },
	{ "private.example", { { V4(10, 1, 2, 3) }, 1 } },
	{ "metadata.example", { { V4(169, 254, 169, 254) }, 1 } },
	{ "mapped.example", { { { true, { [10] = 0xff, 0xff, 127, 0, 0, 1 } } }, 1 } },
	{ "first-private.example", { { V4(10, 1, 2, 3), V4(8, 8, 8, 8) }, 2 } },
	{ "last-private.example", { { V4(8, 8, 8, 8), V4(8, 8, 4, 4), V4(192, 168, 0, 1) }, 3 } },
	{ "both.example", { { { true, { [15] = 1 } }, V4(127, 0, 0, 1) }, 2 } },
};

static int
fake(const char *name, struct lookup_found *out, struct err *e)
{
	atomic_fetch_add(&lookups, 1);
	if (strstr(name, "slow")) {
		sem_wait(&gate);
		atomic_fetch_add(&lookups_ended, 1);
	}
	for (size_t i = 0; i < ARRAY_LEN(NAMES); i++) {
		if (strcmp(name, NAMES[i].name) == 0) {
			*out = NAMES[i].found;
			return 0;
		}
	}
	return err_set(e, ERR_UNAVAILABLE, "cannot look up %s: there is no such host", name);
}

static const struct egress_options FAKE = { .lookup = fake };

static void
begin(struct caller *c)
{
	assert_int_equal(sem_init(&gate, 0, 0), 0);
	atomic_store(&lookups, 0);
	atomic_store(&lookups_ended, 0);
	caller_init(c, &FAKE);
}

static void
send_foreign(struct caller *c, struct record *r, const char *url)
{
	struct http_call call = { .method = STR("GET"), .url = str_of(url) };
	struct http_call_events events = RECORD_EVENTS;

	r->caller = c;
	events.context = r;
	assert_int_equal(egress_send(c->egress, EGRESS_FOREIGN, &call, &events, &r->exchange, NULL),
			 0);
	c->open++;
}

static const struct name_row {
	const char *name; /* of the host */
	int rc;
	const char *text;
} NAME_ROWS[] = {
	{ "loopback.example", ERR_DENIED,
	  "loopback.example is at an address of this machine itself; only public addresses may be "
	  "reached" },
	{ "private.example", ERR_DENIED,
	  "private.example is at a private address; only public addresses may be reached" },
	{ "metadata.example", ERR_DENIED,
	  "metadata.example is at the address of a cloud's metadata service; only public addresses "
	  "may be reached" },
	{ "mapped.example", ERR_DENIED,
	  "mapped.example is at an IPv4 address within an IPv6 address; only public addresses may "
	  "be "
	  "reached" },
	{ "first-private.example", ERR_DENIED,
	  "first-private.example is at a private address; only public addresses may be reached" },
	{ "last-private.example", ERR_DENIED,
	  "last-private.example is at a private address; only public addresses may be reached" },
	{ "nobody.example", ERR_UNAVAILABLE,
	  "cannot look up nobody.example: there is no such host" },
};

static void
name_row_holds(void **state)
{
	const struct name_row *row = *state;
	struct record r = { 0 };
	struct caller c;
	char url[128];

	begin(&c);
	snprintf(url, sizeof url, "http://%s/", row->name);
	send_foreign(&c, &r, url);
	caller_wait(&c, &r);
	assert_int_equal(r.rc, row->rc);
	assert_string_equal(r.err.text, row->text);
	assert_int_equal(r.heads, 0);
	assert_int_equal(atomic_load(&lookups), 1);
	caller_release(&c);
}

/* Nobody but our own lookup knows this name: curl did not ask. Each call asks anew, so that the
 * answer that is checked is the one that is used. */
static void
name_is_looked_up_here_once_a_call(void **state)
{
	struct probe server;
	struct caller c;

	(void)state;
	probe_init(&server);
	probe_start(&server);
	begin(&c);
	for (int i = 1; i <= 3; i++) {
		struct record r = { 0 };
		struct http_call call = { .method = STR("GET") };

		snprintf(c.url, sizeof c.url, "http://%s:%d/x",
			 i == 2 ? "both.example" : "loopback.example", server.port);
		call.url = str_of(c.url);
		caller_send(&c, &r, &call);
		caller_wait(&c, &r);
		if (r.rc != 0)
			fail_msg("%s", r.err.text);
		assert_int_equal(r.status, 200);
		assert_int_equal(atomic_load(&lookups), i);
		record_release(&r);
	}
	caller_release(&c);
	probe_stop(&server);
}

/* The system's own resolver; whichever of its addresses the server has. */
static void
localhost_is_found(void **state)
{
	struct probe server;
	struct record r = { 0 };
	struct http_call call = { .method = STR("GET") };
	struct caller c;

	(void)state;
	probe_init(&server);
	probe_start(&server);
	caller_init(&c, NULL);
	snprintf(c.url, sizeof c.url, "http://localhost:%d/x", server.port);
	call.url = str_of(c.url);
	caller_send(&c, &r, &call);
	caller_wait(&c, &r);
	assert_int_equal(r.rc, 0);
	record_release(&r);
	caller_release(&c);
	probe_stop(&server);
}

/* --- slow lookups --- */

static void
wait_for_lookups(int least)
{
	probe_wait("lookups to begin", &lookups, least);
}

/* And until they are out of here: the next test has a gate of its own. */
static void
let_all_go(int count)
{
	for (int i = 0; i < count; i++)
		sem_post(&gate);
	probe_wait("lookups to end", &lookups_ended, count);
}

static void
slow_lookup_is_cancelled(void **state)
{
	struct record r = { 0 };
	struct http_call call = { .method = STR("GET"), .url = STR("http://slow.example/") };
	struct caller c;

	(void)state;
	begin(&c);
	caller_send(&c, &r, &call);
	wait_for_lookups(1);
	http_exchange_cancel(&r.exchange);
	let_all_go(1);
	caller_run(&c, 50);
	assert_int_equal(r.dones, 0);
	record_release(&r);
	caller_release(&c);
}

static const struct late_row {
	const char *name;
	int64_t connect_ms, total_ms;
	const char *text;
} LATE_ROWS[] = {
	{ "the lookup is part of connecting", 50, 0,
	  "cannot connect to slow.example:80: its name could not be looked up within 50 ms" },
	{ "and of the whole", 0, 50, "slow.example:80: not done within 50 ms" },
};

static void
late_row_holds(void **state)
{
	const struct late_row *row = *state;
	struct record r = { 0 };
	struct http_call call = { .method = STR("GET"),
				  .url = STR("http://slow.example/"),
				  .connect_ms = row->connect_ms,
				  .total_ms = row->total_ms };
	struct caller c;

	begin(&c);
	caller_send(&c, &r, &call);
	caller_wait(&c, &r);
	assert_int_equal(r.rc, ERR_TIMEOUT);
	assert_string_equal(r.err.text, row->text);
	let_all_go(1);
	record_release(&r);
	caller_release(&c);
}

static void
everything_ends_in_the_middle_of_a_lookup(void **state)
{
	struct record r = { 0 };
	struct http_call call = { .method = STR("GET"), .url = STR("http://slow.example/") };
	struct caller c;

	(void)state;
	begin(&c);
	caller_send(&c, &r, &call);
	wait_for_lookups(1);
	caller_release(&c); /* does not wait */
	let_all_go(1);
	assert_int_equal(r.dones, 0);
	record_release(&r);
}

/* Twenty names that others chose hang in the resolver: the operator's are found all the same. */
static void
foreign_names_hold_up_nobody(void **state)
{
	enum { HANGING = 20 };
	struct probe server;
	struct record hanging[HANGING] = { 0 };
	struct record r = { 0 };
	struct http_call call = { .method = STR("GET") };
	struct caller c;

	(void)state;
	probe_init(&server);
	probe_start(&server);
	begin(&c);
	for (int i = 0; i < HANGING; i++)
		send_foreign(&c, &hanging[i], "http://slow.example/");
	wait_for_lookups(8);
	snprintf(c.url, sizeof c.url, "http://loopback.example:%d/x", server.port);
	call.url = str_of(c.url);
	caller_send(&c, &r, &call);
	caller_wait(&c, &r);
	assert_int_equal(r.rc, 0);
	for (int i = 0; i < HANGING; i++)
		http_exchange_cancel(&hanging[i].exchange);
	let_all_go(8);
	record_release(&r);
	caller_release(&c);
	probe_stop(&server);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, DENIED_ROWS, denied_row_holds);
	SUITE_TEST(&s, foreign_urls_get_no_unix_socket);
	SUITE_TEST(&s, the_operator_may_go_anywhere_others_to_public_places);
	SUITE_ROWS(&s, NAME_ROWS, name_row_holds);
	SUITE_TEST(&s, name_is_looked_up_here_once_a_call);
	SUITE_TEST(&s, localhost_is_found);
	SUITE_TEST(&s, slow_lookup_is_cancelled);
	SUITE_ROWS(&s, LATE_ROWS, late_row_holds);
	SUITE_TEST(&s, everything_ends_in_the_middle_of_a_lookup);
	SUITE_TEST(&s, foreign_names_hold_up_nobody);
	return suite_run(&s, "net/egress");
}
