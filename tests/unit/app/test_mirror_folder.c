#include "app/mirror_folder.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "harness.h"

#define HASH "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"
#define EVENT(n)                                                                              \
	"{\"seq\":" #n ",\"id\":\"e" #n "\",\"created_at_ms\":1,\"meta\":{},\"hash\":\"" HASH \
	"\"}\n"
#define DONE(n) "{\"record\":\"processed\",\"event_id\":\"e" #n "\",\"processed_at_ms\":2}\n"
#define WAKE    "{\"record\":\"enqueued\",\"wake_id\":\"w\",\"due_at_ms\":9,\"wake\":{}}\n"
#define FOLDER  "agents/main/sessions/cli%%3Aa/"

struct place {
	char data[64];
	struct arena a;
	struct session_folder where;
	struct mirror_folder f;
	struct err e;
};

static void
begin(struct place *p)
{
	*p = (struct place){ 0 };
	snprintf(p->data, sizeof p->data, "/tmp/perdure-mirror-XXXXXX");
	assert_non_null(mkdtemp(p->data));
	arena_init(&p->a);
	p->where = (struct session_folder){ .data = str_of(p->data),
					    .agent = STR("main"),
					    .session = STR("cli:a") };
}

static void
end(struct place *p)
{
	assert_int_equal(system(arena_printf(&p->a, "rm -rf %s", p->data).ptr), 0);
	arena_release(&p->a);
}

static void
reopen(struct place *p)
{
	if (mirror_folder_open(&p->f, &p->where, &p->a, &p->e) != 0)
		fail_msg("%s", p->e.text);
}

static const char *
path(struct place *p, const char *name)
{
	return arena_printf(&p->a, "%s/" FOLDER "%s", p->data, name).ptr;
}

static void
write_file(struct place *p, const char *name, const char *text)
{
	FILE *file = fopen(path(p, name), "w");

	assert_non_null(file);
	assert_int_equal(fputs(text, file) >= 0, 1);
	fclose(file);
}

static void
expect_file(struct place *p, const char *name, const char *text)
{
	struct str got = { 0 };

	if (file_read(path(p, name), 1 << 20, &p->a, &got, &p->e) != 0)
		fail_msg("%s", p->e.text);
	check_str(name, got, str_of(text));
}

/* What the files hold, and where they are found to end. session.json is none, or one of this state. */
static const struct ended {
	const char *name;
	const char *events, *wakes;
	int64_t head_seq;
	size_t pending, queued;
	const char *events_left, *wakes_left;
} ENDED[] = {
	{ "M13 nothing yet", "", "", 0, 0, 0, "", "" },
	{ "M13 whole lines", EVENT(1) EVENT(2) DONE(1), WAKE, 2, 1, 1, EVENT(1) EVENT(2) DONE(1),
	  WAKE },
	{ "M13 a torn last line is cut off", EVENT(1) "{\"seq\":2,\"id\"", WAKE "{\"rec", 1, 1, 1,
	  EVENT(1), WAKE },
	{ "M13 a line without its end is written again", EVENT(1) "{\"seq\":2}", "", 1, 1, 0,
	  EVENT(1), "" },
	{ "M13 from a line on that is none all is written again", EVENT(1) "\n" EVENT(2), "", 1, 1,
	  0, EVENT(1), "" },
	{ "M13 a gap ends it", EVENT(1) EVENT(3), "", 1, 1, 0, EVENT(1), "" },
	{ "M13 a wake among events ends it", EVENT(1) WAKE, "", 1, 1, 0, EVENT(1), "" },
	{ "M13 an event among wakes ends it", EVENT(1), WAKE EVENT(1), 1, 1, 1, EVENT(1), WAKE },
};

static void
end_is_found(void **state)
{
	const struct ended *row = *state;
	struct place p;

	begin(&p);
	reopen(&p); /* makes the folder */
	mirror_folder_release(&p.f);
	write_file(&p, "events.jsonl", row->events);
	write_file(&p, "wake-queue.jsonl", row->wakes);
	reopen(&p);
	assert_int_equal(p.f.state.head_seq, row->head_seq);
	assert_int_equal(p.f.state.pending.len, row->pending);
	assert_int_equal(p.f.state.wakes.len, row->queued);
	assert_int_equal(p.f.state.events_bytes, strlen(row->events_left));
	expect_file(&p, "events.jsonl", row->events_left);
	expect_file(&p, "wake-queue.jsonl", row->wakes_left);
	mirror_folder_release(&p.f);
	end(&p);
}

static struct str
session_json(struct place *p)
{
	struct buf b;
	struct jw w;
	struct str text;

	buf_init(&b, 65536);
	jw_init(&w, &b);
	jw_object(&w);
	mirror_state_write_head(&w, &p->f.state);
	mirror_state_write(&w, &p->f.state);
	jw_end_object(&w);
	text = arena_str(&p->a, buf_str(&b));
	buf_release(&b);
	return text;
}

static void
fill(struct place *p)
{
	begin(p);
	reopen(p);
	assert_int_equal(mirror_folder_append(&p->f, MIRROR_EVENTS, STR(EVENT(1) EVENT(2)), &p->e),
			 0);
	assert_int_equal(mirror_folder_append(&p->f, MIRROR_WAKES, STR(WAKE), &p->e), 0);
	mirror_folder_release(&p->f);
	reopen(p);
	assert_int_equal(mirror_folder_replace(&p->f, session_json(p), &p->e), 0);
}

static void
M13_what_session_json_counts_is_not_read_again(void **state)
{
	struct place p;
	int fd;

	(void)state;
	fill(&p);
	mirror_folder_release(&p.f);
	fd = open(path(&p, "events.jsonl"), O_WRONLY);
	assert_int_equal(pwrite(fd, "#", 1, 0), 1); /* nobody looks there */
	close(fd);
	reopen(&p);
	assert_int_equal(p.f.state.head_seq, 2);
	assert_int_equal(p.f.state.pending.len, 2);
	assert_int_equal(p.f.state.wakes.len, 1);
	assert_int_equal(mirror_folder_append(&p.f, MIRROR_EVENTS, STR(EVENT(3) DONE(1)), &p.e), 0);
	mirror_folder_release(&p.f); /* a kill before session.json */
	reopen(&p);
	assert_int_equal(p.f.state.head_seq, 3);
	assert_int_equal(p.f.state.pending.len, 2);
	mirror_folder_release(&p.f);
	end(&p);
}

static void
M13_a_file_that_lost_its_end_is_read_from_its_beginning(void **state)
{
	struct place p;

	(void)state;
	fill(&p);
	mirror_folder_release(&p.f);
	assert_int_equal(truncate(path(&p, "events.jsonl"), strlen(EVENT(1)) + 3), 0);
	reopen(&p);
	assert_int_equal(p.f.state.head_seq, 1);
	assert_int_equal(p.f.state.pending.len, 1);
	assert_int_equal(p.f.state.wakes.len, 1);
	expect_file(&p, "events.jsonl", EVENT(1));
	mirror_folder_release(&p.f);
	end(&p);
}

static void
M13_clearing_begins_anew_and_removing_leaves_the_rest(void **state)
{
	struct place p;

	(void)state;
	fill(&p);
	write_file(&p, "mine", "stays");
	assert_int_equal(mirror_folder_clear(&p.f, &p.e), 0);
	assert_int_equal(p.f.state.head_seq, 0);
	assert_int_equal(p.f.state.wakes.len, 0);
	check_str("id", p.f.state.id, STR("cli:a"));
	expect_file(&p, "events.jsonl", "");
	mirror_folder_release(&p.f);
	p.where.part = STR("");
	mirror_folder_remove(&p.where);
	assert_int_not_equal(access(path(&p, "events.jsonl"), F_OK), 0);
	assert_int_not_equal(access(path(&p, "session.json"), F_OK), 0);
	expect_file(&p, "mine", "stays");
	end(&p);
}

static void
M13_a_folder_that_cannot_be_made_is_said(void **state)
{
	struct place p;

	(void)state;
	begin(&p);
	assert_int_equal(system(arena_printf(&p.a, "touch %s/agents", p.data).ptr), 0);
	assert_int_equal(mirror_folder_open(&p.f, &p.where, &p.a, &p.e), ERR_IO);
	end(&p);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ENDED, end_is_found);
	SUITE_TEST(&s, M13_what_session_json_counts_is_not_read_again);
	SUITE_TEST(&s, M13_a_file_that_lost_its_end_is_read_from_its_beginning);
	SUITE_TEST(&s, M13_clearing_begins_anew_and_removing_leaves_the_rest);
	SUITE_TEST(&s, M13_a_folder_that_cannot_be_made_is_said);
	return suite_run(&s, "app/mirror_folder");
}
