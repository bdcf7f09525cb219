#include "api/gate.h"

#include "harness.h"

static const struct str NAMES[] = { STR("perdure.example"), STR("10.0.0.7"), STR("[fd00::7]") };
static const struct str PAGES[] = { STR("https://console.example") };
static const struct gate_lists LISTS = { { NAMES, ARRAY_LEN(NAMES) }, { PAGES, ARRAY_LEN(PAGES) } };

static const struct host_row {
	const char *name, *host;
	bool ours;
} HOSTS[] = {
	{ "A1 host: localhost", "localhost", true },
	{ "A1 host: localhost with port", "localhost:7340", true },
	{ "A1 host: letters of either case", "LocalHost:7340", true },
	{ "A1 host: loopback address", "127.0.0.1:7340", true },
	{ "A1 host: another loopback address", "127.8.9.10", true },
	{ "A1 host: IPv6 loopback", "[::1]:7340", true },
	{ "A1 host: IPv6 loopback without port", "[::1]", true },
	{ "A1 host: listed name", "perdure.example:443", true },
	{ "A1 host: listed name in capitals", "PERDURE.EXAMPLE", true },
	{ "A1 host: listed address", "10.0.0.7", true },
	{ "A1 host: listed IPv6 address", "[fd00::7]:80", true },
	{ "A1 host: empty", "", false },
	{ "A1 host: only a port", ":7340", false },
	{ "A1 host: a name somebody else controls", "evil.example", false },
	{ "A1 host: ours as a prefix", "localhost.evil.example", false },
	{ "A1 host: ours as a suffix", "evil-localhost", false },
	{ "A1 host: listed name as a suffix", "x.perdure.example", false },
	{ "A1 host: trailing dot", "localhost.", false },
	{ "A1 host: address as a prefix of a name", "127.0.0.1.evil.example", false },
	{ "A1 host: address with five parts", "127.0.0.0.1", false },
	{ "A1 host: address with three parts", "127.0.1", false },
	{ "A1 host: octal", "0177.0.0.1", false },
	{ "A1 host: a number", "2130706433", false },
	{ "A1 host: hexadecimal", "0x7f.0.0.1", false },
	{ "A1 host: a part too large", "127.0.0.256", false },
	{ "A1 host: a part with a sign", "127.0.0.+1", false },
	{ "A1 host: an empty part", "127.0..1", false },
	{ "A1 host: unspecified address", "0.0.0.0", false },
	{ "A1 host: IPv6 unspecified", "[::]", false },
	{ "A1 host: IPv4 in IPv6", "[::ffff:127.0.0.1]", false },
	{ "A1 host: bracket left open", "[::1", false },
	{ "A1 host: something behind the bracket", "[::1]x", false },
	{ "A1 host: port that is no number", "localhost:http", false },
	{ "A1 host: port with a sign", "localhost:+80", false },
	{ "A1 host: empty port", "localhost:", false },
	{ "A1 host: port too large", "localhost:65536", false },
	{ "A1 host: two ports", "localhost:80:80", false },
	{ "A1 host: userinfo", "user@localhost", false },
	{ "A1 host: userinfo that looks like ours", "localhost@evil.example", false },
	{ "A1 host: a blank", "localhost evil.example", false },
	{ "A1 host: a list", "localhost,evil.example", false },
};

static void
host_holds(void **state)
{
	const struct host_row *row = *state;

	assert_int_equal(gate_host_is_ours(&LISTS, str_of(row->host)), row->ours);
}

static const struct origin_row {
	const char *name, *origin, *host;
	bool allowed, over_tls;
} ORIGINS[] = {
	{ "A1 origin: our own", "http://localhost:7340", "localhost:7340", true },
	{ "A1 origin: our own behind TLS", "https://perdure.example", "perdure.example", true },
	{ "A1 origin: our own over TLS", "https://perdure.example", "perdure.example", true, true },
	{ "A1 origin: ours, but before TLS", "http://perdure.example", "perdure.example", false,
	  true },
	{ "A1 origin: listed, over TLS", "https://console.example", "perdure.example", true, true },
	{ "A1 origin: our own in capitals", "http://LOCALHOST:7340", "localhost:7340", true },
	{ "A1 origin: listed", "https://console.example", "localhost:7340", true },
	{ "A1 origin: null", "null", "localhost:7340", false },
	{ "A1 origin: empty", "", "localhost:7340", false },
	{ "A1 origin: another port of the machine", "http://localhost:3000", "localhost:7340",
	  false },
	{ "A1 origin: our name without its port", "http://localhost", "localhost:7340", false },
	{ "A1 origin: another spelling of us", "http://127.0.0.1:7340", "localhost:7340", false },
	{ "A1 origin: foreign", "https://evil.example", "localhost:7340", false },
	{ "A1 origin: listed as a prefix", "https://console.example.evil", "localhost", false },
	{ "A1 origin: listed with another scheme", "http://console.example", "localhost", false },
	{ "A1 origin: listed with a port", "https://console.example:8443", "localhost", false },
	{ "A1 origin: listed with a path", "https://console.example/", "localhost", false },
	{ "A1 origin: another scheme", "ftp://localhost:7340", "localhost:7340", false },
	{ "A1 origin: no scheme", "localhost:7340", "localhost:7340", false },
	{ "A1 origin: an extension's", "chrome-extension://abc", "localhost:7340", false },
	{ "A1 origin: userinfo", "http://localhost:7340@evil.example", "localhost:7340", false },
	{ "A1 origin: two", "http://localhost:7340 https://evil.example", "localhost:7340", false },
};

static void
origin_holds(void **state)
{
	const struct origin_row *row = *state;

	struct gate_head head = { .origin = str_of(row->origin),
				  .host = str_of(row->host),
				  .over_tls = row->over_tls };

	assert_int_equal(gate_origin_is_allowed(&LISTS, &head), row->allowed);
}

static const struct token_row {
	const char *name, *authorization, *api_key, *want;
} TOKENS[] = {
	{ "P3 token: bearer", "Bearer abc", NULL, "abc" },
	{ "P3 token: scheme in any case", "bEARER abc", NULL, "abc" },
	{ "P3 token: blanks around", "Bearer   abc ", NULL, "abc" },
	{ "P3 token: key header", NULL, "abc", "abc" },
	{ "P3 token: bearer wins", "Bearer abc", "def", "abc" },
	{ "P3 token: another scheme leaves the key header", "Basic abc", "def", "def" },
	{ "P3 token: another scheme alone", "Basic abc", NULL, NULL },
	{ "P3 token: scheme without anything", "Bearer", NULL, NULL },
	{ "P3 token: scheme and a blank", "Bearer ", NULL, NULL },
	{ "P3 token: no blank", "Bearerabc", NULL, NULL },
	{ "P3 token: nothing", NULL, NULL, NULL },
};

static void
token_holds(void **state)
{
	const struct token_row *row = *state;
	struct gate_head head = { 0 };
	struct str got;

	if (row->authorization)
		head.authorization = str_of(row->authorization);
	if (row->api_key)
		head.api_key = str_of(row->api_key);
	got = gate_token(&head);
	if (row->want)
		check_str("token", got, str_of(row->want));
	else
		assert_int_equal(got.len, 0);
}

static const struct url_row {
	const char *name, *query;
	bool has_token;
} URLS[] = {
	{ "P3 url: nothing", "", false },
	{ "P3 url: other parameters", "limit=1&page=x", false },
	{ "P3 url: token", "limit=1&token=x", true },
	{ "P3 url: access_token", "access_token=x", true },
	{ "P3 url: api_key", "API_KEY=x", true },
	{ "P3 url: escaped", "%74oken=x", true },
	{ "P3 url: list", "token[]=x", true },
};

static void
url_holds(void **state)
{
	const struct url_row *row = *state;
	struct query q;
	struct arena a;
	struct err e;

	arena_init(&a);
	assert_int_equal(query_parse(&a, str_of(row->query), &q, &e), 0);
	assert_int_equal(gate_url_has_token(&q), row->has_token);
	arena_release(&a);
}

static const struct type_row {
	const char *name, *type;
	bool taken;
} CONTENT_TYPES[] = {
	{ "content type: none", "", true },
	{ "content type: JSON", "application/json", true },
	{ "content type: JSON with a charset", "Application/JSON ; charset=utf-8", true },
	{ "content type: what curl says", "application/x-www-form-urlencoded", true },
	{ "content type: a form with files", "multipart/form-data; boundary=x", false },
	{ "content type: XML", "application/xml", false },
	{ "content type: JSON as a suffix", "text/application/json", false },
};

static void
type_holds(void **state)
{
	const struct type_row *row = *state;

	assert_int_equal(gate_takes_content_type(str_of(row->type)), row->taken);
}

static void
A1_bodies_come_as_they_are(void **state)
{
	(void)state;
	assert_true(gate_takes_encoding(STR("")));
	assert_true(gate_takes_encoding(STR(" Identity ")));
	assert_false(gate_takes_encoding(STR("gzip")));
	assert_false(gate_takes_encoding(STR("identity, gzip")));
}

static const struct protocol_row {
	const char *name, *protocols, *token;
} PROTOCOLS[] = {
	{ "A16 protocols: none", "", "" },
	{ "A16 protocols: ours", "perdure.v1", "" },
	{ "A16 protocols: with a token", "perdure.v1, perdure.token.pdr_1", "pdr_1" },
	{ "A16 protocols: the token first", "perdure.token.pdr_1,perdure.v1", "pdr_1" },
	{ "A16 protocols: two tokens", "perdure.token.a, perdure.token.b", "a" },
	{ "A16 protocols: an empty token", "perdure.v1, perdure.token.", "" },
	{ "A16 protocols: something before it", "x.perdure.token.a", "" },
};

static void
protocol_holds(void **state)
{
	const struct protocol_row *row = *state;
	struct gate_head head = { .protocols = str_of(row->protocols) };

	check_str(row->name, gate_protocol_token(&head), str_of(row->token));
}

static void
A10_key_has_bounds(void **state)
{
	char text[257];

	(void)state;
	memset(text, 'k', sizeof text);
	assert_true(gate_key_is_valid((struct str){ text, 1 }));
	assert_true(gate_key_is_valid((struct str){ text, 255 }));
	assert_false(gate_key_is_valid((struct str){ text, 256 }));
	assert_false(gate_key_is_valid((struct str){ text, 0 }));
	assert_true(gate_key_is_valid(STR("a b~!")));
	assert_false(gate_key_is_valid(STR("a\tb")));
	assert_false(gate_key_is_valid(STR("a\x7f")));
	assert_false(gate_key_is_valid(STR("\xc3\xa9")));
}

static void
headers_are_found_in_one_pass(void **state)
{
	const struct http_header headers[] = {
		{ STR("host"), STR("localhost") },
		{ STR("accept"), STR("*/*") },
		{ STR("x-api-key"), STR("k") },
		{ STR("origin"), STR("null") },
		{ STR("idempotency-key"), STR("i") },
		{ STR("content-type"), STR("c") },
		{ STR("authorization"), STR("a") },
		{ STR("content-encoding"), STR("e") },
		{ STR("sec-websocket-protocol"), STR("p") },
	};
	struct http_head head = { .headers = headers,
				  .header_count = ARRAY_LEN(headers),
				  .over_tls = true };
	struct gate_head got;
	struct err e;

	(void)state;
	assert_int_equal(gate_read(&head, &got, &e), 0);
	check_str("host", got.host, STR("localhost"));
	check_str("key", got.api_key, STR("k"));
	check_str("origin", got.origin, STR("null"));
	check_str("idempotency", got.idempotency_key, STR("i"));
	check_str("type", got.content_type, STR("c"));
	check_str("authorization", got.authorization, STR("a"));
	check_str("encoding", got.content_encoding, STR("e"));
	check_str("protocols", got.protocols, STR("p"));
	assert_true(got.over_tls);
}

static void
A1_header_sent_twice_is_refused(void **state)
{
	static const struct str TWICE[] = { STR("host"),
					    STR("origin"),
					    STR("authorization"),
					    STR("x-api-key"),
					    STR("idempotency-key"),
					    STR("content-type"),
					    STR("content-encoding"),
					    STR("sec-websocket-protocol") };
	struct gate_head got;
	struct err e;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(TWICE); i++) {
		const struct http_header headers[] = { { TWICE[i], STR("") },
						       { TWICE[i], STR("") } };
		struct http_head head = { .headers = headers, .header_count = 2 };

		assert_int_equal(gate_read(&head, &got, &e), ERR_INVALID);
		assert_true(str_contains(str_of(e.text), TWICE[i]));
	}
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, HOSTS, host_holds);
	SUITE_ROWS(&s, ORIGINS, origin_holds);
	SUITE_ROWS(&s, PROTOCOLS, protocol_holds);
	SUITE_ROWS(&s, TOKENS, token_holds);
	SUITE_ROWS(&s, URLS, url_holds);
	SUITE_ROWS(&s, CONTENT_TYPES, type_holds);
	SUITE_TEST(&s, A1_bodies_come_as_they_are);
	SUITE_TEST(&s, A10_key_has_bounds);
	SUITE_TEST(&s, headers_are_found_in_one_pass);
	SUITE_TEST(&s, A1_header_sent_twice_is_refused);
	return suite_run(&s, "api/gate");
}
