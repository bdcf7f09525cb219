/* commands - the table itself, and the functions behind its rows. */
#pragma once
#include "cli/call.h"

extern const struct command COMMANDS[];
extern const size_t COMMANDS_COUNT;

int cmd_agent_archive(struct cli_call *call, struct err *e);
int cmd_agent_create(struct cli_call *call, struct err *e);
int cmd_agent_list(struct cli_call *call, struct err *e);
int cmd_agent_show(struct cli_call *call, struct err *e);
int cmd_agent_update(struct cli_call *call, struct err *e);
int cmd_agent_session_confirm_tool(struct cli_call *call, struct err *e);
int cmd_agent_session_create(struct cli_call *call, struct err *e);
int cmd_agent_session_custom_tool_result(struct cli_call *call, struct err *e);
int cmd_agent_session_events(struct cli_call *call, struct err *e);
int cmd_agent_session_interrupt(struct cli_call *call, struct err *e);
int cmd_agent_session_send(struct cli_call *call, struct err *e);
int cmd_agent_session_status(struct cli_call *call, struct err *e);
int cmd_agent_wake(struct cli_call *call, struct err *e);
int cmd_chat(struct cli_call *call, struct err *e);
int cmd_environment_list(struct cli_call *call, struct err *e);
int cmd_environment_show(struct cli_call *call, struct err *e);
int cmd_import(struct cli_call *call, struct err *e);
int cmd_schedule_create(struct cli_call *call, struct err *e);
int cmd_schedule_delete(struct cli_call *call, struct err *e);
int cmd_schedule_list(struct cli_call *call, struct err *e);
int cmd_schedule_pause(struct cli_call *call, struct err *e);
int cmd_schedule_resume(struct cli_call *call, struct err *e);
int cmd_schedule_run(struct cli_call *call, struct err *e);
int cmd_schedule_runs(struct cli_call *call, struct err *e);
int cmd_schedule_show(struct cli_call *call, struct err *e);
int cmd_schedule_update(struct cli_call *call, struct err *e);
int cmd_session_archive(struct cli_call *call, struct err *e);
int cmd_session_delete(struct cli_call *call, struct err *e);
int cmd_session_events(struct cli_call *call, struct err *e);
int cmd_session_export(struct cli_call *call, struct err *e);
int cmd_session_import(struct cli_call *call, struct err *e);
int cmd_session_list(struct cli_call *call, struct err *e);
int cmd_session_rename(struct cli_call *call, struct err *e);
int cmd_session_show(struct cli_call *call, struct err *e);
int cmd_session_queue_cancel(struct cli_call *call, struct err *e);
int cmd_session_queue_edit(struct cli_call *call, struct err *e);
int cmd_session_queue_list(struct cli_call *call, struct err *e);
int cmd_session_tail(struct cli_call *call, struct err *e);
int cmd_text_completion(struct cli_call *call, struct err *e);
int cmd_text_man(struct cli_call *call, struct err *e);
int cmd_text_version(struct cli_call *call, struct err *e);
int cmd_token_create(struct cli_call *call, struct err *e);
int cmd_token_list(struct cli_call *call, struct err *e);
int cmd_token_revoke(struct cli_call *call, struct err *e);
int cmd_user_create(struct cli_call *call, struct err *e);
int cmd_user_list(struct cli_call *call, struct err *e);
int cmd_explain(int argc, char **argv, struct err *e);
