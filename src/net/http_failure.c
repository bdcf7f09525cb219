#include "net/http_failure.h"

#include <ctype.h>
#include <stdio.h>

enum { REASON_MAX = 256 };

/* ": connection refused", or nothing when there is none. */
static const char *
os_reason(int os_errno, char text[REASON_MAX])
{
	text[0] = '\0';
	if (os_errno != 0) {
		snprintf(text, REASON_MAX, ": %s", strerror(os_errno));
		text[2] = (char)tolower((unsigned char)text[2]);
	}
	return text;
}

static int
fail_tls(const struct http_failure *f, struct err *e)
{
	char own[REASON_MAX];
	const char *reason = f->reason && f->reason[0] ? f->reason : curl_easy_strerror(f->code);

	if (f->os_errno != 0 && f->code == CURLE_SSL_CONNECT_ERROR)
		reason = os_reason(f->os_errno, own) + 2; /* it broke below TLS */
	return err_set(e, ERR_IO, "no secure connection to " STR_FMT ": %s", STR_ARG(f->where),
		       reason);
}

static int
fail_broken(const struct http_failure *f, struct err *e)
{
	char why[REASON_MAX];

	os_reason(f->os_errno, why);
	if (f->phase == HTTP_PHASE_ANSWER)
		return err_set(e, ERR_IO,
			       STR_FMT ": the connection broke in the middle of the answer%s",
			       STR_ARG(f->where), why);
	return err_set(e, ERR_IO, STR_FMT ": the connection broke before an answer came%s",
		       STR_ARG(f->where), why);
}

int
http_failure_explain(const struct http_failure *f, struct err *e)
{
	char why[REASON_MAX];

	switch ((int)f->code) { /* curl has a hundred codes; these can happen to HTTP */
	case CURLE_COULDNT_CONNECT:
	case CURLE_COULDNT_RESOLVE_HOST: /* a socket's path; names never get to curl */
		return err_set(e, ERR_UNAVAILABLE, "cannot connect to " STR_FMT "%s",
			       STR_ARG(f->where), os_reason(f->os_errno, why));
	case CURLE_SSL_CONNECT_ERROR:
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_CERTPROBLEM:
	case CURLE_SSL_CIPHER:
	case CURLE_SSL_CACERT_BADFILE:
	case CURLE_SSL_ISSUER_ERROR:
	case CURLE_SSL_ENGINE_INITFAILED: return fail_tls(f, e);
	case CURLE_GOT_NOTHING:
	case CURLE_SEND_ERROR:
	case CURLE_RECV_ERROR:
	case CURLE_PARTIAL_FILE:
	case CURLE_SEND_FAIL_REWIND: /* it may have been taken: asking again is the owner's choice */
		return fail_broken(f, e);
	case CURLE_OUT_OF_MEMORY: /* memory that runs out aborts elsewhere; this is curl's own limit */
		return err_set(e, ERR_TOO_LARGE, STR_FMT ": a header of the answer is too long",
			       STR_ARG(f->where));
	default:
		return err_set(e, ERR_IO, STR_FMT ": the answer is no proper HTTP (%s)",
			       STR_ARG(f->where), curl_easy_strerror(f->code));
	}
}

int
http_failure_timeout(enum http_wait wait, const struct http_failure *f, int64_t limit_ms,
		     struct err *e)
{
	bool whole = limit_ms % 1000 == 0;
	long long number = (long long)(whole ? limit_ms / 1000 : limit_ms);
	const char *unit = whole ? "s" : "ms";

	if (wait == HTTP_WAIT_TOTAL)
		return err_set(e, ERR_TIMEOUT, STR_FMT ": not done within %lld %s",
			       STR_ARG(f->where), number, unit);
	switch (f->phase) {
	case HTTP_PHASE_ROUTE:
		return err_set(e, ERR_TIMEOUT,
			       "cannot connect to " STR_FMT
			       ": its name could not be looked up within %lld %s",
			       STR_ARG(f->where), number, unit);
	case HTTP_PHASE_CONNECT:
		return err_set(e, ERR_TIMEOUT,
			       "cannot connect to " STR_FMT ": no connection within %lld %s",
			       STR_ARG(f->where), number, unit);
	case HTTP_PHASE_ASK:
		return err_set(e, ERR_TIMEOUT, STR_FMT ": connected, but no answer for %lld %s",
			       STR_ARG(f->where), number, unit);
	case HTTP_PHASE_ANSWER: break;
	}
	return err_set(e, ERR_TIMEOUT, STR_FMT ": the answer stopped, nothing came for %lld %s",
		       STR_ARG(f->where), number, unit);
}
