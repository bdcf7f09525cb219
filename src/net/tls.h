/* tls - encryption between a connection and its socket, without the socket: records in, plain bytes
 * out, and back. OpenSSL ends here.
 *
 * A connection's side owns no buffers of its own: it reads from what it is handed and appends the
 * records for its peer (of the handshake, too) to a buf that its owner sends and clears. */
#pragma once
#include "base/buf.h"
#include "base/err.h"

/* A certificate with its chain, its key, and the rules of every connection: TLS 1.2 or 1.3, forward
 * secrecy, authenticated ciphers, http/1.1. Never changes; a reload makes another one, and a
 * connection keeps the one it began with. */
struct tls_config;

/* Both files are PEM; the first certificate is the server's, those behind it its chain. NULL: e says
 * which file and what is wrong with it. A certificate out of its time is no error here. */
struct tls_config *tls_config_new(const char *cert_path, const char *key_path, struct err *e);
struct tls_config *tls_config_ref(struct tls_config *config);
/* Accepts NULL; the last one frees. */
void tls_config_unref(struct tls_config *config);

/* What clients will think of the certificate's dates. */
enum tls_validity {
	TLS_VALID,
	TLS_EXPIRES_SOON, /* within 14 days */
	TLS_EXPIRED,
	TLS_NOT_YET_VALID
};
enum tls_validity tls_config_validity(const struct tls_config *config, int64_t now_ms);
/* ms since the epoch, UTC. */
int64_t tls_config_expires_ms(const struct tls_config *config);

/* The server's side of one connection. */
struct tls;

enum tls_step {
	TLS_MORE,   /* all input used; more is needed */
	TLS_DATA,   /* plain bytes came out; call again, there may be more */
	TLS_ENDED,  /* the peer said that it sends no more */
	TLS_FAILED, /* no TLS, or broken: what is in out (an alert) may be sent, then it is over */
	TLS_PLAIN   /* the first byte is that of an HTTP request without TLS: nothing was used */
};

/* out must outlive it. */
struct tls *tls_new(struct tls_config *config, struct buf *out);
void tls_free(struct tls **t);
/* Takes from *wire what it needs, which moves on; writes at most cap (> 0) plain bytes. */
enum tls_step tls_read(struct tls *t, struct str *wire, char *plain, size_t cap, size_t *len);
/* The handshake is complete: tls_write may be called. */
bool tls_is_open(const struct tls *t);
/* ERR_UNAVAILABLE: not open, ended, or failed. */
NODISCARD int tls_write(struct tls *t, struct str plain);
/* Says that nothing follows: without it the peer takes the end for a cut. Harmless at any time. */
void tls_end(struct tls *t);
