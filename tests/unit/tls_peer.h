/* tls_peer - the other side of TLS for tests: certificates made on the spot, and a client on
 * OpenSSL that can stop half way. Every wait has a bound. */
#pragma once
#include <openssl/ssl.h>

#include "harness.h"
#include "http_probe.h"

/* A folder of its own with cert.pem and key.pem: self-signed, for 127.0.0.1 and localhost. */
struct tls_files {
	char dir[64], cert[96], key[96];
};

struct tls_cert_want {
	int rsa_bits;                     /* 0: a P-256 key */
	long valid_from_s, valid_until_s; /* from now */
	const char *passphrase;           /* of the key file; NULL: none */
};
extern const struct tls_cert_want TLS_CERT_USUAL; /* P-256, since yesterday, for 30 days */

void tls_files_make(struct tls_files *f, const struct tls_cert_want *want);
/* One more file in the folder. */
void tls_files_put(const struct tls_files *f, const char *name, struct str text, char path[96]);
void tls_files_remove(const struct tls_files *f);

enum tls_peer_end { TLS_PEER_OPEN, TLS_PEER_ENDED, TLS_PEER_CUT };

struct tls_peer {
	SSL_CTX *ctx;
	SSL *ssl;
	int fd;
};

struct tls_peer_want {
	const char *ca;   /* trusted; NULL: nothing is checked */
	int max_version;  /* 0: the newest */
	const char *alpn; /* in wire form, "\x02h2"; NULL: none */
};

/* Connects and shakes hands; false when the server does not agree. Close it in any case. */
bool tls_peer_open(struct tls_peer *peer, const struct probe *p, const struct tls_peer_want *want);
void tls_peer_send(struct tls_peer *peer, struct str plain);
/* As probe_read; *end (may be NULL) tells how it ended: with a goodbye or cut. */
struct str tls_peer_read(struct tls_peer *peer, const char *until, enum tls_peer_end *end);
/* Says that it sends no more, and goes on reading. */
void tls_peer_half_close(struct tls_peer *peer);
void tls_peer_close(struct tls_peer *peer);

/* Another program as the peer: runs it, returns its exit status and what it wrote. */
int peer_run(const char *command, char *out, size_t cap);
