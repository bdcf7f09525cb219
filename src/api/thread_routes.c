/* thread_routes - the threads of a session: today its main one, which is the session seen as a
 * thread. */
#include "api/event_routes.h"
#include "api/event_stream.h"
#include "api/handlers.h"
#include "api/session_load.h"

static bool
is_main(struct exchange *x)
{
	struct err e;

	if (str_eq(x->captures[1], session_json_thread_id(x->arena, x->captures[0])))
		return true;
	exchange_fail(x, err_set(&e, ERR_NOT_FOUND, "there is no such thread"), &e);
	return false;
}

static void
on_listed(struct exchange *x, const struct session_view *views, size_t count, void *ctx)
{
	struct buf *out = exchange_buf(x);
	struct session_facts facts = session_json_facts(&views[0]);
	struct str status = str_of(session_wire_status(&facts)), word;
	bool wanted = true;
	struct jw w;

	(void)count;
	(void)ctx;
	for (size_t at = 0; query_next(&x->query, STR("statuses"), &at, &word);) {
		wanted = str_eq(word, status);
		if (wanted)
			break;
	}
	buf_put_str(out, STR("{\"data\":["));
	jw_init(&w, out);
	if (wanted)
		session_json_write_thread(&w, &views[0], x->arena);
	buf_put_str(out, STR("],\"next_page\":null}"));
	exchange_json(x, 200, buf_str(out), false);
}

static int
check_statuses(struct exchange *x, struct err *e)
{
	static const struct str WORDS[] = { STR("idle"), STR("running"), STR("rescheduling"),
					    STR("terminated") };
	struct str word;

	for (size_t at = 0; query_next(&x->query, STR("statuses"), &at, &word);) {
		bool known = false;

		for (size_t i = 0; i < ARRAY_LEN(WORDS); i++)
			known |= str_eq(word, WORDS[i]);
		if (!known)
			return err_set(e, ERR_INVALID,
				       "statuses: " STR_FMT " is no status of a thread",
				       STR_ARG(str_slice(word, 0, 64)));
	}
	return 0;
}

/* One page holds them all: there is no cursor that could be given. */
void
thread_list_route(struct exchange *x)
{
	struct str page = { 0 };
	int64_t limit;
	struct err e;
	int rc = exchange_query_int(x, "limit", 1, STORE_PAGE_ROWS_MAX, &limit, &e);

	if (rc == 0)
		rc = exchange_query_str(x, "page", &page, &e);
	if (rc == 0 && page.ptr)
		rc = err_set(&e, ERR_INVALID, "page: is no cursor of this list");
	if (rc == 0)
		rc = check_statuses(x, &e);
	if (rc != 0)
		exchange_fail(x, rc, &e);
	else
		session_load_one(x, x->captures[0], on_listed, NULL);
}

static void
on_loaded(struct exchange *x, const struct session_view *views, size_t count, void *ctx)
{
	struct buf *out = exchange_buf(x);
	struct jw w;

	(void)count;
	(void)ctx;
	jw_init(&w, out);
	session_json_write_thread(&w, &views[0], x->arena);
	exchange_json(x, 200, buf_str(out), false);
}

void
thread_get_route(struct exchange *x)
{
	if (is_main(x))
		session_load_one(x, x->captures[0], on_loaded, NULL);
}

static void
on_main(struct exchange *x, const struct session_view *views, size_t count, void *ctx)
{
	struct api_problem p = {
		.status = 409,
		.message = STR("the main thread is archived with its session"),
	};

	(void)views;
	(void)count;
	(void)ctx;
	exchange_problem(x, &p);
}

void
thread_archive_route(struct exchange *x)
{
	if (is_main(x))
		session_load_one(x, x->captures[0], on_main, NULL);
}

void
thread_event_list_route(struct exchange *x)
{
	if (is_main(x))
		event_list_session(x, x->captures[0]);
}

void
thread_stream_route(struct exchange *x)
{
	if (is_main(x))
		event_stream_session(x, x->captures[0]);
}
