#include "net/net_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

enum { V4_BYTES = 4, V6_BYTES = 16, V4_PARTS_MAX = 4 };

struct range {
	uint8_t bytes[V6_BYTES];
	unsigned bits;
	enum net_address_kind kind;
};

/* The first that contains the address; in none of them: public. */
static const struct range V4_RANGES[] = {
	{ { 168, 63, 129, 16 }, 32, NET_ADDRESS_METADATA },   /* Azure */
	{ { 169, 254, 169, 254 }, 32, NET_ADDRESS_METADATA }, /* AWS, Google, Azure and others */
	{ { 169, 254, 170, 2 }, 32, NET_ADDRESS_METADATA },   /* AWS containers */
	{ { 100, 100, 100, 200 }, 32, NET_ADDRESS_METADATA }, /* Alibaba */
	{ { 192, 0, 0, 192 }, 32, NET_ADDRESS_METADATA },     /* Oracle */
	{ { 0 }, 8, NET_ADDRESS_UNSPECIFIED },
	{ { 10 }, 8, NET_ADDRESS_PRIVATE },
	{ { 100, 64 }, 10, NET_ADDRESS_SHARED },
	{ { 127 }, 8, NET_ADDRESS_LOOPBACK },
	{ { 169, 254 }, 16, NET_ADDRESS_LINK_LOCAL },
	{ { 172, 16 }, 12, NET_ADDRESS_PRIVATE },
	{ { 192, 0, 0 }, 24, NET_ADDRESS_RESERVED },   /* protocol assignments */
	{ { 192, 0, 2 }, 24, NET_ADDRESS_RESERVED },   /* documentation */
	{ { 192, 88, 99 }, 24, NET_ADDRESS_RESERVED }, /* relays of 6to4, gone */
	{ { 192, 168 }, 16, NET_ADDRESS_PRIVATE },
	{ { 198, 18 }, 15, NET_ADDRESS_RESERVED },      /* benchmarks */
	{ { 198, 51, 100 }, 24, NET_ADDRESS_RESERVED }, /* documentation */
	{ { 203, 0, 113 }, 24, NET_ADDRESS_RESERVED },  /* documentation */
	{ { 224 }, 4, NET_ADDRESS_MULTICAST },
	{ { 240 }, 4, NET_ADDRESS_RESERVED }, /* and broadcast */
};

/* Likewise; only 2000::/3 is handed out, so the last row is for all the rest. */
static const struct range V6_RANGES[] = {
	{ { 0xfd, 0, 0x0e, 0xc2, [15] = 0 }, 32, NET_ADDRESS_METADATA }, /* AWS: fd00:ec2:: */
	{ { 0xfd, 0x20, 0, 0xce, [15] = 0 }, 32, NET_ADDRESS_METADATA }, /* Google: fd20:ce:: */
	{ { [15] = 0 }, 128, NET_ADDRESS_UNSPECIFIED },
	{ { [15] = 1 }, 128, NET_ADDRESS_LOOPBACK },
	{ { [10] = 0xff, 0xff }, 96, NET_ADDRESS_EMBEDDED },          /* mapped */
	{ { [8] = 0xff, 0xff, [15] = 0 }, 96, NET_ADDRESS_EMBEDDED }, /* translated */
	{ { [15] = 0 }, 96, NET_ADDRESS_EMBEDDED },                   /* compatible */
	{ { 0, 0x64, 0xff, 0x9b }, 96, NET_ADDRESS_EMBEDDED },        /* NAT64 */
	{ { 0, 0x64, 0xff, 0x9b, 0, 1 }, 48, NET_ADDRESS_EMBEDDED },  /* NAT64, local */
	{ { 0x20, 0x02 }, 16, NET_ADDRESS_EMBEDDED },                 /* 6to4 */
	{ { 0x20, 0x01, 0, 0 }, 32, NET_ADDRESS_EMBEDDED },           /* Teredo */
	{ { 0x20, 0x01 }, 23, NET_ADDRESS_RESERVED },                 /* protocol assignments */
	{ { 0x20, 0x01, 0x0d, 0xb8 }, 32, NET_ADDRESS_RESERVED },     /* documentation */
	{ { 0x3f, 0xff }, 20, NET_ADDRESS_RESERVED },                 /* documentation */
	{ { 0xfc }, 7, NET_ADDRESS_PRIVATE },
	{ { 0xfe, 0x80 }, 10, NET_ADDRESS_LINK_LOCAL },
	{ { 0xfe, 0xc0 }, 10, NET_ADDRESS_PRIVATE },
	{ { 0xff }, 8, NET_ADDRESS_MULTICAST },
	{ { 0x20 }, 3, NET_ADDRESS_PUBLIC },
	{ { 0 }, 0, NET_ADDRESS_RESERVED },
};

static bool
contains(const struct range *r, const uint8_t *bytes)
{
	unsigned whole = r->bits / 8, rest = r->bits % 8;

	if (memcmp(r->bytes, bytes, whole) != 0)
		return false;
	return rest == 0 || (r->bytes[whole] ^ bytes[whole]) >> (8 - rest) == 0;
}

enum net_address_kind
net_address_kind(const struct net_address *a)
{
	const struct range *ranges = a->v6 ? V6_RANGES : V4_RANGES;
	size_t count = a->v6 ? ARRAY_LEN(V6_RANGES) : ARRAY_LEN(V4_RANGES);

	for (size_t i = 0; i < count; i++)
		if (contains(&ranges[i], a->bytes))
			return ranges[i].kind;
	return NET_ADDRESS_PUBLIC;
}

const char *
net_address_kind_name(enum net_address_kind kind)
{
	switch (kind) {
	case NET_ADDRESS_PUBLIC: return "a public address";
	case NET_ADDRESS_LOOPBACK: return "an address of this machine itself";
	case NET_ADDRESS_PRIVATE: return "a private address";
	case NET_ADDRESS_LINK_LOCAL: return "a link-local address";
	case NET_ADDRESS_SHARED: return "an address of a carrier's inner network";
	case NET_ADDRESS_METADATA: return "the address of a cloud's metadata service";
	case NET_ADDRESS_MULTICAST: return "a multicast address";
	case NET_ADDRESS_UNSPECIFIED: return "an unspecified address";
	case NET_ADDRESS_EMBEDDED: return "an IPv4 address within an IPv6 address";
	case NET_ADDRESS_RESERVED: break;
	}
	return "a reserved address";
}

/* --- spellings --- */

static int
digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

/* 10, 0xa or 012; "0x" alone is zero to some resolvers. */
static bool
parse_number(struct str text, uint64_t *out)
{
	uint64_t value = 0;
	int base = 10;

	if (text.len == 0)
		return false;
	if (text.len > 1 && text.ptr[0] == '0') {
		bool hex = (text.ptr[1] | 0x20) == 'x';
		base = hex ? 16 : 8;
		text = str_slice(text, hex ? 2 : 1, text.len);
	}
	for (size_t i = 0; i < text.len; i++) {
		int digit = digit_value(text.ptr[i]);
		if (digit >= base)
			return false;
		if (value <= UINT32_MAX) /* larger is out of range however it goes on */
			value = value * (unsigned)base + (unsigned)digit;
	}
	*out = value;
	return true;
}

static bool
is_all_digits(struct str text)
{
	for (size_t i = 0; i < text.len; i++)
		if (text.ptr[i] < '0' || text.ptr[i] > '9')
			return false;
	return text.len > 0;
}

static bool
ends_in_number(struct str host)
{
	size_t at = host.len;
	uint64_t value;

	while (at > 0 && host.ptr[at - 1] != '.')
		at--;
	host = str_slice(host, at, host.len);
	return is_all_digits(host) || parse_number(host, &value);
}

enum net_address_spelling
net_address_parse_v4(struct str host, struct net_address *out)
{
	uint64_t parts[V4_PARTS_MAX] = { 0 }, last;
	uint32_t value = 0;
	size_t count = 0;
	bool more = true;

	if (host.len > 1 && host.ptr[host.len - 1] == '.')
		host.len--;
	if (!ends_in_number(host))
		return NET_ADDRESS_IS_NAME;
	while (more) {
		struct str part;
		more = str_cut(host, '.', &part, &host);
		if (count == V4_PARTS_MAX || !parse_number(part, &parts[count++]))
			return NET_ADDRESS_IS_BROKEN;
	}
	last = parts[count - 1]; /* it fills all bytes that the others leave */
	for (size_t i = 0; i + 1 < count; i++) {
		if (parts[i] > UINT8_MAX)
			return NET_ADDRESS_IS_BROKEN;
		value |= (uint32_t)parts[i] << (24 - 8 * i);
	}
	if (last >> (32 - 8 * (count - 1)) != 0)
		return NET_ADDRESS_IS_BROKEN;
	value |= (uint32_t)last;
	*out = (struct net_address){ .v6 = false };
	for (unsigned i = 0; i < V4_BYTES; i++)
		out->bytes[i] = (uint8_t)(value >> (24 - 8 * i));
	return NET_ADDRESS_IS_V4;
}

bool
net_address_parse_v6(struct str text, struct net_address *out)
{
	struct net_address parsed = { .v6 = true };
	char copy[INET6_ADDRSTRLEN];

	if (text.len == 0 || text.len >= sizeof copy || memchr(text.ptr, '\0', text.len))
		return false;
	memcpy(copy, text.ptr, text.len);
	copy[text.len] = '\0';
	if (inet_pton(AF_INET6, copy, parsed.bytes) != 1)
		return false;
	*out = parsed;
	return true;
}

struct str
net_address_format(const struct net_address *a, char text[NET_ADDRESS_TEXT])
{
	return str_of(inet_ntop(a->v6 ? AF_INET6 : AF_INET, a->bytes, text, NET_ADDRESS_TEXT));
}

bool
net_address_of_socket(const struct sockaddr *sa, struct net_address *out)
{
	*out = (struct net_address){ .v6 = sa->sa_family == AF_INET6 };
	if (sa->sa_family == AF_INET) {
		struct sockaddr_in in;
		memcpy(&in, sa, sizeof in);
		memcpy(out->bytes, &in.sin_addr, V4_BYTES);
	} else if (sa->sa_family == AF_INET6) {
		struct sockaddr_in6 in6;
		memcpy(&in6, sa, sizeof in6);
		memcpy(out->bytes, &in6.sin6_addr, V6_BYTES);
	} else {
		return false;
	}
	return true;
}
