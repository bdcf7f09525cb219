#include "cli/schedule_words.h"

#include "cli/commands.h"
#include "harness.h"

static const struct row {
	const char *name;
	const char *words; /* a blank between; ~ stands for one inside a word */
	const char *want;  /* quotes as ' */
} ROWS[] = {
	/* clang-format off */
	{ "H3 cron", "--cron 0~9~*~*~1-5", "{'rule':{'type':'cron','expression':'0 9 * * 1-5'}}" },
	{ "H3 cron with a zone", "--cron @daily --zone Asia/Tokyo", "{'rule':{'type':'cron','expression':'@daily','time_zone':'Asia/Tokyo'}}" },
	{ "H3 at", "--at 2026-05-01T09:00:00Z", "{'rule':{'type':'at','at':'2026-05-01T09:00:00Z'}}" },
	{ "H3 every", "--every 15m", "{'rule':{'type':'every','every_ms':900000}}" },
	{ "H3 one rule", "--every 15m --cron @daily", "give one of --cron, --at and --every, not several" },
	{ "H3 a zone alone", "--zone UTC", "--zone goes with --cron" },
	{ "H3 every so often", "--every often", "--every: 'often' is not a time like 90s, 15m, 2h or 7d" },
	{ "H3 nothing is no time", "--timeout 0s", "--timeout: '0s' is not a time" },
	{ "H3 nor too much", "--timeout 99999999999d", "--timeout: '99999999999d' is not a time" },
	{ "H3 a unit alone", "--timeout h", "--timeout: 'h' is not a time" },
	{ "H3 a timeout", "--timeout 2h", "{'timeout_ms':7200000}" },
	{ "H3 seconds and days", "--timeout 90s --every 7d", "{'rule':{'type':'every','every_ms':604800000},'timeout_ms':90000}" },
	{ "H3 missed", "--missed skip", "{'missed':{'type':'skip'}}" },
	{ "H3 missed, some", "--missed all:3", "{'missed':{'type':'all','limit':3}}" },
	{ "H3 missed, counted wrongly", "--missed latest:3", "--missed: 'latest:3' is not skip, latest or all:N" },
	{ "H3 missed, no number", "--missed all:x", "--missed: 'all:x' is not" },
	{ "H3 to nobody", "--to silent", "{'delivery':{'type':'silent'}}" },
	{ "H3 to a session with colons", "--to session:cli:me", "{'delivery':{'type':'session','session_id':'cli:me'}}" },
	{ "H3 to a home", "--to home:telegram", "{'delivery':{'type':'home','platform':'telegram'}}" },
	{ "H3 to a chat", "--to target:slack:C1", "{'delivery':{'type':'target','platform':'slack','chat_id':'C1'}}" },
	{ "H3 to a thread", "--to target:slack:C1:t:2", "{'delivery':{'type':'target','platform':'slack','chat_id':'C1','thread_id':'t:2'}}" },
	{ "H3 to half a chat", "--to target:slack", "--to: 'target:slack' is not silent, origin, session:ID" },
	{ "H3 to a session without a name", "--to session", "--to: 'session' is not" },
	{ "H3 silent to somebody", "--to silent:x", "--to: 'silent:x' is not" },
	{ "H3 to whom?", "--to mail", "--to: 'mail' is not" },
	{ "H3 nothing", "", "{}" },
	/* clang-format on */
};

static const struct command *
schedule_create(void)
{
	for (size_t i = 0; i < COMMANDS_COUNT; i++)
		if (strcmp(COMMANDS[i].name, "schedule create") == 0)
			return &COMMANDS[i];
	fail_msg("there is no schedule create");
	return NULL;
}

static void
row_holds(void **state)
{
	const struct row *row = *state;
	char text[256], *argv[16];
	struct args args;
	struct buf out;
	struct err e = { 0 };
	struct jw w;
	int argc = 0, rc;

	snprintf(text, sizeof text, "%s", row->words);
	for (char *c = text, *end = text + strlen(text); c < end; c++) {
		if (c == text || c[-1] == '\0')
			argv[argc++] = c;
		*c = *c == ' ' ? '\0' : *c == '~' ? ' ' : *c;
	}
	argv[argc] = NULL;
	assert_int_equal(args_parse(schedule_create(), argc, argv, &args, &e), 0);
	buf_init(&out, 4096);
	jw_init(&w, &out);
	jw_object(&w);
	rc = schedule_words_write(&args, &w, &e);
	if (rc == 0) {
		jw_end_object(&w);
		for (size_t i = 0; i < out.len; i++)
			out.ptr[i] = out.ptr[i] == '"' ? '\'' : out.ptr[i];
		check_str(row->name, buf_str(&out), str_of(row->want));
	} else {
		assert_int_equal(rc, ERR_USAGE);
		if (!strstr(e.text, row->want))
			fail_msg("%s", e.text);
	}
	buf_release(&out);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, row_holds);
	return suite_run(&s, "schedule_words");
}
