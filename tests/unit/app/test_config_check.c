/* What values must agree on. */
#include "config_rows.h"

#define L60 "x12345678901234567890123456789012345678901234567890123456789"
#define A   "providers: [{name: a, kind: anthropic, "
#define EXPOSED(where)                                                                            \
	"listen: " where " can be reached from other machines, and without tls everybody on the " \
	"way reads the tokens: set tls.certificate and tls.key, or insecure_listen: true when "   \
	"something in front encrypts"

static const struct config_row ROWS[] = {
	{ "L2 no address to listen on", "listen: []\n",
	  "c.yaml:1:9: listen: needs at least one address" },
	{ "L2 an address twice", "listen: [\"127.0.0.1:1\", \"127.0.0.1:1\"]\n",
	  "c.yaml:1:9: listen: 127.0.0.1:1 stands twice" },
	{ "L2 beyond this machine without tls", "listen: 0.0.0.0:7340\n",
	  "c.yaml:1:9: " EXPOSED("0.0.0.0:7340") },
	{ "L2 the same with IPv6", "listen: [\"127.0.0.1:1\", \"[::]:1\"]\n",
	  "c.yaml:1:9: " EXPOSED("[::]:1") },
	{ "L2 a certificate without key", "tls: {certificate: /c}\n",
	  "c.yaml:1:20: tls.certificate: needs tls.key beside it" },
	{ "L2 a key without certificate", "tls: {key: /k}\n",
	  "c.yaml:1:12: tls.key: needs tls.certificate beside it" },
	{ "L2 a provider without key source", A "}]\n",
	  "c.yaml:1:13: providers[0]: needs one of api_key_env and api_key_file" },
	{ "L2 a provider with both", A "api_key_env: K, api_key_file: f}]\n",
	  "c.yaml:1:13: providers[0]: needs only one of api_key_env and api_key_file" },
	{ "L2 a provider's name twice",
	  A "api_key_env: K}, {name: a, kind: anthropic, api_key_env: K}]\n",
	  "c.yaml:1:64: providers[1].name: 'a' stands twice" },
	{ "L2 a model twice", A "api_key_env: K, models: [{id: m}, {id: m}]}]\n",
	  "c.yaml:1:13: providers[0].models: 'm' stands twice" },
	{ "L2 waits that shrink", A "api_key_env: K, retry: {base_ms: 2 s, max_ms: 1 s}}]\n",
	  "c.yaml:1:13: providers[0].retry: base_ms must not be above max_ms" },
	{ "L2 half a price", A "api_key_env: K, prices: {input: 1}}]\n",
	  "c.yaml:1:13: providers[0].prices: needs input and output" },
	{ "L2 a model's cache price alone",
	  A "api_key_env: K, models: [{id: m, prices: {cache_read: 1}}]}]\n",
	  "c.yaml:1:65: providers[0].models[0].prices: needs input and output" },
	{ "H4 a hook without a program", "hooks: [{event: before_turn, command: []}]\n",
	  "c.yaml:1:39: hooks[0].command: names no program" },
	{ "H4 a hook without a command", "hooks: [{event: before_turn}]\n",
	  "c.yaml:1:9: hooks[0].command: is missing" },
	{ "L2 an unknown model", "model: gpt\n",
	  "c.yaml:1:8: model: 'gpt' is not known; there are demo" },
	{ "L2 a model of an unknown provider", "model: b/x\n" A "api_key_env: K}]\n",
	  "c.yaml:1:8: model: 'b/x' is not known; there are demo, a/MODEL" },
	{ "L2 a provider without model", "model: a/\n" A "api_key_env: K}]\n",
	  "c.yaml:1:8: model: 'a/' is not known; there are demo, a/MODEL" },
	{ "T3 the models that are known of a provider",
	  "model: x\n" A "api_key_env: K, models: [{id: u}, {id: v}]}]\n",
	  "c.yaml:1:8: model: 'x' is not known; there are demo, a/u, a/v" },
	{ "T3 a long list of models is cut",
	  "model: x\n" A "api_key_env: K, models: [{id: " L60 "}, {id: " L60 "2}, {id: z}]}]\n",
	  "c.yaml:1:8: model: 'x' is not known; there are demo, a/" L60 ", a/" L60 "2, ..." },
};

static const struct fine_row {
	const char *name, *text;
} FINE[] = {
	{ "L2 beyond this machine with tls",
	  "listen: 0.0.0.0:1\ntls: {certificate: /c, key: /k}\n" },
	{ "L2 beyond this machine on purpose", "listen: 0.0.0.0:1\ninsecure_listen: true\n" },
	{ "L2 a Unix socket is private", "listen: unix:/run/p\n" },
	{ "L2 a model of a provider", "model: a/x\n" A "api_key_env: K}]\n" },
};

static void
fine(void **state)
{
	const struct fine_row *r = *state;
	struct config *c = config_rows_load(r->text);

	config_free(&c);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, config_row_refused);
	SUITE_ROWS(&s, FINE, fine);
	return suite_run(&s, "app/config_check");
}
