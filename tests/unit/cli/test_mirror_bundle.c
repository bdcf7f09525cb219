#include "cli/mirror_bundle.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "harness.h"

#define ZEROS "0000000000000000000000000000000000000000000000000000000000000000"
#define HASH  "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"
#define EVENT(n)                                                                              \
	"{\"seq\":" #n ",\"id\":\"e" #n "\",\"created_at_ms\":1,\"meta\":{},\"hash\":\"" HASH \
	"\"}\n"
#define DONE "{\"record\":\"processed\",\"event_id\":\"e1\",\"processed_at_ms\":2}\n"
#define WAKE(w) \
	"{\"record\":\"enqueued\",\"wake_id\":\"" w "\",\"due_at_ms\":9,\"wake\":{\"n\":1}}\n"
#define GONE(w) "{\"record\":\"completed\",\"wake_id\":\"" w "\",\"completed_at_ms\":9}\n"
#define SESSION(extra)                                                                \
	"{\"format\":\"perdure-mirror\",\"version\":1,\"id\":\"cli:a\"" extra         \
	",\"mirror\":{\"head_seq\":0,\"head_hash\":\"" ZEROS "\",\"events_bytes\":0," \
	"\"wake_queue_bytes\":0,\"pending\":[],\"wakes\":[]}}"
#define HEADER(seq, more)                                                                    \
	"{\"format\":\"perdure-session\",\"version\":1,\"event_format\":1,\"id\":\"cli:a\"," \
	"\"head_seq\":" #seq ",\"head_hash\":\"" HASH "\"" more "}\n"

static const struct row {
	const char *name;
	const char *session, *events, *wakes;
	const char *want;  /* the bundle */
	const char *error; /* or part of the refusal */
} ROWS[] = {
	{ "M13 events alone", SESSION(""), EVENT(1) DONE EVENT(2), "",
	  HEADER(2, "") EVENT(1) EVENT(2), NULL },
	{ "M13 a last line that was cut short", SESSION(""), EVENT(1) "{\"seq\":2", WAKE("w") "{",
	  HEADER(1, ",\"wakes\":[{\"id\":\"w\",\"due_at_ms\":9,\"wake\":{\"n\":1}}]") EVENT(1),
	  NULL },
	{ "M13 wakes that are left", SESSION(""), EVENT(1), WAKE("v") WAKE("w") GONE("v"),
	  HEADER(1, ",\"wakes\":[{\"id\":\"w\",\"due_at_ms\":9,\"wake\":{\"n\":1}}]") EVENT(1),
	  NULL },
	{ "M13 what is beyond the log", SESSION(",\"extra\":{\"budget\":1}"), EVENT(1), "",
	  HEADER(1, ",\"extra\":{\"budget\":1}") EVENT(1), NULL },
	{ "M13 with line ends in it", SESSION(",\"extra\":{\n}"), EVENT(1), "",
	  HEADER(1, ",\"extra_text\":\"{\\n}\"") EVENT(1), NULL },
	{ "M13 a line in the middle that is none", SESSION(""), EVENT(1) "x\n" EVENT(2), "", NULL,
	  "events.jsonl:2: " },
	{ "M13 a gap", SESSION(""), EVENT(1) EVENT(3), "", NULL, "seq: must be 2" },
	{ "M13 a wake that is none", SESSION(""), EVENT(1), "{}\n", NULL, "wake-queue.jsonl:1: " },
	{ "M13 no event", SESSION(""), "", "", NULL, "no event" },
	{ "M13 no session.json of ours", "{}", EVENT(1), "", NULL, "session.json: format" },
};

struct place {
	char data[64];
	struct arena a;
	struct str folder;
	struct err e;
};

static void
write_file(struct place *p, const char *name, const char *text)
{
	FILE *file = fopen(arena_printf(&p->a, "%s/%s", p->folder.ptr, name).ptr, "w");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	fclose(file);
}

static void
begin(struct place *p, const struct row *row)
{
	arena_init(&p->a);
	snprintf(p->data, sizeof p->data, "/tmp/perdure-bundle-XXXXXX");
	assert_non_null(mkdtemp(p->data));
	p->folder = arena_printf(&p->a, "%s/agents/main/sessions/cli%%3Aa", p->data);
	assert_int_equal(system(arena_printf(&p->a, "mkdir -p %s", p->folder.ptr).ptr), 0);
	write_file(p, "session.json", row->session);
	write_file(p, "events.jsonl", row->events);
	write_file(p, "wake-queue.jsonl", row->wakes);
}

static void
end(struct place *p)
{
	assert_int_equal(system(arena_printf(&p->a, "rm -rf %s", p->data).ptr), 0);
	arena_release(&p->a);
}

static void
row_holds(void **state)
{
	const struct row *row = *state;
	int fd = memfd_create("bundle", MFD_CLOEXEC);
	struct str got = { 0 };
	struct place p;
	int rc;

	begin(&p, row);
	rc = mirror_bundle_write(p.folder, fd, &p.a, &p.e);
	if (row->error) {
		assert_int_not_equal(rc, 0);
		if (!strstr(p.e.text, row->error))
			fail_msg("\"%s\" does not say %s", p.e.text, row->error);
	} else {
		if (rc != 0)
			fail_msg("%s", p.e.text);
		assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
		assert_int_equal(file_read_fd(fd, "bundle", 1 << 20, &p.a, &got, &p.e), 0);
		check_str("bundle", got, str_of(row->want));
	}
	close(fd);
	end(&p);
}

static void
M13_all_sessions_of_a_directory_are_found(void **state)
{
	struct str_list found;
	struct place p;

	(void)state;
	begin(&p, &ROWS[0]);
	assert_int_equal(system(arena_printf(&p.a,
					     "mkdir -p %s/agents/main/sessions/b/runtime "
					     "%s/agents/zoe/sessions && cp -r %s "
					     "%s/agents/zoe/sessions/c",
					     p.data, p.data, p.folder.ptr, p.data)
					.ptr),
			 0);
	assert_int_equal(mirror_bundle_find(str_of(p.data), &p.a, &found, &p.e), 0);
	assert_int_equal(found.len, 2); /* b has none */
	check_str("first", found.ptr[0], p.folder);
	assert_true(str_ends(found.ptr[1], STR("zoe/sessions/c")));
	assert_int_equal(mirror_bundle_find(p.folder, &p.a, &found, &p.e), 0);
	assert_int_equal(found.len, 1);
	assert_int_equal(mirror_bundle_find(STR("/nowhere"), &p.a, &found, &p.e), ERR_NOT_FOUND);
	assert_non_null(strstr(p.e.text, "no mirror"));
	end(&p);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, row_holds);
	SUITE_TEST(&s, M13_all_sessions_of_a_directory_are_found);
	return suite_run(&s, "cli/mirror_bundle");
}
