/* doctor_tls - are certificate and key readable, a pair, and valid for a while? */
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include "app/doctor_private.h"
#include "base/timestamp.h"

static const int64_t DAY_MS = INT64_C(24) * 3600 * 1000;
enum { DAYS_WARN = 14 };

/* A key with a passphrase cannot be used by a server that starts by itself: never ask. */
static int
no_passphrase(char *to, int size, int writing, void *unused)
{
	(void)to, (void)size, (void)writing, (void)unused;
	return -1;
}

static X509 *
read_certificate(const char *path)
{
	BIO *file = BIO_new_file(path, "r");
	X509 *certificate = file ? PEM_read_bio_X509(file, NULL, no_passphrase, NULL) : NULL;

	BIO_free(file);
	return certificate;
}

static EVP_PKEY *
read_key(const char *path)
{
	BIO *file = BIO_new_file(path, "r");
	EVP_PKEY *key = file ? PEM_read_bio_PrivateKey(file, NULL, no_passphrase, NULL) : NULL;

	BIO_free(file);
	return key;
}

static bool
instant_of(const ASN1_TIME *at, int64_t *out)
{
	struct tm tm;

	if (ASN1_TIME_to_tm(at, &tm) != 1)
		return false;
	*out = timestamp_from_civil(&(struct civil){ .year = tm.tm_year + 1900,
						     .month = tm.tm_mon + 1,
						     .day = tm.tm_mday,
						     .hour = tm.tm_hour,
						     .minute = tm.tm_min,
						     .second = tm.tm_sec });
	return true;
}

static void
check_validity(struct doctor_report *r, const X509 *certificate, int64_t now_ms)
{
	static const char RENEW[] = "renew the certificate and put it into the same files";
	char text[TIMESTAMP_TEXT_MAX];
	int64_t from, until;

	if (!instant_of(X509_get0_notBefore(certificate), &from) ||
	    !instant_of(X509_get0_notAfter(certificate), &until)) {
		doctor_report_add(r, DOCTOR_FAIL, "tls", RENEW,
				  "the certificate has no valid dates");
		return;
	}
	timestamp_format(now_ms < from ? from : until, text);
	if (now_ms < from)
		doctor_report_add(r, DOCTOR_FAIL, "tls", "wait for it, or look at the clock",
				  "the certificate is only valid from %s", text);
	else if (now_ms >= until)
		doctor_report_add(r, DOCTOR_FAIL, "tls", RENEW, "the certificate expired at %s",
				  text);
	else if (until - now_ms < DAYS_WARN * DAY_MS)
		doctor_report_add(r, DOCTOR_WARN, "tls", RENEW, "the certificate expires at %s",
				  text);
	else
		doctor_report_ok(r, "tls", "the certificate is valid until %s", text);
}

void
doctor_tls(struct doctor_report *r, const struct config *c, int64_t now_ms)
{
	X509 *certificate;
	EVP_PKEY *key;

	if (c->tls.certificate.len == 0)
		return;
	certificate = read_certificate(c->tls.certificate.ptr);
	key = read_key(c->tls.key.ptr);
	if (!certificate)
		doctor_report_add(r, DOCTOR_FAIL, "tls",
				  "tls.certificate must be a PEM file the server's user can read",
				  STR_FMT " holds no readable certificate",
				  STR_ARG(c->tls.certificate));
	else
		check_validity(r, certificate, now_ms);
	if (!key)
		doctor_report_add(r, DOCTOR_FAIL, "tls",
				  "tls.key must be a PEM file without passphrase that the server's "
				  "user can read",
				  STR_FMT " holds no readable key", STR_ARG(c->tls.key));
	else if (certificate && X509_check_private_key(certificate, key) != 1)
		doctor_report_add(r, DOCTOR_FAIL, "tls", "put the two files of one pair together",
				  "tls.key is not the key of tls.certificate");
	else
		doctor_private_mode(r, "tls", "tls.key", c->tls.key.ptr);
	ERR_clear_error();
	X509_free(certificate);
	EVP_PKEY_free(key);
}
