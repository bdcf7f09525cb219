/* handlers - what the rows of the route table call, one line per route.
 * Each is an exchange_fn: see api/exchange.h for what it is given and how it ends. */
#pragma once
#include "api/exchange.h"

/* api/agent_routes */
exchange_fn agent_create_route, agent_get_route, agent_update_route, agent_list_route,
	agent_archive_route, agent_versions_route;
/* api/environment_routes */
exchange_fn environment_create_route, environment_get_route, environment_update_route,
	environment_list_route, environment_delete_route, environment_archive_route;
/* api/workspace_routes */
exchange_fn workspace_create_route, workspace_list_route, workspace_get_route,
	workspace_update_route;
/* api/work_routes */
exchange_fn work_poll_route, work_list_route, work_stats_route, work_get_route, work_update_route,
	work_acknowledge_route, work_heartbeat_route, work_stop_route;
/* api/user_routes */
exchange_fn user_create_route, user_list_route, user_get_route, user_update_route;
/* api/token_routes */
exchange_fn token_create_route, token_list_route, token_revoke_route;
/* api/schedule_routes */
exchange_fn schedule_create_route, schedule_list_route, schedule_get_route, schedule_update_route,
	schedule_delete_route, schedule_run_route, schedule_pause_route, schedule_resume_route,
	schedule_runs_route;
/* api/session_routes */
exchange_fn session_create_route, session_get_route, session_update_route, session_list_route,
	session_delete_route, session_archive_route, session_wake_route, session_search_route;
/* api/lane_routes */
exchange_fn session_resolve_route, lane_get_route, lane_update_route, lane_suspend_route,
	lane_mark_resume_route, lane_clear_resume_route, lane_mark_recent_route, lane_prune_route,
	lane_reset_route, lane_switch_route, lane_rewind_route, lane_import_route;
/* api/agent_chat_routes */
exchange_fn agent_chat_route, agent_chat_stream_route, agent_reset_route;
/* api/lane_list */
exchange_fn lane_list_route, lane_any_route;
/* api/lane_export */
exchange_fn lane_export_route;
/* api/session_bundle: the file that restores a log byte by byte */
exchange_fn session_export_route, session_import_route;
/* api/event_routes */
exchange_fn event_send_route, event_list_route;
/* api/event_stream: of one session, of all */
exchange_fn event_stream_route, event_firehose_route;
/* api/message_routes */
exchange_fn message_post_route, message_list_route;
/* api/queue_routes */
exchange_fn queue_list_route, queue_edit_route, queue_cancel_route;
/* api/command_routes */
exchange_fn command_run_route;
/* api/resource_routes */
exchange_fn resource_add_route, resource_list_route, resource_get_route, resource_update_route,
	resource_delete_route;
/* api/thread_routes */
exchange_fn thread_list_route, thread_get_route, thread_archive_route, thread_event_list_route,
	thread_stream_route;
/* api/socket */
exchange_fn socket_route;
/* api/system_routes */
exchange_fn system_health_route, system_ready_route, system_metrics_route, system_openapi_route,
	system_server_route, system_restart_route;
