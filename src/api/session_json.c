#include "api/session_json.h"

#include "base/timestamp.h"
#include "core/cost.h"
#include "core/model_override.h"

enum { MS_PER_S = 1000 };
static const int64_t PICO_PER_MICRO = 1000000;

struct session_facts
session_json_facts(const struct session_view *v)
{
	const struct session_row *row = &v->session->row;

	return (struct session_facts){
		.state = row->state,
		.lease_live = v->session->lease_live,
		.wake_pending = v->wake_pending,
		.waits_for_approval = v->waits_for_approval,
		.last_stop = row->last_stop,
	};
}

/* ---- parts ---- */

static void
field_instant(struct jw *w, const char *name, int64_t ms)
{
	char text[TIMESTAMP_TEXT_MAX];

	if (ms == 0)
		jw_field_null(w, name);
	else
		jw_field_str(w, name, timestamp_format(ms, text));
}

static void
field_text(struct jw *w, const char *name, struct str text)
{
	if (text.len > 0)
		jw_field_str(w, name, text);
	else
		jw_field_null(w, name);
}

/* Values joined by commas as an array. */
static void
field_values(struct jw *w, const char *name, struct str values)
{
	jw_field_array(w, name);
	if (values.len > 0)
		jw_raw(w, values);
	jw_end_array(w);
}

static bool
find_extra(struct json extra, struct str name, struct json *out)
{
	return json_is_set(extra) && json_find(extra, name, out);
}

static void
field_agent(struct jw *w, const struct session_view *v, struct json extra, struct arena *scratch)
{
	struct model_facts models = v->models;
	struct json own;

	if (find_extra(extra, STR("agent"), &own) && json_type(own) == JSON_OBJECT) {
		models.chosen = model_override_is_chosen(extra);
		jw_key(w, STR("agent"));
		model_choice_write(w, own, &models, scratch);
		return;
	}
	if (v->agent.len > 0) {
		jw_field_raw(w, "agent", v->agent);
		return;
	}
	jw_field_object(w, "agent");
	jw_field_str(w, "id", v->session->agent_id);
	jw_field_str(w, "type", STR("agent"));
	jw_field_int(w, "version", v->session->agent_version);
	jw_field_raw(w, "skills", STR("[]")); /* workers go through it */
	jw_end_object(w);
}

static void
field_extra(struct jw *w, const char *name, struct json extra, const char *otherwise)
{
	struct json value;

	if (find_extra(extra, str_of(name), &value))
		jw_field_raw(w, name, json_raw(value));
	else
		jw_field_raw(w, name, str_of(otherwise));
}

static void
field_usage(struct jw *w, const struct usage *u)
{
	jw_field_object(w, "usage");
	jw_field_int(w, "input_tokens", u->input);
	jw_field_int(w, "output_tokens", u->output);
	jw_field_int(w, "cache_read_input_tokens", u->cache_read);
	jw_field_object(w, "cache_creation");
	jw_field_int(w, "ephemeral_5m_input_tokens", u->cache_write);
	jw_field_int(w, "ephemeral_1h_input_tokens", 0);
	jw_end_object(w);
	jw_end_object(w);
}

static void
field_stats(struct jw *w, const struct store_session *s)
{
	int64_t ms = s->row.counters.last_activity_ms - s->created_at_ms;

	jw_field_object(w, "stats");
	jw_field_int(w, "active_seconds", 0); /* the log's turns are not added up */
	jw_field_int(w, "duration_seconds", ms > 0 ? ms / MS_PER_S : 0);
	jw_end_object(w);
}

static void
field_counters(struct jw *w, const struct session_counters *c)
{
	enum cost_status status = c->unpriced_requests > 0 ? COST_UNKNOWN : COST_EXACT;

	jw_field_object(w, "counters");
	jw_field_int(w, "messages", c->messages);
	jw_field_int(w, "completed_turns", c->completed_turns);
	jw_field_int(w, "input_tokens", c->usage.input);
	jw_field_int(w, "output_tokens", c->usage.output);
	jw_field_int(w, "reasoning_tokens", c->usage.reasoning);
	jw_field_int(w, "cache_read_tokens", c->usage.cache_read);
	jw_field_int(w, "cache_write_tokens", c->usage.cache_write);
	jw_field_int(w, "total_tokens", c->total_tokens);
	jw_field_int(w, "last_prompt_tokens", c->last_prompt_tokens);
	jw_field_int(w, "cost_microdollars", c->cost_picodollars / PICO_PER_MICRO);
	jw_field_str(w, "cost_status", str_of(cost_status_name(status)));
	jw_end_object(w);
}

static void
field_tools(struct jw *w, const struct tool_load *tools)
{
	jw_field_object(w, "tool_processes");
	jw_field_int(w, "running", (int64_t)tools->running);
	jw_field_int(w, "waiting", (int64_t)tools->waiting);
	jw_field_int(w, "background", (int64_t)tools->background);
	jw_end_object(w);
}

/* Why the last turn ended or waits. */
static void
field_stop(struct jw *w, const struct session_view *v)
{
	enum stop_kind stop = v->session->row.last_stop;
	const char *limit = stop_kind_limit(stop);

	if (stop == STOP_NONE) {
		jw_field_null(w, "stop_reason");
		return;
	}
	jw_field_object(w, "stop_reason");
	jw_field_str(w, "type", str_of(stop_kind_name(stop)));
	if (stop == STOP_REQUIRES_ACTION)
		field_values(w, "event_ids", v->waits_for);
	if (limit)
		jw_field_str(w, "limit", str_of(limit));
	jw_end_object(w);
}

/* A title that somebody gave, else the beginning of the first message. */
static void
field_title(struct jw *w, const struct session_row *row)
{
	struct str shown = row->title.len > 0 ? row->title : row->fallback_title;

	field_text(w, "title", row->title);
	field_text(w, "description", shown);
	if (shown.len > 0)
		jw_field_str(w, "title_source", str_of(title_source_name(row->title_source)));
	else
		jw_field_null(w, "title_source");
}

static struct json
read_extra(const struct session_view *v, struct json_doc *doc, struct arena *scratch)
{
	if (v->extra.len == 0 ||
	    json_parse(scratch, v->extra, &JSON_LIMITS_DEFAULT, doc, NULL) != 0)
		return (struct json){ 0 };
	return json_root(doc);
}

/* ---- the session ---- */

static void
write_wire(struct jw *w, const struct session_view *v, struct json extra, struct arena *scratch)
{
	const struct store_session *s = v->session;
	struct session_facts facts = session_json_facts(v);

	jw_field_str(w, "id", s->id);
	jw_field_str(w, "type", STR("session"));
	jw_field_str(w, "status", str_of(session_wire_status(&facts)));
	field_agent(w, v, extra, scratch);
	jw_field_str(w, "environment_id", s->environment_id);
	field_title(w, &s->row);
	jw_field_raw(w, "metadata", s->metadata.len > 0 ? s->metadata : STR("{}"));
	field_values(w, "resources", v->resources);
	field_extra(w, "vault_ids", extra, "[]");
	jw_field_raw(w, "outcome_evaluations", STR("[]"));
	field_stats(w, s);
	field_usage(w, &s->row.counters.usage);
	field_extra(w, "budget", extra, "null");
	field_instant(w, "archived_at", v->archived_at_ms);
	field_instant(w, "created_at", s->created_at_ms);
	field_instant(w, "updated_at", s->row.counters.last_activity_ms);
	jw_field_null(w, "deployment_id");
}

static void
write_ours(struct jw *w, const struct session_view *v, struct json extra)
{
	const struct store_session *s = v->session;
	struct session_facts facts = session_json_facts(v);

	jw_field_str(w, "lifecycle", str_of(lifecycle_name(s->row.state.lifecycle)));
	jw_field_str(w, "activity", str_of(activity_name(session_activity(&facts))));
	jw_field_str(w, "display_status", str_of(session_display_status(&facts)));
	jw_field_str(w, "record_status", str_of(session_record_status(&facts)));
	field_stop(w, v);
	field_text(w, "turn_id", s->row.turn);
	jw_field_int(w, "head_seq", s->row.head_seq);
	jw_field_int(w, "message_count", s->row.counters.messages);
	field_counters(w, &s->row.counters);
	field_text(w, "preview", str_of(s->row.preview));
	jw_field_str(w, "session_type", s->group ? STR("group") : STR("direct"));
	jw_field_raw(w, "source", s->source.len > 0 ? s->source : STR("null"));
	field_values(w, "participants", v->participants);
	field_values(w, "wakes", v->wakes);
	field_tools(w, &v->tools);
	field_text(w, "workspace_id", s->workspace_id);
	field_text(w, "lane_key", s->lane_key);
	field_text(w, "parent_session_id", s->parent_id);
	field_text(w, "previous_session_id", s->previous_id);
	field_extra(w, "webhook_url", extra, "null");
	field_instant(w, "last_activity_at", s->row.counters.last_activity_ms);
}

void
session_json_write(struct jw *w, const struct session_view *v, struct arena *scratch)
{
	struct json_doc doc;
	struct json extra = read_extra(v, &doc, scratch);

	jw_object(w);
	write_wire(w, v, extra, scratch);
	write_ours(w, v, extra);
	jw_end_object(w);
}

/* ---- its thread ---- */

struct str
session_json_thread_id(struct arena *a, struct str session)
{
	struct str bare =
		str_starts(session, STR("sesn_")) ? str_slice(session, 5, session.len) : session;

	return arena_printf(a, "sthr_" STR_FMT, STR_ARG(bare));
}

void
session_json_write_thread(struct jw *w, const struct session_view *v, struct arena *scratch)
{
	const struct store_session *s = v->session;
	struct session_facts facts = session_json_facts(v);
	struct json_doc doc;
	struct json extra = read_extra(v, &doc, scratch);

	jw_object(w);
	jw_field_str(w, "id", session_json_thread_id(scratch, s->id));
	jw_field_str(w, "type", STR("session_thread"));
	jw_field_str(w, "session_id", s->id);
	jw_field_null(w, "parent_thread_id");
	field_agent(w, v, extra, scratch);
	jw_field_str(w, "status", str_of(session_wire_status(&facts)));
	field_stats(w, s);
	field_usage(w, &s->row.counters.usage);
	jw_field_null(w, "workflow_run_id");
	field_instant(w, "archived_at", v->archived_at_ms);
	field_instant(w, "created_at", s->created_at_ms);
	field_instant(w, "updated_at", s->row.counters.last_activity_ms);
	jw_end_object(w);
}
