/* routes - the one table: what can be asked, by whom, and what it takes. Dispatch, limits, the
 * OpenAPI document, docs/API.md and the authorisation matrix are made of it. */
#include "api/handlers.h"

enum { IMPORT_MAX = 256 * 1024 * 1024 };

#define OPEN(path, fn)                                                                         \
	.route = { "GET", path }, .handle = fn, .auth = ROUTE_OPEN, .verb = ACCESS_VERB_COUNT, \
	.tag = "server"
#define ROW(method, path, fn, for_verb, of) \
	.route = { method, path }, .handle = fn, .auth = ROUTE_TOKEN, .verb = for_verb, .tag = of
/* Commands with a body, and those without: an empty object does no harm. */
#define TAKES(name)   .body = ROUTE_JSON, .mutates = true, .request = name
#define TAKES_NOTHING .body = ROUTE_JSON_MAYBE, .mutates = true
#define DELETES       .mutates = true

#define PAGE          "limit page"
#define CREATED       " created_at[gt] created_at[gte] created_at[lt] created_at[lte]"
#define RECORDS       PAGE " created_at[gte] created_at[lte] include_archived"
#define EVENTS        PAGE " after before around types[] order" CREATED

const struct api_route API_ROUTES[] = {
	/* clang-format off: one route a paragraph */
	{ OPEN("/healthz", system_health_route), .response = "Health",
	  .summary = "Is the process alive?" },
	{ OPEN("/readyz", system_ready_route), .response = "Health", .summary = "Does it serve?" },
	{ OPEN("/v1/openapi.json", system_openapi_route), .response = "OpenAPI",
	  .summary = "This description" },
	{ ROW("GET", "/metrics", system_metrics_route, ACCESS_SERVER, "server"),
	  .summary = "Numbers for Prometheus" },
	{ ROW("GET", "/v1/ws", socket_route, ACCESS_SESSION_READ, "server"), .answer = ROUTE_SOCKET,
	  .summary = "Open a WebSocket: the same requests, streams and cursors as messages" },

	{ ROW("POST", "/v1/agents", agent_create_route, ACCESS_AGENT_MANAGE, "agents"),
	  TAKES("AgentCreate"), .response = "Agent", .summary = "Create an agent" },
	{ ROW("GET", "/v1/agents", agent_list_route, ACCESS_AGENT_READ, "agents"), .query = RECORDS,
	  .response = "AgentPage", .summary = "List agents" },
	{ ROW("GET", "/v1/agents/{agent_id}", agent_get_route, ACCESS_AGENT_READ, "agents"),
	  .query = "version", .response = "Agent",
	  .summary = "Retrieve an agent, as it is or as a version froze it" },
	{ ROW("POST", "/v1/agents/{agent_id}", agent_update_route, ACCESS_AGENT_MANAGE, "agents"),
	  TAKES("AgentUpdate"), .response = "Agent",
	  .summary = "Update an agent: a change makes the next version" },
	{ ROW("POST", "/v1/agents/{agent_id}/archive", agent_archive_route, ACCESS_AGENT_MANAGE,
	      "agents"),
	  TAKES_NOTHING, .response = "Agent", .summary = "Archive an agent" },
	{ ROW("GET", "/v1/agents/{agent_id}/versions", agent_versions_route, ACCESS_AGENT_READ,
	      "agents"),
	  .query = PAGE, .response = "AgentPage", .summary = "List the versions of an agent" },

	{ ROW("POST", "/v1/environments", environment_create_route, ACCESS_ENVIRONMENT_MANAGE,
	      "environments"),
	  TAKES("EnvironmentCreate"), .response = "Environment",
	  .summary = "Create an environment" },
	{ ROW("GET", "/v1/environments", environment_list_route, ACCESS_ENVIRONMENT_READ,
	      "environments"),
	  .query = RECORDS, .response = "EnvironmentPage", .summary = "List environments" },
	{ ROW("GET", "/v1/environments/{environment_id}", environment_get_route,
	      ACCESS_ENVIRONMENT_READ, "environments"),
	  .response = "Environment", .summary = "Retrieve an environment" },
	{ ROW("POST", "/v1/environments/{environment_id}", environment_update_route,
	      ACCESS_ENVIRONMENT_MANAGE, "environments"),
	  TAKES("EnvironmentUpdate"), .response = "Environment",
	  .summary = "Update an environment" },
	{ ROW("DELETE", "/v1/environments/{environment_id}", environment_delete_route,
	      ACCESS_ENVIRONMENT_MANAGE, "environments"),
	  DELETES, .response = "Deleted", .summary = "Delete an environment" },
	{ ROW("POST", "/v1/environments/{environment_id}/archive", environment_archive_route,
	      ACCESS_ENVIRONMENT_MANAGE, "environments"),
	  TAKES_NOTHING, .response = "Environment", .summary = "Archive an environment" },

	{ ROW("POST", "/v1/users", user_create_route, ACCESS_USERS, "users"), TAKES("UserCreate"),
	  .response = "User", .summary = "Create a user" },
	{ ROW("GET", "/v1/users", user_list_route, ACCESS_USERS, "users"), .query = PAGE,
	  .response = "UserPage", .summary = "List users" },
	{ ROW("GET", "/v1/users/{user_id}", user_get_route, ACCESS_USERS, "users"),
	  .response = "User", .summary = "Retrieve a user" },
	{ ROW("POST", "/v1/users/{user_id}", user_update_route, ACCESS_USERS, "users"),
	  TAKES("UserUpdate"), .response = "User", .summary = "Update a user" },

	{ ROW("POST", "/v1/tokens", token_create_route, ACCESS_TOKENS, "tokens"),
	  TAKES("TokenCreate"), .response = "TokenCreated",
	  .summary = "Create a token; its secret is shown once" },
	{ ROW("GET", "/v1/tokens", token_list_route, ACCESS_TOKENS, "tokens"), .query = PAGE,
	  .response = "TokenPage", .summary = "List tokens, without secrets" },
	{ ROW("DELETE", "/v1/tokens/{token_id}", token_revoke_route, ACCESS_TOKENS, "tokens"),
	  DELETES, .response = "Deleted", .summary = "Revoke a token, also on open streams" },

	{ ROW("POST", "/v1/sessions", session_create_route, ACCESS_AGENT_USE, "sessions"),
	  TAKES("SessionCreate"), .response = "Session", .summary = "Open a session" },
	{ ROW("GET", "/v1/sessions", session_list_route, ACCESS_SESSION_READ, "sessions"),
	  .query = PAGE
	  " order agent_id agent_version deployment_id memory_store_id"
	  " include_archived statuses[]" CREATED " kind platform interactive channel"
	  " workspace_id participant active_minutes text include_inactive include_total"
	  " metadata.*",
	  .response = "SessionPage", .summary = "List sessions, newest activity first" },
	{ ROW("POST", "/v1/sessions/import", session_import_route, ACCESS_SERVER, "sessions"),
	  .body = ROUTE_BYTES, .mutates = true, .body_bytes = IMPORT_MAX, .request = "Bundle",
	  .response = "Session", .summary = "Restore a session from its exported bundle" },
	{ ROW("GET", "/v1/sessions/{session_id}", session_get_route, ACCESS_SESSION_READ,
	      "sessions"),
	  .response = "Session", .summary = "Retrieve a session" },
	{ ROW("POST", "/v1/sessions/{session_id}", session_update_route, ACCESS_SESSION_MANAGE,
	      "sessions"),
	  TAKES("SessionUpdate"), .response = "Session",
	  .summary = "Rename a session, or change its metadata, budget or tools" },
	{ ROW("DELETE", "/v1/sessions/{session_id}", session_delete_route, ACCESS_SESSION_DELETE,
	      "sessions"),
	  DELETES, .response = "Deleted", .summary = "Delete a session" },
	{ ROW("POST", "/v1/sessions/{session_id}/archive", session_archive_route,
	      ACCESS_SESSION_MANAGE, "sessions"),
	  TAKES_NOTHING, .response = "Session", .summary = "Archive a session" },
	{ ROW("POST", "/v1/sessions/{session_id}/wake", session_wake_route, ACCESS_SESSION_POST,
	      "sessions"),
	  TAKES_NOTHING, .response = "Session",
	  .summary = "Look at what is pending or due, and run one turn for it" },
	{ ROW("GET", "/v1/sessions/{session_id}/export", session_export_route, ACCESS_SESSION_READ,
	      "sessions"),
	  .answer = ROUTE_FILE, .response = "Bundle",
	  .summary = "Export the whole log as a bundle" },
	{ ROW("GET", "/v1/search", session_search_route, ACCESS_SESSION_READ, "sessions"),
	  .query = PAGE " q session_id agent_id workspace_id types[]", .response = "SearchPage",
	  .summary = "Search in what people and agents said" },

	{ ROW("POST", "/v1/sessions/{session_id}/events", event_send_route, ACCESS_SESSION_POST,
	      "sessions"),
	  TAKES("EventSend"), .response = "EventList",
	  .summary = "Send events: all of them or none" },
	{ ROW("GET", "/v1/sessions/{session_id}/events", event_list_route, ACCESS_SESSION_READ,
	      "sessions"),
	  .query = EVENTS, .response = "EventPage", .summary = "List the log" },
	{ ROW("GET", "/v1/sessions/{session_id}/events/stream", event_stream_route,
	      ACCESS_SESSION_READ, "sessions"),
	  .answer = ROUTE_EVENTS, .query = "after event_deltas[]", .response = "Event",
	  .summary = "Follow the log: from a cursor, then live" },
	{ ROW("GET", "/v1/events/stream", event_firehose_route, ACCESS_SESSION_READ, "sessions"),
	  .answer = ROUTE_EVENTS, .query = "after types[] event_deltas[]", .response = "Event",
	  .summary = "Follow all sessions that the token may see" },

	{ ROW("POST", "/v1/sessions/{session_id}/messages", message_post_route, ACCESS_SESSION_POST,
	      "sessions"),
	  TAKES("MessagePost"), .response = "MessagePosted",
	  .summary = "Say something; wait for the answer, stream it, or neither" },
	{ ROW("GET", "/v1/sessions/{session_id}/messages", message_list_route, ACCESS_SESSION_READ,
	      "sessions"),
	  .query = PAGE " order", .response = "MessagePage", .summary = "List the transcript" },
	{ ROW("GET", "/v1/sessions/{session_id}/queue", queue_list_route, ACCESS_SESSION_READ,
	      "sessions"),
	  .query = PAGE, .response = "QueuePage", .summary = "List the messages that wait" },

	{ ROW("POST", "/v1/sessions/{session_id}/resources", resource_add_route,
	      ACCESS_SESSION_MANAGE, "sessions"),
	  TAKES("ResourceAdd"), .response = "Resource", .summary = "Attach a resource" },
	{ ROW("GET", "/v1/sessions/{session_id}/resources", resource_list_route,
	      ACCESS_SESSION_READ, "sessions"),
	  .query = PAGE, .response = "ResourcePage", .summary = "List the resources" },
	{ ROW("GET", "/v1/sessions/{session_id}/resources/{resource_id}", resource_get_route,
	      ACCESS_SESSION_READ, "sessions"),
	  .response = "Resource", .summary = "Retrieve a resource" },
	{ ROW("POST", "/v1/sessions/{session_id}/resources/{resource_id}", resource_update_route,
	      ACCESS_SESSION_MANAGE, "sessions"),
	  TAKES("ResourceUpdate"), .response = "Resource",
	  .summary = "Rotate a resource's authorization token" },
	{ ROW("DELETE", "/v1/sessions/{session_id}/resources/{resource_id}", resource_delete_route,
	      ACCESS_SESSION_MANAGE, "sessions"),
	  DELETES, .response = "Deleted", .summary = "Detach a resource" },

	{ ROW("GET", "/v1/sessions/{session_id}/threads", thread_list_route, ACCESS_SESSION_READ,
	      "sessions"),
	  .query = PAGE " statuses[]", .response = "ThreadPage", .summary = "List the threads" },
	{ ROW("GET", "/v1/sessions/{session_id}/threads/{thread_id}", thread_get_route,
	      ACCESS_SESSION_READ, "sessions"),
	  .response = "Thread", .summary = "Retrieve a thread" },
	{ ROW("POST", "/v1/sessions/{session_id}/threads/{thread_id}/archive", thread_archive_route,
	      ACCESS_SESSION_MANAGE, "sessions"),
	  TAKES_NOTHING, .response = "Thread", .summary = "Archive a thread" },
	{ ROW("GET", "/v1/sessions/{session_id}/threads/{thread_id}/events",
	      thread_event_list_route, ACCESS_SESSION_READ, "sessions"),
	  .query = EVENTS, .response = "EventPage", .summary = "List the log of a thread" },
	{ ROW("GET", "/v1/sessions/{session_id}/threads/{thread_id}/stream", thread_stream_route,
	      ACCESS_SESSION_READ, "sessions"),
	  .answer = ROUTE_EVENTS, .query = "after event_deltas[]", .response = "Event",
	  .summary = "Follow the log of a thread" },
	/* clang-format on */
};
const size_t API_ROUTE_COUNT = sizeof API_ROUTES / sizeof *API_ROUTES;
