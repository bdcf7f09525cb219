#include "net/http_url.h"

#include "harness.h"

static const struct row {
	const char *name;  /* the URL */
	const char *whole; /* NULL: refused */
	const char *authority;
	bool is_address;
	const char *url; /* where a name cannot say it */
} ROWS[] = {
	{ "http://example.com", "http://example.com/", "example.com:80", false },
	{ "https://example.com", "https://example.com/", "example.com:443", false },
	{ "HTTPS://EXAMPLE.Com/A?B=c", "https://example.com/A?B=c", "example.com:443", false },
	{ "http://example.com:80/", "http://example.com/", "example.com:80", false },
	{ "https://example.com:80/", "https://example.com:80/", "example.com:80", false },
	{ "http://example.com:00080/", "http://example.com/", "example.com:80", false },
	{ "http://localhost:7340/v1", "http://localhost:7340/v1", "localhost:7340", false },
	{ "http://example.com?a=b", "http://example.com/?a=b", "example.com:80", false },
	{ "http://example.com#f", "http://example.com/", "example.com:80", false },
	{ "http://example.com/a?b#c?d", "http://example.com/a?b", "example.com:80", false },
	{ "http://example.com/a/../b", "http://example.com/a/../b", "example.com:80", false },
	{ "http://example.com/@a:b", "http://example.com/@a:b", "example.com:80", false },
	{ "http://my_host-1.example.", "http://my_host-1.example./", "my_host-1.example.:80",
	  false },
	{ "http://127.0.0.1:7340/", "http://127.0.0.1:7340/", "127.0.0.1:7340", true },
	{ "http://2130706433/", "http://127.0.0.1/", "127.0.0.1:80", true },
	{ "http://0x7f.1/", "http://127.0.0.1/", "127.0.0.1:80", true },
	{ "http://0177.0.0.1./", "http://127.0.0.1/", "127.0.0.1:80", true },
	{ "http://0/", "http://0.0.0.0/", "0.0.0.0:80", true },
	{ "http://[::1]:8080/x", "http://[::1]:8080/x", "[::1]:8080", true },
	{ "http://[::1]", "http://[::1]/", "[::1]:80", true },
	{ "https://[0:0:0:0:0:FFFF:7f00:1]/", "https://[::ffff:127.0.0.1]/",
	  "[::ffff:127.0.0.1]:443", true },
	{ "", NULL, NULL, false },
	{ "example.com", NULL, NULL, false },
	{ "//example.com/", NULL, NULL, false },
	{ "http:example.com", NULL, NULL, false },
	{ "http:/example.com", NULL, NULL, false },
	{ "http://", NULL, NULL, false },
	{ "http:///path", NULL, NULL, false },
	{ "http://:80/", NULL, NULL, false },
	{ "http://?x", NULL, NULL, false },
	{ "ftp://example.com/", NULL, NULL, false },
	{ "file:///etc/passwd", NULL, NULL, false },
	{ "gopher://example.com/", NULL, NULL, false },
	{ "httpss://example.com/", NULL, NULL, false },
	{ " http://example.com/", NULL, NULL, false },
	{ "http://example.com/ ", NULL, NULL, false },
	{ "http://exam ple.com/", NULL, NULL, false },
	{ "a line end", NULL, NULL, false, "http://example.com/\r\nHost: x" },
	{ "a control byte", NULL, NULL, false, "http://example.com/\x7f" },
	{ "a path beyond ASCII", NULL, NULL, false, "http://example.com/\xc3\xa9" },
	{ "http://example.com\\@evil.example/", NULL, NULL, false },
	{ "http://user@example.com/", NULL, NULL, false },
	{ "http://user:pass@example.com/", NULL, NULL, false },
	{ "http://127.0.0.1@example.com/", NULL, NULL, false },
	{ "http://example.com:80@127.0.0.1/", NULL, NULL, false },
	{ "http://example.com:/", NULL, NULL, false },
	{ "http://example.com:0/", NULL, NULL, false },
	{ "http://example.com:65536/", NULL, NULL, false },
	{ "http://example.com:+80/", NULL, NULL, false },
	{ "http://example.com:-1/", NULL, NULL, false },
	{ "http://example.com:8o/", NULL, NULL, false },
	{ "http://example.com:80:80/", NULL, NULL, false },
	{ "http://example.com:4294967376/", NULL, NULL, false },
	{ "http://127.0.0.1%2f@x/", NULL, NULL, false },
	{ "http://%31%32%37.0.0.1/", NULL, NULL, false },
	{ "an ideographic dot", NULL, NULL, false,
	  "http://127\xe3\x80\x82"
	  "0.0.1/" },
	{ "digits of full width", NULL, NULL, false,
	  "http://\xef\xbc\x91\xef\xbc\x92\xef\xbc\x97.0.0.1/" },
	{ "a letter in a circle", NULL, NULL, false, "http://\xe2\x93\x81ocalhost/" },
	{ "http://.example.com/", NULL, NULL, false },
	{ "http://example..com/", NULL, NULL, false },
	{ "http://./", NULL, NULL, false },
	{ "http://256.256.256.256/", NULL, NULL, false },
	{ "http://1.2.3.4.5/", NULL, NULL, false },
	{ "http://0x100000000/", NULL, NULL, false },
	{ "http://[::1/", NULL, NULL, false },
	{ "http://[]/", NULL, NULL, false },
	{ "http://[::1]x/", NULL, NULL, false },
	{ "http://[::1]:/", NULL, NULL, false },
	{ "http://[::1].example.com/", NULL, NULL, false },
	{ "http://[127.0.0.1]/", NULL, NULL, false },
	{ "http://[fe80::1%25eth0]/", NULL, NULL, false },
	{ "http://[::ffff:127.0.0.1%00]/", NULL, NULL, false },
	{ "http://::1/", NULL, NULL, false },
	{ "http://exa!mple.com/", NULL, NULL, false },
	{ "http://example.com,evil/", NULL, NULL, false },
};

static void
row_holds(void **state)
{
	const struct row *row = *state;
	const char *text = row->url ? row->url : row->name;
	struct http_url url;
	struct arena a;
	struct err e;
	int rc;

	arena_init(&a);
	rc = http_url_parse(&a, str_of(text), &url, &e);
	assert_int_equal(rc, row->whole ? 0 : ERR_INVALID);
	if (row->whole) {
		check_str("whole", url.whole, str_of(row->whole));
		check_str("authority", url.authority, str_of(row->authority));
		assert_int_equal(url.is_address, row->is_address);
		assert_int_equal(url.tls, strncasecmp(row->name, "https", 5) == 0);
		assert_int_equal(url.whole.ptr[url.whole.len], '\0');
	} else if (strlen(text) > 12) {
		assert_null(strstr(e.text, text));
	}
	arena_release(&a);
}

static void
length_is_bounded(void **state)
{
	char text[HTTP_URL_MAX + 2] = "http://";
	struct http_url url;
	struct arena a;

	(void)state;
	arena_init(&a);
	memset(text + 7, 'a', HTTP_URL_HOST_MAX);
	assert_int_equal(http_url_parse(&a, str_of(text), &url, NULL), 0);
	text[7 + HTTP_URL_HOST_MAX] = 'a';
	assert_int_equal(http_url_parse(&a, str_of(text), &url, NULL), ERR_INVALID);
	memset(text + 7, 'a', sizeof text - 8);
	text[8] = '/';
	text[HTTP_URL_MAX] = '\0';
	assert_int_equal(http_url_parse(&a, str_of(text), &url, NULL), 0);
	text[HTTP_URL_MAX] = 'a';
	assert_int_equal(http_url_parse(&a, str_of(text), &url, NULL), ERR_INVALID);
	arena_release(&a);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, row_holds);
	SUITE_TEST(&s, length_is_bounded);
	return suite_run(&s, "net/http_url");
}
