#include "net/tls.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/xalloc.h"

enum { PEM_MAX = 1024 * 1024, SOON_DAYS = 14 };

static const int64_t SECOND_MS = 1000, DAY_MS = INT64_C(86400) * 1000;

/* TLS 1.2 as far as it is still sound; the suites of TLS 1.3 all are. */
static const char CIPHERS_1_2[] = "ECDHE+AESGCM:ECDHE+CHACHA20";
static const unsigned char HTTP_1_1[] = "\x08http/1.1";

struct tls_config {
	SSL_CTX *ctx;
	BIO_METHOD *wire;
	uint32_t refs;
	int64_t not_before_ms, not_after_ms;
};

struct tls {
	SSL *ssl;
	struct tls_config *config;
	struct str in;   /* what tls_read was given and OpenSSL has not taken */
	struct buf *out; /* the owner's */
	bool begun, failed;
};

/* Only memory that is out fails here. */
static void *
must(void *made)
{
	if (!made)
		abort();
	return made;
}

/* --- the wire, as OpenSSL sees it --- */

static int
on_wire_read(BIO *b, char *to, int len)
{
	struct tls *t = BIO_get_data(b);
	size_t n = t->in.len < (size_t)len ? t->in.len : (size_t)len;

	BIO_clear_retry_flags(b);
	if (n == 0) {
		BIO_set_retry_read(b);
		return -1;
	}
	memcpy(to, t->in.ptr, n);
	t->in = str_slice(t->in, n, t->in.len);
	return (int)n;
}

static int
on_wire_write(BIO *b, const char *from, int len)
{
	struct tls *t = BIO_get_data(b);

	buf_put(t->out, from, (size_t)len);
	return t->out->overflow ? -1 : len;
}

static long
on_wire_ctrl(BIO *b, int what, long number, void *ptr)
{
	(void)b, (void)number, (void)ptr;
	return what == BIO_CTRL_FLUSH; /* everything is out already */
}

static BIO_METHOD *
wire_new(void)
{
	BIO_METHOD *wire = must(BIO_meth_new(BIO_TYPE_MEM, "wire"));

	BIO_meth_set_read(wire, on_wire_read);
	BIO_meth_set_write(wire, on_wire_write);
	BIO_meth_set_ctrl(wire, on_wire_ctrl);
	return wire;
}

/* --- certificate and key --- */

static const char *
reason(void)
{
	const char *text = ERR_reason_error_string(ERR_peek_last_error());

	return text ? text : "OpenSSL does not say why";
}

/* The file as a BIO over memory of a; the caller frees the BIO first. */
static int
open_pem(const char *path, const char *what, struct arena *a, BIO **out, struct err *e)
{
	struct str text;
	int rc = file_read(path, PEM_MAX, a, &text, e);

	if (rc != 0)
		return err_prefix(e, rc, "the TLS %s ", what);
	*out = must(BIO_new_mem_buf(text.ptr, (int)text.len));
	ERR_clear_error();
	return 0;
}

static const struct str CERT_MARK = STR("CERTIFICATE-----"), KEY_MARK = STR("PRIVATE KEY-----");

/* Why no block with that mark could be read: the mistakes people make, then what OpenSSL says. */
static int
pem_error(BIO *pem, const char *path, bool is_key, struct err *e)
{
	const char *what = is_key ? "key" : "certificate", *why = reason();
	char *ptr;
	long len;
	struct str text;

	IGNORE(BIO_reset(pem)); /* memory: cannot fail */
	len = BIO_get_mem_data(pem, &ptr);
	text = (struct str){ ptr, (size_t)len };
	if (!str_contains(text, STR("-----BEGIN ")))
		return err_set(e, ERR_INVALID, "the TLS %s %s: not PEM (no -----BEGIN ... line)",
			       what, path);
	if (str_contains(text, is_key ? KEY_MARK : CERT_MARK))
		return err_set(e, ERR_INVALID, "the TLS %s %s: cannot be read: %s", what, path,
			       why);
	return err_set(e, ERR_INVALID, "the TLS %s %s: there is none in it%s", what, path,
		       str_contains(text, is_key ? CERT_MARK : KEY_MARK)
			       ? "; are the two files exchanged?"
			       : "");
}

static int64_t
time_ms(const ASN1_TIME *time)
{
	ASN1_TIME *epoch = must(ASN1_TIME_set(NULL, 0));
	int days = 0, seconds = 0;
	bool known = ASN1_TIME_diff(&days, &seconds, epoch, time) == 1;

	ASN1_TIME_free(epoch);
	return known ? days * DAY_MS + seconds * SECOND_MS : 0;
}

/* The certificates behind the first one. */
static int
use_chain(struct tls_config *config, BIO *pem, const char *path, struct err *e)
{
	X509 *more;

	while ((more = PEM_read_bio_X509(pem, NULL, NULL, NULL)) != NULL)
		if (SSL_CTX_add0_chain_cert(config->ctx, more) != 1) {
			X509_free(more);
			return err_set(e, ERR_INVALID, "the TLS certificate %s: its chain: %s",
				       path, reason());
		}
	if (ERR_GET_REASON(ERR_peek_last_error()) != PEM_R_NO_START_LINE)
		return err_set(e, ERR_INVALID,
			       "the TLS certificate %s: its chain cannot be read: %s", path,
			       reason());
	ERR_clear_error();
	return 0;
}

static int
use_certificate(struct tls_config *config, const char *path, struct err *e)
{
	struct arena a;
	BIO *pem = NULL;
	X509 *cert = NULL;
	int rc;

	arena_init(&a);
	rc = open_pem(path, "certificate", &a, &pem, e);
	if (rc != 0)
		goto out;
	cert = PEM_read_bio_X509_AUX(pem, NULL, NULL, NULL);
	if (!cert) {
		rc = pem_error(pem, path, false, e);
	} else if (SSL_CTX_use_certificate(config->ctx, cert) != 1) {
		rc = err_set(e, ERR_INVALID, "the TLS certificate %s: refused: %s", path, reason());
	} else {
		config->not_before_ms = time_ms(X509_get0_notBefore(cert));
		config->not_after_ms = time_ms(X509_get0_notAfter(cert));
		rc = use_chain(config, pem, path, e);
	}
out:
	X509_free(cert);
	BIO_free(pem);
	arena_release(&a);
	return rc;
}

/* Never asks the terminal, as OpenSSL would. */
static int
no_passphrase(char *to, int size, int writing, void *asked)
{
	(void)to, (void)size, (void)writing;
	*(bool *)asked = true;
	return -1;
}

static int
take_key(struct tls_config *config, EVP_PKEY *key, const char *path, const char *cert_path,
	 struct err *e)
{
	if (X509_check_private_key(SSL_CTX_get0_certificate(config->ctx), key) != 1)
		return err_set(e, ERR_INVALID,
			       "the TLS key %s: does not belong to the certificate %s", path,
			       cert_path);
	if (SSL_CTX_use_PrivateKey(config->ctx, key) != 1)
		return err_set(e, ERR_INVALID, "the TLS key %s: refused: %s", path, reason());
	return 0;
}

static int
use_key(struct tls_config *config, const char *path, const char *cert_path, struct err *e)
{
	struct arena a;
	BIO *pem = NULL;
	EVP_PKEY *key = NULL;
	bool asked = false;
	int rc;

	arena_init(&a);
	rc = open_pem(path, "key", &a, &pem, e);
	if (rc != 0)
		goto out;
	key = PEM_read_bio_PrivateKey(pem, NULL, no_passphrase, &asked);
	if (key)
		rc = take_key(config, key, path, cert_path, e);
	else if (asked)
		rc = err_set(e, ERR_INVALID,
			     "the TLS key %s: locked with a passphrase; one without is needed",
			     path);
	else
		rc = pem_error(pem, path, true, e);
out:
	EVP_PKEY_free(key);
	BIO_free(pem);
	arena_release(&a);
	return rc;
}

/* --- the rules of every connection --- */

static int
on_alpn(SSL *ssl, const unsigned char **out, unsigned char *out_len, const unsigned char *in,
	unsigned in_len, void *context)
{
	unsigned char *chosen;

	(void)ssl, (void)context;
	if (SSL_select_next_proto(&chosen, out_len, HTTP_1_1, sizeof HTTP_1_1 - 1, in, in_len) !=
	    OPENSSL_NPN_NEGOTIATED)
		return SSL_TLSEXT_ERR_ALERT_FATAL;
	*out = chosen;
	return SSL_TLSEXT_ERR_OK;
}

static void
set_rules(SSL_CTX *ctx)
{
	if (SSL_CTX_set_min_proto_version(ctx, TLS1_2_VERSION) != 1 ||
	    SSL_CTX_set_cipher_list(ctx, CIPHERS_1_2) != 1)
		abort();
	SSL_CTX_set_options(ctx, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
					 SSL_OP_CIPHER_SERVER_PREFERENCE |
					 SSL_OP_PRIORITIZE_CHACHA);
	SSL_CTX_set_mode(ctx, SSL_MODE_RELEASE_BUFFERS);
	/* Resuming is by tickets, which cost no memory here. */
	SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);
	SSL_CTX_set_alpn_select_cb(ctx, on_alpn, NULL);
}

struct tls_config *
tls_config_new(const char *cert_path, const char *key_path, struct err *e)
{
	struct tls_config *config = xcalloc(1, sizeof *config);

	config->refs = 1;
	config->wire = wire_new();
	config->ctx = must(SSL_CTX_new(TLS_server_method()));
	set_rules(config->ctx);
	if (use_certificate(config, cert_path, e) != 0 ||
	    use_key(config, key_path, cert_path, e) != 0) {
		tls_config_unref(config);
		return NULL;
	}
	return config;
}

struct tls_config *
tls_config_ref(struct tls_config *config)
{
	config->refs++;
	return config;
}

void
tls_config_unref(struct tls_config *config)
{
	if (!config || --config->refs > 0)
		return;
	SSL_CTX_free(config->ctx);
	BIO_meth_free(config->wire);
	free(config);
}

enum tls_validity
tls_config_validity(const struct tls_config *config, int64_t now_ms)
{
	if (now_ms < config->not_before_ms)
		return TLS_NOT_YET_VALID;
	if (now_ms > config->not_after_ms)
		return TLS_EXPIRED;
	return now_ms > config->not_after_ms - SOON_DAYS * DAY_MS ? TLS_EXPIRES_SOON : TLS_VALID;
}

int64_t
tls_config_expires_ms(const struct tls_config *config)
{
	return config->not_after_ms;
}

/* --- one connection --- */

struct tls *
tls_new(struct tls_config *config, struct buf *out)
{
	struct tls *t = xcalloc(1, sizeof *t);
	BIO *wire = must(BIO_new(config->wire));

	t->config = tls_config_ref(config);
	t->out = out;
	t->ssl = must(SSL_new(config->ctx));
	BIO_set_data(wire, t);
	BIO_set_init(wire, 1);
	SSL_set_bio(t->ssl, wire, wire);
	SSL_set_accept_state(t->ssl);
	return t;
}

void
tls_free(struct tls **out)
{
	struct tls *t = TAKE(*out);

	if (!t)
		return;
	SSL_free(t->ssl);
	tls_config_unref(t->config);
	free(t);
}

bool
tls_is_open(const struct tls *t)
{
	return !t->failed && SSL_is_init_finished(t->ssl);
}

/* A record begins with its kind, a small number; a request with the capital of its method. */
static bool
is_plain_http(char first)
{
	return first >= 'A' && first <= 'Z';
}

enum tls_step
tls_read(struct tls *t, struct str *wire, char *plain, size_t cap, size_t *len)
{
	int got;

	*len = 0;
	if (!t->begun && wire->len > 0) {
		t->begun = true;
		t->failed = is_plain_http(wire->ptr[0]);
		if (t->failed)
			return TLS_PLAIN;
	}
	if (t->failed)
		return TLS_FAILED;
	t->in = *wire;
	ERR_clear_error();
	got = SSL_read_ex(t->ssl, plain, cap, len);
	*wire = t->in;
	if (got == 1)
		return TLS_DATA;
	switch (SSL_get_error(t->ssl, got)) {
	case SSL_ERROR_WANT_READ: return TLS_MORE;
	case SSL_ERROR_ZERO_RETURN: return TLS_ENDED;
	default: t->failed = true; return TLS_FAILED;
	}
}

int
tls_write(struct tls *t, struct str plain)
{
	size_t written;

	if (!tls_is_open(t))
		return ERR_UNAVAILABLE;
	if (plain.len == 0)
		return 0;
	ERR_clear_error();
	if (SSL_write_ex(t->ssl, plain.ptr, plain.len, &written) == 1)
		return 0;
	t->failed = true;
	return ERR_UNAVAILABLE;
}

void
tls_end(struct tls *t)
{
	if (!tls_is_open(t) || SSL_get_shutdown(t->ssl) & SSL_SENT_SHUTDOWN)
		return;
	ERR_clear_error();
	SSL_shutdown(t->ssl);
}
