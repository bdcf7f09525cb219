#include "app/config_key.h"

#include <limits.h>

#include "app/config.h"
#include "app/config_address.h"
#include "app/config_name.h"
#include "base/nearest.h"

#define MEMBER(type, member) .offset = offsetof(type, member), .width = sizeof(((type *)0)->member)
#define FILE_(member)        MEMBER(struct config, member)
#define PROVIDER(member)     MEMBER(struct config_provider, member)
#define MODEL(member)        MEMBER(struct config_model, member)
#define PLATFORM(member)     MEMBER(struct config_platform, member)
#define CHAT_TYPE(member)    MEMBER(struct config_chat_type, member)
#define AGENT(member)        MEMBER(struct config_agent, member)
#define RULE(member)         MEMBER(struct approval_rule, member)
#define HOOK(member)         MEMBER(struct config_hook, member)

enum {
	KIB = 1024,
	MIB = 1024 * 1024,
	GIB = 1024 * 1024 * 1024,
	SECOND = 1000, /* in ms */
	HOUR = 3600 * SECOND,
	DAY_S = 24 * 3600,
};
#define WORKSPACE_MAX (INT64_C(1024) * 1024 * GIB)
static const int64_t PRICE_MAX = INT64_C(1000000) * 1000000; /* a dollar a token */
static const int64_t MONEY_MAX = INT64_C(1000000) * 1000000; /* a million dollars */

static const char *const LOG_LEVELS[] = { "debug", "info", "warn", "error", NULL };
static const char *const LOG_FORMATS[] = { "json", "text", NULL };
static const char *const KINDS[] = { "openai-chat", "openai-responses", "anthropic", NULL };
static const char *const BUSY_MODES[] = {
	"queue", "steer", "interrupt", "collect", "reject", NULL
}; /* enum busy_mode */
static const char *const RESET_MODES[] = { "none", "idle", "daily", "both", NULL };
static const char *const ACTIONS[] = { "allow", "ask", "deny", NULL }; /* enum approval_action */
static const char *const ALLOW_DENY[] = { "allow", "deny", NULL };
static const char *const HOOKS[] = { /* enum hook_event */
				     "session_create",   "session_save", "session_delete",
				     "session_finalize", "before_reset", "after_reset",
				     "before_turn",      "after_turn",   NULL
};
static const char *const OPEN_CLOSED[] = { "open", "closed", NULL };
static const char *const OFF_ON[] = { "off", "on", NULL };

#define FLAG(said)      .type = CONFIG_BOOL, .value = (said)
#define INT(low, high)  .type = CONFIG_INT, .min = (low), .max = (high)
#define SIZE(low, high) .type = CONFIG_SIZE, .min = (low), .max = (high)
#define MS(low, high)   .type = CONFIG_DURATION, .unit_ms = 1, .min = (low), .max = (high)
#define S(low, high)    .type = CONFIG_DURATION, .unit_ms = SECOND, .min = (low), .max = (high)
#define PRICE           .type = CONFIG_PRICE, .max = PRICE_MAX
#define MONEY           .type = CONFIG_MONEY, .max = MONEY_MAX
#define WORD(list)      .type = CONFIG_WORD, .words = (list)

const struct config_key CONFIG_KEYS[] = {
	{ "listen", .type = CONFIG_TEXTS, FILE_(listen_written), .max = 200,
	  .check = config_address_check_listen, .value = "127.0.0.1:7340", .restart = true,
	  .doc = "where to listen: ADDRESS:PORT, [IPv6]:PORT or unix:PATH; several as a list" },
	{ "insecure_listen", FLAG("false"), FILE_(insecure_listen), .restart = true,
	  .doc = "listen beyond this machine without tls, because something in front encrypts" },
	{ "data", .type = CONFIG_PATH, FILE_(data), .restart = true,
	  .shown = "$XDG_STATE_HOME/perdure, else ~/.local/state/perdure",
	  .doc = "folder of the database, tokens and files" },
	{ "hosts", .type = CONFIG_TEXTS, FILE_(hosts), .max = 300,
	  .check = config_address_check_host,
	  .doc = "host names that requests may ask for, beside loopback names and the addresses of "
		 "listen" },
	{ "origins", .type = CONFIG_TEXTS, FILE_(origins), .max = 300,
	  .check = config_address_check_origin, .doc = "web origins whose pages may call the API" },
	{ "tls.certificate", .type = CONFIG_PATH, FILE_(tls.certificate), .restart = true,
	  .doc = "PEM file with the certificate and its chain; needs tls.key" },
	{ "tls.key", .type = CONFIG_PATH, FILE_(tls.key), .restart = true,
	  .doc = "PEM file with the certificate's private key" },

	{ "limits.header_bytes", SIZE(1 * KIB, 1 * MIB), FILE_(limits.header_bytes),
	  .restart = true, .value = "16 KiB",
	  .doc = "longest request head, request line included" },
	{ "limits.body_bytes", SIZE(1 * KIB, 1 * GIB), FILE_(limits.body_bytes), .restart = true,
	  .value = "8 MiB",
	  .doc = "largest request body; imports may have 256 MiB, or this if it is more" },
	{ "limits.stream_queue_bytes", SIZE(16 * KIB, 64 * MIB), FILE_(limits.stream_queue_bytes),
	  .restart = true, .value = "256 KiB",
	  .doc = "how much waits for a slow reader of a stream before it is cut off" },
	{ "limits.connections", INT(1, 1000000), FILE_(limits.connections), .restart = true,
	  .value = "10000", .doc = "open connections; one more is answered with 503" },
	{ "limits.per_address", INT(1, 1000000), FILE_(limits.per_address), .restart = true,
	  .value = "1000",
	  .doc = "open connections of one address (a proxy is one); one more: 429" },
	{ "limits.header_ms", MS(100, HOUR), FILE_(limits.header_ms), .restart = true,
	  .value = "30 s", .doc = "time for a request's head to arrive" },
	{ "limits.body_ms", MS(100, HOUR), FILE_(limits.body_ms), .restart = true, .value = "30 s",
	  .doc = "time for its body to arrive, and a second for every 16 KiB of it" },
	{ "limits.idle_ms", MS(100, HOUR), FILE_(limits.idle_ms), .restart = true, .value = "75 s",
	  .doc = "how long a connection may stay open between requests" },
	{ "limits.stall_ms", MS(100, HOUR), FILE_(limits.stall_ms), .restart = true,
	  .value = "30 s", .doc = "how long a client may take not a single byte of its answer" },
	{ "limits.tool_processes", INT(1, 10000), FILE_(tools.processes), .value = "64",
	  .doc = "calls of built-in tools that run at once, background processes included; the "
		 "rest wait in order" },
	{ "limits.workspace_bytes", SIZE(0, WORKSPACE_MAX), FILE_(tools.workspace_bytes),
	  .value = "10 GiB",
	  .doc = "what a session's own folder may hold before writing calls are refused; 0: no "
		 "limit" },

	{ "log.level", WORD(LOG_LEVELS), FILE_(log.level), .value = "info",
	  .doc = "the least important lines that are written" },
	{ "log.format", WORD(LOG_FORMATS), FILE_(log.format), .value = "json",
	  .doc = "lines for programs or for people" },
	{ "log.file", .type = CONFIG_PATH, FILE_(log.file), .shown = "standard error",
	  .doc = "file to append lines to; SIGHUP opens it anew, so that it can be rotated" },

	{ "model", .type = CONFIG_TEXT, FILE_(model), .max = 200, .value = "demo",
	  .doc = "the model of agents that name none: demo, or PROVIDER/MODEL" },
	{ "providers[].name", .type = CONFIG_TEXT, PROVIDER(name), .max = 64, .required = true,
	  .check = config_name_check_provider, .doc = "what its models begin with: NAME/MODEL" },
	{ "providers[].kind", WORD(KINDS), PROVIDER(kind), .required = true,
	  .doc = "the API it speaks" },
	{ "providers[].base_url", .type = CONFIG_TEXT, PROVIDER(base_url), .max = 2000,
	  .check = config_address_check_url, .private = true,
	  .shown = "the public address of its kind",
	  .doc = "where its API begins, without /chat/completions, /responses or /v1/messages" },
	{ "providers[].api_key_env", .type = CONFIG_TEXT, PROVIDER(api_key_env), .max = 200,
	  .check = config_name_check_env, .private = true,
	  .doc = "environment variable that holds the key; this or api_key_file" },
	{ "providers[].api_key_file", .type = CONFIG_PATH, PROVIDER(api_key_file), .private = true,
	  .doc = "file that holds the key; this or api_key_env" },
	{ "providers[].prices.input", PRICE, PROVIDER(prices.input),
	  .doc = "dollars per million input tokens, of its models without prices of their own" },
	{ "providers[].prices.output", PRICE, PROVIDER(prices.output),
	  .doc = "dollars per million output tokens" },
	{ "providers[].prices.cache_read", PRICE, PROVIDER(prices.cache_read), .shown = "as input",
	  .doc = "dollars per million tokens read from the prompt cache" },
	{ "providers[].prices.cache_write", PRICE, PROVIDER(prices.cache_write),
	  .shown = "as input", .doc = "dollars per million tokens written to the prompt cache" },
	{ "providers[].models[].id", .type = CONFIG_TEXT, MODEL(id), .max = 128, .required = true,
	  .check = config_name_check_model, .doc = "the model's name at its provider" },
	{ "providers[].models[].context_window", INT(1000, 100000000), MODEL(context_window),
	  .doc = "how many tokens it can read" },
	{ "providers[].models[].prices.input", PRICE, MODEL(prices.input),
	  .doc = "dollars per million input tokens" },
	{ "providers[].models[].prices.output", PRICE, MODEL(prices.output),
	  .doc = "dollars per million output tokens" },
	{ "providers[].models[].prices.cache_read", PRICE, MODEL(prices.cache_read),
	  .shown = "as input", .doc = "dollars per million tokens read from the prompt cache" },
	{ "providers[].models[].prices.cache_write", PRICE, MODEL(prices.cache_write),
	  .shown = "as input", .doc = "dollars per million tokens written to the prompt cache" },
	{ "providers[].retry.attempts", INT(1, 20), PROVIDER(retry.attempts), .value = "5",
	  .doc = "requests in all before a turn gives up or falls back" },
	{ "providers[].retry.base_ms", MS(1, 60 * SECOND), PROVIDER(retry.base_ms), .value = "1 s",
	  .doc = "wait before the second request; doubles each time" },
	{ "providers[].retry.max_ms", MS(1, 600 * SECOND), PROVIDER(retry.max_ms), .value = "30 s",
	  .doc = "longest wait, also when the provider asks for more" },
	{ "providers[].idle_timeout_ms", MS(100, HOUR), PROVIDER(idle_timeout_ms), .value = "300 s",
	  .doc = "silence after which an answer counts as broken off" },

	{ "queue.depth", INT(1, 1000), FILE_(queue.depth), .value = "20",
	  .doc = "messages that may wait in a session; one more is answered with 429" },
	{ "queue.busy", WORD(BUSY_MODES), FILE_(queue.busy), .value = "queue",
	  .doc = "what becomes of a message that comes while a turn runs, unless it says so "
		 "itself" },
	{ "queue.quiet_ms", MS(0, 60 * SECOND), FILE_(queue.quiet_ms), .value = "1500 ms",
	  .doc = "silence that ends a burst of messages in collect mode" },
	{ "approvals.rules[].tool", .type = CONFIG_TEXT, RULE(tool), .max = 128, .required = true,
	  .doc = "the tool it speaks of, or SERVER__TOOL; * stands for any text" },
	{ "approvals.rules[].mcp_server_name", .type = CONFIG_TEXT, RULE(server), .max = 128,
	  .shown = "any", .doc = "the MCP server whose tools it is about alone; * as above" },
	{ "approvals.rules[].pattern", .type = CONFIG_TEXT, RULE(pattern), .max = 1000,
	  .shown = "the whole tool",
	  .doc = "what the call does: a command, a path; * stands for any text" },
	{ "approvals.rules[].action", WORD(ACTIONS), RULE(action), .required = true,
	  .doc = "what becomes of such a call; the last rule that matches decides, and a deny is "
		 "final" },
	{ "approvals.unattended", WORD(ALLOW_DENY), FILE_(approvals.unattended_denies),
	  .value = "deny", .doc = "the answer to questions in sessions without a person" },
	{ "approvals.expire_after_s", S(0, 365 * DAY_S), FILE_(approvals.expire_after_s),
	  .value = "0 s", .doc = "how long a question waits for its answer; 0: for ever" },
	{ "approvals.expired", WORD(ALLOW_DENY), FILE_(approvals.expired_denies), .value = "deny",
	  .doc = "the answer to a question that waited so long" },
	{ "budgets.user", MONEY, FILE_(budgets.user), .value = "0",
	  .doc = "what the turns of one user may cost in all; 0: no limit" },
	{ "budgets.day", MONEY, FILE_(budgets.day), .value = "0",
	  .doc = "what all turns of a day may cost, UTC; 0: no limit" },
	{ "hooks[].event", WORD(HOOKS), HOOK(event), .required = true,
	  .doc = "when it runs; before_reset and before_turn may refuse" },
	{ "hooks[].command", .type = CONFIG_TEXTS, HOOK(command), .max = 4096, .required = true,
	  .doc = "the program and its arguments; it gets JSON on stdin, and exit status 0 is yes" },
	{ "hooks[].timeout_ms", MS(10, 600 * SECOND), HOOK(timeout_ms), .value = "10 s",
	  .doc = "how long it may take; then it is killed, with all that it started" },
	{ "hooks[].on_failure", WORD(OPEN_CLOSED), HOOK(fails_closed), .value = "open",
	  .doc = "what counts when it cannot be asked or is too slow: yes (open) or no (closed)" },
	{ "group_sessions_per_user", FLAG("true"), FILE_(group_sessions_per_user),
	  .doc = "in groups everybody has a conversation of their own" },
	{ "thread_sessions_per_user", FLAG("false"), FILE_(thread_sessions_per_user),
	  .doc = "the same in threads, which are otherwise shared" },
	{ "session_store_max_age_days", INT(0, 36500), FILE_(session_store_max_age_days),
	  .value = "0", .doc = "age at which a lane forgets its session; 0: never" },
	{ "retention.deleted_days", INT(0, 36500), FILE_(retention.deleted_days), .value = "7",
	  .doc = "days that a deleted session is kept before it is purged; 0: it is at once" },
	{ "agent.gateway_auto_continue_freshness", S(0, 30 * DAY_S), .value = "3600 s",
	  FILE_(agent.gateway_auto_continue_freshness_s),
	  .doc = "how old an interrupted turn may be to continue by itself after a restart" },
	{ "agent.gateway_timeout", S(1, DAY_S), FILE_(agent.gateway_timeout_s), .value = "1800 s",
	  .doc = "longest turn, where the agent's limits.turn_timeout_s is not shorter" },
	{ "agent.drain_timeout_s", S(0, 3600), FILE_(agent.drain_timeout_s), .value = "60 s",
	  .doc = "how long a shutdown waits for turns that run" },

	{ "time_zone", .type = CONFIG_TEXT, FILE_(time_zone), .max = 64, .value = "UTC",
	  .check = config_name_check_zone,
	  .doc = "where the agents' days begin: an IANA name like Europe/Berlin" },
	{ "session_reset.mode", WORD(RESET_MODES), FILE_(session_reset.mode), .value = "none",
	  .doc = "what starts a new session by itself: nothing, idleness, the hour, or either" },
	{ "session_reset.at_hour", INT(0, 23), FILE_(session_reset.at_hour), .value = "4",
	  .doc = "hour of the daily reset, in the agent's time zone" },
	{ "session_reset.idle_minutes", INT(0, RESET_IDLE_MINUTES_MAX),
	  FILE_(session_reset.idle_minutes), .value = "1440",
	  .doc = "idleness that resets; 0: never" },
	{ "session_reset.notify", FLAG("true"), FILE_(session_reset.notify),
	  .doc = "tell the user about it" },
	{ "chat_types.<type>.session_reset.mode", WORD(RESET_MODES), CHAT_TYPE(session_reset.mode),
	  .inherit = "session_reset.mode", .doc = "the same for dm, group, channel or thread" },
	{ "chat_types.<type>.session_reset.at_hour", INT(0, 23), CHAT_TYPE(session_reset.at_hour),
	  .inherit = "session_reset.at_hour", .doc = "the same for this chat type" },
	{ "chat_types.<type>.session_reset.idle_minutes", INT(0, RESET_IDLE_MINUTES_MAX),
	  CHAT_TYPE(session_reset.idle_minutes), .inherit = "session_reset.idle_minutes",
	  .doc = "the same for this chat type" },
	{ "chat_types.<type>.session_reset.notify", .type = CONFIG_BOOL,
	  CHAT_TYPE(session_reset.notify), .inherit = "session_reset.notify",
	  .doc = "the same for this chat type" },
	{ "platforms.<name>.session_reset.mode", WORD(RESET_MODES), PLATFORM(session_reset.mode),
	  .inherit = "session_reset.mode",
	  .doc = "the same for one platform; it wins over chat type, agent and workspace" },
	{ "platforms.<name>.session_reset.at_hour", INT(0, 23), PLATFORM(session_reset.at_hour),
	  .inherit = "session_reset.at_hour", .doc = "the same for this platform" },
	{ "platforms.<name>.session_reset.idle_minutes", INT(0, RESET_IDLE_MINUTES_MAX),
	  PLATFORM(session_reset.idle_minutes), .inherit = "session_reset.idle_minutes",
	  .doc = "the same for this platform" },
	{ "platforms.<name>.session_reset.notify", .type = CONFIG_BOOL,
	  PLATFORM(session_reset.notify), .inherit = "session_reset.notify",
	  .doc = "the same for this platform" },
	{ "platforms.<name>.home_channel", .type = CONFIG_TEXT, PLATFORM(home_channel), .max = 200,
	  .doc = "chat that gets what has no other place to go" },
	{ "platforms.<name>.pii_safe", FLAG("false"), PLATFORM(pii_safe),
	  .doc = "ids may be hashed for the model: nobody needs them to mention people" },
	{ "platforms.<name>.busy", WORD(BUSY_MODES), PLATFORM(busy), .inherit = "queue.busy",
	  .doc = "what becomes of a message from there that comes while a turn runs, unless it or "
		 "its lane says so" },
	{ "agents.<id>.session.idleTimeoutMinutes", INT(0, RESET_IDLE_MINUTES_MAX),
	  AGENT(idle_timeout_minutes),
	  .doc = "idleness after which this agent's sessions start anew; 0: never" },
	{ "agents.<id>.session.dailyResetHour", INT(0, 23), AGENT(daily_reset_hour),
	  .doc = "hour at which they do" },
	{ "agents.<id>.time_zone", .type = CONFIG_TEXT, AGENT(time_zone), .max = 64,
	  .check = config_name_check_zone, .shown = "as `time_zone`",
	  .doc = "where this agent's days begin" },
	{ "privacy.redact_pii", FLAG("false"), FILE_(privacy.redact_pii),
	  .doc = "hash ids of people and chats in what the model reads, where the platform "
		 "allows" },
	{ "mirror", WORD(OFF_ON), FILE_(mirror), .value = "off", .restart = true,
	  .doc = "write session.json, events.jsonl and wake-queue.jsonl beside the database" },
};
const size_t CONFIG_KEY_COUNT = ARRAY_LEN(CONFIG_KEYS);

static const char NAME_RULE[] = "1 to 64 of A-Z a-z 0-9 . _ -";

const struct config_scope CONFIG_SCOPES[] = {
	{ "", sizeof(struct config) },
	{ "providers[]", sizeof(struct config_provider), offsetof(struct config, providers) },
	{ "providers[].models[]", sizeof(struct config_model),
	  offsetof(struct config_provider, models) },
	{ "approvals.rules[]", sizeof(struct approval_rule),
	  offsetof(struct config, approvals.rules) },
	{ "hooks[]", sizeof(struct config_hook), offsetof(struct config, hooks) },
	{ "chat_types.<type>", sizeof(struct config_chat_type), offsetof(struct config, chat_types),
	  offsetof(struct config_chat_type, name), config_name_is_chat_type,
	  "dm, group, channel or thread" },
	{ "platforms.<name>", sizeof(struct config_platform), offsetof(struct config, platforms),
	  offsetof(struct config_platform, name), config_name_is_segment, NAME_RULE },
	{ "agents.<id>", sizeof(struct config_agent), offsetof(struct config, agents),
	  offsetof(struct config_agent, id), config_name_is_segment, NAME_RULE },
};
const size_t CONFIG_SCOPE_COUNT = ARRAY_LEN(CONFIG_SCOPES);

enum config_place
config_key_place(struct str pattern, const struct config_key **key)
{
	for (size_t i = 0; i < CONFIG_KEY_COUNT; i++) {
		struct str path = str_of(CONFIG_KEYS[i].path);
		struct str rest = str_slice(path, pattern.len, path.len);

		if (!str_starts(path, pattern))
			continue;
		*key = &CONFIG_KEYS[i];
		if (rest.len == 0)
			return CONFIG_PLACE_VALUE;
		if (str_starts(rest, STR(".<")))
			return CONFIG_PLACE_NAMES;
		if (rest.ptr[0] == '.')
			return CONFIG_PLACE_MAP;
		if (str_starts(rest, STR("[]")))
			return CONFIG_PLACE_ITEMS;
	}
	return CONFIG_PLACE_UNKNOWN;
}

const struct config_key *
config_key_find(struct str pattern)
{
	const struct config_key *key;

	return config_key_place(pattern, &key) == CONFIG_PLACE_VALUE ? key : NULL;
}

const struct config_scope *
config_scope_find(struct str pattern)
{
	for (size_t i = 0; i < CONFIG_SCOPE_COUNT; i++)
		if (str_eq(str_of(CONFIG_SCOPES[i].pattern), pattern))
			return &CONFIG_SCOPES[i];
	return NULL;
}

const struct config_scope *
config_key_scope(const struct config_key *key)
{
	const struct config_scope *found = &CONFIG_SCOPES[0];

	for (size_t i = 1; i < CONFIG_SCOPE_COUNT; i++) {
		struct str pattern = str_of(CONFIG_SCOPES[i].pattern);
		if (str_starts(str_of(key->path), pattern) && pattern.len > strlen(found->pattern))
			found = &CONFIG_SCOPES[i];
	}
	return found;
}

/* Of path, the word behind prefix; empty when it does not lie below it. */
static struct str
word_below(struct str path, struct str prefix)
{
	struct str rest, word = { 0 };
	size_t end = 0;

	if (!str_starts(path, prefix))
		return word;
	rest = str_slice(path, prefix.len, path.len);
	if (prefix.len > 0 && (rest.len == 0 || rest.ptr[0] != '.'))
		return word;
	rest = str_slice(rest, prefix.len > 0, rest.len);
	while (end < rest.len && rest.ptr[end] != '.' && rest.ptr[end] != '[')
		end++;
	return str_slice(rest, 0, end);
}

/* A key of that name anywhere: somebody forgot where it belongs. */
static bool
same_name(struct str path, struct str word)
{
	return word.len > 0 && path.len > word.len && str_ends(path, word) &&
	       path.ptr[path.len - word.len - 1] == '.';
}

bool
config_key_nearest(struct str prefix, struct str path, struct str word, struct buf *out)
{
	struct nearest n = nearest_of(word);

	for (size_t i = 0; i < CONFIG_KEY_COUNT; i++) {
		struct str below = word_below(str_of(CONFIG_KEYS[i].path), prefix);
		if (below.len > 0)
			nearest_offer(&n, below);
	}
	if (n.found.ptr) {
		buf_printf(out, STR_FMT "%s" STR_FMT, STR_ARG(path), path.len > 0 ? "." : "",
			   STR_ARG(n.found));
		return true;
	}
	for (size_t i = 0; i < CONFIG_KEY_COUNT; i++) {
		if (!same_name(str_of(CONFIG_KEYS[i].path), word))
			continue;
		buf_puts(out, CONFIG_KEYS[i].path);
		return true;
	}
	return false;
}
