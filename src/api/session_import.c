/* session_import - a bundle becomes a session again. The whole chain is checked before anything is
 * written, a slice of it per turn of the loop. */
#include <stdlib.h>

#include "api/bundle.h"
#include "api/handlers.h"
#include "api/session_load.h"
#include "api/session_routes.h"
#include "base/vec.h"
#include "base/xalloc.h"

enum { SLICE_BYTES = 1024 * 1024 };

struct session_import {
	struct loop_task task;
	struct exchange *x;
	struct str rest; /* lines that are not read yet */
	int64_t line;
	struct bundle_header header;
	struct sha256_ctx sha;
	struct sha256 last;
	VEC(struct event) events;
	VEC(struct sha256) hashes;
	struct engine_log log;
};

static void
import_free(struct session_import *im)
{
	sha256_release(&im->sha);
	vec_release(&im->events);
	vec_release(&im->hashes);
	free(im);
}

static void
fail(struct session_import *im, int rc, struct err *e)
{
	exchange_fail(im->x, rc, e);
	import_free(im);
}

/* ---- the answer ---- */

static void
on_loaded(struct exchange *x, const struct session_view *views, size_t count, void *ctx)
{
	struct buf *out = exchange_buf(x);
	struct jw w;

	(void)count;
	(void)ctx;
	jw_init(&w, out);
	session_json_write(&w, &views[0], x->arena);
	exchange_json(x, 200, buf_str(out), false);
}

static void
on_imported(void *ctx, const struct engine_answer *answer)
{
	struct session_import *im = ctx;
	struct exchange *x = im->x;

	if (answer->rc != 0)
		session_fail(x, answer);
	else
		session_load_one(x, arena_str(x->arena, im->header.id), on_loaded, NULL);
	import_free(im);
}

static void
commit(struct session_import *im)
{
	im->log = (struct engine_log){
		.session = im->header.id,
		.events = im->events.ptr,
		.hashes = im->hashes.ptr,
		.count = im->events.len,
		.extra = im->header.extra,
		.wakes = im->header.wakes,
		.wake_count = im->header.wake_count,
	};
	im->x->call.done = on_imported;
	im->x->call.ctx = im;
	engine_import(im->x->engine, &im->x->call, &im->log);
}

/* ---- reading ---- */

static int
check_chain(struct session_import *im, const struct event *ev, const struct sha256 *hash,
	    struct err *e)
{
	struct sha256 want = event_hash(&im->sha, &im->last, ev);

	if (ev->seq != (int64_t)im->events.len + 1)
		return err_set(e, ERR_INVALID, "seq: must be %zu", im->events.len + 1);
	if (memcmp(&want, hash, sizeof want) != 0)
		return err_set(e, ERR_INVALID,
			       "hash: does not follow from the event before and this one");
	if (ev->seq == 1 && ev->kind != EVENT_SESSION_CREATED)
		return err_set(e, ERR_INVALID, "type: a log begins with session.created");
	im->last = want;
	return 0;
}

static int
read_line(struct session_import *im, struct str line, struct err *e)
{
	struct event ev;
	struct sha256 hash;
	int rc;

	im->line++;
	if (im->line == 1)
		return bundle_read_header(line, im->x->arena, &im->header, e);
	rc = bundle_read_event(line, im->x->arena, &ev, &hash, e);
	if (rc == 0)
		rc = check_chain(im, &ev, &hash, e);
	if (rc != 0)
		return rc;
	*vec_push(&im->events) = ev;
	*vec_push(&im->hashes) = hash;
	return 0;
}

static int
check_end(struct session_import *im, struct err *e)
{
	if (im->line == 0)
		return err_set(e, ERR_INVALID, "the bundle is empty");
	if ((int64_t)im->events.len != im->header.head_seq ||
	    memcmp(&im->last, &im->header.head_hash, sizeof im->last) != 0)
		return err_set(e, ERR_INVALID, "the bundle is not whole: it has %zu of %lld events",
			       im->events.len, (long long)im->header.head_seq);
	return 0;
}

static void
read_slice(struct loop_task *task)
{
	struct session_import *im = LIST_OWNER(task, struct session_import, task);
	size_t end = im->rest.len > SLICE_BYTES ? im->rest.len - SLICE_BYTES : 0;
	struct str line;
	struct err e;
	int rc = 0;

	while (rc == 0 && im->rest.len > end) {
		str_cut(im->rest, '\n', &line, &im->rest);
		if (str_trim(line).len > 0)
			rc = read_line(im, line, &e);
	}
	if (rc != 0) {
		fail(im, rc, (err_prefix(&e, rc, "line %lld: ", (long long)im->line), &e));
		return;
	}
	if (im->rest.len > 0) {
		loop_defer(api_loop(im->x->api), &im->task);
		return;
	}
	rc = check_end(im, &e);
	if (rc != 0)
		fail(im, rc, &e);
	else
		commit(im);
}

void
session_import_route(struct exchange *x)
{
	struct session_import *im = xcalloc(1, sizeof *im);

	im->x = x;
	im->rest = x->body_text;
	sha256_init(&im->sha);
	loop_task_init(&im->task, read_slice);
	loop_defer(api_loop(x->api), &im->task);
}
