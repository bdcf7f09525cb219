#include "net/tls.h"

#include <openssl/err.h>

#include "base/clock.h"
#include "base/rand.h"
#include "tls_peer.h"

enum { WIRE_MAX = 1 << 20, DAY_S = 86400 };

static struct tls_files usual, other, rsa, weak, locked, expired, early, soon;

/* --- certificate and key files --- */

/* What stands in each file: a path, or text to be written first. */
static const struct file_row {
	const char *name;
	const char *cert, *key;
	const char *cert_text, *key_text;
	int code; /* 0: accepted */
	const char *says[2];
} FILE_ROWS[] = {
	{ "a P-256 key", usual.cert, usual.key, NULL, NULL, 0, { NULL } },
	{ "an RSA key of 2048 bits", rsa.cert, rsa.key, NULL, NULL, 0, { NULL } },
	{ "an expired certificate is no error",
	  expired.cert,
	  expired.key,
	  NULL,
	  NULL,
	  0,
	  { NULL } },
	{ "no certificate file",
	  "/nonexistent/cert.pem",
	  usual.key,
	  NULL,
	  NULL,
	  ERR_NOT_FOUND,
	  { "certificate /nonexistent/cert.pem", "No such file" } },
	{ "no key file",
	  usual.cert,
	  "/nonexistent/key.pem",
	  NULL,
	  NULL,
	  ERR_NOT_FOUND,
	  { "key /nonexistent/key.pem", "No such file" } },
	{ "a folder",
	  "/tmp",
	  usual.key,
	  NULL,
	  NULL,
	  ERR_INVALID,
	  { "/tmp", "not a regular file" } },
	{ "an empty certificate file", NULL, usual.key, "", NULL, ERR_INVALID, { "not PEM" } },
	{ "a certificate that is not PEM",
	  NULL,
	  usual.key,
	  "0\x82\x01",
	  NULL,
	  ERR_INVALID,
	  { "certificate", "not PEM" } },
	{ "a key that is not PEM", usual.cert, NULL, NULL, "x", ERR_INVALID, { "key", "not PEM" } },
	{ "a certificate with broken base64",
	  NULL,
	  usual.key,
	  "-----BEGIN CERTIFICATE-----\n!!!!\n-----END CERTIFICATE-----\n",
	  NULL,
	  ERR_INVALID,
	  { "cannot be read", "base64" } },
	{ "the files exchanged",
	  usual.key,
	  usual.cert,
	  NULL,
	  NULL,
	  ERR_INVALID,
	  { "there is none in it", "exchanged?" } },
	{ "the certificate twice",
	  usual.cert,
	  usual.cert,
	  NULL,
	  NULL,
	  ERR_INVALID,
	  { "key", "exchanged?" } },
	{ "another certificate's key",
	  usual.cert,
	  other.key,
	  NULL,
	  NULL,
	  ERR_INVALID,
	  { "does not belong to the certificate", "cert.pem" } },
	{ "a key of another kind",
	  usual.cert,
	  rsa.key,
	  NULL,
	  NULL,
	  ERR_INVALID,
	  { "does not belong to the certificate" } },
	{ "a key with a passphrase",
	  locked.cert,
	  locked.key,
	  NULL,
	  NULL,
	  ERR_INVALID,
	  { "passphrase" } },
	{ "a key too short to be safe",
	  weak.cert,
	  weak.key,
	  NULL,
	  NULL,
	  ERR_INVALID,
	  { "refused", "too small" } },
};

static void
file_row_holds(void **state)
{
	const struct file_row *row = *state;
	char cert[96], key[96];
	struct tls_config *config;
	struct err e = { 0 };

	if (row->cert_text)
		tls_files_put(&usual, "cert.txt", str_of(row->cert_text), cert);
	if (row->key_text)
		tls_files_put(&usual, "key.txt", str_of(row->key_text), key);
	config = tls_config_new(row->cert ? row->cert : cert, row->key ? row->key : key, &e);
	assert_int_equal(config == NULL, row->code != 0);
	assert_int_equal(e.code, row->code);
	for (size_t i = 0; i < ARRAY_LEN(row->says) && row->says[i]; i++)
		if (!str_contains(str_of(e.text), str_of(row->says[i])))
			fail_msg("no \"%s\" in: %s", row->says[i], e.text);
	tls_config_unref(config);
}

static struct str
read_text(const char *path, char *to, size_t cap)
{
	FILE *from = fopen(path, "re");
	struct str text = { to, 0 };

	assert_non_null(from);
	text.len = fread(to, 1, cap, from);
	fclose(from);
	return text;
}

static void
chain_stands_behind_the_certificate(void **state)
{
	char text[8192], path[96];
	struct str first = read_text(usual.cert, text, sizeof text);
	struct str second = read_text(rsa.cert, text + first.len, sizeof text - first.len);
	struct tls_config *config;
	struct err e;

	(void)state;
	tls_files_put(&usual, "chain.pem", (struct str){ text, first.len + second.len }, path);
	config = tls_config_new(path, usual.key, &e);
	assert_non_null(config);
	tls_config_unref(config);
	text[first.len + second.len / 2] = '!';
	tls_files_put(&usual, "chain.pem", (struct str){ text, first.len + second.len }, path);
	assert_null(tls_config_new(path, usual.key, &e));
	assert_non_null(strstr(e.text, "its chain cannot be read"));
}

static const struct validity_row {
	const char *name;
	const struct tls_files *files;
	int64_t later_s;
	enum tls_validity want;
} VALIDITY_ROWS[] = {
	{ "valid", &usual, 0, TLS_VALID },
	{ "valid 15 days before its end", &usual, 15 * DAY_S, TLS_VALID },
	{ "expires soon 13 days before its end", &usual, 17 * DAY_S, TLS_EXPIRES_SOON },
	{ "expires soon at its end", &usual, 30 * DAY_S - 60, TLS_EXPIRES_SOON },
	{ "expired after its end", &usual, 30 * DAY_S + 60, TLS_EXPIRED },
	{ "expired when made", &expired, 0, TLS_EXPIRED },
	{ "not valid yet", &early, 0, TLS_NOT_YET_VALID },
	{ "valid in time", &early, 2 * DAY_S, TLS_VALID },
	{ "short-lived", &soon, 0, TLS_EXPIRES_SOON },
};

static void
validity_row_holds(void **state)
{
	const struct validity_row *row = *state;
	struct tls_config *config = tls_config_new(row->files->cert, row->files->key, NULL);
	int64_t now_ms = clock_now_ms() + row->later_s * 1000;

	assert_non_null(config);
	assert_int_equal(tls_config_validity(config, now_ms), row->want);
	if (row->files == &usual)
		assert_true(llabs(tls_config_expires_ms(config) - clock_now_ms() -
				  INT64_C(30) * DAY_S * 1000) < 600 * 1000);
	tls_config_unref(config);
}

/* --- one connection, in memory --- */

struct pair {
	struct tls_config *config;
	struct tls *server;
	struct buf out; /* of the server */
	struct buf got; /* plain bytes that reached it */
	SSL_CTX *ctx;
	SSL *client;
	BIO *to_client, *from_client; /* BIOs over memory */
	enum tls_step step;           /* the server's last */
};

static void
pair_init(struct pair *p, const char *ciphers_1_2)
{
	*p = (struct pair){ .config = tls_config_new(usual.cert, usual.key, NULL) };
	assert_non_null(p->config);
	buf_init(&p->out, WIRE_MAX);
	buf_init(&p->got, WIRE_MAX);
	p->server = tls_new(p->config, &p->out);
	tls_config_unref(p->config); /* the connection keeps it */
	p->ctx = SSL_CTX_new(TLS_client_method());
	if (ciphers_1_2) {
		SSL_CTX_set_max_proto_version(p->ctx, TLS1_2_VERSION);
		assert_int_equal(SSL_CTX_set_cipher_list(p->ctx, ciphers_1_2), 1);
	}
	p->client = SSL_new(p->ctx);
	p->to_client = BIO_new(BIO_s_mem());
	p->from_client = BIO_new(BIO_s_mem());
	SSL_set_bio(p->client, p->to_client, p->from_client);
	SSL_set_connect_state(p->client);
}

static void
pair_release(struct pair *p)
{
	tls_free(&p->server);
	SSL_free(p->client);
	SSL_CTX_free(p->ctx);
	buf_release(&p->out);
	buf_release(&p->got);
}

/* Reads like a connection does, with room for `room` plain bytes at a time. */
static void
server_reads(struct pair *p, struct str wire, size_t room)
{
	char plain[1024];
	size_t len;

	do {
		p->step = tls_read(p->server, &wire, plain, room, &len);
		buf_put(&p->got, plain, len);
	} while (p->step == TLS_DATA);
	if (p->step == TLS_MORE)
		assert_int_equal(wire.len, 0);
}

/* What each side has written reaches the other, at most step bytes at once, until both are quiet. */
static void
exchange(struct pair *p, size_t step)
{
	char wire[4096];
	bool moved = true;

	while (moved) {
		int n = BIO_read(p->from_client, wire,
				 (int)(step < sizeof wire ? step : sizeof wire));

		moved = n > 0;
		if (n > 0)
			server_reads(p, (struct str){ wire, (size_t)n }, 1 + (size_t)n % 700);
		if (p->out.len > 0) {
			BIO_write(p->to_client, p->out.ptr, (int)p->out.len);
			buf_clear(&p->out);
			if (!SSL_is_init_finished(p->client))
				SSL_do_handshake(p->client);
			moved = true;
		}
	}
}

static bool
shake_hands(struct pair *p, size_t step)
{
	SSL_do_handshake(p->client);
	exchange(p, step);
	return SSL_is_init_finished(p->client) && tls_is_open(p->server);
}

static void
converse(const char *ciphers_1_2, size_t step)
{
	struct pair p;
	char text[3000], back[sizeof text];
	size_t len = 0, n;

	memset(text, 'x', sizeof text);
	pair_init(&p, ciphers_1_2);
	if (!shake_hands(&p, step))
		fail_msg("no handshake in steps of %zu", step);
	assert_int_equal(SSL_write(p.client, text, sizeof text), sizeof text);
	exchange(&p, step);
	check_str("what the server got", buf_str(&p.got), (struct str){ text, sizeof text });
	assert_int_equal(tls_write(p.server, (struct str){ text, sizeof text }), 0);
	exchange(&p, step);
	while (len < sizeof text && SSL_read_ex(p.client, back + len, sizeof back - len, &n) == 1)
		len += n;
	check_str("what the client got", (struct str){ back, len },
		  (struct str){ text, sizeof text });
	SSL_shutdown(p.client);
	exchange(&p, step);
	assert_int_equal(p.step, TLS_ENDED);
	assert_int_equal(tls_write(p.server, STR("after its end")), 0); /* it may still listen */
	tls_end(p.server);
	tls_end(p.server);
	exchange(&p, step);
	assert_int_equal(SSL_read(p.client, back, sizeof back), 13);
	assert_int_equal(SSL_read(p.client, back, sizeof back), 0);
	assert_int_equal(SSL_get_error(p.client, 0), SSL_ERROR_ZERO_RETURN);
	assert_int_equal(tls_write(p.server, STR("x")), ERR_UNAVAILABLE);
	pair_release(&p);
}

static void
every_split_is_the_same_conversation(void **state)
{
	(void)state;
	for (size_t step = 1; step < 400; step += 1 + step / 10)
		converse(NULL, step);
	converse(NULL, SIZE_MAX);
	converse("ECDHE-ECDSA-AES128-GCM-SHA256", 1);
	converse("ECDHE-ECDSA-CHACHA20-POLY1305", SIZE_MAX);
}

static void
unsound_ciphers_are_refused(void **state)
{
	static const char *const UNSOUND[] = { "ECDHE-ECDSA-AES128-SHA256",
					       "ECDHE-ECDSA-AES256-SHA" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(UNSOUND); i++) {
		struct pair p;

		pair_init(&p, UNSOUND[i]);
		assert_false(shake_hands(&p, SIZE_MAX));
		assert_int_equal(p.step, TLS_FAILED);
		pair_release(&p);
	}
}

static void
renegotiation_is_refused(void **state)
{
	struct pair p;
	char wire[4096];
	int n;

	(void)state;
	pair_init(&p, "ECDHE-ECDSA-AES128-GCM-SHA256");
	assert_true(shake_hands(&p, SIZE_MAX));
	assert_int_equal(SSL_renegotiate(p.client), 1);
	SSL_do_handshake(p.client);
	n = BIO_read(p.from_client, wire, sizeof wire);
	server_reads(&p, (struct str){ wire, (size_t)n }, 100);
	assert_int_equal(p.step, TLS_MORE); /* only a warning leaves: the connection goes on */
	assert_in_range(p.out.len, 1, 100);
	BIO_write(p.to_client, p.out.ptr, (int)p.out.len);
	assert_int_equal(SSL_do_handshake(p.client), -1);
	assert_int_equal(ERR_GET_REASON(ERR_peek_last_error()), SSL_R_NO_RENEGOTIATION);
	pair_release(&p);
}

static void
changed_record_is_noticed(void **state)
{
	struct pair p;
	char wire[4096];
	int n;

	(void)state;
	pair_init(&p, NULL);
	assert_true(shake_hands(&p, SIZE_MAX));
	SSL_write(p.client, "hello", 5);
	n = BIO_read(p.from_client, wire, sizeof wire);
	wire[n - 1] ^= 1;
	server_reads(&p, (struct str){ wire, (size_t)n }, 100);
	assert_int_equal(p.step, TLS_FAILED);
	assert_int_equal(p.got.len, 0);
	assert_true(p.out.len > 0); /* an alert */
	assert_false(tls_is_open(p.server));
	assert_int_equal(tls_write(p.server, STR("x")), ERR_UNAVAILABLE);
	server_reads(&p, STR("more"), 100);
	assert_int_equal(p.step, TLS_FAILED);
	pair_release(&p);
}

static const struct garbage_row {
	const char *name;
	struct str input;
	enum tls_step want;
} GARBAGE_ROWS[] = {
	{ "a plain request", STR("GET / HTTP/1.1\r\n"), TLS_PLAIN },
	{ "the first byte of one", STR("P"), TLS_PLAIN },
	{ "zeros", STR("\0\0\0\0\0\0\0\0\0\0\0\0"), TLS_FAILED },
	{ "lower case", STR("hello, server"), TLS_FAILED },
	{ "an alert first", STR("\x15\x03\x03\0\2\1\0"), TLS_FAILED },
	{ "half a record's head", STR("\x16\x03"), TLS_MORE },
	{ "a record that is too long", STR("\x16\x03\x01\xff\xff\x01"), TLS_FAILED },
	{ "nothing", STR(""), TLS_MORE },
};

static void
garbage_row_holds(void **state)
{
	const struct garbage_row *row = *state;
	struct pair p;

	pair_init(&p, NULL);
	server_reads(&p, row->input, 100);
	assert_int_equal(p.step, row->want);
	assert_int_equal(p.got.len, 0);
	assert_false(tls_is_open(p.server));
	assert_int_equal(tls_write(p.server, STR("x")), ERR_UNAVAILABLE);
	tls_end(p.server);
	pair_release(&p);
}

/* A handshake with one byte changed ends somehow, and never in a connection that delivers. */
static void
damaged_handshakes_end(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < suite_seeds(200); seed++) {
		struct rand random;
		struct pair p;
		char wire[4096];
		int n;

		rand_init_seed(&random, seed);
		pair_init(&p, NULL);
		SSL_do_handshake(p.client);
		n = BIO_read(p.from_client, wire, sizeof wire);
		wire[rand_u64(&random) % (unsigned)n] ^= (char)(1 << rand_u64(&random) % 8);
		server_reads(&p, (struct str){ wire, (size_t)n }, 100);
		if (p.step == TLS_DATA || p.got.len > 0 || tls_is_open(p.server))
			fail_msg("seed %llu", (unsigned long long)seed);
		pair_release(&p);
	}
}

int
main(void)
{
	const struct {
		struct tls_files *files;
		struct tls_cert_want want;
	} made[] = {
		{ &usual, TLS_CERT_USUAL },
		{ &other, TLS_CERT_USUAL },
		{ &rsa, { 2048, -DAY_S, 30 * DAY_S, NULL } },
		{ &weak, { 1024, -DAY_S, 30 * DAY_S, NULL } },
		{ &locked, { 0, -DAY_S, 30 * DAY_S, "secret" } },
		{ &expired, { 0, -2 * DAY_S, -DAY_S, NULL } },
		{ &early, { 0, DAY_S, 30 * DAY_S, NULL } },
		{ &soon, { 0, -DAY_S, DAY_S, NULL } },
	};
	struct suite s = { 0 };
	int failed;

	for (size_t i = 0; i < ARRAY_LEN(made); i++)
		tls_files_make(made[i].files, &made[i].want);
	SUITE_ROWS(&s, FILE_ROWS, file_row_holds);
	SUITE_TEST(&s, chain_stands_behind_the_certificate);
	SUITE_ROWS(&s, VALIDITY_ROWS, validity_row_holds);
	SUITE_ROWS(&s, GARBAGE_ROWS, garbage_row_holds);
	SUITE_TEST(&s, every_split_is_the_same_conversation);
	SUITE_TEST(&s, unsound_ciphers_are_refused);
	SUITE_TEST(&s, renegotiation_is_refused);
	SUITE_TEST(&s, changed_record_is_noticed);
	SUITE_TEST(&s, damaged_handshakes_end);
	failed = suite_run(&s, "net/tls");
	for (size_t i = 0; i < ARRAY_LEN(made); i++)
		tls_files_remove(made[i].files);
	return failed;
}
