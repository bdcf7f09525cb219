/* command_routes - commands that people write: POST …/commands {text}. */
#include "api/handlers.h"
#include "api/session_routes.h"

static void
on_done(void *ctx, const struct engine_answer *answer)
{
	struct exchange *x = ctx;
	struct buf *out;
	struct jw w;

	if (answer->rc != 0) {
		session_fail(x, answer);
		return;
	}
	out = exchange_buf(x);
	jw_init(&w, out);
	jw_object(&w);
	jw_field_str(&w, "type", STR("command_result"));
	jw_field_str(&w, "command", answer->command);
	jw_field_str(&w, "text", answer->text);
	jw_field_raw(&w, "data", answer->data.len > 0 ? answer->data : STR("{}"));
	jw_end_object(&w);
	exchange_json(x, 200, buf_str(out), answer->replayed);
}

void
command_run_route(struct exchange *x)
{
	struct json text = { 0 };
	const struct json_field fields[] = { { "text", JSON_WANT_STRING, true, &text } };
	struct err e;
	int rc = json_fields(x->body, fields, ARRAY_LEN(fields), &e);

	if (rc != 0) {
		exchange_fail(x, rc, &e);
		return;
	}
	x->call.done = on_done;
	engine_command(x->engine, &x->call, x->captures[0], json_str(text, x->arena));
}
