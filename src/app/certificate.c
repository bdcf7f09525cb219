#include "app/certificate.h"

#include "base/log.h"
#include "base/timestamp.h"

static const char *
complaint(enum tls_validity validity)
{
	switch (validity) {
	case TLS_VALID: return NULL;
	case TLS_EXPIRES_SOON: return "expires soon: renew it, then send SIGHUP";
	case TLS_EXPIRED: return "has expired, clients refuse it: renew it, then send SIGHUP";
	case TLS_NOT_YET_VALID: return "is not valid yet: wait for it, or look at the clock";
	}
	return NULL;
}

static void
tell(const struct config *config, const struct tls_config *tls, int64_t now_ms)
{
	const char *reason = complaint(tls_config_validity(tls, now_ms));
	char text[TIMESTAMP_TEXT_MAX];
	struct str until = timestamp_format(tls_config_expires_ms(tls), text);

	if (reason)
		log_write(LOG_WARN, "tls.certificate", LOG_STR("file", config->tls.certificate),
			  LOG_STR("valid_until", until), LOG_STR("reason", str_of(reason)));
	else
		log_write(LOG_INFO, "tls.certificate", LOG_STR("file", config->tls.certificate),
			  LOG_STR("valid_until", until));
}

int
certificate_load(const struct config *config, int64_t now_ms, struct tls_config **out,
		 struct err *e)
{
	struct tls_config *tls = NULL;

	if (config->tls.certificate.len > 0) {
		tls = tls_config_new(config->tls.certificate.ptr, config->tls.key.ptr, e);
		if (!tls)
			return e->code;
		tell(config, tls, now_ms);
	}
	*out = tls;
	return 0;
}
