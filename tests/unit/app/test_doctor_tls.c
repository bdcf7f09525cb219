#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "doctor_rows.h"

enum { DAY_S = 24 * 3600 };

/* Files of one test, under a folder of its own. */
struct files {
	char folder[64], certificate[128], key[128], other[128];
	int64_t now_ms;
	struct config *c;
};

static FILE *
create(struct files *f, const char *name, char path[128])
{
	config_rows_write(f->folder, name, "", path);
	return fopen(path, "w");
}

static EVP_PKEY *
write_key(struct files *f, const char *name, char path[128], const EVP_CIPHER *cipher)
{
	EVP_PKEY *key = EVP_EC_gen("P-256");
	FILE *to = create(f, name, path);

	assert_non_null(key);
	assert_int_equal(PEM_write_PrivateKey(to, key, cipher,
					      cipher ? (unsigned char *)"pw" : NULL, cipher ? 2 : 0,
					      NULL, NULL),
			 1);
	fclose(to);
	return key;
}

/* Valid from and until so many seconds after now. */
static void
write_certificate(struct files *f, EVP_PKEY *key, long from_s, long until_s)
{
	X509 *x = X509_new();
	FILE *to = create(f, "cert.pem", f->certificate);
	time_t now = (time_t)(f->now_ms / 1000);

	assert_int_equal(X509_set_pubkey(x, key), 1);
	assert_non_null(X509_time_adj(X509_getm_notBefore(x), from_s, &now));
	assert_non_null(X509_time_adj(X509_getm_notAfter(x), until_s, &now));
	assert_true(X509_sign(x, key, EVP_sha256()) > 0);
	assert_int_equal(PEM_write_X509(to, x), 1);
	fclose(to);
	X509_free(x);
}

static void
files_open(struct files *f)
{
	char text[400];
	EVP_PKEY *key;

	*f = (struct files){ .now_ms = clock_now_ms() / 1000 * 1000 };
	config_rows_mkdir(f->folder);
	key = write_key(f, "key.pem", f->key, NULL);
	write_certificate(f, key, -DAY_S, 90 * DAY_S);
	EVP_PKEY_free(key);
	snprintf(text, sizeof text, "tls: {certificate: \"%s\", key: \"%s\"}\n", f->certificate,
		 f->key);
	f->c = config_rows_load(text);
}

static void
files_close(struct files *f)
{
	config_free(&f->c);
	unlink(f->certificate);
	unlink(f->key);
	rmdir(f->folder);
}

/* What it says at now_ms plus so many seconds; dates are left out. */
static void
check_at(struct files *f, const char *name, long later_s, const char *want)
{
	struct doctor_report r;

	doctor_report_init(&r);
	doctor_tls(&r, f->c, f->now_ms + later_s * 1000L);
	for (size_t i = 0; i < r.items.len; i++) {
		struct str *found = &r.items.ptr[i].found;
		if (str_ends(*found, STR("Z"))) /* "... 2026-03-29T01:00:00Z" */
			found->len -= sizeof " 2026-03-29T01:00:00Z" - 1;
	}
	doctor_rows_check(name, &r, want);
	doctor_report_release(&r);
}

static void
a_certificate_and_its_time(void **state)
{
	struct files f;

	(void)state;
	files_open(&f);
	check_at(&f, "good", 0, "ok tls: the certificate is valid until");
	check_at(&f, "two weeks left", 76 * DAY_S, "ok tls: the certificate is valid until");
	check_at(&f, "less", 76 * DAY_S + 1, "warn tls: the certificate expires at");
	check_at(&f, "the last second", 90 * DAY_S - 1, "warn tls: the certificate expires at");
	check_at(&f, "over", 90 * DAY_S, "fail tls: the certificate expired at");
	check_at(&f, "too early", -DAY_S - 1, "fail tls: the certificate is only valid from");
	assert_int_equal(chmod(f.key, 0640), 0);
	check_at(&f, "open key", 0,
		 "ok tls: the certificate is valid until\n"
		 "warn tls: tls.key is open to other users (mode 640)");
	files_close(&f);
}

static void
files_that_do_not_fit(void **state)
{
	struct files f;
	char want[400];

	(void)state;
	files_open(&f);
	EVP_PKEY_free(write_key(&f, "key.pem", f.key, NULL));
	check_at(&f, "another key", 0,
		 "ok tls: the certificate is valid until\n"
		 "fail tls: tls.key is not the key of tls.certificate");
	EVP_PKEY_free(write_key(&f, "key.pem", f.key, EVP_aes_128_cbc()));
	snprintf(want, sizeof want,
		 "ok tls: the certificate is valid until\nfail tls: %s holds no readable key",
		 f.key);
	check_at(&f, "a passphrase is never asked for", 0, want);
	fclose(create(&f, "cert.pem", f.certificate));
	snprintf(want, sizeof want,
		 "fail tls: %s holds no readable certificate\nfail tls: %s holds no readable key",
		 f.certificate, f.key);
	check_at(&f, "empty", 0, want);
	unlink(f.key);
	check_at(&f, "absent", 0, want);
	files_close(&f);
}

static void
without_tls_nothing_is_said(void **state)
{
	struct config *c = config_rows_load("");
	struct doctor_report r;

	(void)state;
	doctor_report_init(&r);
	doctor_tls(&r, c, 0);
	doctor_rows_check("none", &r, "");
	doctor_report_release(&r);
	config_free(&c);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, a_certificate_and_its_time);
	SUITE_TEST(&s, files_that_do_not_fit);
	SUITE_TEST(&s, without_tls_nothing_is_said);
	return suite_run(&s, "app/doctor_tls");
}
