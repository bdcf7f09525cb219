/* net_address - an IP address: what does a text spell, and what kind of place is it?
 * Pure. The ranges are those of the IANA special-purpose registries; what is in none of them and
 * is handed out for use on the Internet is public, everything else is not. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/str.h"

struct sockaddr;

enum { NET_ADDRESS_TEXT = 48 };

struct net_address {
	bool v6;
	uint8_t bytes[16]; /* IPv4: the first four */
};

enum net_address_kind {
	NET_ADDRESS_PUBLIC,
	NET_ADDRESS_LOOPBACK,
	NET_ADDRESS_PRIVATE, /* RFC 1918, fc00::/7, fec0::/10 */
	NET_ADDRESS_LINK_LOCAL,
	NET_ADDRESS_SHARED,   /* 100.64.0.0/10: behind a carrier's NAT */
	NET_ADDRESS_METADATA, /* where clouds tell a machine its secrets */
	NET_ADDRESS_MULTICAST,
	NET_ADDRESS_UNSPECIFIED, /* 0.0.0.0/8, :: */
	NET_ADDRESS_EMBEDDED,    /* an IPv4 address in IPv6 clothes: mapped, NAT64, 6to4, Teredo */
	NET_ADDRESS_RESERVED     /* documentation, benchmarks, protocols, never handed out */
};

enum net_address_kind net_address_kind(const struct net_address *a);
/* "a private address": for sentences. */
const char *net_address_kind_name(enum net_address_kind kind);

/* Does this host name spell an IPv4 address? All spellings that some resolver takes for one are
 * recognised: 127.0.0.1, 127.1, 2130706433, 0x7f.1, 0177.0.0.1, with a dot at the end. */
enum net_address_spelling {
	NET_ADDRESS_IS_NAME,  /* the last label is no number: a name for the resolver */
	NET_ADDRESS_IS_V4,    /* *out is it */
	NET_ADDRESS_IS_BROKEN /* looks like numbers, is no address: never a name either */
};
enum net_address_spelling net_address_parse_v4(struct str host, struct net_address *out);
/* The text between the brackets of a URL; no zone. */
bool net_address_parse_v6(struct str text, struct net_address *out);
/* The one canonical spelling, without brackets. */
struct str net_address_format(const struct net_address *a, char text[NET_ADDRESS_TEXT]);

/* False for a socket address that is neither IPv4 nor IPv6. */
bool net_address_of_socket(const struct sockaddr *sa, struct net_address *out);
