/* contract_provider - what every adapter of provider/provider.h must do, as one suite.
 * An adapter joins with a few lines that make it answer, call, fail and take its time. */
#pragma once
#include "harness.h"
#include "provider/provider.h"
#include "virtual_host.h"

enum provider_case {
	CASE_ANSWER, /* thinks "hm", then says "héllo wörld, again and again" */
	CASE_CALL,   /* says "a", then calls tool "look" with {"x":1} */
	CASE_FAIL,   /* says "a", then is overloaded */
	CASE_SLOW,   /* says "a", takes slow_ms, says "b" */
};
extern const char *const CASE_LINES[];

/* Whose time passes: a virtual host's, or a loop's with real sockets on it. */
struct contract_clock {
	struct host *(*begin)(void);
	void (*pass)(int64_t ms);
	/* Lets time pass until *ends is there: ms at least on a virtual clock, as long as it takes on
	 * a real one. */
	void (*await)(const size_t *ends, int64_t ms);
	void (*end)(void); /* fails when something is left */
};
extern const struct contract_clock CONTRACT_VIRTUAL;

struct contract_provider {
	const char *name;
	const struct contract_clock *clock;
	int64_t slow_ms; /* how long CASE_SLOW takes */
	struct provider *(*open)(struct host *host);
	/* Makes the next request with this message be that case. */
	void (*prepare)(struct provider *p, enum provider_case which);
};

/* The return value of main. */
int contract_provider_run(const struct contract_provider *adapter);
