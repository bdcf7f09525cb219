#include "cli_rig.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/list.h"
#include "base/xalloc.h"
#include "net/http_server.h"
#include "net/loop.h"

enum { STEPS_MAX = 32, ASKED_MAX = 1024 * 1024 };

struct rig_request {
	struct list node;
	struct cli_rig *rig;
	struct http_request *request;
	const struct rig_step *step;
	size_t at;
};

struct cli_rig {
	const struct rig_step *steps;
	size_t count;
	atomic_size_t taken;
	struct buf asked[STEPS_MAX];
	struct list open;
	struct loop *loop;
	struct loop_wake *wake;
	struct http_server *server;
	pthread_t thread;
	int port;
	char url[64];
	struct server_place place;
};

static void
request_free(struct rig_request *r)
{
	list_remove(&r->node);
	http_request_release(r->request);
	free(r);
}

static void
on_gone(void *context, enum http_gone why)
{
	(void)why;
	request_free(context);
}

static void
on_drained(void *context)
{
	struct rig_request *r = context;

	if (r->step->how == RIG_CUT)
		request_free(r);
}

static void
answer_stream(struct rig_request *r, struct str body)
{
	const struct http_reply reply = { .status = 200, .content_type = STR("text/event-stream") };
	struct net_bytes *bytes = net_bytes_copy(body);

	http_request_own(r->request, &(struct http_owner){ on_gone, on_drained, r });
	http_request_open(r->request, &reply);
	if (body.len > 0)
		IGNORE(http_request_push(r->request, bytes)); /* the client may have left */
	net_bytes_unref(bytes);
	if (r->step->how == RIG_ANSWER) {
		http_request_end(r->request);
		request_free(r);
	}
}

static void
answer(struct rig_request *r)
{
	struct str body = str_of(r->step->body);
	const struct http_header headers[] = { { STR("request-id"), STR("req_1") } };
	const struct http_reply reply = {
		.status = r->step->status ? r->step->status : 200,
		.headers = headers,
		.header_count = ARRAY_LEN(headers),
		.content_type = STR("application/json"),
		.body = body,
	};

	if (r->step->how == RIG_HANG_UP) {
		request_free(r);
	} else if (r->step->how != RIG_ANSWER || str_starts(body, STR("id:")) ||
		   str_starts(body, STR("event:"))) {
		answer_stream(r, body);
	} else {
		http_request_reply(r->request, &reply);
		request_free(r);
	}
}

static bool
on_body(void *context, struct str part, bool last)
{
	struct rig_request *r = context;
	struct buf *asked = &r->rig->asked[r->at];

	(void)last;
	buf_put_str(asked, part);
	atomic_store(&r->rig->taken, r->at + 1);
	answer(r);
	return true;
}

static void
on_request(void *context, struct http_request *request)
{
	static const char *const SHOWN[] = { "authorization", "last-event-id", "content-type" };
	const struct http_head *head = http_request_head(request);
	struct cli_rig *rig = context;
	struct rig_request *r = xcalloc(1, sizeof *r);
	struct buf *asked;

	r->rig = rig;
	r->request = request;
	r->at = atomic_load(&rig->taken);
	list_append(&rig->open, &r->node);
	if (r->at >= rig->count)
		abort(); /* nobody said that this would be asked */
	r->step = &rig->steps[r->at];
	asked = &rig->asked[r->at];
	buf_printf(asked, STR_FMT " " STR_FMT "\n", STR_ARG(head->method), STR_ARG(head->target));
	if (!str_starts(buf_str(asked), str_of(r->step->want))) {
		fprintf(stderr, "asked: %.*swanted: %s\n", (int)asked->len, asked->ptr,
			r->step->want);
		abort();
	}
	for (size_t i = 0; i < ARRAY_LEN(SHOWN); i++) {
		struct str value = http_head_find(head, str_of(SHOWN[i]));

		if (value.ptr)
			buf_printf(asked, "%s: " STR_FMT "\n", SHOWN[i], STR_ARG(value));
	}
	http_request_body(request, &(struct http_body_want){ .fn = on_body, .context = r });
}

static void
on_wake(void *context)
{
	struct cli_rig *rig = context;

	loop_stop(rig->loop);
}

static void *
run(void *context)
{
	struct cli_rig *rig = context;

	loop_run(rig->loop);
	while (!list_is_empty(&rig->open))
		request_free(LIST_OWNER(rig->open.next, struct rig_request, node));
	http_server_free(&rig->server);
	loop_settle(rig->loop);
	return NULL;
}

struct cli_rig *
cli_rig_start(const struct rig_step *steps, size_t count)
{
	struct cli_rig *rig = xcalloc(1, sizeof *rig);
	const struct http_handler handler = { on_request, NULL, rig };
	struct err e;

	assert_true(count <= STEPS_MAX);
	rig->steps = steps;
	rig->count = count;
	for (size_t i = 0; i < STEPS_MAX; i++)
		buf_init(&rig->asked[i], ASKED_MAX);
	list_init(&rig->open);
	rig->loop = loop_new();
	rig->wake = loop_wake_new(rig->loop, on_wake, rig);
	rig->server = http_server_new(rig->loop, &handler, &HTTP_LIMITS_DEFAULT);
	assert_int_equal(http_server_listen_tcp(rig->server, "127.0.0.1", 0, &rig->port, &e), 0);
	snprintf(rig->url, sizeof rig->url, "http://127.0.0.1:%d", rig->port);
	rig->place = (struct server_place){ .url = str_of(rig->url),
					    .shown = str_of(rig->url),
					    .token = STR("pdr_test"),
					    .token_from = STR("a/owner.token") };
	assert_int_equal(pthread_create(&rig->thread, NULL, run, rig), 0);
	return rig;
}

void
cli_rig_stop(struct cli_rig **out)
{
	struct cli_rig *rig = *out;
	size_t taken;

	loop_wake_send(rig->wake);
	pthread_join(rig->thread, NULL);
	taken = atomic_load(&rig->taken);
	loop_wake_free(&rig->wake);
	loop_settle(rig->loop);
	loop_free(&rig->loop);
	if (taken < rig->count)
		fail_msg("never asked: %s", rig->steps[taken].want);
	for (size_t i = 0; i < STEPS_MAX; i++)
		buf_release(&rig->asked[i]);
	free(rig);
	*out = NULL;
}

int
cli_rig_port(const struct cli_rig *rig)
{
	return rig->port;
}

const struct server_place *
cli_rig_place(const struct cli_rig *rig)
{
	return &rig->place;
}

size_t
cli_rig_taken(const struct cli_rig *rig)
{
	return atomic_load(&rig->taken);
}

struct str
cli_rig_asked(struct cli_rig *rig, size_t step)
{
	assert_true(step < atomic_load(&rig->taken));
	return buf_str(&rig->asked[step]);
}
