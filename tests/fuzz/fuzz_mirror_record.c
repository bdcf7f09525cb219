/* Any text as a line of a mirror or as its session.json: refused, or it is written and read back as it
 * was. */
#include "core/mirror_state.h"

static void
check_record(struct arena *a, struct mirror_state *s, const struct mirror_record *r)
{
	struct mirror_record again;
	struct buf out;
	struct err e;

	IGNORE(mirror_state_take(s, r, a, &e)); /* a seq that does not follow is refused */
	if (r->kind == MIRROR_EVENT)
		return;
	buf_init(&out, 64 * 1024 * 1024);
	mirror_record_write(&out, r);
	if (mirror_record_read((struct str){ out.ptr, out.len - 1 }, a, &again, &e) != 0 ||
	    again.kind != r->kind || !str_eq(again.id, r->id) || again.at_ms != r->at_ms ||
	    again.due_at_ms != r->due_at_ms || !str_eq(again.wake, r->wake))
		__builtin_trap();
	buf_release(&out);
}

static void
check_state(struct arena *a, const struct mirror_state *s)
{
	struct mirror_state again = { 0 };
	struct buf out;
	struct jw w;
	struct err e;

	buf_init(&out, 64 * 1024 * 1024);
	jw_init(&w, &out);
	jw_object(&w);
	mirror_state_write_head(&w, s);
	mirror_state_write(&w, s);
	jw_end_object(&w);
	if (mirror_state_read(buf_str(&out), a, &again, &e) != 0 || !str_eq(again.id, s->id) ||
	    again.head_seq != s->head_seq || again.pending.len != s->pending.len ||
	    again.wakes.len != s->wakes.len || again.events_bytes != s->events_bytes)
		__builtin_trap();
	mirror_state_release(&again);
	buf_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str rest = { (const char *)data, size }, line;
	struct mirror_state state = { .id = STR("s") }, read = { 0 };
	struct mirror_record r;
	struct arena a;
	struct err e;

	arena_init(&a);
	if (mirror_state_read(rest, &a, &read, &e) == 0)
		check_state(&a, &read);
	while (rest.len > 0) {
		str_cut(rest, '\n', &line, &rest);
		if (mirror_record_read(line, &a, &r, &e) == 0)
			check_record(&a, &state, &r);
	}
	check_state(&a, &state);
	mirror_state_release(&state);
	mirror_state_release(&read);
	arena_release(&a);
	return 0;
}
