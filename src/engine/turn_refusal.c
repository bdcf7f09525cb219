#include "engine/turn_refusal.h"

#include "core/event_make.h"

struct commit *
turn_refusal_write(struct engine *en, const struct turn_refused *what)
{
	struct commit *c = commit_new(en, what->session);
	struct buf b;

	buf_init(&b, STORE_INLINE_MAX);
	event_make_error(&b, STR("hook_denied_error"), what->reason, STR("terminal"));
	commit_append_made(c, EVENT_SESSION_ERROR, STR(""), &b);
	if (what->inputs.len > 0) {
		struct str *ids = ARENA_ARRAY(commit_arena(c), what->inputs.len, struct str);

		for (size_t i = 0; i < what->inputs.len; i++)
			ids[i] = arena_str(commit_arena(c), what->inputs.ptr[i]);
		commit_require(c)->pending = (struct str_list){ ids, what->inputs.len };
		buf_init(&b, STORE_PAYLOAD_MAX);
		event_make_input_cancelled(&b, what->inputs);
		commit_append_made(c, EVENT_INPUT_CANCELLED, STR(""), &b);
	}
	wake_queue_settle(en, c, what->session, what->wakes, WAKE_TURN_FAILED);
	return c;
}
