#include "api/openapi_schemas.h"

#include <ctype.h>

/* Fields are written `name` or `name:type`; a star after the name makes it required. Types: text (the
 * usual one), int, bool, time, object, texts (a map of them), any; a=b is the constant b, a|b|c one of
 * these words; a capital begins the name of a schema; [] before a type makes a list of it, ? behind
 * one allows null. A schema that is only ?Name is the other one or null. */
#define AGENT                                                                                  \
	" description:text? system:text? tools:[]object mcp_servers:[]object skills:[]object"  \
	" metadata:texts multiagent:object? execution_identity:object approval_rules:[]object" \
	" access:public|protected|private? environments:[]text models:[]text limits:object?"
#define ENVIRONMENT " description:text? metadata:texts"
#define TOKEN       " name:text? user_id:text? namespace:text? environment_id:text? expires_at:time?"
#define TOKEN_KINDS "kind*:owner|user|channel|worker|environment"
#define ROLES       "owner|user|guest"
#define STATUSES    "idle|running|rescheduling|terminated"
#define BIRTH       " created_at*:time updated_at*:time"
#define WORK_STATES "queued|starting|active|stopping|stopped"
#define WORK                                                                                  \
	"id* type*:=work state*:" WORK_STATES " environment_id* data*:object metadata*:texts" \
	" secret*:text? created_at*:time acknowledged_at*:time? started_at*:time?"            \
	" latest_heartbeat_at*:time? stop_requested_at*:time? stopped_at*:time?"
#define SCHEDULE                                                                        \
	" missed:object? timeout_ms:int? delivery:object? origin:object? enabled:bool?" \
	" metadata:texts"
#define RUN_STATES  "pending|running|completed|failed|timed_out|cancelled"
#define PAGE_OF(of) "data*:[]" of " next_page*:text?"

static const struct {
	const char *name, *fields;
} SCHEMAS[] = {
	{ "Agent", "id* type*:=agent version*:int name* model*:object "
		   "model_source*:agent|server|default archived_at:time?" BIRTH AGENT },
	{ "AgentChat", "message* agentId:text? surface* surfaceId* workspaceId:text?" },
	{ "AgentChatAnswer", "content* sessionId* isNew*:bool resetReason:text? toolsUsed*:[]text"
			     " usage*:object stopReason:text?" },
	{ "AgentChatFrame",
	  "type*:session_resolved|content|tool_call|tool_call_complete|tool_result|done|error" },
	{ "AgentCreate", "name* model:any" AGENT },
	{ "AgentPage", PAGE_OF("Agent") },
	{ "AgentReset", "agentId:text? surface* surfaceId* workspaceId:text?" },
	{ "AgentResetAnswer", "reset*:bool archivedSessionId*:text? sessionId*" },
	{ "AgentUpdate", "version:int name model:any" AGENT },
	{ "Command", "text*" },
	{ "CommandResult", "type*:=command_result command* text* data*:object" },
	{ "Deleted", "id* type*" },
	{ "Environment",
	  "id* type*:=environment name* config*:object archived_at:time?" BIRTH ENVIRONMENT },
	{ "EnvironmentCreate", "name* config:object" ENVIRONMENT },
	{ "EnvironmentPage", PAGE_OF("Environment") },
	{ "EnvironmentUpdate", "name config:object" ENVIRONMENT },
	{ "Error", "type*:=error error*:ErrorDetail request_id*" },
	{ "ErrorDetail", "type* message* details:object" },
	{ "Event", "id* type* seq*:int created_at:time processed_at:time? queue_position:int" },
	{ "EventList", "data*:[]Event" },
	{ "EventPage", PAGE_OF("Event") },
	{ "EventSend", "events*:[]object" },
	{ "Health", "type*:=health status*:=ok version*" },
	{ "Lane",
	  "id* type*:=lane session_key* session_id* created_at:time? updated_at:time? "
	  "origin:object?"
	  " display_name:text? platform:text? chat_type*:dm|group|channel|thread input_tokens*:int"
	  " output_tokens*:int cache_read_tokens*:int cache_write_tokens*:int total_tokens*:int"
	  " estimated_cost_usd*:any cost_status* last_prompt_tokens*:int was_auto_reset*:bool"
	  " auto_reset_reason:text? reset_had_activity*:bool is_fresh_reset*:bool"
	  " expiry_finalized*:bool suspended*:bool resume_pending*:bool resume_reason:text?"
	  " last_resume_marked_at:time? agent_id:text? workspace_id:text? shared*:bool "
	  "surface:text?"
	  " surface_id:text? user_id:text? previous_session_id:text? stuck_count*:int"
	  " finalize_attempts*:int busy:queue|steer|interrupt|collect|reject?" },
	{ "LaneMarkResume", "reason:restart_timeout|shutdown_timeout|restart_interrupted" },
	{ "LanePage", PAGE_OF("Lane") },
	{ "LaneReset", "display_name:text?" },
	{ "LaneRewind", "turns:int?" },
	{ "LaneRewound", "type*:=lane_rewound session_id* rewound_count*:int turns_undone*:int"
			 " target_text*" },
	{ "LaneSwitch", "session_id*" },
	{ "LaneUpdate", "last_prompt_tokens:int? display_name:text?"
			" busy:queue|steer|interrupt|collect|reject|default" },
	{ "Lanes", "" },
	{ "LanesAny", "type*:=lanes_any has_any*:bool" },
	{ "LanesChanged", "type*:=lanes_changed marked:int pruned:int" },
	{ "LanesImported", "imported*:int skipped*:int missing*:int refused*:int" },
	{ "LanesMarkRecent", "max_age_seconds:int?" },
	{ "LanesPrune", "max_age_days*:int" },
	{ "Message", "id* role* content:[]object" },
	{ "MessagePage", PAGE_OF("Message") },
	{ "MessagePost", "text mode:default|append|wait|stream timeout_ms:int"
			 " busy:queue|steer|interrupt|collect|reject sender:object mentioned:bool"
			 " attachments:[]object metadata:object message_id model" },
	{ "MessagePosted",
	  "type*:=message session_id* message_id* event_id* triggered*:bool queue_position:int?"
	  " text tool_calls:[]object stop_reason:object usage:object" },
	{ "OpenAPI", "openapi* info*:object paths*:object components:object" },
	{ "QueueChanged", "type*:=queued_message message_id*" },
	{ "QueueEdit", "text*" },
	{ "QueueEntry", "" },
	{ "QueuePage", PAGE_OF("QueueEntry") },
	{ "Resource", "id* type*" },
	{ "ResourceAdd", "type*:=github_repository url* checkout:object? mount_path:text?" },
	{ "ResourcePage", PAGE_OF("Resource") },
	{ "ResourceUpdate", "authorization_token" },
	{ "Schedule", "id* type*:=schedule name* agent_id* environment_id* prompt* rule*:object"
		      " next_run_at*:time? last_run_at*:time? consecutive_failures*:int"
		      " open_run_id*:text?" BIRTH SCHEDULE },
	{ "ScheduleCreate",
	  "name* prompt* rule*:object agent_id:text? environment_id:text?" SCHEDULE },
	{ "SchedulePage", PAGE_OF("Schedule") },
	{ "ScheduleRun", "id* type*:=schedule_run schedule_id* session_id* slot*:time? manual*:bool"
			 " status*:" RUN_STATES " stop_reason*:text? error*:text? turn_id*:text?"
			 " event_id*:text? fired_at*:time? ended_at*:time? delivery*:object" },
	{ "ScheduleRunPage", PAGE_OF("ScheduleRun") },
	{ "ScheduleUpdate",
	  "name prompt rule:object agent_id:text? environment_id:text?" SCHEDULE },
	{ "SearchHit", "" },
	{ "SearchPage", PAGE_OF("SearchHit") },
	{ "Server", "type*:=server version* instance_id* started_at*:time running_turns*:int"
		    " carried_over_turns*:int" },
	{ "ServerRestart", "type*:=server_restart instance_id* running_turns*:int"
			   " drain_timeout_ms*:int" },
	{ "Session",
	  "id* type*:=session status*:" STATUSES " agent*:object environment_id*:text? title:text?"
	  " metadata*:texts resources*:[]object vault_ids:[]text outcome_evaluations:[]object"
	  " stats:object usage*:object budget:object? archived_at:time? "
	  "deployment_id:text? tool_processes:object" BIRTH },
	{ "SessionCreate",
	  "id agent:any environment_id workspace_id title:text? metadata:texts"
	  " initial_events:[]object resources:[]object vault_ids:[]text budget:object?"
	  " source:object" },
	{ "SessionPage", PAGE_OF("Session") " prev_page:text? total:int" },
	{ "SessionResolve", "key:object source:object agent_id workspace_id force_new:bool?" },
	{ "SessionResolved", "session*:Session is_new*:bool reset_reason*:text? lane_id*" },
	{ "SessionUpdate", "title:text? metadata:object budget:object? agent:object" },
	{ "Thread", "id* type*:=session_thread session_id* status*:" STATUSES },
	{ "ThreadPage", PAGE_OF("Thread") },
	{ "Token", "id* type*:=token " TOKEN_KINDS " prefix created_at:time last_used_at:time?"
		   " revoked_at:time?" TOKEN },
	{ "TokenCreate", TOKEN_KINDS TOKEN },
	{ "TokenCreated", "id* type*:=token " TOKEN_KINDS " token" },
	{ "TokenPage", PAGE_OF("Token") },
	{ "User", "id* type*:=user name* role*:" ROLES },
	{ "UserCreate", "name* role:" ROLES },
	{ "UserPage", PAGE_OF("User") },
	{ "UserUpdate", "name role:" ROLES },
	{ "Work", WORK },
	{ "WorkHeartbeat", "type*:=work_heartbeat last_heartbeat* lease_extended*:bool"
			   " state*:" WORK_STATES " ttl_seconds*:int" },
	{ "WorkOrNull", "?Work" },
	{ "WorkPage", PAGE_OF("Work") },
	{ "WorkStats", "type*:=work_queue_stats depth*:int pending*:int oldest_queued_at*:time?"
		       " workers_polling*:int" },
	{ "WorkStop", "force:bool?" },
	{ "WorkUpdate", "metadata*:object" },
	{ "Workspace", "id* type*:=workspace name* config:object" BIRTH },
	{ "WorkspaceCreate", "id name* config:object?" },
	{ "WorkspacePage", PAGE_OF("Workspace") },
	{ "WorkspaceUpdate", "name config:object?" },
};

static void
write_words(struct jw *w, struct str words)
{
	struct str word;

	jw_field_array(w, "enum");
	while (words.len > 0) {
		str_cut(words, '|', &word, &words);
		jw_str(w, word);
	}
	jw_end_array(w);
}

static void
write_plain(struct jw *w, const char *type, bool or_null)
{
	if (!or_null) {
		jw_field_str(w, "type", str_of(type));
		return;
	}
	jw_field_array(w, "type");
	jw_str(w, str_of(type));
	jw_str(w, STR("null"));
	jw_end_array(w);
}

static void
write_ref(struct jw *w, struct str name)
{
	char text[96];

	snprintf(text, sizeof text, "#/components/schemas/" STR_FMT, STR_ARG(name));
	jw_field_str(w, "$ref", str_of(text));
}

/* A word of its own, or what it means in JSON Schema. */
static void
write_scalar(struct jw *w, struct str type, bool or_null)
{
	if (str_eq(type, STR("int"))) {
		write_plain(w, "integer", or_null);
	} else if (str_eq(type, STR("bool"))) {
		write_plain(w, "boolean", or_null);
	} else if (str_eq(type, STR("object"))) {
		write_plain(w, "object", or_null);
	} else if (str_eq(type, STR("texts"))) {
		write_plain(w, "object", or_null);
		jw_field_object(w, "additionalProperties");
		write_plain(w, "string", false);
		jw_end_object(w);
	} else if (!str_eq(type, STR("any"))) {
		write_plain(w, "string", or_null);
		if (str_eq(type, STR("time")))
			jw_field_str(w, "format", STR("date-time"));
	}
}

static void
write_type(struct jw *w, struct str type)
{
	bool is_list = str_starts(type, STR("[]")), or_null = str_ends(type, STR("?"));

	jw_object(w);
	if (is_list) {
		jw_field_str(w, "type", STR("array"));
		jw_key(w, STR("items"));
		jw_object(w);
		type = str_slice(type, 2, type.len);
	}
	if (or_null)
		type.len--;
	if (str_starts(type, STR("=")))
		jw_field_str(w, "const", str_slice(type, 1, type.len));
	else if (str_contains(type, STR("|")))
		write_words(w, type);
	else if (type.len > 0 && isupper((unsigned char)type.ptr[0]))
		write_ref(w, type);
	else
		write_scalar(w, type, or_null);
	if (is_list)
		jw_end_object(w);
	jw_end_object(w);
}

struct field {
	struct str name, type;
	bool required;
};

static bool
next_field(struct str *rest, struct field *out)
{
	struct str word;

	if (rest->len == 0)
		return false;
	str_cut(*rest, ' ', &word, rest);
	str_cut(word, ':', &out->name, &out->type);
	out->required = str_ends(out->name, STR("*"));
	if (out->required)
		out->name.len--;
	return true;
}

/* The schema of that name, or null. */
static void
write_maybe(struct jw *w, struct str name)
{
	jw_object(w);
	jw_field_array(w, "oneOf");
	jw_object(w);
	write_ref(w, name);
	jw_end_object(w);
	jw_object(w);
	write_plain(w, "null", false);
	jw_end_object(w);
	jw_end_array(w);
	jw_end_object(w);
}

static void
write_schema(struct jw *w, struct str fields)
{
	struct field f;
	bool any_required = false;

	jw_object(w);
	jw_field_str(w, "type", STR("object"));
	for (struct str rest = fields; next_field(&rest, &f);) {
		if (!f.required)
			continue;
		if (!any_required)
			jw_field_array(w, "required");
		any_required = true;
		jw_str(w, f.name);
	}
	if (any_required)
		jw_end_array(w);
	jw_field_object(w, "properties");
	for (struct str rest = fields; next_field(&rest, &f);) {
		jw_key(w, f.name);
		write_type(w, f.type);
	}
	jw_end_object(w);
	jw_end_object(w);
}

void
openapi_schemas_write(struct jw *w)
{
	for (size_t i = 0; i < ARRAY_LEN(SCHEMAS); i++) {
		jw_key(w, str_of(SCHEMAS[i].name));
		if (SCHEMAS[i].fields[0] == '?')
			write_maybe(w, str_of(SCHEMAS[i].fields + 1));
		else
			write_schema(w, str_of(SCHEMAS[i].fields));
	}
}

bool
openapi_schemas_has(struct str name)
{
	for (size_t i = 0; i < ARRAY_LEN(SCHEMAS); i++)
		if (str_eq(str_of(SCHEMAS[i].name), name))
			return true;
	return false;
}
