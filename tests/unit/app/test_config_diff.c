#include "config_rows.h"

/* The changed keys, those that need a restart with a '!' behind them. */
static const struct row {
	const char *name, *old, *now, *want;
} ROWS[] = {
	{ "L2 nothing changed", "queue: {depth: 3}\n", "queue: {depth: 3}\n", "" },
	{ "L2 a default written out is no change", "", "listen: 127.0.0.1:7340\nmodel: demo\n",
	  "" },
	{ "L2 the same in other words", "limits: {body_bytes: 1 MiB}\n",
	  "limits: {body_bytes: 1048576}\n", "" },
	{ "L2 a value can be taken over", "", "queue: {depth: 3}\n", "queue.depth" },
	{ "L2 a list can be taken over", "hosts: [a]\n", "hosts: [a, b]\n", "hosts" },
	{ "L2 an address cannot", "", "listen: 127.0.0.1:1\n", "listen!" },
	{ "L2 neither can the data folder", "data: /a\n", "data: /b\nlog: {level: warn}\n",
	  "data! log.level" },
	{ "L2 a platform that came", "", "platforms: {irc: {home_channel: x}}\n",
	  "platforms.irc.session_reset.mode platforms.irc.session_reset.at_hour "
	  "platforms.irc.session_reset.idle_minutes platforms.irc.session_reset.notify "
	  "platforms.irc.home_channel platforms.irc.pii_safe platforms.irc.busy" },
	{ "L2 an agent's hour that went", "agents: {a: {session: {dailyResetHour: 3}}}\n", "",
	  "agents.a.session.dailyResetHour" },
	{ "L2 a value that a platform inherits", "platforms: {irc: {}}\n",
	  "platforms: {irc: {}}\nsession_reset: {at_hour: 5}\n",
	  "session_reset.at_hour platforms.irc.session_reset.at_hour" },
};

static void
differs(void **state)
{
	const struct row *r = *state;
	struct config *old = config_rows_load(r->old), *now = config_rows_load(r->now);
	struct config_changes changes;
	struct arena a;
	struct buf got;
	bool good;

	arena_init(&a);
	buf_init(&got, 1000);
	good = config_reloadable(old, now, &a, &changes);
	for (size_t i = 0; i < changes.len; i++)
		buf_printf(&got, "%s" STR_FMT "%s", i > 0 ? " " : "", STR_ARG(changes.ptr[i].path),
			   changes.ptr[i].needs_restart ? "!" : "");
	check_str(r->name, buf_str(&got), str_of(r->want));
	assert_int_equal(good, strchr(r->want, '!') == NULL);
	buf_release(&got);
	arena_release(&a);
	config_free(&old);
	config_free(&now);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, differs);
	return suite_run(&s, "app/config_diff");
}
