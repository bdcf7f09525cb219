#include "net/net_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/rand.h"
#include "harness.h"

static const struct kind_row {
	const char *name; /* the address itself */
	enum net_address_kind want;
} KIND_ROWS[] = {
	{ "1.1.1.1", NET_ADDRESS_PUBLIC },
	{ "8.8.8.8", NET_ADDRESS_PUBLIC },
	{ "223.255.255.255", NET_ADDRESS_PUBLIC },
	{ "0.0.0.0", NET_ADDRESS_UNSPECIFIED },
	{ "0.255.255.255", NET_ADDRESS_UNSPECIFIED },
	{ "1.0.0.0", NET_ADDRESS_PUBLIC },
	{ "9.255.255.255", NET_ADDRESS_PUBLIC },
	{ "10.0.0.0", NET_ADDRESS_PRIVATE },
	{ "10.255.255.255", NET_ADDRESS_PRIVATE },
	{ "11.0.0.0", NET_ADDRESS_PUBLIC },
	{ "100.63.255.255", NET_ADDRESS_PUBLIC },
	{ "100.64.0.0", NET_ADDRESS_SHARED },
	{ "100.100.100.200", NET_ADDRESS_METADATA },
	{ "100.127.255.255", NET_ADDRESS_SHARED },
	{ "100.128.0.0", NET_ADDRESS_PUBLIC },
	{ "126.255.255.255", NET_ADDRESS_PUBLIC },
	{ "127.0.0.0", NET_ADDRESS_LOOPBACK },
	{ "127.0.0.1", NET_ADDRESS_LOOPBACK },
	{ "127.255.255.255", NET_ADDRESS_LOOPBACK },
	{ "128.0.0.0", NET_ADDRESS_PUBLIC },
	{ "168.63.129.16", NET_ADDRESS_METADATA },
	{ "168.63.129.17", NET_ADDRESS_PUBLIC },
	{ "169.253.255.255", NET_ADDRESS_PUBLIC },
	{ "169.254.0.0", NET_ADDRESS_LINK_LOCAL },
	{ "169.254.169.254", NET_ADDRESS_METADATA },
	{ "169.254.170.2", NET_ADDRESS_METADATA },
	{ "169.254.255.255", NET_ADDRESS_LINK_LOCAL },
	{ "169.255.0.0", NET_ADDRESS_PUBLIC },
	{ "172.15.255.255", NET_ADDRESS_PUBLIC },
	{ "172.16.0.0", NET_ADDRESS_PRIVATE },
	{ "172.31.255.255", NET_ADDRESS_PRIVATE },
	{ "172.32.0.0", NET_ADDRESS_PUBLIC },
	{ "192.0.0.1", NET_ADDRESS_RESERVED },
	{ "192.0.0.192", NET_ADDRESS_METADATA },
	{ "192.0.1.0", NET_ADDRESS_PUBLIC },
	{ "192.0.2.1", NET_ADDRESS_RESERVED },
	{ "192.0.3.0", NET_ADDRESS_PUBLIC },
	{ "192.88.99.1", NET_ADDRESS_RESERVED },
	{ "192.167.255.255", NET_ADDRESS_PUBLIC },
	{ "192.168.0.0", NET_ADDRESS_PRIVATE },
	{ "192.168.255.255", NET_ADDRESS_PRIVATE },
	{ "192.169.0.0", NET_ADDRESS_PUBLIC },
	{ "198.17.255.255", NET_ADDRESS_PUBLIC },
	{ "198.18.0.0", NET_ADDRESS_RESERVED },
	{ "198.19.255.255", NET_ADDRESS_RESERVED },
	{ "198.20.0.0", NET_ADDRESS_PUBLIC },
	{ "198.51.100.7", NET_ADDRESS_RESERVED },
	{ "203.0.113.7", NET_ADDRESS_RESERVED },
	{ "224.0.0.1", NET_ADDRESS_MULTICAST },
	{ "239.255.255.255", NET_ADDRESS_MULTICAST },
	{ "240.0.0.0", NET_ADDRESS_RESERVED },
	{ "255.255.255.255", NET_ADDRESS_RESERVED },
	{ "::", NET_ADDRESS_UNSPECIFIED },
	{ "::1", NET_ADDRESS_LOOPBACK },
	{ "::2", NET_ADDRESS_EMBEDDED },
	{ "::127.0.0.1", NET_ADDRESS_EMBEDDED },
	{ "::ffff:127.0.0.1", NET_ADDRESS_EMBEDDED },
	{ "::ffff:8.8.8.8", NET_ADDRESS_EMBEDDED },
	{ "::ffff:7f00:1", NET_ADDRESS_EMBEDDED },
	{ "::ffff:0:127.0.0.1", NET_ADDRESS_EMBEDDED },
	{ "::1:0:0:0:1", NET_ADDRESS_RESERVED },
	{ "64:ff9b::7f00:1", NET_ADDRESS_EMBEDDED },
	{ "64:ff9b::808:808", NET_ADDRESS_EMBEDDED },
	{ "64:ff9b:1::a00:1", NET_ADDRESS_EMBEDDED },
	{ "64:ff9b:2::1", NET_ADDRESS_RESERVED },
	{ "100::1", NET_ADDRESS_RESERVED },
	{ "1fff:ffff::", NET_ADDRESS_RESERVED },
	{ "2000::1", NET_ADDRESS_PUBLIC },
	{ "2001::1", NET_ADDRESS_EMBEDDED },
	{ "2001:0:7f00:1::", NET_ADDRESS_EMBEDDED },
	{ "2001:20::1", NET_ADDRESS_RESERVED },
	{ "2001:1ff:ffff::", NET_ADDRESS_RESERVED },
	{ "2001:200::1", NET_ADDRESS_PUBLIC },
	{ "2001:db8::1", NET_ADDRESS_RESERVED },
	{ "2001:4860:4860::8888", NET_ADDRESS_PUBLIC },
	{ "2002:7f00:1::", NET_ADDRESS_EMBEDDED },
	{ "2002:808:808::1", NET_ADDRESS_EMBEDDED },
	{ "2606:4700::1111", NET_ADDRESS_PUBLIC },
	{ "3fff:0:1::", NET_ADDRESS_RESERVED },
	{ "3fff:1000::", NET_ADDRESS_PUBLIC },
	{ "4000::1", NET_ADDRESS_RESERVED },
	{ "5f00::1", NET_ADDRESS_RESERVED },
	{ "fbff::1", NET_ADDRESS_RESERVED },
	{ "fc00::1", NET_ADDRESS_PRIVATE },
	{ "fd00:ec2::254", NET_ADDRESS_METADATA },
	{ "fd20:ce::254", NET_ADDRESS_METADATA },
	{ "fdff:ffff::1", NET_ADDRESS_PRIVATE },
	{ "fe00::1", NET_ADDRESS_RESERVED },
	{ "fe80::1", NET_ADDRESS_LINK_LOCAL },
	{ "febf:ffff::1", NET_ADDRESS_LINK_LOCAL },
	{ "fec0::1", NET_ADDRESS_PRIVATE },
	{ "ff02::1", NET_ADDRESS_MULTICAST },
	{ "ffff::1", NET_ADDRESS_MULTICAST },
};

static void
kind_row_holds(void **state)
{
	const struct kind_row *row = *state;
	struct str text = str_of(row->name);
	struct net_address a;
	char again[NET_ADDRESS_TEXT];

	if (str_contains(text, STR(":")))
		assert_true(net_address_parse_v6(text, &a));
	else
		assert_int_equal(net_address_parse_v4(text, &a), NET_ADDRESS_IS_V4);
	assert_int_equal(net_address_kind(&a), row->want);
	if (row->want != NET_ADDRESS_EMBEDDED)
		check_str("canonical form", net_address_format(&a, again), text);
	assert_true(strlen(net_address_kind_name(row->want)) > 10);
}

static const struct spelling_row {
	const char *name; /* the host */
	enum net_address_spelling want;
	const char *address;
} SPELLING_ROWS[] = {
	{ "127.0.0.1", NET_ADDRESS_IS_V4, "127.0.0.1" },
	{ "127.0.0.1.", NET_ADDRESS_IS_V4, "127.0.0.1" },
	{ "127.1", NET_ADDRESS_IS_V4, "127.0.0.1" },
	{ "127.0.1", NET_ADDRESS_IS_V4, "127.0.0.1" },
	{ "127.65535", NET_ADDRESS_IS_V4, "127.0.255.255" },
	{ "1.2.65535", NET_ADDRESS_IS_V4, "1.2.255.255" },
	{ "2130706433", NET_ADDRESS_IS_V4, "127.0.0.1" },
	{ "2130706433.", NET_ADDRESS_IS_V4, "127.0.0.1" },
	{ "4294967295", NET_ADDRESS_IS_V4, "255.255.255.255" },
	{ "017700000001", NET_ADDRESS_IS_V4, "127.0.0.1" },
	{ "0x7f000001", NET_ADDRESS_IS_V4, "127.0.0.1" },
	{ "0X7F000001", NET_ADDRESS_IS_V4, "127.0.0.1" },
	{ "0x7f.0.0.1", NET_ADDRESS_IS_V4, "127.0.0.1" },
	{ "0x7f.1", NET_ADDRESS_IS_V4, "127.0.0.1" },
	{ "0177.0.0.1", NET_ADDRESS_IS_V4, "127.0.0.1" },
	{ "0000177.0.0.01", NET_ADDRESS_IS_V4, "127.0.0.1" },
	{ "0xa9.0xfe.0xa9.0xfe", NET_ADDRESS_IS_V4, "169.254.169.254" },
	{ "0", NET_ADDRESS_IS_V4, "0.0.0.0" },
	{ "0x", NET_ADDRESS_IS_V4, "0.0.0.0" },
	{ "0x0.0x", NET_ADDRESS_IS_V4, "0.0.0.0" },
	{ "4294967296", NET_ADDRESS_IS_BROKEN, NULL },
	{ "99999999999999999999999999", NET_ADDRESS_IS_BROKEN, NULL },
	{ "256.0.0.1", NET_ADDRESS_IS_BROKEN, NULL },
	{ "1.2.3.256", NET_ADDRESS_IS_BROKEN, NULL },
	{ "1.2.65536", NET_ADDRESS_IS_BROKEN, NULL },
	{ "1.16777216", NET_ADDRESS_IS_BROKEN, NULL },
	{ "1.2.3.4.5", NET_ADDRESS_IS_BROKEN, NULL },
	{ "1..2", NET_ADDRESS_IS_BROKEN, NULL },
	{ "08", NET_ADDRESS_IS_BROKEN, NULL },
	{ "127.0.0.09", NET_ADDRESS_IS_BROKEN, NULL },
	{ "example.1", NET_ADDRESS_IS_BROKEN, NULL },
	{ "0x7g.1", NET_ADDRESS_IS_BROKEN, NULL },
	{ "a.0x1f", NET_ADDRESS_IS_BROKEN, NULL },
	{ "example.com", NET_ADDRESS_IS_NAME, NULL },
	{ "localhost", NET_ADDRESS_IS_NAME, NULL },
	{ "1.2.3.4.example", NET_ADDRESS_IS_NAME, NULL },
	{ "1a", NET_ADDRESS_IS_NAME, NULL },
	{ "0xg", NET_ADDRESS_IS_NAME, NULL },
	{ "x1", NET_ADDRESS_IS_NAME, NULL },
	{ "", NET_ADDRESS_IS_NAME, NULL },
	{ ".", NET_ADDRESS_IS_NAME, NULL },
};

static void
spelling_row_holds(void **state)
{
	const struct spelling_row *row = *state;
	struct net_address a;
	char text[NET_ADDRESS_TEXT];

	assert_int_equal(net_address_parse_v4(str_of(row->name), &a), row->want);
	if (row->address)
		check_str("address", net_address_format(&a, text), str_of(row->address));
}

static const struct v6_row {
	const char *name; /* the text */
	const char *want; /* NULL: refused */
} V6_ROWS[] = {
	{ "::1", "::1" },
	{ "0:0:0:0:0:0:0:1", "::1" },
	{ "::FFFF:127.0.0.1", "::ffff:127.0.0.1" },
	{ "::ffff:7f00:1", "::ffff:127.0.0.1" },
	{ "fe80::1%eth0", NULL },
	{ "fe80::1%25eth0", NULL },
	{ "127.0.0.1", NULL },
	{ "::ffff:127.1", NULL },
	{ "::ffff:0x7f.0.0.1", NULL },
	{ "1:2:3:4:5:6:7", NULL },
	{ ":::", NULL },
	{ "", NULL },
	{ "0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0001", NULL },
};

static void
v6_row_holds(void **state)
{
	const struct v6_row *row = *state;
	struct net_address a;
	char text[NET_ADDRESS_TEXT];

	assert_int_equal(net_address_parse_v6(str_of(row->name), &a), row->want != NULL);
	if (row->want)
		check_str("address", net_address_format(&a, text), str_of(row->want));
}

/* Whatever the system's own reader takes for an IPv4 address, we take for the same one. */
static void
agrees_with_inet_aton(void **state)
{
	uint64_t seeds = suite_seeds(20000);

	(void)state;
	for (uint64_t seed = 0; seed < seeds; seed++) {
		static const char BYTES[] = "0011278xXf..";
		char text[24] = "", again[NET_ADDRESS_TEXT];
		struct net_address a;
		struct in_addr theirs;
		struct rand r;
		size_t len;

		rand_init_seed(&r, seed);
		len = 1 + (size_t)rand_below(&r, sizeof text - 2);
		for (size_t i = 0; i < len; i++)
			text[i] = BYTES[rand_below(&r, sizeof BYTES - 1)];
		if (inet_aton(text, &theirs) != 1)
			continue;
		if (net_address_parse_v4(str_of(text), &a) != NET_ADDRESS_IS_V4 ||
		    memcmp(&theirs, a.bytes, 4) != 0)
			fail_msg("seed %llu: %s", (unsigned long long)seed, text);
		net_address_format(&a, again);
	}
}

static void
sockets_have_addresses(void **state)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_addr = { htonl(0x7f000001) } };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	struct net_address a;
	char text[NET_ADDRESS_TEXT];

	(void)state;
	assert_true(net_address_of_socket((struct sockaddr *)&in, &a));
	check_str("IPv4", net_address_format(&a, text), STR("127.0.0.1"));
	assert_true(net_address_of_socket((struct sockaddr *)&in6, &a));
	check_str("IPv6", net_address_format(&a, text), STR("::1"));
	assert_false(net_address_of_socket((struct sockaddr *)&un, &a));
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, KIND_ROWS, kind_row_holds);
	SUITE_ROWS(&s, SPELLING_ROWS, spelling_row_holds);
	SUITE_ROWS(&s, V6_ROWS, v6_row_holds);
	SUITE_TEST(&s, agrees_with_inet_aton);
	SUITE_TEST(&s, sockets_have_addresses);
	return suite_run(&s, "net/net_address");
}
