#include "api/gate.h"

#include <ctype.h>

enum { KEY_MAX = 255, OCTETS = 4, OCTET_MAX = 255 };

/* --- the headers --- */

/* Where the value of this header goes; NULL for one that is none of ours. Names of ours differ in
 * length or first letter, so that most headers cost one comparison of numbers. */
static struct str *
slot_of(struct gate_head *out, struct str name)
{
	static const struct {
		struct str name;
		size_t offset;
	} SLOTS[] = {
		{ STR("host"), offsetof(struct gate_head, host) },
		{ STR("origin"), offsetof(struct gate_head, origin) },
		{ STR("authorization"), offsetof(struct gate_head, authorization) },
		{ STR("x-api-key"), offsetof(struct gate_head, api_key) },
		{ STR("idempotency-key"), offsetof(struct gate_head, idempotency_key) },
		{ STR("content-type"), offsetof(struct gate_head, content_type) },
		{ STR("content-encoding"), offsetof(struct gate_head, content_encoding) },
		{ STR("sec-websocket-protocol"), offsetof(struct gate_head, protocols) },
	};

	for (size_t i = 0; i < ARRAY_LEN(SLOTS); i++)
		if (name.len == SLOTS[i].name.len && str_eq(name, SLOTS[i].name))
			return (struct str *)(void *)((char *)out + SLOTS[i].offset);
	return NULL;
}

int
gate_read(const struct http_head *head, struct gate_head *out, struct err *e)
{
	struct gate_head found = { .over_tls = head->over_tls };

	for (size_t i = 0; i < head->header_count; i++) {
		struct str *slot = slot_of(&found, head->headers[i].name);
		if (!slot)
			continue;
		if (slot->ptr)
			return err_set(e, ERR_INVALID, "header " STR_FMT ": sent twice",
				       STR_ARG(head->headers[i].name));
		*slot = head->headers[i].value;
	}
	*out = found;
	return 0;
}

/* --- Host and Origin --- */

static bool
is_port(struct str text)
{
	int64_t port;

	return text.len > 0 && isdigit((unsigned char)text.ptr[0]) && str_to_int(text, &port) &&
	       port <= UINT16_MAX;
}

/* "name:80" without its port; brackets of an IPv6 address stay. False: no host at all. */
static bool
cut_port(struct str host, struct str *name)
{
	size_t end = 0;

	if (str_starts(host, STR("["))) {
		if (!str_find(host, STR("]"), 0, &end))
			return false;
		end++;
	} else {
		const char *colon = host.len > 0 ? memchr(host.ptr, ':', host.len) : NULL;
		end = colon ? (size_t)(colon - host.ptr) : host.len;
	}
	*name = str_slice(host, 0, end);
	return name->len > 0 && (end == host.len || (host.ptr[end] == ':' &&
						     is_port(str_slice(host, end + 1, host.len))));
}

/* 127.x.y.z in four plain decimal numbers: other spellings of an address are not for headers. */
static bool
is_loopback_ipv4(struct str name)
{
	int octets = 0, digits = 0, number = 0;

	if (!str_starts(name, STR("127.")))
		return false;
	for (size_t i = 0; i <= name.len; i++) {
		char c = i < name.len ? name.ptr[i] : '.';

		if (c >= '0' && c <= '9' && digits < 3) {
			number = number * 10 + (c - '0');
			digits++;
		} else if (c == '.' && digits > 0 && number <= OCTET_MAX) {
			octets++;
			digits = number = 0;
		} else {
			return false;
		}
	}
	return octets == OCTETS;
}

static bool
is_listed(struct str_list list, struct str text)
{
	for (size_t i = 0; i < list.len; i++)
		if (str_eq_nocase(list.ptr[i], text))
			return true;
	return false;
}

bool
gate_host_is_ours(const struct gate_lists *lists, struct str host)
{
	struct str name;

	if (!cut_port(host, &name))
		return false;
	return str_eq_nocase(name, STR("localhost")) || str_eq(name, STR("[::1]")) ||
	       is_loopback_ipv4(name) || is_listed(lists->hosts, name);
}

static bool
is_own_origin(const struct gate_head *head, struct str scheme)
{
	struct str origin = head->origin;

	return str_starts(origin, scheme) && head->host.len > 0 &&
	       str_eq_nocase(str_slice(origin, scheme.len, origin.len), head->host);
}

bool
gate_origin_is_allowed(const struct gate_lists *lists, const struct gate_head *head)
{
	return is_own_origin(head, STR("https://")) ||
	       (!head->over_tls && is_own_origin(head, STR("http://"))) ||
	       is_listed(lists->origins, head->origin);
}

/* --- credentials --- */

struct str
gate_token(const struct gate_head *head)
{
	static const struct str SCHEME = STR("Bearer ");
	struct str value = head->authorization;

	if (value.len > SCHEME.len && str_eq_nocase(str_slice(value, 0, SCHEME.len), SCHEME))
		return str_trim(str_slice(value, SCHEME.len, value.len));
	return head->api_key;
}

struct str
gate_protocol_token(const struct gate_head *head)
{
	static const struct str PREFIX = STR("perdure.token.");
	struct str rest = head->protocols, one;

	while (rest.len > 0) {
		str_cut(rest, ',', &one, &rest);
		one = str_trim(one);
		if (str_starts(one, PREFIX))
			return str_slice(one, PREFIX.len, one.len);
	}
	return (struct str){ 0 };
}

bool
gate_url_has_token(const struct query *query)
{
	static const struct str NAMES[] = {
		STR("token"),  STR("access_token"), STR("api_key"), STR("apikey"),
		STR("apiKey"), STR("x-api-key"),    STR("auth"),    STR("authorization"),
	};

	for (size_t i = 0; i < query->count; i++)
		for (size_t n = 0; n < ARRAY_LEN(NAMES); n++)
			if (str_eq_nocase(query->pairs[i].name, NAMES[n]))
				return true;
	return false;
}

/* --- what a request says about itself --- */

bool
gate_takes_content_type(struct str content_type)
{
	struct str type, parameters;

	if (str_eq(content_type, STR("application/json"))) /* as nearly all say it */
		return true;
	str_cut(content_type, ';', &type, &parameters);
	type = str_trim(type);
	return type.len == 0 || str_eq_nocase(type, STR("application/json")) ||
	       str_eq_nocase(type, STR("application/x-www-form-urlencoded"));
}

bool
gate_takes_encoding(struct str content_encoding)
{
	struct str coding = str_trim(content_encoding);

	return coding.len == 0 || str_eq_nocase(coding, STR("identity"));
}

bool
gate_key_is_valid(struct str key)
{
	for (size_t i = 0; i < key.len; i++)
		if (key.ptr[i] < ' ' || key.ptr[i] > '~')
			return false;
	return key.len > 0 && key.len <= KEY_MAX;
}
