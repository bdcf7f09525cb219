/* Any text as a URL: refused, or curl, which connects, reads the same host, port and target from what
 * we make of it, and a second reading of ours changes nothing. */
#include <stdlib.h>

#include <curl/curl.h>

#include "net/http_url.h"

static void
must_be(CURLU *u, CURLUPart part, struct str want)
{
	char *got = NULL;

	if (curl_url_get(u, part, &got, CURLU_DEFAULT_PORT) != CURLUE_OK ||
	    !str_eq(str_of(got), want))
		__builtin_trap();
	curl_free(got);
}

static void
must_be_absent(CURLU *u, CURLUPart part)
{
	char *got = NULL;

	if (curl_url_get(u, part, &got, 0) == CURLUE_OK)
		__builtin_trap();
}

static void
ask_curl(struct arena *a, const struct http_url *url)
{
	CURLU *u = curl_url();
	struct str path, query;
	bool bracketed = url->is_address && url->address.v6;

	if (curl_url_set(u, CURLUPART_URL, url->whole.ptr, CURLU_PATH_AS_IS) != CURLUE_OK)
		__builtin_trap();
	must_be(u, CURLUPART_SCHEME, url->tls ? STR("https") : STR("http"));
	must_be(u, CURLUPART_HOST,
		bracketed ? arena_printf(a, "[" STR_FMT "]", STR_ARG(url->host)) : url->host);
	must_be(u, CURLUPART_PORT, arena_printf(a, "%d", url->port));
	str_cut(url->target, '?', &path, &query);
	must_be(u, CURLUPART_PATH, path);
	must_be_absent(u, CURLUPART_USER);
	must_be_absent(u, CURLUPART_PASSWORD);
	must_be_absent(u, CURLUPART_FRAGMENT);
	curl_url_cleanup(u);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = { (const char *)data, size };
	struct http_url url, again;
	struct arena a;
	struct err e;

	arena_init(&a);
	if (http_url_parse(&a, text, &url, &e) == 0) {
		if (http_url_parse(&a, url.whole, &again, &e) != 0 ||
		    !str_eq(url.whole, again.whole) || url.is_address != again.is_address ||
		    memcmp(url.address.bytes, again.address.bytes, sizeof again.address.bytes) != 0)
			__builtin_trap();
		ask_curl(&a, &url);
	}
	arena_release(&a);
	return 0;
}
