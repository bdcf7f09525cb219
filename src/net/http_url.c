#include "net/http_url.h"

enum { PORT_HTTP = 80, PORT_HTTPS = 443, PORT_MAX = 65535 };

static int
check_bytes(struct str text, struct err *e)
{
	if (text.len > HTTP_URL_MAX)
		return err_set(e, ERR_INVALID, "the URL is longer than %d bytes", HTTP_URL_MAX);
	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char)text.ptr[i];
		if (c <= ' ' || c >= 0x7f || c == '\\')
			return err_set(e, ERR_INVALID,
				       "the URL has a blank, backslash, control or non-ASCII "
				       "byte at %zu; percent-encode it",
				       i);
	}
	return 0;
}

static int
take_scheme(struct str *text, bool *tls, struct err *e)
{
	struct str scheme, rest;

	if (str_cut(*text, ':', &scheme, &rest) && str_starts(rest, STR("//"))) {
		*tls = str_eq_nocase(scheme, STR("https"));
		if (*tls || str_eq_nocase(scheme, STR("http"))) {
			*text = str_slice(rest, 2, rest.len);
			return 0;
		}
	}
	return err_set(e, ERR_INVALID, "the URL must begin with http:// or https://");
}

static struct str
take_authority(struct str *text)
{
	size_t end = 0;
	struct str authority;

	while (end < text->len && !memchr("/?#", text->ptr[end], 3))
		end++;
	authority = str_slice(*text, 0, end);
	*text = str_slice(*text, end, text->len);
	return authority;
}

static int
take_port(struct str digits, int *out, struct err *e)
{
	int64_t port;

	if (digits.len == 0 || digits.len > 5 || digits.ptr[0] == '+' ||
	    !str_to_int(digits, &port) || port < 1 || port > PORT_MAX)
		return err_set(e, ERR_INVALID, "the port of the URL is not in 1..%d", PORT_MAX);
	*out = (int)port;
	return 0;
}

/* Letters, digits, '-', '_' and single dots: what resolvers and certificates agree on. */
static bool
is_name(struct str host)
{
	for (size_t i = 0; i < host.len; i++) {
		char c = host.ptr[i];
		bool plain =
			(c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
		if (!plain && !(c == '.' && i > 0 && host.ptr[i - 1] != '.'))
			return false;
	}
	return host.len > 0 && host.len <= HTTP_URL_HOST_MAX;
}

static int
take_name_or_v4(struct arena *a, struct str host, struct http_url *out, struct err *e)
{
	out->host = arena_lower(a, host);
	if (!is_name(out->host))
		return err_set(e, ERR_INVALID,
			       "the host of the URL must be letters, digits, '-', '_' and dots; an "
			       "international name in its xn-- form");
	switch (net_address_parse_v4(out->host, &out->address)) {
	case NET_ADDRESS_IS_BROKEN:
		return err_set(e, ERR_INVALID,
			       "the host of the URL looks like an IPv4 address but is none");
	case NET_ADDRESS_IS_V4: out->is_address = true; break;
	case NET_ADDRESS_IS_NAME: break;
	}
	return 0;
}

static int
take_v6(struct str *authority, struct http_url *out, struct err *e)
{
	struct str text;

	if (!str_cut(str_slice(*authority, 1, authority->len), ']', &text, authority) ||
	    !net_address_parse_v6(text, &out->address))
		return err_set(e, ERR_INVALID,
			       "the host of the URL is in brackets but no IPv6 address (a zone is "
			       "not taken)");
	out->is_address = true;
	return 0;
}

static int
take_host(struct arena *a, struct str authority, struct http_url *out, struct err *e)
{
	struct str host = authority;
	bool in_brackets = authority.len > 0 && authority.ptr[0] == '[';
	int rc;

	if (authority.len > 0 && memchr(authority.ptr, '@', authority.len))
		return err_set(e, ERR_INVALID, "the URL must not contain a user name or password");
	if (in_brackets) {
		rc = take_v6(&authority, out, e);
		if (rc == 0 && authority.len > 0 && authority.ptr[0] != ':')
			rc = err_set(e, ERR_INVALID, "the URL goes on after the ']' of its host");
	} else {
		size_t colon = 0;
		while (colon < authority.len && authority.ptr[colon] != ':')
			colon++;
		host = str_slice(authority, 0, colon);
		authority = str_slice(authority, colon, authority.len);
		rc = take_name_or_v4(a, host, out, e);
	}
	if (rc != 0)
		return rc;
	out->port = out->tls ? PORT_HTTPS : PORT_HTTP;
	if (authority.len == 0)
		return 0;
	return take_port(str_slice(authority, 1, authority.len), &out->port, e);
}

/* Puts the parts together again, so that the next reader has nothing left to interpret. */
static void
compose(struct arena *a, struct str rest, struct http_url *out)
{
	const char *open = out->is_address && out->address.v6 ? "[" : "";
	const char *shut = *open ? "]" : "";
	char text[NET_ADDRESS_TEXT];
	struct str target, fragment;

	if (out->is_address)
		out->host = arena_str(a, net_address_format(&out->address, text));
	str_cut(rest, '#', &target, &fragment);
	out->target =
		arena_printf(a, "%s" STR_FMT, target.len == 0 || target.ptr[0] == '?' ? "/" : "",
			     STR_ARG(target));
	out->authority =
		arena_printf(a, "%s" STR_FMT "%s:%d", open, STR_ARG(out->host), shut, out->port);
	if (out->port == (out->tls ? PORT_HTTPS : PORT_HTTP))
		out->whole =
			arena_printf(a, "%s://%s" STR_FMT "%s" STR_FMT, out->tls ? "https" : "http",
				     open, STR_ARG(out->host), shut, STR_ARG(out->target));
	else
		out->whole = arena_printf(a, "%s://" STR_FMT STR_FMT, out->tls ? "https" : "http",
					  STR_ARG(out->authority), STR_ARG(out->target));
}

int
http_url_parse(struct arena *a, struct str text, struct http_url *out, struct err *e)
{
	struct http_url url = { 0 };
	int rc = check_bytes(text, e);

	if (rc == 0)
		rc = take_scheme(&text, &url.tls, e);
	if (rc == 0)
		rc = take_host(a, take_authority(&text), &url, e);
	if (rc != 0)
		return rc;
	compose(a, text, &url);
	*out = url;
	return 0;
}
