/* schedule_rig - schedules on a turn_rig: made, changed and run by the owner, and what became of it. */
#pragma once
#include "base/timestamp.h"
#include "core/definition.h"
#include "turn_rig.h"

#define SECOND INT64_C(1000)
#define MINUTE (60 * SECOND)
#define HOUR   (60 * MINUTE)
#define DAY    (24 * HOUR)

/* The last answer to a command about schedules. */
struct schedule_said {
	struct rig *r;
	bool done;
	int rc;
	char text[ERR_TEXT_MAX];
	struct str id;
};

static inline void
schedule_answered(void *ctx, const struct engine_answer *answer)
{
	struct schedule_said *said = ctx;

	said->done = true;
	said->rc = answer->rc;
	if (answer->rc != 0)
		snprintf(said->text, sizeof said->text, "%s", answer->err->text);
	else
		said->id = arena_str(&said->r->arena, answer->id);
}

/* Quotes are written as '. */
static inline struct json
schedule_json(struct rig *r, const char *text)
{
	struct json_doc *doc = ARENA_NEW(&r->arena, struct json_doc);
	struct str copy = arena_str(&r->arena, str_of(text));
	char *bytes = arena_alloc(&r->arena, copy.len);
	struct err e;

	for (size_t i = 0; i < copy.len; i++)
		bytes[i] = copy.ptr[i] == '\'' ? '"' : copy.ptr[i];
	if (json_parse(&r->arena, (struct str){ bytes, copy.len }, &JSON_LIMITS_DEFAULT, doc, &e) !=
	    0)
		fail_msg("%s: %s", text, e.text);
	return json_root(doc);
}

/* body NULL and id NULL: neither is. what: 'c'reate, 'u'pdate, 'd'elete, 'r'un. */
static inline struct schedule_said
schedule_ask(struct rig *r, char what, const char *id, const char *body)
{
	struct schedule_said said = { .r = r };
	struct engine_call call = { .caller = &r->owner, .done = schedule_answered, .ctx = &said };

	switch (what) {
	case 'c': engine_schedule_create(r->en, &call, schedule_json(r, body)); break;
	case 'u': engine_schedule_update(r->en, &call, str_of(id), schedule_json(r, body)); break;
	case 'd': engine_schedule_delete(r->en, &call, str_of(id)); break;
	default: engine_schedule_run(r->en, &call, str_of(id)); break;
	}
	rig_settle_until(r, &said.done);
	rig_settle(r);
	return said;
}

static inline const char *
schedule_make(struct rig *r, const char *body)
{
	struct schedule_said said = schedule_ask(r, 'c', NULL, body);

	if (said.rc != 0)
		fail_msg("%s", said.text);
	return said.id.ptr;
}

static inline void
schedule_do(struct rig *r, char what, const char *id, const char *body)
{
	struct schedule_said said = schedule_ask(r, what, id, body);

	if (said.rc != 0)
		fail_msg("%s", said.text);
}

static inline const char *
schedule_session(struct rig *r, const char *id)
{
	return arena_printf(&r->arena, "schedule:%s", id).ptr;
}

/* ---- its runs ---- */

struct schedule_runs {
	struct rig *r;
	bool done;
	size_t count;
	struct buf out;  /* "status" each, a blank between, oldest first */
	struct str last; /* body */
	struct str last_id;
};

static inline bool
schedule_on_run(void *ctx, const struct store_row *row)
{
	struct schedule_runs *runs = ctx;
	struct json_doc doc;

	runs->count++;
	runs->last = arena_str(&runs->r->arena, row->record->body);
	runs->last_id = arena_str(&runs->r->arena, row->record->id);
	assert_int_equal(json_parse(&runs->r->arena, runs->last, &JSON_LIMITS_DEFAULT, &doc, NULL),
			 0);
	buf_puts(&runs->out, runs->count > 1 ? " " : "");
	buf_put_str(&runs->out,
		    json_str(definition_find(json_root(&doc), "status"), &runs->r->arena));
	return true;
}

static inline void
schedule_on_runs(void *ctx, int rc, bool more, const struct err *err)
{
	(void)more, (void)err;
	assert_int_equal(rc, 0);
	((struct schedule_runs *)ctx)->done = true;
}

static inline struct schedule_runs
schedule_runs(struct rig *r, const char *id)
{
	struct schedule_runs runs = { .r = r };

	buf_init(&runs.out, 1 << 16);
	store_read(r->store,
		   &(struct store_query){ .kind = STORE_LIST_RECORDS,
					  .record_kind = RECORD_SCHEDULE_RUN,
					  .record_owner = str_of(id),
					  .limit = STORE_PAGE_ROWS_MAX },
		   schedule_on_run, schedule_on_runs, &runs);
	rig_settle_until(r, &runs.done);
	return runs;
}

/* The states of its runs, oldest first. */
static inline void
schedule_went(struct rig *r, const char *id, const char *want)
{
	struct schedule_runs runs = schedule_runs(r, id);

	check_str("runs", buf_str(&runs.out), str_of(want));
	buf_release(&runs.out);
}

/* The same, on a store whose answers take real time; the clock moves on meanwhile. */
static inline void
schedule_await(struct rig *r, const char *id, const char *want)
{
	for (int i = 0; i < 1000; i++) {
		struct schedule_runs runs = schedule_runs(r, id);
		bool there = str_eq(buf_str(&runs.out), str_of(want));

		buf_release(&runs.out);
		if (there)
			return;
		rig_advance(r, 1);
	}
	schedule_went(r, id, want);
}

static inline size_t
schedule_run_count(struct rig *r, const char *id)
{
	struct schedule_runs runs = schedule_runs(r, id);

	buf_release(&runs.out);
	return runs.count;
}

/* A part of the last run's record; quotes as '. */
static inline void
schedule_last_has(struct rig *r, const char *id, const char *part)
{
	struct schedule_runs runs = schedule_runs(r, id);
	struct str want = arena_str(&r->arena, str_of(part));

	for (size_t i = 0; i < want.len; i++)
		if (want.ptr[i] == '\'')
			((char *)want.ptr)[i] = '"';
	if (!str_contains(runs.last, want))
		fail_msg("no " STR_FMT " in " STR_FMT, STR_ARG(want), STR_ARG(runs.last));
	buf_release(&runs.out);
}

/* Triggers in the log of its session. */
static inline size_t
schedule_fired(struct rig *r, const char *id)
{
	struct str log = rig_log(r, schedule_session(r, id), 1), word;
	size_t count = 0;

	while (log.len > 0) {
		str_cut(log, ' ', &word, &log);
		count += str_eq(word, STR("fired"));
	}
	return count;
}

static inline int64_t
schedule_instant(const char *text)
{
	int64_t ms = 0;

	if (!timestamp_parse(str_of(text), &ms))
		fail_msg("%s", text);
	return ms;
}

static inline void
schedule_set_clock(struct rig *r, const char *text)
{
	virtual_host_set_clock(&r->host, schedule_instant(text));
}
