#include "engine/command_title.h"

#include "core/event_make.h"

enum { GUARD_BYTES = 16 };

/* ---- which name is free? ---- */

static void read_titles(struct title_search *s);

static bool
on_session_row(void *ctx, const struct store_row *row)
{
	struct title_search *s = ctx;

	s->cursor_ms = row->session->row.counters.last_activity_ms;
	s->cursor_id = arena_str(&s->c->arena, row->session->id);
	if (!str_eq(row->session->id, s->c->session))
		title_lineage_see(&s->lineage, row->session->row.title);
	return true;
}

static void
on_sessions(void *ctx, int rc, bool more, const struct err *err)
{
	struct title_search *s = ctx;

	if (rc == 0 && more)
		read_titles(s);
	else
		s->done(s->c, rc, err, s);
}

static void
read_titles(struct title_search *s)
{
	engine_read(s->c->en, &s->c->caller,
		    &(struct store_query){ .kind = STORE_LIST_SESSIONS,
					   .filter = { .text = s->lineage.base },
					   .cursor_ms = s->cursor_ms,
					   .cursor_id = s->cursor_id,
					   .limit = STORE_PAGE_ROWS_MAX },
		    on_session_row, on_sessions, s);
}

static bool
on_guard_row(void *ctx, const struct store_row *row)
{
	((struct title_search *)ctx)->version = row->record->version;
	return false;
}

static void
on_guard(void *ctx, int rc, bool more, const struct err *err)
{
	struct title_search *s = ctx;

	(void)more;
	if (rc == 0)
		read_titles(s);
	else
		s->done(s->c, rc, err, s);
}

void
command_title_search(struct command *c, struct str wanted, bool with_own, title_search_fn *done)
{
	struct title_search *s = ARENA_NEW(&c->arena, struct title_search);
	char hex[2 * GUARD_BYTES + 1];
	struct sha256 digest;

	s->c = c;
	s->done = done;
	s->lineage = title_lineage_of(wanted);
	if (with_own)
		title_lineage_see(&s->lineage, c->row.row.title);
	digest = sha256_of(s->lineage.base);
	sha256_hex(&digest, GUARD_BYTES, hex);
	s->guard = arena_printf(&c->arena, "%s", hex);
	store_read(c->en->store,
		   &(struct store_query){ .kind = STORE_GET_RECORD,
					  .record_kind = RECORD_TITLE,
					  .record_id = s->guard,
					  .limit = 1 },
		   on_guard_row, on_guard, s);
}

void
command_title_put(struct commit *commit, const struct title_search *found, struct str session)
{
	commit_put(commit, &(struct store_put){ .record = { .kind = RECORD_TITLE,
							    .id = found->guard,
							    .owner = session,
							    .body = STR("{}") },
						.if_version = found->version });
}

/* ---- /title ---- */

static void
write_title(struct command *c, struct str title, struct str before)
{
	struct jw w;

	buf_clear(&c->data);
	jw_init(&w, &c->data);
	jw_object(&w);
	jw_field_str(&w, "title", title);
	jw_field_str(&w, "previous_title", before);
	jw_end_object(&w);
}

static void
show_title(struct command *c)
{
	const struct session_row *row = &c->row.row;
	struct str shown = row->title.len > 0 ? row->title : row->fallback_title;
	struct jw w;

	jw_init(&w, &c->data);
	jw_object(&w);
	jw_field_str(&w, "title", shown);
	jw_field_str(&w, "title_source", str_of(title_source_name(row->title_source)));
	jw_end_object(&w);
	command_done(c, shown.len > 0 ? shown : STR("this session has no title yet"), false);
}

static void
on_free(struct command *c, int rc, const struct err *err, const struct title_search *found)
{
	struct commit *commit;
	struct str title, said;
	struct buf payload;

	if (rc != 0) {
		command_fail(c, rc, err);
		return;
	}
	title = title_lineage_free(&found->lineage, &c->arena);
	write_title(c, title, c->row.row.title);
	if (str_eq(title, c->line.text))
		said = arena_printf(&c->arena, "now called " STR_FMT, STR_ARG(title));
	else
		said = arena_printf(&c->arena, "that name is taken: now called " STR_FMT,
				    STR_ARG(title));
	commit = commit_new(c->en, c->session);
	buf_init(&payload, STORE_INLINE_MAX);
	event_make_title(&payload, title, STR("user"));
	commit_append_made(commit, EVENT_SESSION_UPDATED, STR(""), &payload);
	command_title_put(commit, found, c->session);
	command_submit(c, commit, said);
}

static void
name_it(struct command *c)
{
	command_title_search(c, c->line.text, false, on_free);
}

void
command_title_set(struct command *c)
{
	struct err e;
	int rc;

	if (c->line.text.len == 0) {
		show_title(c);
		return;
	}
	rc = title_lineage_check(c->line.text, &e);
	if (rc != 0)
		command_fail(c, err_prefix(&e, rc, "/title: "), &e);
	else {
		c->again = name_it;
		name_it(c);
	}
}
