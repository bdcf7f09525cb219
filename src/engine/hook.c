#include "engine/hook.h"

#include "base/json_write.h"
#include "base/timestamp.h"

bool
hook_is_wanted(const struct engine *en, enum hook_event event)
{
	const struct engine_hooks *h = &en->config.hooks;

	return h->wants && h->wants(h->ctx, event);
}

/* The object is left open; its text is in the engine's scratch. */
static struct jw
begin(struct engine *en, enum hook_event event, struct str session)
{
	char at[TIMESTAMP_TEXT_MAX];
	struct jw w;

	buf_clear(&en->scratch);
	jw_init(&w, &en->scratch);
	jw_object(&w);
	jw_field_str(&w, "event", str_of(hook_event_name(event)));
	jw_field_str(&w, "at", timestamp_format(host_now_ms(en->host), at));
	jw_field_str(&w, "session_id", session);
	return w;
}

static void
send(struct engine *en, enum hook_event event, struct jw *w, engine_hook_done_fn *done, void *ctx)
{
	const struct engine_hooks *h = &en->config.hooks;

	jw_end_object(w);
	h->run(h->ctx, event, buf_str(&en->scratch), done, ctx);
}

static void
tell(struct engine *en, enum hook_event event, struct str session, const struct event *ev)
{
	struct jw w = begin(en, event, session);

	jw_field_object(&w, "log_event");
	jw_field_str(&w, "id", ev->id);
	jw_field_int(&w, "seq", ev->seq);
	jw_field_opt(&w, "turn_id", ev->turn.len > 0 ? ev->turn : (struct str){ 0 });
	jw_field_raw(&w, "payload", ev->payload);
	jw_end_object(&w);
	send(en, event, &w, NULL, NULL);
}

void
hook_on_events(struct engine *en, struct str session, const struct event *events, size_t count)
{
	if (!en->config.hooks.wants)
		return;
	for (size_t i = 0; i < count; i++) {
		unsigned of = hook_event_of(&events[i]);

		for (int event = 0; of >> event != 0; event++)
			if ((of >> event & 1) && hook_is_wanted(en, (enum hook_event)event))
				tell(en, (enum hook_event)event, session, &events[i]);
	}
}

void
hook_ask_turn(struct engine *en, struct str session, struct str turn, struct str_list inputs,
	      engine_hook_done_fn *done, void *ctx)
{
	struct jw w = begin(en, HOOK_BEFORE_TURN, session);

	jw_field_str(&w, "turn_id", turn);
	jw_field_array(&w, "inputs");
	for (size_t i = 0; i < inputs.len; i++)
		jw_str(&w, inputs.ptr[i]);
	jw_end_array(&w);
	send(en, HOOK_BEFORE_TURN, &w, done, ctx);
}

void
hook_ask_reset(struct engine *en, struct str session, struct str reason, engine_hook_done_fn *done,
	       void *ctx)
{
	struct jw w = begin(en, HOOK_BEFORE_RESET, session);

	jw_field_str(&w, "reason", reason);
	send(en, HOOK_BEFORE_RESET, &w, done, ctx);
}

void
hook_give_up(struct engine *en)
{
	const struct engine_hooks *h = &en->config.hooks;

	if (h->give_up)
		h->give_up(h->ctx);
}
