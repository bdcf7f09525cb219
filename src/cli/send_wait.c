#include "cli/send_wait.h"

#include "base/clock.h"
#include "base/id.h"
#include "cli/log_tail.h"
#include "cli/record.h"
#include "cli/turn_view.h"
#include "cli/waiting_text.h"

struct send_wait {
	struct cli_call *call;
	const char *session;
	char message_id[ID_TEXT_MAX];
	struct turn_view view; /* for what is before the message */
	struct log_tail *tail;
	bool done; /* look at the rest */
	bool answered, asks;
	int rc;
	struct err err;
};

/* ---- what the session waits for ---- */

struct send_wait_facts {
	struct waiting_call calls[WAITING_CALLS_MAX];
	size_t count;
	int64_t head;
	bool blocked; /* somebody has to answer one; a worker does so by itself */
};

static int
send_wait_look(struct send_wait *s, struct send_wait_facts *out, struct err *e)
{
	struct json session;
	int rc = call_ask(s->call, "GET", call_path(s->call, "/v1/sessions/", s->session, ""),
			  (struct str){ 0 }, &session, e);

	if (rc == 0)
		rc = waiting_call_list(s->call, session, out->calls, &out->count, e);
	if (rc == 0 && !str_to_int(record_value(session, "head_seq", &s->call->a), &out->head))
		rc = err_set(e, ERR_IO, "the server's answer is no session");
	for (size_t i = 0; rc == 0 && i < out->count; i++)
		out->blocked |= out->calls[i].waits_for != WAITING_FOR_WORKER;
	return rc;
}

static int
send_wait_refuse(struct send_wait *s, const struct send_wait_facts *f, const char *what,
		 struct err *e)
{
	waiting_text_print(stderr, str_of(s->session), f->calls, f->count);
	return err_set(e, ERR_CONFLICT, "%s the call%s above", what, f->count == 1 ? "" : "s");
}

/* ---- what happens ---- */

static void
send_wait_leave(struct send_wait *s)
{
	s->done = true;
	client_stop(s->call->client);
}

static void
send_wait_on_answer(void *context, int rc, struct json answer, const struct err *e)
{
	struct send_wait *s = context;

	s->rc = rc;
	s->answered = true;
	if (rc != 0) {
		s->err = *e;
	} else {
		s->asks = str_eq(record_value(answer, "stop_reason.type", &s->call->a),
				 STR("requires_action"));
		if (!s->asks || call_wants_json(s->call) ||
		    record_value(answer, "text", &s->call->a).len > 0)
			record_done(s->call, answer, "text");
	}
	send_wait_leave(s);
}

static void
send_wait_on_event(void *context, struct str type, struct json event)
{
	struct send_wait *s = context;

	turn_view_apply(&s->view, type, event);
	if (s->view.waits && s->view.turn.len == 0)
		send_wait_leave(s);
}

/* The log cannot be followed: the answer says why. */
static void
send_wait_on_end(void *context, int rc, const struct err *e)
{
	(void)context, (void)rc, (void)e;
}

static void
send_wait_on_text(void *context, struct str text)
{
	(void)context, (void)text;
}

static void
send_wait_on_text_end(void *context)
{
	(void)context;
}

/* ---- from the beginning to the end ---- */

static void
send_wait_begin(struct send_wait *s, struct str text, int64_t head)
{
	static const struct turn_view_events SILENT = { send_wait_on_text, send_wait_on_text_end,
							send_wait_on_text, send_wait_on_text,
							NULL };
	struct rand r;
	struct id_gen ids;
	struct buf body;
	struct jw w;

	rand_init_os(&r);
	id_gen_init(&ids, &r);
	id_make(&ids, clock_now_ms(), "cmsg", s->message_id);
	turn_view_init(&s->view, str_of(s->message_id), &SILENT);
	s->tail = log_tail_new(
		s->call->client, str_of(s->session), head, false,
		&(struct log_tail_events){ send_wait_on_event, NULL, send_wait_on_end, s });
	buf_init(&body, CALL_BODY_MAX);
	jw_init(&w, &body);
	jw_object(&w);
	jw_field_str(&w, "text", text);
	jw_field_str(&w, "mode", STR("wait"));
	jw_field_str(&w, "message_id", str_of(s->message_id));
	jw_end_object(&w);
	client_send(s->call->client,
		    &(struct client_request){
			    "POST", call_path(s->call, "/v1/sessions/", s->session, "/messages"),
			    buf_str(&body) },
		    send_wait_on_answer, s);
	buf_release(&body);
}

/* Until there is an answer, or the turn before it waits for somebody: which may be over by now. */
static int
send_wait_run(struct send_wait *s, struct err *e)
{
	for (;;) {
		struct send_wait_facts f = { 0 };
		bool answered;
		int rc;

		client_run(s->call->client, &s->done);
		s->done = false;
		answered = s->answered;
		if (s->rc != 0)
			*e = s->err;
		if (answered && (s->rc != 0 || !s->asks))
			return s->rc;
		rc = send_wait_look(s, &f, e); /* the answer may come meanwhile */
		if (rc != 0)
			return rc;
		if (answered)
			return send_wait_refuse(s, &f, "the turn waits for an answer to", e);
		if (f.blocked && !s->answered && s->view.turn.len == 0)
			return send_wait_refuse(
				s, &f,
				"the message is stored, behind a turn that waits for an answer to",
				e);
	}
}

int
send_wait(struct cli_call *call, const char *session, struct str text, struct err *e)
{
	struct send_wait s = { .call = call, .session = session };
	struct send_wait_facts f = { 0 };
	int rc = send_wait_look(&s, &f, e);

	if (rc != 0)
		return rc;
	if (f.blocked)
		return send_wait_refuse(&s, &f,
					"nothing was sent: the session waits for an answer to", e);
	send_wait_begin(&s, text, f.head);
	rc = send_wait_run(&s, e);
	client_forget(call->client, &s);
	log_tail_free(&s.tail);
	turn_view_release(&s.view);
	return rc;
}
