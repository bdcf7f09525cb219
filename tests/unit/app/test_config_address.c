#include "app/config_address.h"

#include "harness.h"

#define NOT(text) "must be ADDRESS:PORT (127.0.0.1:7340, [::1]:7340) or unix:PATH, not '" text "'"

static const struct listen_row {
	const char *name, *text, *host, *path;
	int port;
	bool loopback;
	const char *refused;
} LISTENS[] = {
	{ "L2 an IPv4 address", "127.0.0.1:7340", "127.0.0.1", "", 7340, true, NULL },
	{ "L2 any of 127/8 is loopback", "127.9.9.9:1", "127.9.9.9", "", 1, true, NULL },
	{ "L2 every IPv4 address", "0.0.0.0:65535", "0.0.0.0", "", 65535, false, NULL },
	{ "L2 an IPv6 address", "[::1]:7340", "::1", "", 7340, true, NULL },
	{ "L2 every IPv6 address", "[::]:80", "::", "", 80, false, NULL },
	{ "L2 a mapped loopback is not loopback for us", "[::ffff:127.0.0.1]:80",
	  "::ffff:127.0.0.1", "", 80, false, NULL },
	{ "L2 localhost by name", "localhost:80", "127.0.0.1", "", 80, true, NULL },
	{ "L2 any free port", "127.0.0.1:0", "127.0.0.1", "", 0, true, NULL },
	{ "L2 a Unix socket", "unix:/run/p.sock", "", "/run/p.sock", 0, true, NULL },
	{ "L2 no port", "127.0.0.1", "", "", 0, false, NOT("127.0.0.1") },
	{ "L2 no port in brackets", "[::1]", "", "", 0, false, NOT("[::1]") },
	{ "L2 a port too high", "127.0.0.1:65536", "", "", 0, false, NOT("127.0.0.1:65536") },
	{ "L2 a port with a sign", "127.0.0.1:+80", "", "", 0, false, NOT("127.0.0.1:+80") },
	{ "L2 a port alone", "7340", "", "", 0, false, NOT("7340") },
	{ "L2 a host name", "example.org:80", "", "", 0, false, NOT("example.org:80") },
	{ "L2 IPv6 without brackets", "::1:80", "", "", 0, false, NOT("::1:80") },
	{ "L2 IPv4 in brackets", "[127.0.0.1]:80", "", "", 0, false, NOT("[127.0.0.1]:80") },
	{ "L2 an open bracket", "[::1:80", "", "", 0, false, NOT("[::1:80") },
	{ "L2 something behind the bracket", "[::1]x80", "", "", 0, false, NOT("[::1]x80") },
	{ "L2 a socket without path", "unix:", "", "", 0, false, "unix: needs a path behind it" },
	{ "L2 a socket's path too long",
	  "unix:/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	  "aaaaaaaaaaaaaaaaaaaaaaaaaa",
	  "", "", 0, false, "a socket's path has at most 107 bytes, not 108" },
};

static void
listens(void **state)
{
	const struct listen_row *r = *state;
	struct config_listen got = { .port = -9 };
	struct arena a;
	struct err e;

	arena_init(&a);
	if (config_address_parse(str_of(r->text), &a, &got, &e) != 0) {
		check_str(r->name, str_of(e.text), str_of(r->refused));
		assert_int_equal(got.port, -9);
		assert_int_equal(config_address_check_listen(str_of(r->text), &e), ERR_INVALID);
	} else {
		assert_null(r->refused);
		check_str(r->name, got.host, str_of(r->host));
		check_str(r->name, got.path, str_of(r->path));
		check_str(r->name, got.text, str_of(r->text));
		assert_int_equal(got.port, r->port);
		assert_int_equal(got.loopback, r->loopback);
		assert_int_equal(config_address_check_listen(str_of(r->text), &e), 0);
	}
	arena_release(&a);
}

#define HOST_NOT(text) "must be a host name or address without port (example.org), not '" text "'"
#define ORIGIN_NOT(text) \
	"must be an origin like https://example.org:8443, without a path, not '" text "'"

static const struct text_row {
	const char *name;
	int (*check)(struct str text, struct err *e);
	const char *text, *refused;
} TEXTS[] = {
	{ "L2 a host", config_address_check_host, "Example.org", NULL },
	{ "L2 a host by address", config_address_check_host, "[::1]", NULL },
	{ "L2 a host with port", config_address_check_host, "a.org:80", HOST_NOT("a.org:80") },
	{ "L2 a host with a path", config_address_check_host, "a.org/x", HOST_NOT("a.org/x") },
	{ "L2 a host with an empty label", config_address_check_host, "a..b", HOST_NOT("a..b") },
	{ "L2 a host that begins with a dot", config_address_check_host, ".a", HOST_NOT(".a") },
	{ "L2 a host with a star", config_address_check_host, "*.a", HOST_NOT("*.a") },
	{ "L2 an origin", config_address_check_origin, "https://a.org", NULL },
	{ "L2 an origin with port", config_address_check_origin, "HTTP://localhost:3000", NULL },
	{ "L2 an origin by IPv6 address", config_address_check_origin, "http://[::1]:80", NULL },
	{ "L2 every origin", config_address_check_origin, "*",
	  "'*' would let every web page talk to the server; name the origins" },
	{ "L2 an origin without scheme", config_address_check_origin, "a.org",
	  ORIGIN_NOT("a.org") },
	{ "L2 an origin with a slash", config_address_check_origin, "https://a.org/",
	  ORIGIN_NOT("https://a.org/") },
	{ "L2 an origin of no host", config_address_check_origin, "https://",
	  ORIGIN_NOT("https://") },
	{ "L2 an origin on port 0", config_address_check_origin, "https://a:0",
	  ORIGIN_NOT("https://a:0") },
	{ "L2 a URL", config_address_check_url, "https://a.org:8443/v1/", NULL },
	{ "L2 a URL by address", config_address_check_url, "http://[fe80::1]/v1", NULL },
	{ "L2 a URL of another scheme", config_address_check_url, "ftp://a.org",
	  "must be a URL that begins with https:// or http://" },
	{ "P8 a password in a URL is not repeated", config_address_check_url,
	  "https://u:secret@a.org/",
	  "must not hold a user or password; keys go to api_key_env or api_key_file" },
	{ "P8 a URL with a query is not repeated", config_address_check_url, "https://a.org/?key=x",
	  "must be a plain path behind the host: no '?', '#' or blank" },
	{ "L2 a URL with a fragment", config_address_check_url, "https://a.org/#x",
	  "must be a plain path behind the host: no '?', '#' or blank" },
	{ "L2 a URL with a blank", config_address_check_url, "https://a.org/a b",
	  "must be a plain path behind the host: no '?', '#' or blank" },
	{ "L2 a URL of no host", config_address_check_url, "https:///v1",
	  "its host or port is not one" },
	{ "L2 a URL with a bad port", config_address_check_url, "https://a:x/v1",
	  "its host or port is not one" },
};

static void
texts(void **state)
{
	const struct text_row *r = *state;
	struct err e;

	if (r->check(str_of(r->text), &e) == 0)
		assert_null(r->refused);
	else
		check_str(r->name, str_of(e.text), str_of(r->refused));
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, LISTENS, listens);
	SUITE_ROWS(&s, TEXTS, texts);
	return suite_run(&s, "app/config_address");
}
