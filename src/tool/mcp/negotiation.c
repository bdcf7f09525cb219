#include "tool/mcp/negotiation.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/json_write.h"
#include "base/utf8.h"
#include "base/xalloc.h"
#include "tool/mcp/ask_back.h"

enum {
	SILENCE_MS = 5 * 1000, /* until the handshake is tried as well */
	PARAMS_MAX = 64 << 10,
	WORDS_MAX = 200,
	UNSUPPORTED_VERSION = -32022,
};

static const struct transport_mode STATELESS = { { "2026-07-28", 10 }, true };
static const struct transport_mode NOT_AGREED = { { "", 0 }, false };
/* The newest first: it is what we offer. */
static const struct str STATEFUL[] = {
	{ "2025-11-25", 10 },
	{ "2025-06-18", 10 },
	{ "2025-03-26", 10 },
	{ "2024-11-05", 10 },
};
static const char NONE_IN_COMMON[] = "it speaks no version of the protocol that is known here";

struct negotiation {
	struct negotiation_terms terms;
	negotiation_fn *fn;
	void *ctx;
	struct rpc_request *probe, *handshake;
	struct host_timer *silence;
	bool probed_twice;
};

/* ---- its end ---- */

void
negotiation_free(struct negotiation **negotiation)
{
	struct negotiation *n = TAKE(*negotiation);

	if (!n)
		return;
	rpc_cancel(&n->probe, "not needed");
	rpc_cancel(&n->handshake, "not needed");
	n->terms.host->ops->timer_free(n->silence);
	free(n);
}

static void
finish(struct negotiation *n, const struct agreement *agreement, const struct mcp_failure *failure)
{
	negotiation_fn *fn = n->fn;
	void *ctx = n->ctx;

	negotiation_free(&n);
	fn(ctx, agreement, failure);
}

static void
fail(struct negotiation *n, enum mcp_fail kind, const char *why)
{
	struct mcp_failure failure = { .kind = kind };

	err_set(&failure.err, ERR_INVALID, "%s", why);
	finish(n, NULL, &failure);
}

static void
agree(struct negotiation *n, const struct transport_mode *mode, struct json result,
      struct json info)
{
	struct agreement made = { .mode = *mode };
	struct json capabilities, tools, changes, v;
	struct arena a;

	arena_init(&a);
	if (json_find(info, STR("name"), &v))
		made.name = json_str(v, &a);
	if (json_find(info, STR("version"), &v))
		made.version = json_str(v, &a);
	made.tells_changes = json_find(result, STR("capabilities"), &capabilities) &&
			     json_find(capabilities, STR("tools"), &tools) &&
			     json_find(tools, STR("listChanged"), &changes) &&
			     json_type(changes) == JSON_TRUE;
	rpc_speak(n->terms.rpc, mode);
	if (!mode->stateless)
		rpc_notify(n->terms.rpc, STR("notifications/initialized"), STR(""));
	finish(n, &made, NULL);
	arena_release(&a);
}

/* ---- the handshake ---- */

static const struct str *
find_stateful(struct json version)
{
	for (size_t i = 0; i < ARRAY_LEN(STATEFUL); i++)
		if (json_str_eq(version, STATEFUL[i]))
			return &STATEFUL[i];
	return NULL;
}

static void
on_handshake(void *ctx, const struct rpc_answer *answer)
{
	struct negotiation *n = ctx;
	struct transport_mode mode = { 0 };
	struct json version = { 0 }, info = { 0 };
	const struct str *known;
	char why[WORDS_MAX + 64];

	n->handshake = NULL;
	if (answer->failure) {
		finish(n, NULL, answer->failure);
		return;
	}
	if (answer->code != 0) {
		snprintf(why, sizeof why, "it refused the handshake: " STR_FMT,
			 STR_ARG(str_slice(answer->text, 0, utf8_floor(answer->text, WORDS_MAX))));
		fail(n, MCP_FAIL_REFUSED, why);
		return;
	}
	json_find(answer->result, STR("protocolVersion"), &version);
	json_find(answer->result, STR("serverInfo"), &info);
	known = json_is_set(version) ? find_stateful(version) : NULL;
	if (!known) {
		fail(n, MCP_FAIL_MALFORMED, NONE_IN_COMMON);
		return;
	}
	mode.version = *known;
	agree(n, &mode, answer->result, info);
}

static void
shake_hands(struct negotiation *n, struct str version)
{
	const struct rpc_identity *us = n->terms.identity;
	struct rpc_ask ask = { .method = STR("initialize") };
	struct buf params;
	struct jw w;

	buf_init(&params, PARAMS_MAX);
	jw_init(&w, &params);
	jw_object(&w);
	jw_field_str(&w, "protocolVersion", version);
	jw_key(&w, STR("capabilities"));
	ask_back_capabilities(us->accepts_defaults, &w);
	jw_field_object(&w, "clientInfo");
	jw_field_str(&w, "name", us->name);
	jw_field_str(&w, "version", us->version);
	jw_end_object(&w);
	jw_end_object(&w);
	rpc_speak(n->terms.rpc, &NOT_AGREED);
	ask.params = buf_str(&params);
	n->handshake = rpc_ask(n->terms.rpc, &ask, on_handshake, n);
	buf_release(&params);
}

/* ---- the probe ---- */

static void probe(struct negotiation *n);

static bool
is_stateless(struct json result)
{
	struct json versions;

	if (!json_is_set(result) || !json_find(result, STR("supportedVersions"), &versions))
		return false;
	for (struct json_iter it = json_iter(versions); json_next(&it);)
		if (json_str_eq(it.value, STATELESS.version))
			return true;
	return false;
}

static void
take_discovery(struct negotiation *n, struct json result)
{
	struct json meta, info = { 0 };

	if (!json_find(result, STR("_meta"), &meta) ||
	    !json_find(meta, STR("io.modelcontextprotocol/serverInfo"), &info))
		json_find(result, STR("serverInfo"), &info);
	agree(n, &STATELESS, result, info);
}

/* The peer knows the stateless protocol, and says which versions of it. */
static void
take_versions(struct negotiation *n, struct json data)
{
	struct json supported = { 0 };
	const struct str *known = NULL;
	bool same = false;

	if (json_is_set(data))
		json_find(data, STR("supported"), &supported);
	for (struct json_iter it = json_iter(supported); json_next(&it);) {
		same |= json_str_eq(it.value, STATELESS.version);
		if (!known)
			known = find_stateful(it.value);
	}
	if (same && !n->probed_twice) {
		n->probed_twice = true;
		probe(n);
	} else if (known && n->terms.protocol != MCP_STATELESS) {
		shake_hands(n, *known);
	} else {
		fail(n, MCP_FAIL_REFUSED, NONE_IN_COMMON);
	}
}

static void
on_probed(void *ctx, const struct rpc_answer *answer)
{
	struct negotiation *n = ctx;
	const struct mcp_failure *failure = answer->failure;

	n->probe = NULL;
	n->terms.host->ops->timer_set(n->silence, -1);
	if (is_stateless(answer->result))
		take_discovery(n, answer->result);
	else if (n->handshake)
		return; /* which decides */
	else if (failure && failure->kind != MCP_FAIL_REFUSED &&
		 failure->kind != MCP_FAIL_MALFORMED)
		finish(n, NULL, failure);
	else if (answer->code == UNSUPPORTED_VERSION)
		take_versions(n, answer->data);
	else if (n->terms.protocol != MCP_STATELESS)
		shake_hands(n, STATEFUL[0]);
	else
		fail(n, MCP_FAIL_REFUSED, "it does not speak the protocol of 2026-07-28");
}

static void
on_silence(void *ctx)
{
	struct negotiation *n = ctx;

	if (!n->handshake && n->terms.protocol != MCP_STATELESS)
		shake_hands(n, STATEFUL[0]);
}

static void
probe(struct negotiation *n)
{
	struct rpc_ask ask = { .method = STR("server/discover") };

	rpc_speak(n->terms.rpc, &STATELESS);
	n->probe = rpc_ask(n->terms.rpc, &ask, on_probed, n);
	n->terms.host->ops->timer_set(n->silence, SILENCE_MS);
}

struct negotiation *
negotiation_new(const struct negotiation_terms *terms, negotiation_fn *fn, void *ctx)
{
	struct negotiation *n = xcalloc(1, sizeof *n);

	n->terms = *terms;
	n->fn = fn;
	n->ctx = ctx;
	n->silence = terms->host->ops->timer_new(terms->host, on_silence, n);
	if (terms->protocol == MCP_STATEFUL)
		shake_hands(n, STATEFUL[0]);
	else
		probe(n);
	return n;
}
