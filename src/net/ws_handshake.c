#include "net/ws_handshake.h"

#include <openssl/evp.h>
#include <stdlib.h>

static const char GUID[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"; /* the RFC's */
enum { KEY_LEN = 24, KEY_DIGITS = 22, SHA1_BYTES = 20 };

/* Whether one of the header's comma-separated words is this one; the header may come several times. */
static bool
has_word(const struct http_head *head, struct str name, struct str word, bool any_case)
{
	for (size_t i = 0; i < head->header_count; i++) {
		struct str rest = head->headers[i].value, one;

		if (!str_eq(head->headers[i].name, name))
			continue;
		while (rest.len > 0) {
			str_cut(rest, ',', &one, &rest);
			one = str_trim(one);
			if (any_case ? str_eq_nocase(one, word) : str_eq(one, word))
				return true;
		}
	}
	return false;
}

/* Its value when it is there exactly once. */
static bool
find_single(const struct http_head *head, struct str name, struct str *value)
{
	unsigned n = 0;

	for (size_t i = 0; i < head->header_count; i++)
		if (str_eq(head->headers[i].name, name)) {
			*value = head->headers[i].value;
			n++;
		}
	return n == 1;
}

/* Base64 of 16 bytes. */
static bool
is_key(struct str key)
{
	for (size_t i = 0; i < KEY_DIGITS && i < key.len; i++) {
		char c = key.ptr[i];
		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		      c == '+' || c == '/'))
			return false;
	}
	return key.len == KEY_LEN && str_ends(key, STR("=="));
}

static void
write_accept(struct str key, char accept[WS_ACCEPT_LEN + 1])
{
	char text[KEY_LEN + sizeof GUID];
	unsigned char digest[SHA1_BYTES];

	memcpy(mempcpy(text, key.ptr, KEY_LEN), GUID, sizeof GUID);
	if (EVP_Digest(text, sizeof text - 1, digest, NULL, EVP_sha1(), NULL) != 1)
		abort();
	EVP_EncodeBlock((unsigned char *)accept, digest, SHA1_BYTES);
}

static void
refuse(struct ws_handshake *out, int status, const char *reason)
{
	*out = (struct ws_handshake){ .status = status, .reason = reason };
}

void
ws_handshake_check(const struct http_head *head, struct ws_handshake *out)
{
	struct str key = { 0 }, version = { 0 };

	if (!has_word(head, STR("upgrade"), STR("websocket"), true)) {
		refuse(out, 426, "a WebSocket is spoken here: ask for the upgrade");
	} else if (!str_eq(head->method, STR("GET")) || head->http_1_0) {
		refuse(out, 400, "a WebSocket is opened with GET and HTTP/1.1");
	} else if (!has_word(head, STR("connection"), STR("upgrade"), true)) {
		refuse(out, 400, "the Connection header does not say Upgrade");
	} else if (head->content_length != 0) {
		refuse(out, 400, "a request for a WebSocket has no body");
	} else if (!find_single(head, STR("sec-websocket-version"), &version) ||
		   !str_eq(version, STR("13"))) {
		refuse(out, 426, "the version of WebSocket spoken here is 13");
	} else if (!find_single(head, STR("sec-websocket-key"), &key) || !is_key(key)) {
		refuse(out, 400, "Sec-WebSocket-Key is not 16 bytes in base64");
	} else {
		refuse(out, 101, NULL);
		write_accept(key, out->accept);
	}
}

bool
ws_handshake_offers(const struct http_head *head, struct str protocol)
{
	return has_word(head, STR("sec-websocket-protocol"), protocol, false);
}
