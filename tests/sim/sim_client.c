#include "sim_client.h"

#include "base/xalloc.h"
#include "core/input.h"
#include "sim_node.h"
#include "sim_referee.h"

/* A message, however often it was sent. */
struct letter {
	int session;
	enum busy_mode busy;
	bool append_only, keyed, by_message_id;
	unsigned stored, accepted, unknown;
};

/* One command on its way; lives in the world's arena. */
struct command {
	struct world *w;
	struct sim_node *node; /* NULL: it is gone, nobody listens */
	int64_t letter;        /* -1: no message */
	bool answered;
	struct engine_message message;
	struct engine_repeat repeat;
	struct json_doc doc;
};

struct sim_clients {
	VEC(struct letter) letters;
	VEC(struct command *) commands; /* those on their way */
};

static const struct engine_caller OWNER = { .who = { .kind = TOKEN_OWNER, .role = ROLE_OWNER } };

/* ---- answers ---- */

static bool
may_have_worked(int rc)
{
	return rc == ERR_UNAVAILABLE || rc == ERR_IO || rc == ERR_TIMEOUT;
}

static void
on_answer(void *ctx, const struct engine_answer *answer)
{
	struct command *c = ctx;
	struct letter *l;

	if (!c->node)
		return;
	sim_trace(c->w, "answer to m%lld: %s", (long long)c->letter,
		  answer->rc == 0 ? "ok" : answer->err->text);
	if (c->answered)
		sim_fail(c->w, SIM_CLAUSE_REST, "a command is answered twice");
	c->answered = true;
	if (c->letter < 0)
		return;
	l = &c->w->clients->letters.ptr[c->letter];
	l->accepted += answer->rc == 0;
	if (answer->rc == 0 && answer->replayed)
		sim_saw(c->w, SIM_SCENE_REPEATED);
	l->unknown += may_have_worked(answer->rc);
}

static struct command *
command_new(struct world *w, int64_t letter)
{
	struct command *c = ARENA_NEW(&w->arena, struct command);

	c->w = w;
	c->node = w->node;
	c->letter = letter;
	*vec_push(&w->clients->commands) = c;
	return c;
}

static struct engine_call
call_of(struct command *c, bool keyed)
{
	return (struct engine_call){
		.caller = &OWNER, .repeat = keyed ? &c->repeat : NULL, .done = on_answer, .ctx = c
	};
}

void
sim_clients_lost(struct world *w, const struct sim_node *n)
{
	struct sim_clients *k = w->clients;
	size_t left = 0;

	for (size_t i = 0; i < k->commands.len; i++) {
		struct command *c = k->commands.ptr[i];

		if (!c->answered && c->node == n) {
			c->node = NULL;
			if (c->letter >= 0)
				k->letters.ptr[c->letter].unknown++;
		} else if (!c->answered) {
			k->commands.ptr[left++] = c;
		}
	}
	k->commands.len = left;
}

/* ---- messages ---- */

static void
send_letter(struct world *w, int64_t number)
{
	const struct letter *l = &w->clients->letters.ptr[number];
	struct command *c = command_new(w, number);
	struct str text = arena_printf(&w->arena, "m%lld", (long long)number);
	struct engine_call call = call_of(c, l->keyed);

	c->message = (struct engine_message){
		.text = text, .append_only = l->append_only, .has_busy = true, .busy = l->busy
	};
	if (l->by_message_id)
		c->message.message_id = text;
	c->repeat = (struct engine_repeat){ .scope = STR("owner POST"),
					    .key = text,
					    .request = sha256_of(text) };
	sim_trace(w, "session %d: post m%lld %s%s", l->session, (long long)number,
		  busy_mode_name(l->busy), l->append_only ? " append" : "");
	engine_post(w->node->en, &call, sim_session_id(l->session), &c->message);
}

static enum sim_fault
kind_of(enum busy_mode busy)
{
	switch (busy) {
	case BUSY_STEER: return SIM_STEER;
	case BUSY_INTERRUPT: return SIM_INTERRUPT;
	case BUSY_QUEUE:
	case BUSY_COLLECT:
	case BUSY_REJECT: break;
	}
	return SIM_MESSAGE;
}

static void
post(struct world *w, int session, enum busy_mode busy)
{
	struct letter *l = vec_push(&w->clients->letters);

	*l = (struct letter){ .session = session,
			      .busy = busy,
			      .append_only = busy == BUSY_QUEUE && sim_chance(w, 100) };
	l->keyed = sim_chance(w, 400);
	l->by_message_id = !l->keyed && sim_chance(w, 400);
	sim_hit(w, session, kind_of(busy));
	send_letter(w, (int64_t)w->clients->letters.len - 1);
}

/* Somebody who got no answer, or does not believe it, sends the same again. */
static void
post_again(struct world *w)
{
	struct sim_clients *k = w->clients;
	size_t number;

	if (k->letters.len == 0)
		return;
	number = k->letters.len - 1 -
		 sim_below(w, k->letters.len < 8 ? k->letters.len : 8); /* one of the last */
	if (k->letters.ptr[number].keyed || k->letters.ptr[number].by_message_id)
		send_letter(w, (int64_t)number);
}

/* ---- events ---- */

static void
send_events(struct world *w, int session, struct str events)
{
	struct command *c = command_new(w, -1);
	struct engine_call call = call_of(c, false);
	struct err e;

	sim_trace(w, "session %d: send " STR_FMT, session, STR_ARG(events));
	if (json_parse(&w->arena, events, &JSON_LIMITS_DEFAULT, &c->doc, &e) != 0) {
		sim_fail(w, SIM_CLAUSE_LOG, "the simulator's own JSON: %s", e.text);
		return;
	}
	engine_send(w->node->en, &call, sim_session_id(session), json_root(&c->doc));
}

void
sim_clients_interrupt(struct world *w, int session)
{
	sim_hit(w, session, SIM_INTERRUPT);
	send_events(w, session, STR("[{\"type\":\"user.interrupt\"}]"));
}

static void
send_system(struct world *w, int session, bool with_message)
{
	struct letter *l;

	if (!with_message) {
		send_events(w, session,
			    STR("[{\"type\":\"system.message\",\"content\":[{\"type\":"
				"\"text\",\"text\":\"rule\"}]}]"));
		return;
	}
	l = vec_push(&w->clients->letters);
	*l = (struct letter){ .session = session };
	send_events(w, session,
		    arena_printf(&w->arena,
				 "[{\"type\":\"user.message\",\"content\":[{\"type\":\"text\","
				 "\"text\":\"m%zu\"}]},{\"type\":\"system.message\",\"content\":"
				 "[{\"type\":\"text\",\"text\":\"rule\"}]}]",
				 w->clients->letters.len - 1));
	w->clients->commands.ptr[w->clients->commands.len - 1]->letter =
		(int64_t)w->clients->letters.len - 1;
}

static struct str
answer_json(struct world *w, struct str id, bool confirmation, bool client_side)
{
	if (confirmation && sim_chance(w, 700))
		return arena_printf(
			&w->arena,
			"[{\"type\":\"user.tool_confirmation\",\"tool_use_id\":\"" STR_FMT
			"\",\"result\":\"allow\"%s}]",
			STR_ARG(id), sim_chance(w, 50) ? ",\"scope\":\"always\"" : "");
	if (confirmation)
		return arena_printf(
			&w->arena,
			"[{\"type\":\"user.tool_confirmation\",\"tool_use_id\":\"" STR_FMT
			"\",\"result\":\"deny\",\"deny_message\":\"no\"}]",
			STR_ARG(id));
	return arena_printf(&w->arena,
			    "[{\"type\":\"user.%s_result\",\"%s_use_id\":\"" STR_FMT
			    "\",\"content\":[{\"type\":\"text\",\"text\":\"done\"}]}]",
			    client_side ? "custom_tool" : "tool",
			    client_side ? "custom_tool" : "tool", STR_ARG(id));
}

void
sim_clients_answer(struct world *w, int session)
{
	const struct ref_call *call = sim_referee_waiting_call(w, session);

	if (call)
		send_events(w, session,
			    answer_json(w, call->id, call->state == REF_ASKS, call->is_custom));
}

/* Any call of the session's, closed, answered or never made, and any kind of answer. */
static void
stray_answer(struct world *w, int session)
{
	const struct ref_session *s = sim_referee_session(w, session);
	struct str id = s->calls.len == 0 || sim_chance(w, 200)
				? STR("sevt_nosuch")
				: s->calls.ptr[sim_below(w, s->calls.len)].id;

	sim_hit(w, session, SIM_STRAY_ANSWER);
	send_events(w, session, answer_json(w, id, sim_chance(w, 300), sim_chance(w, 800)));
}

/* Two people answer the same question, or one presses twice. */
static void
answer_twice(struct world *w, int session)
{
	const struct ref_call *call = sim_referee_waiting_call(w, session);

	if (!call)
		return;
	sim_hit(w, session, SIM_STRAY_ANSWER);
	for (int i = 0; i < 2; i++)
		send_events(w, session,
			    answer_json(w, call->id, call->state == REF_ASKS, call->is_custom));
}

void
sim_clients_wake(struct world *w, int session)
{
	struct command *c = command_new(w, -1);
	struct engine_call call = call_of(c, false);

	engine_wake(w->node->en, &call, sim_session_id(session));
}

void
sim_clients_act(struct world *w)
{
	int session = (int)sim_below(w, SIM_SESSIONS);

	switch (sim_below(w, 16)) {
	case 0:
	case 1: post(w, session, BUSY_QUEUE); return;
	case 2:
	case 3: post(w, session, BUSY_STEER); return;
	case 4: post(w, session, BUSY_INTERRUPT); return;
	case 5: post(w, session, BUSY_COLLECT); return;
	case 6: post(w, session, BUSY_REJECT); return;
	case 7: post_again(w); return;
	case 8: send_system(w, session, sim_chance(w, 500)); return;
	case 9: sim_clients_interrupt(w, session); return;
	case 10: stray_answer(w, session); return;
	case 11: answer_twice(w, session); return;
	case 12: sim_clients_wake(w, session); return;
	default: sim_clients_answer(w, session); return;
	}
}

/* ---- promises ---- */

void
sim_clients_stored(struct world *w, int session, int64_t marker)
{
	struct letter *l = &w->clients->letters.ptr[marker];

	if (++l->stored > 1)
		sim_fail(w, SIM_CLAUSE_TRIGGER, "session %d: m%lld is stored twice", session,
			 (long long)marker);
}

void
sim_clients_judge(struct world *w)
{
	for (size_t i = 0; i < w->clients->letters.len; i++) {
		const struct letter *l = &w->clients->letters.ptr[i];

		if (l->accepted > 0 && l->stored == 0)
			sim_fail(w, SIM_CLAUSE_TRIGGER, "m%zu was acknowledged and is not there",
				 i);
		if (l->accepted == 0 && l->unknown == 0 && l->stored > 0)
			sim_fail(w, SIM_CLAUSE_TRIGGER, "m%zu was refused, but is there", i);
	}
	for (size_t i = 0; i < w->clients->commands.len; i++)
		if (!w->clients->commands.ptr[i]->answered)
			sim_fail(w, SIM_CLAUSE_REST, "a command was never answered");
}

void
sim_clients_init(struct world *w)
{
	w->clients = xcalloc(1, sizeof *w->clients);
}

void
sim_clients_release(struct world *w)
{
	vec_release(&w->clients->letters);
	vec_release(&w->clients->commands);
	free(w->clients);
}
