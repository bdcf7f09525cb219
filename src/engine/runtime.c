#include "engine/runtime.h"

#include <stdlib.h>

#include "base/json_write.h"
#include "base/log.h"
#include "base/timestamp.h"
#include "base/xalloc.h"
#include "core/runtime_text.h"

/* One turn, while the wakes that are queued now are being read. */
struct writing {
	struct engine *en;
	struct arena arena;
	struct runtime_facts facts;
};

/* The text of a message: its blocks one after the other. */
static struct str
text_of(struct str payload, struct arena *a)
{
	struct json_doc doc;
	struct json content, text;
	struct json_iter it;
	struct str whole = { 0 };

	if (payload.len == 0 ||
	    json_parse(a, arena_str(a, payload), &EVENT_PAYLOAD_LIMITS, &doc, NULL) != 0 ||
	    !json_find(json_root(&doc), STR("content"), &content))
		return whole;
	it = json_iter(content);
	while (json_next(&it)) {
		if (!json_find(it.value, STR("text"), &text))
			continue;
		whole = whole.len == 0 ? json_str(text, a)
				       : arena_printf(a, STR_FMT "\n" STR_FMT, STR_ARG(whole),
						      STR_ARG(json_str(text, a)));
	}
	return arena_str(a, whole);
}

static void
take_wakes(struct writing *w, struct wake_list wakes)
{
	struct wake_list queue = wake_queue_due(wakes, &w->arena, INT64_MAX);
	struct runtime_wake *out = ARENA_ARRAY(&w->arena, wakes.len + 1, struct runtime_wake);
	size_t count = 0;

	for (size_t i = 0; i < queue.len; i++) {
		const struct wake_item *item = &queue.ptr[i].item;

		out[count++] = (struct runtime_wake){ item->id, item->reason, item->note,
						      item->due_ms, false };
	}
	for (size_t i = 0; i < wakes.len; i++) {
		const struct wake_item *item = &wakes.ptr[i].item;

		if (item->parked)
			out[count++] = (struct runtime_wake){ item->id, item->reason, item->note,
							      item->due_ms, true };
	}
	w->facts.wakes = out;
	w->facts.wake_count = count;
}

static void
write_file(struct writing *w, const char *name,
	   void (*text)(const struct runtime_facts *f, struct buf *out))
{
	const struct engine_files *files = &w->en->config.files;
	struct buf b;

	buf_init(&b, 4 * RUNTIME_TEXT_BYTES_MAX);
	text(&w->facts, &b);
	files->put(files->ctx, w->facts.agent, w->facts.session, str_of(name), buf_str(&b));
	buf_release(&b);
}

static void
write_learning(struct writing *w, const struct directive_learning *l)
{
	const struct engine_files *files = &w->en->config.files;
	char now[TIMESTAMP_TEXT_MAX];
	struct buf b;
	struct jw jw;

	buf_init(&b, RUNTIME_TEXT_BYTES_MAX);
	jw_init(&jw, &b);
	jw_object(&jw);
	jw_field_str(&jw, "agent_id", w->facts.agent);
	jw_field_str(&jw, "session_id", w->facts.session);
	jw_field_str(&jw, "turn_id", w->facts.turn);
	jw_field_str(&jw, "created_at", timestamp_format(w->facts.now_ms, now));
	jw_field_str(&jw, "title", l->title);
	jw_field_str(&jw, "detail", l->detail);
	jw_end_object(&jw);
	files->learn(files->ctx, w->facts.agent, buf_str(&b));
	buf_release(&b);
}

static void
write_files(struct writing *w)
{
	write_file(w, "checkpoint.json", runtime_text_checkpoint);
	write_file(w, "session-state.md", runtime_text_state);
	write_file(w, "working-buffer.md", runtime_text_buffer);
	for (size_t i = 0; i < w->facts.learning_count; i++)
		write_learning(w, &w->facts.learnings[i]);
}

static void
writing_free(struct writing *w)
{
	arena_release(&w->arena);
	free(w);
}

static void
on_wakes(void *ctx, int rc, const struct err *err, const struct wake_list *wakes)
{
	struct writing *w = ctx;
	struct engine *en = w->en;

	if (rc == 0) {
		take_wakes(w, *wakes);
		write_files(w);
	} else {
		log_write(LOG_WARN, "runtime.not_written", LOG_STR("session", w->facts.session),
			  LOG_STR("error", str_of(err->text)));
	}
	writing_free(w);
	en->open_turns--;
	engine_turn_closed(en);
}

static void
take_order(struct writing *w, const struct directive_order *o)
{
	struct directive_learning *all;

	if (!o)
		return;
	all = ARENA_ARRAY(&w->arena, o->asked.learning_count + 1, struct directive_learning);
	for (size_t i = 0; i < o->asked.learning_count; i++)
		all[i] = (struct directive_learning){
			arena_str(&w->arena, o->asked.learnings[i].title),
			arena_str(&w->arena, o->asked.learnings[i].detail),
		};
	w->facts.learnings = all;
	w->facts.learning_count = o->asked.learning_count;
	w->facts.outcome = o->plan.outcome;
	w->facts.continues = o->plan.continues;
}

void
runtime_write(struct engine *en, const struct runtime_turn *turn)
{
	struct writing *w;
	struct str *ids;

	if (!en->config.files.put)
		return;
	w = xcalloc(1, sizeof *w);
	w->en = en;
	arena_init(&w->arena);
	ids = ARENA_ARRAY(&w->arena, turn->wakes.len + 1, struct str);
	for (size_t i = 0; i < turn->wakes.len; i++)
		ids[i] = arena_str(&w->arena, turn->wakes.ptr[i].item.id);
	w->facts = (struct runtime_facts){
		.agent = arena_str(&w->arena, turn->agent),
		.session = arena_str(&w->arena, turn->session),
		.turn = arena_str(&w->arena, turn->turn),
		.model = arena_str(&w->arena, turn->model),
		.now_ms = host_now_ms(en->host),
		.head_seq = turn->head_seq,
		.stop = turn->stop,
		.started_by = { ids, turn->wakes.len },
		.response = text_of(turn->said, &w->arena),
	};
	take_order(w, turn->order);
	if (turn->rests) {
		write_files(w);
		writing_free(w);
		return;
	}
	en->open_turns++; /* a drain waits for it */
	wake_queue_read(en, w->facts.session, &w->arena, on_wakes, w);
}
