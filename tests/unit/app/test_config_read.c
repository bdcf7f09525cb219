/* The corpus of configurations that are refused, each with the sentences it is refused with. */
#include "config_rows.h"

#define PROVIDER "providers:\n  - name: a\n    kind: anthropic\n"

static const struct config_row ROWS[] = {
	{ "L2 an unknown key with a near name", "lisen: 127.0.0.1:80\n",
	  "c.yaml:1:1: 'lisen' is not a key; did you mean 'listen'?" },
	{ "L2 an unknown key in line 7", "# 1\n# 2\n# 3\n# 4\n# 5\n# 6\nlisten_on: x\n",
	  "c.yaml:7:1: 'listen_on' is not a key; did you mean 'listen'?" },
	{ "L2 an unknown key in a map", "queue:\n  dept: 3\n",
	  "c.yaml:2:3: 'queue.dept' is not a key; did you mean 'queue.depth'?" },
	{ "L2 an unknown key of a platform", "platforms:\n  irc:\n    pii_saf: true\n",
	  "c.yaml:3:5: 'platforms.irc.pii_saf' is not a key; did you mean "
	  "'platforms.irc.pii_safe'?" },
	{ "L2 allow_bots has no effect yet", "platforms:\n  irc:\n    allow_bots: true\n",
	  "c.yaml:3:5: 'platforms.irc.allow_bots' is not a key; 'perdure config keys' lists "
	  "them" },
	{ "L2 an unknown key of an agent", "agents: {a: {session: {idleTimeoutMinute: 3}}}\n",
	  "c.yaml:1:24: 'agents.a.session.idleTimeoutMinute' is not a key; did you mean "
	  "'agents.a.session.idleTimeoutMinutes'?" },
	{ "L2 an unknown key of a model",
	  PROVIDER "    api_key_env: K\n    models: [{id: x, context: 3}]\n",
	  "c.yaml:5:22: 'providers[0].models[0].context' is not a key; 'perdure config keys' lists "
	  "them" },
	{ "L2 an unknown key without a near name", "zzzzzzzzz: 1\n",
	  "c.yaml:1:1: 'zzzzzzzzz' is not a key; 'perdure config keys' lists them" },
	{ "L2 a key of another place", "at_hour: 3\n",
	  "c.yaml:1:1: 'at_hour' is not a key; did you mean 'session_reset.at_hour'?" },
	{ "L2 an unknown key's value is never shown", "tokn: sk-12345\n",
	  "c.yaml:1:1: 'tokn' is not a key; 'perdure config keys' lists them" },
	{ "L2 a dotted key", "queue.depth: 3\n",
	  "c.yaml:1:1: 'queue.depth' must be written as maps inside one another, each word on a "
	  "line of its own" },
	{ "L2 a key that spells the table's names", "platforms.<name>.pii_safe: true\n",
	  "c.yaml:1:1: 'platforms.<name>.pii_safe' must be written as maps inside one another, "
	  "each "
	  "word on a line of its own" },
	{ "L2 a key that spells the table's lists", "providers[]: {name: x}\n",
	  "c.yaml:1:1: 'providers[]' is not a key; did you mean 'providers'?" },
	{ "L2 an empty key", "\"\": 1\n",
	  "c.yaml:1:1: '' is not a key; 'perdure config keys' lists them" },
	{ "L2 a merge key", "queue:\n  <<: {depth: 3}\n",
	  "c.yaml:2:3: 'queue.<<' is not a key; 'perdure config keys' lists them" },
	{ "L2 a key twice", "model: demo\nmodel: demo\n",
	  "c.yaml:2:1: 'model' stands twice, first in line 1" },
	{ "L2 a list instead of the file's map", "- listen\n",
	  "c.yaml:1:1: the file must be a map of keys and values (listen: ...)" },
	{ "L2 a text instead of the file's map", "listen\n",
	  "c.yaml:1:1: the file must be a map of keys and values (listen: ...)" },
	{ "L2 a text instead of a map", "queue: 3\n", "c.yaml:1:8: queue: must be a map, not '3'" },
	{ "L2 a list instead of a map", "queue: [3]\n",
	  "c.yaml:1:8: queue: must be a map, not a list" },
	{ "L2 a map instead of a list", "providers: {name: a}\n",
	  "c.yaml:1:12: providers: must be a list of maps, not a map" },
	{ "L2 a text in a list of maps", "providers: [acme]\n",
	  "c.yaml:1:13: providers[0]: must be a map, not 'acme'\n"
	  "c.yaml:1:13: providers[0].name: is missing\n"
	  "c.yaml:1:13: providers[0].kind: is missing" },
	{ "L2 nothing in a list of maps", "providers:\n  -\n",
	  "c.yaml:2:4: providers[0]: must be a map, not nothing\n"
	  "c.yaml:2:4: providers[0].name: is missing\n"
	  "c.yaml:2:4: providers[0].kind: is missing" },
	{ "L2 a platform that is no map", "platforms: {irc: on}\n",
	  "c.yaml:1:18: platforms.irc: must be a map, not 'on'" },
	{ "L2 a platform's name with a blank", "platforms:\n  my irc: {}\n",
	  "c.yaml:2:3: platforms: a name here must be 1 to 64 of A-Z a-z 0-9 . _ -, not 'my irc'" },
	{ "L2 an unknown chat type", "chat_types: {room: {}}\n",
	  "c.yaml:1:14: chat_types: a name here must be dm, group, channel or thread, not 'room'" },
	{ "L2 dailyResetHour 24", "agents: {main: {session: {dailyResetHour: 24}}}\n",
	  "c.yaml:1:43: agents.main.session.dailyResetHour: must be a whole number from 0 to 23, "
	  "not '24'" },
	{ "L2 dailyResetHour -1", "agents: {main: {session: {dailyResetHour: -1}}}\n",
	  "c.yaml:1:43: agents.main.session.dailyResetHour: must be a whole number from 0 to 23, "
	  "not '-1'" },
	{ "L2 dailyResetHour as text", "agents: {main: {session: {dailyResetHour: four}}}\n",
	  "c.yaml:1:43: agents.main.session.dailyResetHour: must be a whole number from 0 to 23, "
	  "not 'four'" },
	{ "L2 at_hour 24 of a platform", "platforms: {irc: {session_reset: {at_hour: 24}}}\n",
	  "c.yaml:1:44: platforms.irc.session_reset.at_hour: must be a whole number from 0 to 23, "
	  "not '24'" },
	{ "R1 an unknown mode", "session_reset: {mode: weekly}\n",
	  "c.yaml:1:23: session_reset.mode: must be none, idle, daily or both, not 'weekly'" },
	{ "L2 an unknown log level", "log: {level: loud}\n",
	  "c.yaml:1:14: log.level: must be debug, info, warn or error, not 'loud'" },
	{ "L2 mirror as a boolean", "mirror: true\n",
	  "c.yaml:1:9: mirror: must be off or on, not 'true'" },
	{ "L2 an address without a port", "listen: [127.0.0.1:1, 10.0.0.1]\n",
	  "c.yaml:1:23: listen: must be ADDRESS:PORT (127.0.0.1:7340, [::1]:7340) or unix:PATH, "
	  "not "
	  "'10.0.0.1'" },
	{ "L2 a provider without name and kind", "providers: [{api_key_env: K}]\n",
	  "c.yaml:1:13: providers[0].name: is missing\n"
	  "c.yaml:1:13: providers[0].kind: is missing" },
	{ "L2 a provider of an unknown kind", "providers: [{name: a, kind: gpt, api_key_env: K}]\n",
	  "c.yaml:1:29: providers[0].kind: must be openai-chat, openai-responses or anthropic, not "
	  "'gpt'" },
	{ "L2 a provider called demo",
	  "providers: [{name: demo, kind: anthropic, api_key_env: K}]\n",
	  "c.yaml:1:20: providers[0].name: 'demo' is built in; choose another name" },
	{ "L2 a provider with a slash in its name",
	  "providers: [{name: a/b, kind: anthropic, api_key_env: K}]\n",
	  "c.yaml:1:20: providers[0].name: must be 1 to 64 of A-Z a-z 0-9 . _ -, not 'a/b'" },
	{ "L2 a model with a blank in its name",
	  PROVIDER "    api_key_env: K\n    models: [{id: a b}]\n",
	  "c.yaml:5:19: providers[0].models[0].id: must be a model's name without blanks or '*'" },
	{ "P8 a key in the file", PROVIDER "    api_key: sk-live-12345\n",
	  "c.yaml:4:5: 'providers[0].api_key' is refused: a key in this file ends up in backups "
	  "and "
	  "in front of people; name the environment variable that holds it with api_key_env, or a "
	  "file with api_key_file" },
	{ "P8 a key under another name", PROVIDER "    auth_token: 12345\n",
	  "c.yaml:4:5: 'providers[0].auth_token' is refused: a key in this file ends up in backups "
	  "and in front of people; name the environment variable that holds it with api_key_env, "
	  "or "
	  "a file with api_key_file" },
	{ "P8 a key where its variable's name belongs", PROVIDER "    api_key_env: sk-live-12345\n",
	  "c.yaml:4:18: providers[0].api_key_env: must be the name of an environment variable "
	  "(letters, digits, _), never the key itself" },
	{ "P8 a password in the base URL",
	  PROVIDER "    api_key_env: K\n    base_url: https://me:secret@a.org\n",
	  "c.yaml:5:15: providers[0].base_url: must not hold a user or password; keys go to "
	  "api_key_env or api_key_file" },
	{ "L2 an anchor and what refers to it", "queue: &q {depth: 3}\nlog: *q\n",
	  "c.yaml:1:8: anchors (&name) are not allowed; write the value out\n"
	  "c.yaml:2:6: aliases (*name) are not allowed; write the value out" },
	{ "L2 a tag", "queue: {depth: !!int 3}\n", "c.yaml:1:16: tags (!name) are not allowed" },
	{ "L2 text that is not YAML", "queue: {depth: 3\n",
	  "c.yaml:2:1: this is not YAML: did not find expected ',' or '}', while parsing a flow "
	  "mapping that begins in line 1" },
	{ "L2 several problems at once",
	  "lisen: x\nqueue: {depth: 0}\nmodl: y\nlog: {format: xml}\n",
	  "c.yaml:1:1: 'lisen' is not a key; did you mean 'listen'?\n"
	  "c.yaml:2:16: queue.depth: must be a whole number from 1 to 1000, not '0'\n"
	  "c.yaml:3:1: 'modl' is not a key; did you mean 'model'?\n"
	  "c.yaml:4:15: log.format: must be json or text, not 'xml'" },
	{ "L2 more than ten problems",
	  "a1: 1\na2: 1\na3: 1\na4: 1\na5: 1\na6: 1\na7: 1\na8: 1\na9: 1\nb1: 1\nb2: 1\nb3: 1\n",
	  "c.yaml:1:1: 'a1' is not a key; 'perdure config keys' lists them\n"
	  "c.yaml:2:1: 'a2' is not a key; 'perdure config keys' lists them\n"
	  "c.yaml:3:1: 'a3' is not a key; 'perdure config keys' lists them\n"
	  "c.yaml:4:1: 'a4' is not a key; 'perdure config keys' lists them\n"
	  "c.yaml:5:1: 'a5' is not a key; 'perdure config keys' lists them\n"
	  "c.yaml:6:1: 'a6' is not a key; 'perdure config keys' lists them\n"
	  "c.yaml:7:1: 'a7' is not a key; 'perdure config keys' lists them\n"
	  "c.yaml:8:1: 'a8' is not a key; 'perdure config keys' lists them\n"
	  "c.yaml:9:1: 'a9' is not a key; 'perdure config keys' lists them\n"
	  "c.yaml:10:1: 'b1' is not a key; 'perdure config keys' lists them\n"
	  "and 2 more" },
};

/* Maps and lists whose members are all commented out mean nothing, not something wrong. */
static void
L2_empty_maps_and_lists_are_fine(void **state)
{
	struct config *c = config_rows_load("queue:\nproviders:\nplatforms:\n  irc:\nhosts:\n"
					    "agents: {a: {session: }}\nsession_reset: ~\n");

	(void)state;
	assert_int_equal(c->queue.depth, 20);
	assert_int_equal(c->platforms.len, 1);
	assert_int_equal(c->providers.len, 0);
	config_free(&c);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, config_row_refused);
	SUITE_TEST(&s, L2_empty_maps_and_lists_are_fine);
	return suite_run(&s, "app/config_read");
}
