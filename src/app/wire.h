/* wire - puts the server together: the only place that names the concrete store, providers and
 * surfaces. Open, run on the loop, drain, close. */
#pragma once
#include "app/config.h"
#include "base/err.h"
#include "core/recover_policy.h"
#include "net/loop.h"

struct wire;

struct wire_events {
	void (*on_ready)(void *ctx);
	/* It cannot go on: starting failed, or the store stopped for good. */
	void (*on_broken)(void *ctx, int rc, const struct err *err);
	void (*on_drained)(void *ctx);
	/* Somebody wants it to begin anew: could it? And then: it is to (wire_drain comes next). */
	int (*may_restart)(void *ctx, struct err *e);
	void (*on_restart)(void *ctx);
	void *ctx;
};

/* Takes the data directory (made when missing, 0700) and its lock, and starts loading. Addresses are
 * bound before on_ready, so that a refusal comes at once. */
NODISCARD int wire_open(struct wire **out, struct loop *loop, const struct config *config,
			const struct wire_events *events, struct err *e);
/* One line per address, for people: "https://127.0.0.1:7340". */
void wire_print_addresses(const struct wire *w);
/* Made at this start: the file of the owner's token, else NULL. */
const char *wire_new_token_file(const struct wire *w);
/* Reads owner.token again, or makes it anew: what it held before is revoked. A file that cannot be used
 * changes nothing, and is logged. */
void wire_reload_token(struct wire *w);
/* What a reload may change, the certificate's files among it; config must outlive the wire. On error,
 * which is the certificate's, nothing has changed. */
NODISCARD int wire_reload(struct wire *w, const struct config *config, struct err *e);
/* No new requests; turns get until the configured timeout, clients a few seconds more. on_drained
 * follows. why: of turns that take longer. Again while it drains: their time begins anew. */
void wire_drain(struct wire *w, enum recover_reason why);
/* While it drains: puts off what still runs, waits for no client. on_drained follows. */
void wire_hurry(struct wire *w);
void wire_close(struct wire **w);
