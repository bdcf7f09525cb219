#include "core/mirror_state.h"

#include "harness.h"

struct place {
	struct arena a;
	struct mirror_state s;
	struct err e;
};

static void
begin(struct place *p)
{
	*p = (struct place){ 0 };
	arena_init(&p->a);
	p->s.id = STR("cli:a");
}

static void
end(struct place *p)
{
	mirror_state_release(&p->s);
	arena_release(&p->a);
}

static void
take(struct place *p, struct mirror_record r)
{
	if (mirror_state_take(&p->s, &r, &p->a, &p->e) != 0)
		fail_msg("%s", p->e.text);
}

static struct str
text_of(struct place *p)
{
	struct buf b;
	struct jw w;
	struct str text;

	buf_init(&b, 65536);
	jw_init(&w, &b);
	jw_object(&w);
	mirror_state_write_head(&w, &p->s);
	jw_field_str(&w, "title", STR("is nobody's business here"));
	mirror_state_write(&w, &p->s);
	jw_end_object(&w);
	text = arena_str(&p->a, buf_str(&b));
	buf_release(&b);
	return text;
}

static struct mirror_record
event(int64_t seq, const char *id, bool is_input)
{
	return (struct mirror_record){ .kind = MIRROR_EVENT,
				       .seq = seq,
				       .id = str_of(id),
				       .is_input = is_input,
				       .hash = sha256_of(str_of(id)) };
}

static void
M13_lines_add_up_to_what_is_pending_and_queued(void **state)
{
	struct place p;
	const struct mirror_record first = {
		.kind = MIRROR_ENQUEUED, .id = STR("w1"), .due_at_ms = 5, .wake = STR("{}")
	};
	struct mirror_record moved = first;
	struct sha256 hash = sha256_of(STR("e2"));

	(void)state;
	begin(&p);
	take(&p, event(1, "e1", true));
	take(&p, event(2, "e2", true));
	assert_int_equal(p.s.pending.len, 2);
	take(&p, (struct mirror_record){ .kind = MIRROR_PROCESSED, .id = STR("e1") });
	take(&p, (struct mirror_record){ .kind = MIRROR_PROCESSED, .id = STR("e1") });
	assert_int_equal(p.s.pending.len, 1);
	assert_int_equal(p.s.pending.ptr[0].seq, 2);
	assert_int_equal(p.s.head_seq, 2);
	assert_memory_equal(&p.s.head_hash, &hash, sizeof hash);

	take(&p, first);
	moved.due_at_ms = 6;
	take(&p, moved); /* the later line counts */
	assert_int_equal(p.s.wakes.len, 1);
	assert_int_equal(mirror_state_wake(&p.s, STR("w1"))->due_at_ms, 6);
	hash = mirror_state_digest(&first);
	assert_memory_not_equal(&p.s.wakes.ptr[0].digest, &hash, sizeof hash);
	hash = mirror_state_digest(&moved);
	assert_memory_equal(&p.s.wakes.ptr[0].digest, &hash, sizeof hash);
	take(&p, (struct mirror_record){ .kind = MIRROR_COMPLETED, .id = STR("w1") });
	assert_null(mirror_state_wake(&p.s, STR("w1")));
	end(&p);
}

static void
M13_events_must_follow_each_other(void **state)
{
	struct place p;
	struct mirror_record gap = event(3, "e3", false), again = event(1, "e1", false);

	(void)state;
	begin(&p);
	take(&p, event(1, "e1", false));
	assert_int_equal(mirror_state_take(&p.s, &gap, &p.a, &p.e), ERR_INVALID);
	assert_int_equal(mirror_state_take(&p.s, &again, &p.a, &p.e), ERR_INVALID);
	assert_int_equal(p.s.head_seq, 1);
	end(&p);
}

static void
M13_session_json_says_where_it_ended(void **state)
{
	struct mirror_state read = { 0 };
	struct place p;

	(void)state;
	begin(&p);
	p.s.extra = STR("{\"budget\":1}");
	take(&p, event(1, "e1", false));
	take(&p, event(2, "e2", true));
	take(&p,
	     (struct mirror_record){ .kind = MIRROR_ENQUEUED, .id = STR("w1"), .wake = STR("{}") });
	p.s.events_bytes = 12;
	p.s.wakes_bytes = 34;
	if (mirror_state_read(text_of(&p), &p.a, &read, &p.e) != 0)
		fail_msg("%s", p.e.text);
	check_str("id", read.id, STR("cli:a"));
	check_str("extra", read.extra, p.s.extra);
	assert_int_equal(read.head_seq, 2);
	assert_memory_equal(&read.head_hash, &p.s.head_hash, sizeof read.head_hash);
	assert_int_equal(read.events_bytes, 12);
	assert_int_equal(read.wakes_bytes, 34);
	assert_int_equal(read.pending.len, 1);
	check_str("pending", read.pending.ptr[0].id, STR("e2"));
	assert_int_equal(read.pending.ptr[0].seq, 2);
	assert_int_equal(read.wakes.len, 1);
	assert_memory_equal(&read.wakes.ptr[0].digest, &p.s.wakes.ptr[0].digest,
			    sizeof read.wakes.ptr[0].digest);
	mirror_state_release(&read);
	end(&p);
}

#define ZEROS "0000000000000000000000000000000000000000000000000000000000000000"
#define MIRROR(seq, more)                                                        \
	"{\"format\":\"perdure-mirror\",\"version\":1,\"id\":\"s\",\"mirror\":{" \
	"\"head_seq\":" seq ",\"head_hash\":\"" ZEROS "\",\"events_bytes\":0,"   \
	"\"wake_queue_bytes\":0," more "}}"

static const struct refused {
	const char *name, *text, *part;
} REFUSED[] = {
	{ "M13 half a session.json", "{\"format\":", "offset" },
	{ "M13 another format", "{\"format\":\"x\"}", "format" },
	{ "M13 a later version", "{\"format\":\"perdure-mirror\",\"version\":2}", "version" },
	{ "M13 no id", "{\"format\":\"perdure-mirror\",\"version\":1}", "id" },
	{ "M13 no state", "{\"format\":\"perdure-mirror\",\"version\":1,\"id\":\"s\"}", "mirror" },
	{ "M13 a negative head", MIRROR("-1", "\"pending\":[],\"wakes\":[]"), "head_seq" },
	{ "M13 pending behind the head",
	  MIRROR("1", "\"pending\":[{\"id\":\"e\",\"seq\":2}],\"wakes\":[]"), "seq" },
	{ "M13 a wake without its digest",
	  MIRROR("1", "\"pending\":[],\"wakes\":[{\"id\":\"w\",\"digest\":\"\"}]"), "digest" },
	{ "M13 no list of wakes", MIRROR("1", "\"pending\":[]"), "wakes" },
};

static void
text_is_refused(void **state)
{
	const struct refused *row = *state;
	struct place p;

	begin(&p);
	assert_int_equal(mirror_state_read(str_of(row->text), &p.a, &p.s, &p.e), ERR_INVALID);
	if (!strstr(p.e.text, row->part))
		fail_msg("\"%s\" does not name %s", p.e.text, row->part);
	end(&p);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, M13_lines_add_up_to_what_is_pending_and_queued);
	SUITE_TEST(&s, M13_events_must_follow_each_other);
	SUITE_TEST(&s, M13_session_json_says_where_it_ended);
	SUITE_ROWS(&s, REFUSED, text_is_refused);
	return suite_run(&s, "core/mirror_state");
}
