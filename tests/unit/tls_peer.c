#include "tls_peer.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PEER_READ_MAX = 16 * 1024 * 1024, DAY_S = 86400 };

const struct tls_cert_want TLS_CERT_USUAL = { 0, -DAY_S, 30 * DAY_S, NULL };

/* --- certificates --- */

static void
must(bool fine, const char *what)
{
	if (!fine) {
		fprintf(stderr, "tls_peer: %s: %s\n", what, strerror(errno));
		abort();
	}
}

static X509 *
sign(EVP_PKEY *key, const struct tls_cert_want *want)
{
	X509 *cert = X509_new();
	X509_NAME *name = X509_get_subject_name(cert);
	X509_EXTENSION *names =
		X509V3_EXT_conf_nid(NULL, NULL, NID_subject_alt_name, "IP:127.0.0.1,DNS:localhost");

	X509_set_version(cert, X509_VERSION_3);
	ASN1_INTEGER_set(X509_get_serialNumber(cert), 1);
	X509_gmtime_adj(X509_getm_notBefore(cert), want->valid_from_s);
	X509_gmtime_adj(X509_getm_notAfter(cert), want->valid_until_s);
	X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)"localhost", -1,
				   -1, 0);
	X509_set_issuer_name(cert, name);
	X509_add_ext(cert, names, -1);
	X509_set_pubkey(cert, key);
	must(X509_sign(cert, key, EVP_sha256()) > 0, "sign");
	X509_EXTENSION_free(names);
	return cert;
}

static void
write_pem(const char *path, X509 *cert, EVP_PKEY *key, const char *passphrase)
{
	FILE *to = fopen(path, "we");

	must(to != NULL, path);
	if (cert)
		must(PEM_write_X509(to, cert) == 1, "write");
	else
		must(PEM_write_PrivateKey(to, key, passphrase ? EVP_aes_128_cbc() : NULL, NULL, 0,
					  NULL, (void *)(uintptr_t)passphrase) == 1,
		     "write");
	fclose(to);
}

void
tls_files_make(struct tls_files *f, const struct tls_cert_want *want)
{
	const char *tmp = getenv("TMPDIR");
	EVP_PKEY *key =
		want->rsa_bits > 0 ? EVP_RSA_gen((unsigned)want->rsa_bits) : EVP_EC_gen("P-256");
	X509 *cert;

	must(key != NULL, "key");
	if (!tmp || strlen(tmp) > 40)
		tmp = "/tmp";
	snprintf(f->dir, sizeof f->dir, "%s/tls-XXXXXX", tmp);
	must(mkdtemp(f->dir) != NULL, f->dir);
	snprintf(f->cert, sizeof f->cert, "%s/cert.pem", f->dir);
	snprintf(f->key, sizeof f->key, "%s/key.pem", f->dir);
	cert = sign(key, want);
	write_pem(f->cert, cert, NULL, NULL);
	write_pem(f->key, NULL, key, want->passphrase);
	X509_free(cert);
	EVP_PKEY_free(key);
}

void
tls_files_put(const struct tls_files *f, const char *name, struct str text, char path[96])
{
	FILE *to;

	snprintf(path, 96, "%s/%s", f->dir, name);
	to = fopen(path, "we");
	must(to && fwrite(text.ptr, 1, text.len, to) == text.len, path);
	fclose(to);
}

void
tls_files_remove(const struct tls_files *f)
{
	char command[128];

	snprintf(command, sizeof command, "rm -r '%s'", f->dir);
	must(peer_run(command, NULL, 0) == 0, command);
}

/* --- the client --- */

bool
tls_peer_open(struct tls_peer *peer, const struct probe *p, const struct tls_peer_want *want)
{
	struct timeval patience = { PROBE_WAIT_MS / 1000, 0 };

	*peer = (struct tls_peer){ .ctx = SSL_CTX_new(TLS_client_method()),
				   .fd = probe_connect(p) };
	if (want->max_version != 0) {
		SSL_CTX_set_security_level(peer->ctx, 0); /* else it would not even offer it */
		SSL_CTX_set_min_proto_version(peer->ctx, 0);
		SSL_CTX_set_max_proto_version(peer->ctx, want->max_version);
	}
	if (want->ca) {
		must(SSL_CTX_load_verify_file(peer->ctx, want->ca) == 1, want->ca);
		SSL_CTX_set_verify(peer->ctx, SSL_VERIFY_PEER, NULL);
	}
	if (want->alpn)
		SSL_CTX_set_alpn_protos(peer->ctx, (const unsigned char *)want->alpn,
					(unsigned)strlen(want->alpn));
	setsockopt(peer->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
	setsockopt(peer->fd, IPPROTO_TCP, TCP_NODELAY, &(int){ 1 }, sizeof(int));
	peer->ssl = SSL_new(peer->ctx);
	X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(peer->ssl), "127.0.0.1");
	SSL_set_fd(peer->ssl, peer->fd);
	return SSL_connect(peer->ssl) == 1;
}

void
tls_peer_send(struct tls_peer *peer, struct str plain)
{
	if (plain.len > 0)
		SSL_write(peer->ssl, plain.ptr, (int)plain.len); /* a refusal may come first */
}

struct str
tls_peer_read(struct tls_peer *peer, const char *until, enum tls_peer_end *end)
{
	static char text[PEER_READ_MAX + 1];
	enum tls_peer_end how = TLS_PEER_OPEN;
	size_t len = 0, from = 0;

	text[0] = '\0';
	while (len < PEER_READ_MAX && !(until && strstr(text + from, until))) {
		int n = SSL_read(peer->ssl, text + len, PEER_READ_MAX - (int)len);

		if (n <= 0) {
			int why = SSL_get_error(peer->ssl, n);
			if (why == SSL_ERROR_ZERO_RETURN)
				how = TLS_PEER_ENDED;
			else if (why != SSL_ERROR_WANT_READ)
				how = TLS_PEER_CUT;
			break;
		}
		len += (size_t)n;
		text[len] = '\0';
		from = len > 65536 ? len - 65536 : 0;
	}
	if (end)
		*end = how;
	return (struct str){ text, len };
}

void
tls_peer_half_close(struct tls_peer *peer)
{
	SSL_shutdown(peer->ssl);
}

void
tls_peer_close(struct tls_peer *peer)
{
	SSL_free(peer->ssl);
	SSL_CTX_free(peer->ctx);
	close(peer->fd);
}

/* --- other programs --- */

int
peer_run(const char *command, char *out, size_t cap)
{
	FILE *from = popen(command, "re");
	char rest[4096];
	size_t len = 0, n;
	int status;

	must(from != NULL, command);
	if (cap > 0)
		len = fread(out, 1, cap - 1, from);
	if (cap > 0)
		out[len] = '\0';
	while ((n = fread(rest, 1, sizeof rest, from)) > 0)
		;
	status = pclose(from);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
