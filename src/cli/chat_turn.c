/* chat_turn - a message and its answer: sent, shown while it is written, interrupted by Ctrl-C,
 * followed across restarts of the server. */
#include <stdio.h>

#include "base/clock.h"
#include "cli/chat_turn_private.h"
#include "cli/record.h"
#include "cli/waiting_text.h"

/* A script is told that the server stays away; a person sees it and decides. */
static const int64_t AWAY_MAX_MS = 60 * 1000;

/* ---- showing ---- */

static void
on_text(void *context, struct str piece)
{
	struct chat_turn *t = context;

	chat_screen_text(&t->screen, piece);
}

static void
on_text_end(void *context)
{
	struct chat_turn *t = context;

	chat_screen_text_end(&t->screen);
}

static void
on_call(void *context, struct str line)
{
	struct chat_turn *t = context;

	chat_screen_call(&t->screen, line);
}

static void
on_note(void *context, struct str line)
{
	struct chat_turn *t = context;

	chat_screen_note(&t->screen, line);
}

/* ---- what happens ---- */

static void
finish(struct chat_turn *t)
{
	t->done = true;
	client_stop(t->client);
}

/* The server has the message: it said so, or the log shows it. */
static bool
is_accepted(const struct chat_turn *t)
{
	return t->posted || t->view.input_id.len > 0;
}

static void
on_beat(void *context)
{
	struct chat_turn *t = context;
	int64_t now = clock_now_ms();

	chat_screen_beat(&t->screen, now);
	if (t->lost_since_ms > 0 && !t->chat->edit && now - t->lost_since_ms > AWAY_MAX_MS) {
		t->rc = err_set(&t->err, ERR_IO,
				"the server at " STR_FMT " stays away. The message %s: perdure "
				"session events " STR_FMT " shows what became of it",
				STR_ARG(t->chat->call->place.shown),
				is_accepted(t) ? "is stored" : "may not have arrived",
				STR_ARG(t->chat->session.id));
		finish(t);
	}
	loop_timer_set(t->beat, SPINNER_BEAT_MS);
}

static void
on_event(void *context, struct str type, struct json event)
{
	struct chat_turn *t = context;

	turn_view_apply(&t->view, type, event);
	if (t->view.over || t->view.waits)
		finish(t);
}

static void
on_state(void *context, bool connected, const struct err *why)
{
	struct chat_turn *t = context;

	t->lost_since_ms = connected ? 0 : clock_now_ms();
	if (connected) {
		chat_screen_wait(&t->screen, "working");
		return;
	}
	(void)why; /* that it is away is all there is to know */
	chat_screen_break(&t->screen);
	chat_screen_wait(&t->screen, "the server is away; reconnecting");
}

static void
on_end(void *context, int rc, const struct err *e)
{
	struct chat_turn *t = context;

	t->rc = rc;
	if (rc != 0)
		t->err = *e;
	t->ended = true;
	finish(t);
}

static void
on_posted(void *context, int rc, struct json answer, const struct err *e)
{
	struct chat_turn *t = context;
	struct json position;
	int64_t before;

	t->posted = rc == 0;
	if (rc != 0) {
		t->rc = rc;
		t->err = *e;
		finish(t);
		return;
	}
	if (json_find(answer, STR("queue_position"), &position) && json_int(position, &before) &&
	    before > 0 && t->view.turn.len == 0) {
		char text[64];

		snprintf(text, sizeof text, "waiting, %lld before it", (long long)before);
		chat_screen_wait(&t->screen, text);
	}
}

static void
on_interrupt_sent(void *context, int rc, struct json answer, const struct err *e)
{
	struct chat_turn *t = context;

	(void)answer;
	if (rc != 0)
		chat_screen_say(&t->screen, "! ", str_of(e->text), STYLE_RED);
}

/* Ctrl-C: the agent is to stop; once more: do not wait for it. */
static void
on_interrupt(void *context)
{
	struct chat_turn *t = context;
	const struct client_request request = {
		"POST",
		call_path(t->chat->call, "/v1/sessions/", t->chat->session.id.ptr, "/events"),
		STR("{\"events\":[{\"type\":\"user.interrupt\"}]}"),
	};

	if (t->interrupted) {
		t->detached = true;
		finish(t);
		return;
	}
	t->interrupted = true;
	chat_screen_wait(&t->screen, "interrupting (Ctrl-C again: do not wait)");
	client_send(t->client, &request, on_interrupt_sent, t);
}

/* ---- the turn ---- */

static void
post_message(struct chat_turn *t, struct str text)
{
	struct cli_call *call = t->chat->call;
	struct buf body;
	struct jw w;

	buf_init(&body, CALL_BODY_MAX);
	jw_init(&w, &body);
	jw_object(&w);
	jw_field_str(&w, "text", text);
	jw_field_str(&w, "message_id", str_of(t->message_id));
	jw_end_object(&w);
	client_send(t->client,
		    &(struct client_request){
			    "POST",
			    call_path(call, "/v1/sessions/", t->chat->session.id.ptr, "/messages"),
			    buf_str(&body) },
		    on_posted, t);
	buf_release(&body);
}

static void
make_message_id(struct chat_turn *t)
{
	struct rand r;
	struct id_gen ids;

	rand_init_os(&r);
	id_gen_init(&ids, &r);
	id_make(&ids, clock_now_ms(), "cmsg", t->message_id);
}

static void
turn_begin(struct chat_turn *t, struct chat *chat)
{
	const struct turn_view_events events = { on_text, on_text_end, on_call, on_note, t };

	t->chat = chat;
	t->client = chat->call->client;
	chat_screen_init(&t->screen, &chat->call->out, chat->json);
	turn_view_init(&t->view, str_of(t->message_id), &events);
	t->beat = loop_timer_new(client_loop(t->client), on_beat, t);
	loop_timer_set(t->beat, SPINNER_BEAT_MS);
	/* what is written to a pipe cannot be taken back: only whole messages go there */
	t->tail =
		log_tail_new(t->client, chat->session.id, chat->cursor, chat->call->out.is_terminal,
			     &(struct log_tail_events){ on_event, on_state, on_end, t });
	chat_screen_wait(&t->screen, "working");
}

static void
turn_end(struct chat_turn *t)
{
	chat_screen_text_end(&t->screen);
	chat_screen_hide(&t->screen);
	client_on_interrupt(t->client, NULL, NULL);
	client_forget(t->client, t);
	t->chat->cursor = log_tail_cursor(t->tail);
	t->chat->waits = t->view.waits;
	t->chat->turn = t->view.waits ? arena_str(&t->chat->call->a, t->view.turn) : STR("");
	log_tail_free(&t->tail);
	loop_timer_free(&t->beat);
	turn_view_release(&t->view);
	chat_screen_release(&t->screen);
}

static void
print_object(struct chat_turn *t)
{
	struct buf out;
	struct jw w;

	buf_init(&out, CALL_BODY_MAX * 4);
	jw_init(&w, &out);
	jw_object(&w);
	jw_field_str(&w, "session_id", t->chat->session.id);
	jw_field_str(&w, "message_id", str_of(t->message_id));
	jw_field_str(&w, "text", buf_str(&t->view.text));
	jw_field_array(&w, "tool_calls");
	for (size_t i = 0; i < t->view.calls.len; i++) {
		jw_object(&w);
		jw_field_str(&w, "id", t->view.calls.ptr[i].id);
		jw_field_str(&w, "call", t->view.calls.ptr[i].line);
		jw_end_object(&w);
	}
	jw_end_array(&w);
	jw_field_str(&w, "stop_reason", t->view.stop_reason);
	jw_end_object(&w);
	call_print_foreign_line(t->chat->call, buf_str(&out));
	buf_release(&out);
}

static int
conclude(struct chat_turn *t, struct err *e)
{
	struct str reason = t->view.stop_reason;

	if (t->rc != 0) {
		*e = t->err;
		return t->rc;
	}
	if (t->chat->json)
		print_object(t);
	if (t->detached)
		return err_set(e, ERR_CONFLICT,
			       is_accepted(t) ? "left alone; the turn goes on"
					      : "left alone; the message may not have arrived");
	if (str_eq(reason, STR("interrupted")))
		return err_set(e, ERR_CONFLICT, "interrupted");
	if (str_eq(reason, STR("end_turn")) || reason.len == 0)
		return 0;
	if (t->view.waits)
		return chat_settle_refuse(t, e);
	return err_set(e, ERR_CONFLICT, "the turn ended: " STR_FMT, STR_ARG(reason));
}

/* There is nothing to be followed any more. */
static bool
is_over(const struct chat_turn *t)
{
	return t->view.over || t->ended || t->detached || t->rc != 0;
}

static int
turn_run(struct chat_turn *t, struct err *e)
{
	int rc;

	do {
		/* it may have come to another question while the answer was sent */
		t->done = is_over(t) || t->view.waits;
		client_on_interrupt(t->client, on_interrupt, t);
		client_run(t->client, &t->done);
		client_on_interrupt(t->client, NULL, NULL);
		chat_screen_hide(&t->screen);
		/* what made it wait may be over already: what came with it was read with it */
	} while (!is_over(t) && (!t->view.waits || chat_settle_calls(t)));
	rc = conclude(t, e);
	turn_end(t);
	return rc;
}

/* ---- what was open before it ---- */

/* Does it take somebody who is there, or, for a script, somebody at all? */
static bool
is_for_somebody(const struct chat *chat, const struct waiting_call *w)
{
	return w->waits_for == WAITING_FOR_PERSON ||
	       (w->waits_for == WAITING_FOR_PROGRAM && !chat->edit);
}

/* ids: of the calls that it waits for; unset: it does not any more. */
static int
follow_open_turn(struct chat *chat, struct str turn, struct json ids, struct err *e)
{
	struct chat_turn t = { .posted = true };

	snprintf(t.message_id, sizeof t.message_id, STR_FMT, STR_ARG(turn)); /* no message's */
	turn_begin(&t, chat);
	turn_view_join(&t.view, turn, ids);
	return turn_run(&t, e);
}

static struct json
waits_for(struct json session)
{
	struct json stop, ids = { 0 };

	if (json_find(session, STR("stop_reason"), &stop))
		IGNORE(json_find(stop, STR("event_ids"), &ids)); /* it stays unset */
	return ids;
}

int
chat_turn_answered(struct chat *chat, struct err *e)
{
	if (chat->turn.len == 0)
		return 0;
	return follow_open_turn(chat, chat->turn, (struct json){ 0 }, e);
}

int
chat_turn_open(struct chat *chat, struct err *e)
{
	struct waiting_call calls[WAITING_CALLS_MAX];
	struct cli_call *call = chat->call;
	struct json session;
	size_t count = 0;
	bool asks = false;
	int rc = 0;

	if (!chat->waits)
		return 0;
	rc = call_ask(call, "GET", call_path(call, "/v1/sessions/", chat->session.id.ptr, ""),
		      (struct str){ 0 }, &session, e);
	if (rc == 0)
		rc = waiting_call_list(call, session, calls, &count, e);
	if (rc != 0)
		return rc;
	for (size_t i = 0; i < count; i++)
		asks |= is_for_somebody(chat, &calls[i]);
	chat->waits = asks;
	if (!asks)
		return 0;
	if (chat->edit)
		return follow_open_turn(chat, record_value(session, "turn_id", &call->a),
					waits_for(session), e);
	waiting_text_print(stderr, chat->session.id, calls, count);
	return err_set(e, ERR_CONFLICT, "the session waits for an answer to the call%s above",
		       count == 1 ? "" : "s");
}

/* ---- the turn of a message ---- */

int
chat_turn(struct chat *chat, struct str text, struct err *e)
{
	bool waits = chat->waits;
	struct chat_turn t = { 0 };
	int rc = chat_turn_open(chat, e);

	if (rc != 0)
		return err_prefix(e, rc, "nothing was sent: ");
	if (waits && chat->edit)
		putchar('\n'); /* between the two answers */
	make_message_id(&t);
	turn_begin(&t, chat);
	post_message(&t, text);
	return turn_run(&t, e);
}

int
chat_turn_of(struct chat *chat, struct str event_id, struct err *e)
{
	struct chat_turn t = { .posted = true };

	snprintf(t.message_id, sizeof t.message_id, STR_FMT, STR_ARG(event_id));
	turn_begin(&t, chat);
	return turn_run(&t, e);
}
