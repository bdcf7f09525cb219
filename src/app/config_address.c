#include "app/config_address.h"

#include <arpa/inet.h>
#include <sys/un.h>

enum { PORT_MAX = 65535, HOST_MAX = 253 };
static const struct str UNIX_PREFIX = { "unix:", 5 };

static bool
is_host_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '-' || c == '.' || c == '_';
}

static bool
is_host_name(struct str s)
{
	if (s.len == 0 || s.len > HOST_MAX || s.ptr[0] == '.' || s.ptr[0] == '-')
		return false;
	for (size_t i = 0; i < s.len; i++)
		if (!is_host_char(s.ptr[i]) || (s.ptr[i] == '.' && i > 0 && s.ptr[i - 1] == '.'))
			return false;
	return true;
}

/* family AF_INET or AF_INET6; bytes: 4 or 16. */
static bool
parse_ip(int family, struct str s, unsigned char *bytes)
{
	char text[INET6_ADDRSTRLEN];

	if (s.len == 0 || s.len >= sizeof text)
		return false;
	memcpy(text, s.ptr, s.len);
	text[s.len] = '\0';
	return inet_pton(family, text, bytes) == 1;
}

static bool
parse_port(struct str s, int least, int *out)
{
	int64_t port;

	if (s.len == 0 || s.len > 5 || s.ptr[0] < '0' || s.ptr[0] > '9' || !str_to_int(s, &port) ||
	    port < least || port > PORT_MAX)
		return false;
	*out = (int)port;
	return true;
}

/* "host:port", "[v6]:port"; without a port it is -1. False: neither. */
static bool
split(struct str s, struct str *host, int *port, bool *bracketed)
{
	struct str rest;

	*port = -1;
	*bracketed = s.len > 0 && s.ptr[0] == '[';
	if (*bracketed) {
		if (!str_cut(str_slice(s, 1, s.len), ']', host, &rest))
			return false;
		if (rest.len == 0)
			return true;
		return rest.ptr[0] == ':' && parse_port(str_slice(rest, 1, rest.len), 0, port);
	}
	if (!str_cut(s, ':', host, &rest))
		return true;
	return parse_port(rest, 0, port);
}

static int
parse_unix(struct str text, struct arena *a, struct config_listen *out, struct err *e)
{
	struct str path = str_slice(text, UNIX_PREFIX.len, text.len);

	if (path.len == 0)
		return err_set(e, ERR_INVALID, "unix: needs a path behind it");
	if (path.len >= sizeof((struct sockaddr_un *)NULL)->sun_path)
		return err_set(e, ERR_INVALID, "a socket's path has at most %zu bytes, not %zu",
			       sizeof((struct sockaddr_un *)NULL)->sun_path - 1, path.len);
	*out = (struct config_listen){
		.text = arena_str(a, text),
		.path = arena_str(a, path),
		.loopback = true,
	};
	return 0;
}

static int
fail_listen(struct str text, struct err *e)
{
	char shown[CONFIG_SHOWN_MAX];

	return err_set(e, ERR_INVALID,
		       "must be ADDRESS:PORT (127.0.0.1:7340, [::1]:7340) or unix:PATH, not '%s'",
		       config_problem_quote(text, shown));
}

int
config_address_parse(struct str text, struct arena *a, struct config_listen *out, struct err *e)
{
	static const unsigned char V6_LOOPBACK[16] = { [15] = 1 };
	unsigned char bytes[16];
	struct str host;
	bool bracketed, loopback;
	int port;

	if (str_starts(text, UNIX_PREFIX))
		return parse_unix(text, a, out, e);
	if (!split(text, &host, &port, &bracketed) || port < 0)
		return fail_listen(text, e);
	if (!bracketed && str_eq(host, STR("localhost")))
		host = STR("127.0.0.1");
	if (!parse_ip(bracketed ? AF_INET6 : AF_INET, host, bytes))
		return fail_listen(text, e);
	loopback = bracketed ? memcmp(bytes, V6_LOOPBACK, sizeof bytes) == 0 : bytes[0] == 127;
	*out = (struct config_listen){
		.text = arena_str(a, text),
		.host = arena_str(a, host),
		.port = port,
		.loopback = loopback,
	};
	return 0;
}

int
config_address_check_listen(struct str text, struct err *e)
{
	struct config_listen unused;
	struct arena a;
	int rc;

	arena_init(&a);
	rc = config_address_parse(text, &a, &unused, e);
	arena_release(&a);
	return rc;
}

static bool
is_host(struct str host, bool bracketed)
{
	unsigned char bytes[16];

	return bracketed ? parse_ip(AF_INET6, host, bytes) : is_host_name(host);
}

int
config_address_check_host(struct str text, struct err *e)
{
	char shown[CONFIG_SHOWN_MAX];
	struct str host;
	bool bracketed;
	int port;

	if (split(text, &host, &port, &bracketed) && port < 0 && is_host(host, bracketed))
		return 0;
	return err_set(e, ERR_INVALID,
		       "must be a host name or address without port (example.org), not '%s'",
		       config_problem_quote(text, shown));
}

/* Behind "http://" or "https://"; false when it begins otherwise. */
static bool
cut_scheme(struct str text, struct str *rest)
{
	static const struct str SCHEMES[] = { { "http://", 7 }, { "https://", 8 } };

	for (size_t i = 0; i < ARRAY_LEN(SCHEMES); i++) {
		if (!str_eq_nocase(str_slice(text, 0, SCHEMES[i].len), SCHEMES[i]))
			continue;
		*rest = str_slice(text, SCHEMES[i].len, text.len);
		return true;
	}
	return false;
}

int
config_address_check_origin(struct str text, struct err *e)
{
	char shown[CONFIG_SHOWN_MAX];
	struct str rest, host;
	bool bracketed;
	int port;

	if (str_eq(text, STR("*")))
		return err_set(e, ERR_INVALID,
			       "'*' would let every web page talk to the server; name the origins");
	if (cut_scheme(text, &rest) && split(rest, &host, &port, &bracketed) && port != 0 &&
	    is_host(host, bracketed))
		return 0;
	return err_set(e, ERR_INVALID,
		       "must be an origin like https://example.org:8443, without a path, not '%s'",
		       config_problem_quote(text, shown));
}

static bool
is_url_path(struct str path)
{
	for (size_t i = 0; i < path.len; i++) {
		unsigned char c = (unsigned char)path.ptr[i];
		if (c <= 0x20 || c >= 0x7f || c == '?' || c == '#')
			return false;
	}
	return true;
}

int
config_address_check_url(struct str text, struct err *e)
{
	struct str rest, authority, path, host;
	bool bracketed;
	int port;

	if (!cut_scheme(text, &rest))
		return err_set(e, ERR_INVALID,
			       "must be a URL that begins with https:// or http://");
	str_cut(rest, '/', &authority, &path);
	if (str_contains(authority, STR("@")))
		return err_set(e, ERR_INVALID,
			       "must not hold a user or password; keys go to api_key_env or "
			       "api_key_file");
	if (!split(authority, &host, &port, &bracketed) || port == 0 || !is_host(host, bracketed))
		return err_set(e, ERR_INVALID, "its host or port is not one");
	if (!is_url_path(path))
		return err_set(e, ERR_INVALID,
			       "must be a plain path behind the host: no '?', '#' or blank");
	return 0;
}
