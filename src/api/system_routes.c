/* system_routes - what an operator's tools ask: is it alive, does it serve, how is it doing? */
#include "api/api_private.h"
#include "api/handlers.h"
#include "base/json_write.h"
#include "base/timestamp.h"
#include "net/loop.h"

static void
answer_health(struct exchange *x)
{
	struct buf *out = exchange_buf(x);
	struct jw w;

	jw_init(&w, out);
	jw_object(&w);
	jw_field_str(&w, "type", STR("health"));
	jw_field_str(&w, "status", STR("ok"));
	jw_field_str(&w, "version", str_of(x->api->config.version));
	jw_end_object(&w);
	exchange_json(x, 200, buf_str(out), false);
}

void
system_health_route(struct exchange *x)
{
	answer_health(x);
}

void
system_ready_route(struct exchange *x)
{
	if (x->api->ready)
		answer_health(x);
	else
		exchange_problem(x, &(struct api_problem){
					    .status = 503,
					    .message = STR("the server is starting or stopping"),
				    });
}

void
system_openapi_route(struct exchange *x)
{
	struct api *api = x->api;

	if (api->openapi.len == 0)
		api->openapi = api_openapi(&api->arena, api->config.version);
	exchange_json(x, 200, api->openapi, false);
}

/* ---- the process ---- */

void
system_server_route(struct exchange *x)
{
	struct engine_self self = engine_self(x->engine);
	struct buf *out = exchange_buf(x);
	char at[TIMESTAMP_TEXT_MAX];
	struct jw w;

	jw_init(&w, out);
	jw_object(&w);
	jw_field_str(&w, "type", STR("server"));
	jw_field_str(&w, "version", str_of(x->api->config.version));
	jw_field_str(&w, "instance_id", self.instance);
	jw_field_str(&w, "started_at", timestamp_format(self.started_at_ms, at));
	jw_field_int(&w, "running_turns", (int64_t)self.running_turns);
	jw_field_int(&w, "carried_over_turns", (int64_t)self.carried_over);
	jw_end_object(&w);
	exchange_json(x, 200, buf_str(out), false);
}

static void
on_restarts(void *ctx, const struct engine_answer *answer)
{
	struct exchange *x = ctx;

	if (answer->rc != 0)
		exchange_fail(x, answer->rc, answer->err);
	else
		exchange_json(x, 200, answer->data, answer->replayed);
}

void
system_restart_route(struct exchange *x)
{
	x->call.done = on_restarts;
	engine_restart(x->engine, &x->call);
}

/* ---- numbers ---- */

static const double NS_PER_S = 1e9;

static void
put_server(struct buf *out, const struct api *api)
{
	struct engine_stats stats = engine_stats(api->config.engine);
	struct loop_turns turns = loop_turns(api->config.loop);
	const struct metrics_number numbers[] = {
		{ "perdure_http_connections", "Connections that are open.", "gauge",
		  api->server ? http_server_connections(api->server) : 0 },
		{ "perdure_open_sockets", "WebSockets that are open.", "gauge",
		  (double)api->open_sockets },
		{ "perdure_open_streams", "Event streams that are open.", "gauge",
		  (double)sse_count(api->sse) },
		{ "perdure_loop_stall_max_seconds",
		  "Longest time since the start that everybody waited for one thing to be done.",
		  "gauge", (double)turns.longest_ns / NS_PER_S },
		{ "perdure_loop_stalls_total", "How often that was longer than 50 ms.", "counter",
		  (double)turns.stalls },
		{ "perdure_events_appended_total", "Events made durable since the start.",
		  "counter", (double)stats.events },
		{ "perdure_open_turns", "Turns that run or wait for an answer.", "gauge",
		  (double)stats.open_turns },
		{ "perdure_live_sessions", "Sessions that are watched or have a turn.", "gauge",
		  (double)stats.live_sessions },
		{ "perdure_tool_processes",
		  "Calls of built-in tools that run, background processes included.", "gauge",
		  (double)stats.tools.running },
		{ "perdure_tool_processes_waiting",
		  "Calls that wait until another ends: limits.tool_processes run.", "gauge",
		  (double)stats.tools.waiting },
		{ "perdure_tool_processes_limit", "How many may run at once.", "gauge",
		  (double)stats.tools.limit },
		{ "perdure_kept_agents", "Agents that are ready for the next turn.", "gauge",
		  (double)stats.kept_agents },
		{ "perdure_kept_agent_bytes", "What they take of memory.", "gauge",
		  (double)stats.kept_agent_bytes },
	};

	for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
		metrics_put(out, &numbers[i]);
}

void
system_metrics_route(struct exchange *x)
{
	struct buf *out = exchange_buf(x);

	metrics_put_requests(out, x->api->metrics);
	put_server(out, x->api);
	metrics_put_process(out);
	exchange_text(x, 200, STR("text/plain; version=0.0.4; charset=utf-8"), buf_str(out));
}
