#include "app/config.h"

#include <unistd.h>

#include "config_rows.h"

/* What every key is when nobody says anything: SPEC and README promise these. */
static void
L2_every_default(void **state)
{
	struct config *c = config_rows_load("");

	(void)state;
	assert_int_equal(c->listen.len, 1);
	check_str("listen", c->listen.ptr[0].host, STR("127.0.0.1"));
	assert_int_equal(c->listen.ptr[0].port, 7340);
	assert_false(c->insecure_listen);
	check_str("data", c->data, STR("/h/.local/state/perdure"));
	assert_int_equal(c->hosts.len + c->origins.len, 0);
	assert_int_equal(c->tls.certificate.len + c->tls.key.len, 0);
	assert_int_equal(c->limits.header_bytes, 16384);
	assert_int_equal(c->limits.body_bytes, 8 << 20);
	assert_int_equal(c->limits.stream_queue_bytes, 256 << 10);
	assert_int_equal(c->limits.connections, 10000);
	assert_int_equal(c->limits.per_address, 1000);
	assert_int_equal(c->log.level, LOG_INFO);
	assert_int_equal(c->log.format, CONFIG_LOG_JSON);
	check_str("model", c->model, STR("demo"));
	assert_int_equal(c->providers.len + c->platforms.len + c->agents.len, 0);
	assert_int_equal(c->prices.count, 0);
	assert_int_equal(c->queue.depth, 20);
	assert_int_equal(c->queue.quiet_ms, 1500);
	assert_int_equal(c->queue.busy, BUSY_QUEUE);
	assert_true(c->group_sessions_per_user);
	assert_false(c->thread_sessions_per_user);
	assert_int_equal(c->session_store_max_age_days, 0);
	assert_int_equal(c->agent.gateway_auto_continue_freshness_s, 3600);
	assert_int_equal(c->agent.gateway_timeout_s, 1800);
	assert_int_equal(c->agent.drain_timeout_s, 60);
	assert_int_equal(c->session_reset.mode, RESET_MODE_NONE);
	assert_int_equal(c->session_reset.at_hour, 4);
	assert_int_equal(c->session_reset.idle_minutes, 1440);
	assert_true(c->session_reset.notify);
	assert_false(c->privacy.redact_pii);
	assert_false(c->mirror);
	config_free(&c);
	assert_null(c);
}

/* Every key of the table once, none at its default. */
static const char EVERYTHING[] =
	"listen: [\"[::1]:1\", \"unix:p.sock\", 0.0.0.0:2]\n"
	"insecure_listen: true\n"
	"data: /d\n"
	"hosts: [A.example]\n"
	"origins: HTTPS://A.example\n"
	"tls: {certificate: c.pem, key: /k.pem}\n"
	"limits: {header_bytes: 2 KiB, body_bytes: 1 MiB, stream_queue_bytes: 64 KiB,\n"
	"  connections: 5, per_address: 4, header_ms: 1 s, body_ms: 2 s, idle_ms: 3 s, stall_ms: 4 "
	"s}\n"
	"log: {level: debug, format: text}\n"
	"model: acme/big/v2\n"
	"providers:\n"
	"  - {name: acme, kind: openai-responses, base_url: \"http://127.0.0.1:9/v1//\",\n"
	"     api_key_env: ACME_KEY, retry: {attempts: 2, base_ms: 10, max_ms: 1 s},\n"
	"     idle_timeout_ms: 7 s, prices: {input: 1, output: 2},\n"
	"     models: [{id: big/v2, context_window: 200000,\n"
	"               prices: {input: 3, output: 15, cache_read: 0.3, cache_write: 3.75}},\n"
	"              {id: small}]}\n"
	"  - {name: other, kind: anthropic, api_key_file: ~/key}\n"
	"queue: {depth: 3, quiet_ms: 0}\n"
	"group_sessions_per_user: false\n"
	"thread_sessions_per_user: true\n"
	"session_store_max_age_days: 30\n"
	"agent: {gateway_auto_continue_freshness: 60, gateway_timeout: 10 min, drain_timeout_s: "
	"5}\n"
	"session_reset: {mode: both, at_hour: 0, idle_minutes: 60, notify: false}\n"
	"chat_types: {group: {session_reset: {mode: none}}}\n"
	"platforms:\n"
	"  telegram: {session_reset: {mode: idle, at_hour: 5, idle_minutes: 9, notify: true},\n"
	"             home_channel: -1001, pii_safe: true}\n"
	"  irc: {}\n"
	"agents:\n"
	"  main: {session: {idleTimeoutMinutes: 30, dailyResetHour: 23}}\n"
	"privacy: {redact_pii: true}\n"
	"mirror: on\n";

static void
L2_every_key_reaches_its_member(void **state)
{
	struct config *c = config_rows_load(EVERYTHING);

	(void)state;
	assert_int_equal(c->listen.len, 3);
	check_str("v6", c->listen.ptr[0].host, STR("::1"));
	check_str("socket", c->listen.ptr[1].path, STR("p.sock"));
	assert_false(c->listen.ptr[2].loopback);
	assert_true(c->insecure_listen);
	check_str("data", c->data, STR("/d"));
	check_str("host in lower case", c->hosts.ptr[0], STR("a.example"));
	check_str("origin in lower case", c->origins.ptr[0], STR("https://a.example"));
	check_str("certificate", c->tls.certificate, STR("c.pem"));
	check_str("key", c->tls.key, STR("/k.pem"));
	assert_int_equal(c->limits.header_bytes, 2048);
	assert_int_equal(c->limits.body_bytes, 1 << 20);
	assert_int_equal(c->limits.stream_queue_bytes, 65536);
	assert_int_equal(c->limits.connections, 5);
	assert_int_equal(c->limits.per_address, 4);
	assert_int_equal(c->limits.header_ms, 1000);
	assert_int_equal(c->limits.body_ms, 2000);
	assert_int_equal(c->limits.idle_ms, 3000);
	assert_int_equal(c->limits.stall_ms, 4000);
	assert_int_equal(c->limits.headers, HTTP_LIMITS_DEFAULT.headers);
	assert_int_equal(c->log.level, LOG_DEBUG);
	assert_int_equal(c->log.format, CONFIG_LOG_TEXT);
	check_str("model", c->model, STR("acme/big/v2"));
	assert_int_equal(c->queue.depth, 3);
	assert_int_equal(c->queue.quiet_ms, 0);
	assert_false(c->group_sessions_per_user);
	assert_true(c->thread_sessions_per_user);
	assert_int_equal(c->session_store_max_age_days, 30);
	assert_int_equal(c->agent.gateway_auto_continue_freshness_s, 60);
	assert_int_equal(c->agent.gateway_timeout_s, 600);
	assert_int_equal(c->agent.drain_timeout_s, 5);
	assert_int_equal(c->session_reset.mode, RESET_MODE_BOTH);
	assert_int_equal(c->session_reset.at_hour, 0);
	assert_int_equal(c->session_reset.idle_minutes, 60);
	assert_false(c->session_reset.notify);
	assert_true(c->privacy.redact_pii);
	assert_true(c->mirror);
	config_free(&c);
}

static void
L2_providers_and_their_models(void **state)
{
	struct config *c = config_rows_load(EVERYTHING);
	const struct config_provider *acme = config_provider_find(c, STR("acme"));
	const struct config_provider *other = config_provider_find(c, STR("other"));

	(void)state;
	assert_null(config_provider_find(c, STR("acm")));
	assert_int_equal(acme->kind, CONFIG_OPENAI_RESPONSES);
	check_str("no slash at the end", acme->base_url, STR("http://127.0.0.1:9/v1"));
	check_str("env", acme->api_key_env, STR("ACME_KEY"));
	assert_int_equal(acme->retry.attempts, 2);
	assert_int_equal(acme->retry.base_ms, 10);
	assert_int_equal(acme->retry.max_ms, 1000);
	assert_int_equal(acme->idle_timeout_ms, 7000);
	assert_int_equal(acme->models.len, 2);
	assert_int_equal(config_model_find(acme, STR("big/v2"))->context_window, 200000);
	assert_int_equal(config_model_find(acme, STR("small"))->context_window, -1);
	assert_null(config_model_find(acme, STR("big")));
	check_str("public address", other->base_url, STR("https://api.anthropic.com"));
	check_str("key file", other->api_key_file, STR("/h/key"));
	assert_int_equal(other->retry.attempts, retry_policy_default().attempts);
	assert_int_equal(other->retry.base_ms, retry_policy_default().base_ms);
	assert_int_equal(other->retry.max_ms, retry_policy_default().max_ms);
	config_free(&c);
}

static void
T15_prices_become_one_table(void **state)
{
	struct config *c = config_rows_load(EVERYTHING);
	const struct cost_price *big = cost_price_find(&c->prices, STR("acme/big/v2"));
	const struct cost_price *rest = cost_price_find(&c->prices, STR("acme/small"));

	(void)state;
	assert_int_equal(c->prices.count, 2);
	assert_int_equal(big->input, 3000000);
	assert_int_equal(big->output, 15000000);
	assert_int_equal(big->cache_read, 300000);
	assert_int_equal(big->cache_write, 3750000);
	assert_int_equal(rest->output, 2000000);
	assert_int_equal(rest->cache_read, 1000000); /* as input */
	assert_int_equal(rest->cache_write, 1000000);
	assert_null(cost_price_find(&c->prices, STR("other/x")));
	config_free(&c);
}

static const struct reset_row {
	const char *name, *platform, *chat_type, *agent;
	bool workspace;
	enum reset_mode mode;
	int at_hour, idle_minutes;
	bool notify;
} RESETS[] = {
	{ "R1 a platform's policy wins", "telegram", "group", "main", true, RESET_MODE_IDLE, 5, 9,
	  true },
	{ "R1 then the chat type's", "irc", "group", "main", true, RESET_MODE_NONE, 0, 60, false },
	{ "R1 then the agent's", "irc", "dm", "main", true, RESET_MODE_BOTH, 23, 30, false },
	{ "R1 then the workspace's", "irc", "dm", "x", true, RESET_MODE_DAILY, 7, 0, true },
	{ "R1 then that of the file", "x", "dm", "x", false, RESET_MODE_BOTH, 0, 60, false },
};

static void
resets(void **state)
{
	static const struct reset_settings WORKSPACE = { RESET_MODE_DAILY, 7, 0, true };
	const struct reset_row *r = *state;
	struct config *c = config_rows_load(EVERYTHING);
	struct reset_layers layers = config_reset_layers(
		c, &(struct config_lane){ .platform = str_of(r->platform),
					  .chat_type = str_of(r->chat_type),
					  .agent_id = str_of(r->agent),
					  .workspace = r->workspace ? &WORKSPACE : NULL });
	const struct reset_settings *got = reset_policy_choose(&layers);

	assert_int_equal(got->mode, r->mode);
	assert_int_equal(got->at_hour, r->at_hour);
	assert_int_equal(got->idle_minutes, r->idle_minutes);
	assert_int_equal(got->notify, r->notify);
	config_free(&c);
}

static const struct agent_row {
	const char *name, *session;
	bool resets;
	enum reset_mode mode;
} AGENTS[] = {
	{ "L2 an agent that says nothing", "{}", false, RESET_MODE_NONE },
	{ "L2 idleTimeoutMinutes alone", "{idleTimeoutMinutes: 5}", true, RESET_MODE_IDLE },
	{ "L2 dailyResetHour alone", "{dailyResetHour: 0}", true, RESET_MODE_DAILY },
	{ "L2 both", "{idleTimeoutMinutes: 5, dailyResetHour: 0}", true, RESET_MODE_BOTH },
	{ "L2 idleTimeoutMinutes 0 is never", "{idleTimeoutMinutes: 0}", true, RESET_MODE_NONE },
};

static void
agents(void **state)
{
	const struct agent_row *r = *state;
	char text[200];
	struct config *c;
	const struct config_agent *a;

	snprintf(text, sizeof text, "agents:\n  a: {session: %s}\n", r->session);
	c = config_rows_load(text);
	a = config_agent_find(c, STR("a"));
	assert_int_equal(a->resets, r->resets);
	assert_int_equal(a->session_reset.mode, r->mode);
	assert_null(config_agent_find(c, STR("b")));
	config_free(&c);
}

static void
L2_what_a_platform_leaves_out_is_inherited(void **state)
{
	/* also when it stands before what it inherits */
	struct config *c = config_rows_load("platforms: {a: {session_reset: {mode: idle}}, b: {}}\n"
					    "session_reset: {idle_minutes: 7, notify: false}\n");
	const struct config_platform *a = config_platform_find(c, STR("a"));

	(void)state;
	assert_true(a->resets);
	assert_int_equal(a->session_reset.mode, RESET_MODE_IDLE);
	assert_int_equal(a->session_reset.idle_minutes, 7);
	assert_false(a->session_reset.notify);
	assert_false(config_platform_find(c, STR("b"))->resets);
	assert_null(config_platform_find(c, STR("c")));
	config_free(&c);
}

static void
L2_the_command_line_comes_last(void **state)
{
	const struct config_override given[] = {
		{ "data", "relative" },
		{ "listen", "127.0.0.1:1" },
		{ "listen", "[::1]:1" },
		{ "data", "wins" },
	};
	const struct config_source from = {
		.file = "/etc/perdure/c.yaml",
		.text = STR("data: /file\nlisten: 0.0.0.0:80\n"), /* alone it would be refused */
		.overrides = given,
		.override_count = ARRAY_LEN(given),
	};
	struct config *c = NULL;
	struct config_problems p;
	struct err e;

	(void)state;
	assert_int_equal(config_load_with(&from, &c, &p, &e), 0);
	check_str("data", c->data, STR("wins"));
	assert_int_equal(c->listen.len, 2);
	check_str("listen", c->listen.ptr[1].text, STR("[::1]:1"));
	config_free(&c);
}

static void
L2_the_command_line_is_checked_like_the_file(void **state)
{
	const struct config_override given[] = { { "listen", "nowhere" } };
	const struct config_override open[] = { { "listen", "0.0.0.0:1" } };
	struct config_source from = { .overrides = given, .override_count = 1 };
	struct config *c = NULL;
	struct config_problems p;
	struct err e;

	(void)state;
	assert_int_equal(config_load_with(&from, &c, &p, &e), ERR_INVALID);
	assert_string_equal(e.text, "--listen: must be ADDRESS:PORT (127.0.0.1:7340, [::1]:7340) "
				    "or unix:PATH, not 'nowhere'");
	from.overrides = open;
	assert_int_equal(config_load_with(&from, &c, &p, &e), ERR_INVALID);
	assert_true(str_starts(str_of(e.text), STR("--listen: 0.0.0.0:1 can be reached")));
}

static void
L2_paths_start_at_the_files_folder(void **state)
{
	char folder[64], path[128], want[200];
	struct config *c = NULL;
	struct err e;

	(void)state;
	config_rows_mkdir(folder);
	config_rows_write(folder, "c.yaml", "data: d\nlisten: unix:s\n", path);
	assert_int_equal(config_rows_read(path, &c, &e), 0);
	snprintf(want, sizeof want, "%s/d", folder);
	check_str("data", c->data, str_of(want));
	snprintf(want, sizeof want, "unix:%s/s", folder);
	check_str("listen", c->listen.ptr[0].text, str_of(want));
	config_free(&c);
	unlink(path);
	rmdir(folder);
}

static void
files_that_cannot_be_read(void **state)
{
	struct config *c = NULL;
	struct err e;

	(void)state;
	assert_int_equal(config_rows_read("/nonexistent/c.yaml", &c, &e), ERR_NOT_FOUND);
	assert_int_equal(config_rows_read("/", &c, &e), ERR_INVALID);
	assert_null(c);
}

static void
L2_without_a_home_the_data_must_be_said(void **state)
{
	struct config *c = NULL;
	struct err e;

	(void)state;
	unsetenv("HOME");
	unsetenv("XDG_STATE_HOME");
	assert_int_equal(config_rows_read(NULL, &c, &e), ERR_INVALID);
	assert_string_equal(e.text,
			    "data: there is no default, because neither $XDG_STATE_HOME nor "
			    "$HOME is set: say where the data goes");
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, L2_every_default);
	SUITE_TEST(&s, L2_every_key_reaches_its_member);
	SUITE_TEST(&s, L2_providers_and_their_models);
	SUITE_TEST(&s, T15_prices_become_one_table);
	SUITE_ROWS(&s, RESETS, resets);
	SUITE_ROWS(&s, AGENTS, agents);
	SUITE_TEST(&s, L2_what_a_platform_leaves_out_is_inherited);
	SUITE_TEST(&s, L2_the_command_line_comes_last);
	SUITE_TEST(&s, L2_the_command_line_is_checked_like_the_file);
	SUITE_TEST(&s, L2_paths_start_at_the_files_folder);
	SUITE_TEST(&s, files_that_cannot_be_read);
	SUITE_TEST(&s, L2_without_a_home_the_data_must_be_said);
	return suite_run(&s, "app/config");
}
