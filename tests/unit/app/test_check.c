#include "sqlite_fill.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "app/check.h"
#include "base/arena.h"
#include "base/file.h"
#include "store/sqlite/lock.h"

/* Some of everything: turns, an edit, a rewind, summaries, calls that wait, a queue, large payloads. */
static const char LOG[] =
	"msg a text=hello; run t a; usage 10 5 7; say x; tool c; result c; end t end_turn; "
	"msg p class=passive; compact S; msg b; edit b; run u b; tool d ask; allow ok d; msg q; "
	"edit q; msg r";
/* seq: 1 created, 2 a, 3 run, 4 usage, 5 x, 6 c, 7 result, 8 end, 9 p, 10 S, 11 b, 12 edit, 13 run,
 * 14 d, 15 ok, 16 q, 17 edit, 18 r; session s has sid 2 */

static void
set_up(struct fill *f)
{
	fill_open(f);
	fill_session(f, "quiet", "", 0);
	fill_session(f, "s", LOG, 64);
	fill_session(f, "later", "msg a; run t a; say x; end t end_turn; msg b; cancel all", 0);
	db_close(&f->db);
}

/* What it printed, and its result; the text is the caller's to free. */
static char *
check_it(const char *directory, bool json, int *rc, struct err *e)
{
	const struct check_options o = { .directory = directory, .json = json };
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	*rc = check_directory(&o, out, e);
	fclose(out);
	return text;
}

static void
damage_with(struct fill *f, const char *sql)
{
	struct err e;

	assert_int_equal(db_open(&f->db, f->path, DB_WRITER, NULL, &e), 0);
	fill_run(f, sql);
	db_close(&f->db);
}

#define OF_S " WHERE sid = 2"

/* clang-format off: one kind of damage a row */
static const struct damage {
	const char *name, *sql, *want;
	int64_t problems; /* lines that name it; one cause may show twice */
} DAMAGES[] = {
	{ "S3 a flipped byte in a payload",
	  "UPDATE event SET payload = replace(payload, 'text', 'texu')" OF_S " AND seq = 18",
	  "session s seq 18: the event or its hash was changed: stored hash ", 2 },
	{ "S3 a payload of the same shape",
	  "UPDATE event SET payload = replace(payload, '\"r\"', '\"R\"')" OF_S " AND seq = 18",
	  "session s seq 18: the event or its hash was changed: stored hash ", 2 },
	{ "S3 an author", "UPDATE event SET author = 3" OF_S " AND seq = 5",
	  "session s seq 5: the event or its hash was changed", 1 },
	{ "S3 a missing event", "DELETE FROM event" OF_S " AND seq = 5",
	  "session s seq 5: the event is missing\n", 2 },
	{ "S3 several missing events", "DELETE FROM event" OF_S " AND seq BETWEEN 5 AND 7",
	  "session s seq 5: the events up to seq 7 are missing\n", 2 },
	{ "S3 a missing first event", "DELETE FROM event" OF_S " AND seq = 1",
	  "session s seq 1: the event is missing\n", 2 },
	{ "S3 a missing last event", "DELETE FROM event" OF_S " AND seq = 18",
	  "session s: head_seq: stored '18', replayed '17'\n", 6 },
	{ "S3 no events at all", "DELETE FROM event" OF_S, "session s seq 1: the log is empty\n",
	  4 },
	{ "S3 an event number of no kind", "UPDATE event SET kind = 77" OF_S " AND seq = 5",
	  "session s: seq 5: its row is damaged\n", 1 },
	{ "S3 an event of the wrong kind", "UPDATE event SET kind = 8" OF_S " AND seq = 5",
	  "session s seq 5: the log does not replay: seq 5 (agent.thinking): its payload is of "
	  "type agent.message\n",
	  2 },
	{ "M12 a wrong counter", "UPDATE session SET messages = 9" OF_S,
	  "session s: messages: stored '9', replayed '6'\n", 1 },
	{ "M12 a wrong cost", "UPDATE session SET cost = cost + 1" OF_S,
	  "session s: cost_picodollars: stored '8', replayed '7'\n", 1 },
	{ "S3 a wrong phase", "UPDATE session SET phase = 0" OF_S,
	  "session s: phase: stored '0', replayed '1'\n", 1 },
	{ "S3 a wrong lifecycle", "UPDATE session SET lifecycle = 2" OF_S,
	  "session s: lifecycle: stored 'archived', replayed 'active'\n", 1 },
	{ "S3 a wrong turn", "UPDATE session SET turn = 'v'" OF_S,
	  "session s: turn: stored 'v', replayed 'u'\n", 1 },
	{ "S3 a wrong title", "UPDATE session SET title = 'T'" OF_S,
	  "session s: title: stored 'T', replayed ''\n", 1 },
	{ "M4 a title of another giver", "UPDATE session SET title_source = 2" OF_S,
	  "session s: title_source: stored 'ai', replayed 'fallback'\n", 1 },
	{ "M4 wrong metadata", "UPDATE session SET metadata = '{}'" OF_S,
	  "session s: metadata: stored '{}', replayed ''\n", 1 },
	{ "S3 a wrong preview", "UPDATE session SET preview = 'P'" OF_S,
	  "session s: preview: stored 'P', replayed 'r'\n", 1 },
	{ "S3 a wrong agent", "UPDATE session SET agent_id = 'x'" OF_S,
	  "session s: agent_id: stored 'x', replayed 'main'\n", 1 },
	{ "S3 a wrong head hash", "UPDATE session SET head_hash = zeroblob(32)" OF_S,
	  "session s: head_hash is not the hash of the last event\n", 1 },
	{ "S3 a wrong queue depth", "UPDATE session SET waiting = 7" OF_S,
	  "session s: waiting: stored 7, but 2 triggers are pending\n", 1 },
	{ "S3 a session row out of range", "UPDATE session SET phase = 9" OF_S,
	  "session s: its row is damaged\n", 2 },
	{ "S3 a stale transcript entry", "INSERT INTO item VALUES (2, 99, 0, 1, 18, 18, 0, 0, 0)",
	  "session s seq 18: transcript: by the log it does not stand at 99.0\n", 1 },
	{ "S3 a missing transcript entry", "DELETE FROM item" OF_S " AND seq = 5",
	  "session s seq 5: transcript: missing at 5.0\n", 1 },
	{ "S3 the last transcript entry missing", "DELETE FROM item" OF_S " AND seq = 14",
	  "session s seq 14: transcript: missing at 14.0\n", 1 },
	{ "S3 an entry that was summarised", "UPDATE item SET archived_by = 0" OF_S " AND seq = 5",
	  "session s seq 5: transcript: archived_by: stored '0', replayed '10'\n", 1 },
	{ "S3 an entry with the old content",
	  "UPDATE item SET content_seq = 11" OF_S " AND seq = 11",
	  "session s seq 11: transcript: content_seq: stored '11', replayed '12'\n", 1 },
	{ "S3 an entry without event", "UPDATE item SET seq = 50" OF_S " AND seq = 14",
	  "session s: transcript entry of seq 50: its event is missing\n", 1 },
	{ "Q1 an orphan pending input", "UPDATE event SET processed = NULL" OF_S " AND seq = 11",
	  "session s: queued: stored 3 from seq 15 on, but 4 inputs are pending from 11 on\n", 3 },
	{ "Q1 an orphan pending input in the queue",
	  "UPDATE event SET processed = NULL" OF_S " AND seq = 11;"
	  " UPDATE session SET queue_from = 11" OF_S,
	  "session s seq 11: pending input: by the log it is not pending\n", 4 },
	{ "Q1 a queue that begins too late", "UPDATE session SET queue_from = 17" OF_S,
	  "session s: queued: stored 3 from seq 17 on, but 3 inputs are pending from 15 on\n", 3 },
	{ "Q1 a wrong number of queued inputs", "UPDATE session SET queued = 7" OF_S,
	  "session s: queued: stored 7 from seq 15 on, but 3 inputs are pending from 15 on\n", 1 },
	{ "Q1 a trigger that is not pending any more",
	  "UPDATE event SET processed = 5" OF_S " AND seq = 18",
	  "session s seq 18: pending input: missing in the queue\n", 4 },
	{ "Q1 an instant of processing", "UPDATE event SET processed = 5" OF_S " AND seq = 2",
	  "session s seq 2: processed_at: stored '5', replayed '1000003'\n", 1 },
	{ "Q1 an event that is no input is pending",
	  "UPDATE event SET processed = NULL" OF_S " AND seq = 5",
	  "session s seq 5: processed_at: stored '0', replayed '1000005'\n", 0 },
	{ "Q1 a lost edit", "DELETE FROM edit" OF_S,
	  "session s seq 16: pending input: content_seq: stored '16', replayed '17'\n", 1 },
	{ "S3 a call in another state", "UPDATE call SET state = 2" OF_S,
	  "session s seq 14: call: state: stored '2', replayed '0'\n", 1 },
	{ "S3 a call without its answer", "UPDATE call SET answer_id = NULL" OF_S,
	  "session s seq 14: call: answer_id: stored '', replayed 'ok'\n", 1 },
	{ "S3 a missing call", "DELETE FROM call" OF_S, "session s seq 14: call: missing\n", 1 },
	{ "S3 a call too many", "INSERT INTO call VALUES (2, 6, 'c', 9, 4, 0, NULL, 7)",
	  "session s seq 6: call: the open turn has no such call\n", 1 },
	{ "M14 a flipped byte in a blob",
	  "UPDATE blob SET bytes = CAST(replace(CAST(bytes AS TEXT), 'hello', 'hellO') AS BLOB)",
	  ": its bytes do not match its digest\n", 3 },
	{ "M14 a blob that nobody refers to", "INSERT INTO blob VALUES (zeroblob(32), 0, x'00')",
	  "1 blobs that no event refers to, the first is 0000000000000000...\n", 2 },
	{ "M14 a missing blob", "DELETE FROM blob",
	  "session s: seq 1: its payload's blob is missing\n", 1 },
	{ "S3 an event of no session", "UPDATE event SET sid = 77 WHERE sid = 1",
	  "seq 1: an event of no session (sid 77)\n", 2 },
	{ "S3 an index of something else",
	  "PRAGMA writable_schema=ON; UPDATE sqlite_master SET sql ="
	  " 'CREATE INDEX session_by_agent ON session (environment_id)' WHERE name = "
	  "'session_by_agent'",
	  "the file: row 1 missing from index session_by_agent\n", 3 },
};
/* clang-format on */

static void
damage(void **state)
{
	const struct damage *d = *state;
	struct fill f;
	struct err e = { 0 };
	char *said, summary[80];
	int rc;

	set_up(&f);
	damage_with(&f, d->sql);
	said = check_it(f.dir, false, &rc, &e);
	if (rc != ERR_MISMATCH)
		fail_msg("%s: %d %s\n%s", d->name, rc, e.text, said);
	if (!str_contains(str_of(said), str_of(d->want)))
		fail_msg("%s: not told:\n%s", d->name, said);
	snprintf(summary, sizeof summary, "events: %lld problem%s\n", (long long)d->problems,
		 d->problems == 1 ? "" : "s");
	if (d->problems > 0 && !str_contains(str_of(said), str_of(summary)))
		fail_msg("%s: other problems than expected:\n%s", d->name, said);
	free(said);
	fill_close(&f);
}

static void
S3_a_whole_store_passes(void **state)
{
	struct fill f;
	struct err e;
	char *said;
	int rc;

	(void)state;
	set_up(&f);
	said = check_it(f.dir, false, &rc, &e);
	assert_string_equal(said, "checked 3 sessions, 26 events: ok\n");
	assert_int_equal(rc, 0);
	free(said);
	said = check_it(f.dir, true, &rc, &e);
	assert_string_equal(said, "{\"ok\":true,\"sessions\":3,\"events\":26,\"problems\":0}\n");
	assert_int_equal(rc, 0);
	free(said);
	fill_close(&f);
}

static void
programs_get_objects(void **state)
{
	struct fill f;
	struct err e;
	char *said;
	int rc;

	(void)state;
	set_up(&f);
	damage_with(&f, "UPDATE session SET title = 'a \"b\"' WHERE id = 's'");
	said = check_it(f.dir, true, &rc, &e);
	assert_int_equal(rc, ERR_MISMATCH);
	assert_string_equal(said, "{\"session_id\":\"s\",\"problem\":\"title\",\"stored\":\"a "
				  "\\\"b\\\"\",\"replayed\":\"\"}\n"
				  "{\"ok\":false,\"sessions\":3,\"events\":26,\"problems\":1}\n");
	free(said);
	fill_close(&f);
}

static void
more_sessions_than_a_page(void **state)
{
	struct fill f;
	struct err e;
	char *said, id[16];
	int rc;

	(void)state;
	fill_open(&f);
	for (int i = 0; i < 250; i++) {
		snprintf(id, sizeof id, "s%d", i);
		fill_session(&f, id, i % 2 ? "msg a" : "", 0);
	}
	db_close(&f.db);
	said = check_it(f.dir, false, &rc, &e);
	assert_string_equal(said, "checked 250 sessions, 375 events: ok\n");
	free(said);
	fill_close(&f);
}

static void
copy_file(const char *from_dir, const char *to_dir, const char *name)
{
	char path[128];
	struct arena a;
	struct str bytes;
	struct err e;
	FILE *to;

	arena_init(&a);
	snprintf(path, sizeof path, "%s/%s", from_dir, name);
	assert_int_equal(file_read(path, 64 << 20, &a, &bytes, &e), 0);
	snprintf(path, sizeof path, "%s/%s", to_dir, name);
	to = fopen(path, "wb");
	assert_int_equal(fwrite(bytes.ptr, 1, bytes.len, to), bytes.len);
	fclose(to);
	arena_release(&a);
}

/* After a kill everything may still stand in the write-ahead log, and nothing else is there. */
static void
S3_what_a_kill_leaves_is_checked_as_it_stands(void **state)
{
	struct fill f, killed;
	struct err e;
	char *said;
	int rc;

	(void)state;
	fill_open(&f);
	fill_session(&f, "s", LOG, 64);
	fill_open(&killed);
	db_close(&killed.db);
	copy_file(f.dir, killed.dir, "perdure.db");
	copy_file(f.dir, killed.dir, "perdure.db-wal");
	said = check_it(killed.dir, false, &rc, &e);
	if (rc != 0)
		fail_msg("%s", e.text);
	assert_string_equal(said, "checked 1 sessions, 18 events: ok\n");
	free(said);
	fill_close(&f);
	fill_close(&killed);
}

static void
S1_a_held_directory_is_refused_with_the_pid(void **state)
{
	struct fill f;
	struct lock lock;
	struct err e;
	char *said, pid[40];
	int rc;

	(void)state;
	set_up(&f);
	assert_int_equal(lock_take(&lock, f.dir, &e), 0);
	said = check_it(f.dir, false, &rc, &e);
	assert_int_equal(rc, ERR_CONFLICT);
	snprintf(pid, sizeof pid, "is held by pid %d", (int)getpid());
	assert_true(str_contains(str_of(e.text), str_of(pid)));
	assert_string_equal(said, "");
	free(said);
	lock_release(&lock);
	fill_close(&f);
}

/* The transcript of a fork is checked against what its parent's log showed then. */
static void
C11_what_a_fork_inherits_is_checked(void **state)
{
	static const struct {
		const char *sql, *want;
	} CASES[] = {
		{ "", "" },
		{ "UPDATE inherited SET as_of = 5",
		  "session fork seq 6: transcript: missing at 6.0\n" },
		{ "UPDATE inherited SET top_at = 6",
		  "session fork seq 6: transcript: missing at 6.0\n" },
		{ "UPDATE inherited SET rewound = 3", "transcript: rewound" },
		{ "DELETE FROM inherited", "session fork seq 2: transcript: missing at 3.0\n" },
		{ "UPDATE inherited SET from_sid = 1", "transcript: missing" },
		{ "DELETE FROM event WHERE sid = 2 AND seq = 4", "cannot be replayed" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(CASES); i++) {
		struct fill f;
		struct err e;
		char *said;
		int rc;

		set_up(&f);
		assert_int_equal(db_open(&f.db, f.path, DB_WRITER, NULL, &e), 0);
		fill_session(&f, "fork", "fork s 8", 0);
		fill_run(&f, "INSERT INTO inherited VALUES (4, 1, 2, 0, 0, 0, 9, 0, 0, 0, 2, 1, 8,"
			     " 0, 0, 0)");
		if (CASES[i].sql[0])
			fill_run(&f, CASES[i].sql);
		db_close(&f.db);
		said = check_it(f.dir, false, &rc, &e);
		if (rc != (CASES[i].sql[0] ? ERR_MISMATCH : 0) || !strstr(said, CASES[i].want))
			fail_msg("'%s': %s", CASES[i].sql, said);
		free(said);
		fill_close(&f);
	}
}

static void
nothing_to_check_is_an_error(void **state)
{
	struct fill f;
	struct err e;
	char *said;
	int rc;

	(void)state;
	set_up(&f);
	unlink(f.path);
	said = check_it(f.dir, false, &rc, &e);
	assert_int_equal(rc, ERR_NOT_FOUND);
	free(said);
	said = check_it("/nonexistent", false, &rc, &e);
	assert_int_equal(rc, ERR_IO);
	free(said);
	fill_close(&f);
}

static const struct usage_row {
	const char *name;
	const char *argv[4];
	int want;
} USAGES[] = {
	{ "an unknown option", { "check", "--fast" }, ERR_USAGE },
	{ "--data without its value", { "check", "--data" }, ERR_USAGE },
	{ "a held or absent directory is not readable",
	  { "check", "--data", "/nonexistent" },
	  ERR_IO },
	{ "both options", { "check", "--json", "--data", "/nonexistent" }, ERR_IO },
};

static void
usage(void **state)
{
	const struct usage_row *u = *state;
	struct err e;
	int argc = 0;

	while (argc < 4 && u->argv[argc])
		argc++;
	assert_int_equal(check_run(argc, (char **)(uintptr_t)u->argv, &e), u->want);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, S3_a_whole_store_passes);
	SUITE_ROWS(&s, DAMAGES, damage);
	SUITE_TEST(&s, programs_get_objects);
	SUITE_TEST(&s, more_sessions_than_a_page);
	SUITE_TEST(&s, S3_what_a_kill_leaves_is_checked_as_it_stands);
	SUITE_TEST(&s, S1_a_held_directory_is_refused_with_the_pid);
	SUITE_TEST(&s, C11_what_a_fork_inherits_is_checked);
	SUITE_TEST(&s, nothing_to_check_is_an_error);
	SUITE_ROWS(&s, USAGES, usage);
	return suite_run(&s, "app/check");
}
