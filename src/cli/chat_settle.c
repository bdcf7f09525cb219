/* chat_settle - the calls that a chat's turn waits for: a person is asked, a script is told. */
#include <stdio.h>

#include "cli/chat_turn_private.h"
#include "cli/event_line.h"
#include "cli/waiting_text.h"

static int
chat_settle_send(struct chat_turn *t, struct str id, char answer, struct err *e)
{
	const struct waiting_answer decision = { .id = id,
						 .allowed = answer == 'y' || answer == 'a',
						 .always = answer == 'a' };
	struct buf body;
	int rc;

	buf_init(&body, CALL_BODY_MAX);
	waiting_call_write_answer(&decision, &body);
	rc = call_ask(t->chat->call, "POST",
		      call_path(t->chat->call, "/v1/sessions/", t->chat->session.id.ptr, "/events"),
		      buf_str(&body), NULL, e);
	buf_release(&body);
	return rc;
}

/* What a typed line says: y, n or a; 0: it is not understood. Anything that looks like a no is one;
 * what allows something has to be said in full or with its letter alone. */
static char
read_answer(struct str line)
{
	struct str word = str_trim(line);

	if (str_eq_nocase(str_slice(word, 0, 1), STR("n")))
		return 'n';
	if (str_eq_nocase(word, STR("y")) || str_eq_nocase(word, STR("yes")))
		return 'y';
	if (str_eq_nocase(word, STR("a")) || str_eq_nocase(word, STR("always")))
		return 'a';
	return 0;
}

/* y, n or a; 0: the question was left without an answer. */
static char
ask_person(struct chat_turn *t, struct str whole)
{
	struct buf answer;
	char c = 0;

	buf_init(&answer, 4096);
	line_edit_drop_input(t->chat->edit); /* nobody allows what nobody has seen */
	log_tail_pause(t->tail);
	chat_screen_ask(&t->screen, whole);
	do {
		if (line_edit_read(t->chat->edit, "allow it? [y]es, [n]o, [a]lways: ", &answer) !=
		    LINE_EDIT_LINE) {
			putchar('\n'); /* what is said next does not follow the question */
			break;
		}
		c = read_answer(buf_str(&answer));
	} while (c == 0);
	log_tail_resume(t->tail);
	buf_release(&answer);
	return c;
}

/* False: the question was left without an answer, or the answer failed, which is the turn's error. */
static bool
decide(struct chat_turn *t, const struct waiting_call *call)
{
	char c = t->chat->edit ? ask_person(t, call->whole) : 0;

	if (c == 0)
		return false;
	t->rc = chat_settle_send(t, call->id, c, &t->err);
	if (t->rc == ERR_CONFLICT) { /* the turn goes on with what they said */
		chat_screen_note(&t->screen,
				 arena_printf(&t->chat->call->a, "somebody else was faster: %s",
					      t->err.text));
		t->rc = 0;
	}
	return t->rc == 0;
}

/* False: it is not waited for. The script that sent the message may be the one to give the result. */
static bool
wait_for_program(struct chat_turn *t)
{
	char text[256];

	if (!t->chat->edit)
		return false;
	snprintf(text, sizeof text,
		 "waits for a program: perdure agent session status --session " STR_FMT,
		 STR_ARG(t->chat->session.id));
	chat_screen_note(&t->screen, str_of(text));
	chat_screen_wait(&t->screen, "waiting for the result (Ctrl-C interrupts)");
	return true;
}

/* The call with all of its input. A turn that was joined in the middle may have made it before. */
static int
find_call(struct chat_turn *t, struct str id, struct waiting_call *out, struct err *e)
{
	const struct waiting_call *call = turn_view_find_call(&t->view, id);

	if (!call)
		return waiting_call_find(t->chat->call, t->chat->session.id, id, out, e);
	*out = *call;
	return 0;
}

/* A turn before ours may have gone on since the log said that it waits: what comes after that may not
 * have been read yet. */
static int
chat_settle_still_waits(struct chat_turn *t, struct str id, bool *out, struct err *e)
{
	struct cli_call *call = t->chat->call;
	struct json session, stop;
	int rc =
		call_ask(call, "GET", call_path(call, "/v1/sessions/", t->chat->session.id.ptr, ""),
			 (struct str){ 0 }, &session, e);

	if (rc == 0)
		*out = json_find(session, STR("stop_reason"), &stop) &&
		       event_line_names(stop, "event_ids", id);
	return rc;
}

/* True: the turn can be followed, as far as it depends on this call. */
static bool
settle_call(struct chat_turn *t, struct str id)
{
	struct waiting_call call;
	bool settled = true, waits = true;

	if (t->view.turn.len == 0)
		t->rc = chat_settle_still_waits(t, id, &waits, &t->err);
	if (!turn_view_waits_for(&t->view, id))
		return true; /* by somebody else, while another answer was sent */
	if (t->rc == 0 && waits)
		t->rc = find_call(t, id, &call, &t->err);
	if (t->rc != 0)
		return false;
	if (!waits) {
		turn_view_settle(&t->view, id);
		return true;
	}
	switch (call.waits_for) {
	case WAITING_FOR_PERSON: settled = decide(t, &call); break;
	case WAITING_FOR_PROGRAM: settled = wait_for_program(t); break;
	case WAITING_FOR_WORKER:
		chat_screen_wait(&t->screen, "waiting for the worker (Ctrl-C interrupts)");
		break;
	}
	if (settled)
		turn_view_settle(&t->view, id);
	return settled;
}

bool
chat_settle_calls(struct chat_turn *t)
{
	size_t count = t->view.waits_for.len;
	struct str ids[WAITING_CALLS_MAX]; /* of their own: events come while an answer is sent */

	if (count > WAITING_CALLS_MAX)
		count = WAITING_CALLS_MAX;
	if (count > 0)
		memcpy(ids, t->view.waits_for.ptr, count * sizeof *ids);
	for (size_t i = 0; i < count; i++)
		if (!settle_call(t, ids[i]))
			return false;
	return count > 0;
}

int
chat_settle_refuse(struct chat_turn *t, struct err *e)
{
	const bool ours = t->view.turn.len > 0;
	struct waiting_call calls[WAITING_CALLS_MAX];
	size_t count = 0;

	if (!t->chat->edit)
		for (size_t i = 0; i < t->view.waits_for.len && count < WAITING_CALLS_MAX; i++)
			if (find_call(t, t->view.waits_for.ptr[i], &calls[count], NULL) == 0)
				count++;
	if (count == 0 && t->chat->edit)
		return err_set(e, ERR_CONFLICT,
			       "the agent waits for an answer: /approve or /deny, or see perdure "
			       "agent session status --session " STR_FMT,
			       STR_ARG(t->chat->session.id));
	if (count == 0)
		return err_set(e, ERR_CONFLICT,
			       "the agent waits for somebody: perdure agent session status "
			       "--session " STR_FMT,
			       STR_ARG(t->chat->session.id));
	waiting_text_print(stderr, t->chat->session.id, calls, count);
	return err_set(e, ERR_CONFLICT, "%s waits for an answer to the call%s above",
		       ours ? "the turn" : "the message is stored, behind a turn that",
		       count == 1 ? "" : "s");
}
