/* read_filter - what a list or a search asks of its sessions, beyond what their indexes find. */
#include "base/json_write.h"
#include "store/sqlite/read_private.h"

/* The text as a pattern of LIKE, whose signs stand for themselves. */
static struct str
pattern(struct read *r, struct str text)
{
	char *to = arena_alloc(&r->scratch, 2 * text.len + 3), *at = to;

	*at++ = '%';
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] == '%' || text.ptr[i] == '_' || text.ptr[i] == '\\')
			*at++ = '\\';
		*at++ = text.ptr[i];
	}
	*at++ = '%';
	return (struct str){ to, (size_t)(at - to) };
}

/* The texts as a JSON array; empty: there are none. */
static struct str
json_list(struct read *r, struct str_list texts)
{
	struct buf out;
	struct jw w;
	struct str list = { 0 };

	if (texts.len == 0)
		return list;
	buf_init(&out, STORE_PAYLOAD_MAX);
	jw_init(&w, &out);
	jw_array(&w);
	for (size_t i = 0; i < texts.len; i++)
		jw_str(&w, texts.ptr[i]);
	jw_end_array(&w);
	list = arena_str(&r->scratch, buf_str(&out));
	buf_release(&out);
	return list;
}

void
read_filter_bind(struct read *r, sqlite3_stmt *st)
{
	const struct store_session_filter *f = &r->q->filter;

	sqlite3_bind_int64(st, 20, f->agent_version);
	db_bind_opt(st, 21, f->participant);
	db_bind_opt(st, 22, f->source_kind);
	db_bind_opt(st, 23, f->platform);
	db_bind_opt(st, 24, f->metadata_key);
	db_bind_text(st, 25, f->metadata_value);
	db_bind_opt(st, 26, f->text.len > 0 ? pattern(r, f->text) : (struct str){ 0 });
	sqlite3_bind_int64(st, 27, f->phases);
	sqlite3_bind_int64(st, 28, f->interactive);
	sqlite3_bind_int64(st, 29, f->group);
	sqlite3_bind_int64(st, 30, f->created_from_ms);
	sqlite3_bind_int64(st, 31, f->created_until_ms);
	sqlite3_bind_int64(st, 32, f->open_work);
	db_bind_opt(st, 33, json_list(r, f->without_agents));
}
