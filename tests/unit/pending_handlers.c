/* pending_handlers - stands in for the handlers that are not in the library yet. */
#include "api/handlers.h"

#define PENDING(name)                                       \
	__attribute__((weak)) void name(struct exchange *x) \
	{                                                   \
		exchange_json(x, 200, STR("{}"), false);    \
	}
PENDING(session_create_route)
PENDING(session_get_route)
PENDING(session_update_route)
PENDING(session_list_route)
PENDING(session_delete_route)
PENDING(session_archive_route)
PENDING(session_wake_route)
PENDING(session_search_route)
PENDING(session_export_route)
PENDING(session_import_route)
PENDING(event_send_route)
PENDING(event_list_route)
PENDING(event_stream_route)
PENDING(event_firehose_route)
PENDING(message_post_route)
PENDING(message_list_route)
PENDING(queue_list_route)
PENDING(resource_add_route)
PENDING(resource_list_route)
PENDING(resource_get_route)
PENDING(resource_update_route)
PENDING(resource_delete_route)
PENDING(thread_list_route)
PENDING(thread_get_route)
PENDING(thread_archive_route)
PENDING(thread_event_list_route)
PENDING(thread_stream_route)
