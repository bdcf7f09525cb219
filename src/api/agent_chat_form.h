/* agent_chat_form - a turn in the words of /agent/chat: camelCase, and frames session_resolved, content,
 * tool_call, tool_call_complete, tool_result, then one done or error. */
#pragma once
#include "api/message_turn.h"

extern const struct message_form AGENT_CHAT_FORM;
