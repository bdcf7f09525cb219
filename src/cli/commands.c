#include "cli/commands.h"

#define SESSION                                                    \
	{                                                          \
		"--session", "ID", "the session", .required = true \
	}
#define LIMIT(n)                                                       \
	{                                                              \
		"--limit", "N", "at most so many; 0: all (" n ")", 'n' \
	}
#define YES                                      \
	{                                        \
		"--yes", NULL, "do not ask", 'y' \
	}

const struct command COMMANDS[] = {
	/* clang-format off: one command a paragraph */
	{ .name = "chat", .summary = "talk to an agent", .client = true, .run = cmd_chat,
	  .more = "Answers appear while they are written. Ctrl-C interrupts the agent; at the prompt it"
		  " clears the line, and Ctrl-D leaves. Each directory has a conversation of its own, which"
		  " chat goes on with; --new begins another one. Text from a pipe is one message. A line that"
		  " ends in a backslash goes on in the next one; /help lists the commands.",
	  .options = {
		{ "--message", "TEXT", "say this, print the answer and leave", 'm' },
		{ "--session", "ID", "open or reopen this session", 's' },
		{ "--agent", "ID", "the agent of a new session (main)", 'a' },
		{ "--new", NULL, "begin a new conversation", 'n' },
		{ "--stdin", NULL, "put the text of stdin behind --message" },
	  },
	  .examples = "perdure chat\n"
		      "perdure chat -m 'What does this repository do?'\n"
		      "git diff | perdure chat -m 'Review this:' --stdin\n"
		      "perdure chat --session cli:notes --agent main" },

	{ .name = "session list", .summary = "list sessions, newest activity first", .client = true,
	  .run = cmd_session_list,
	  .options = {
		{ "--agent", "ID", "only sessions of this agent" },
		{ "--status", "S", "idle, running, rescheduling, terminated, archived, inactive ..." },
		{ "--text", "WORDS", "only with these in the title" },
		{ "--prefix", "P", "only ids that begin so" },
		{ "--all", NULL, "also archived and inactive ones", 'a' },
		LIMIT("50"),
	  },
	  .examples = "perdure session list\nperdure session list --all --json" },
	{ .name = "session show", .args = "ID", .summary = "show one session", .client = true,
	  .run = cmd_session_show },
	{ .name = "session events", .args = "ID", .summary = "show the end of a session's log",
	  .client = true, .run = cmd_session_events,
	  .options = {
		LIMIT("20"),
		{ "--type", "TYPE", "only events of this kind" },
	  },
	  .examples = "perdure session events cli:notes --limit 5" },
	{ .name = "session tail", .args = "ID", .summary = "follow a session's log until Ctrl-C",
	  .client = true, .run = cmd_session_tail,
	  .more = "Goes on where it was when the server restarts. With --json each event is a line.",
	  .options = {
		{ "--after", "SEQ", "begin behind this event (0: with the first)" },
		LIMIT("10"),
	  } },
	{ .name = "session queue list", .args = "ID", .summary = "list the messages that wait",
	  .client = true, .run = cmd_session_queue_list },
	{ .name = "session queue edit", .args = "ID MESSAGE TEXT",
	  .summary = "give a message that waits another text",
	  .client = true, .run = cmd_session_queue_edit,
	  .more = "MESSAGE is the id that the list shows. Once its turn has begun it is refused." },
	{ .name = "session queue cancel", .args = "ID MESSAGE",
	  .summary = "take a message back that waits",
	  .client = true, .run = cmd_session_queue_cancel },
	{ .name = "session rename", .args = "ID TITLE", .summary = "give a session a title",
	  .client = true, .run = cmd_session_rename },
	{ .name = "session archive", .args = "ID", .summary = "put a session away; it can be read",
	  .client = true, .run = cmd_session_archive },
	{ .name = "session delete", .args = "ID", .summary = "delete a session for good",
	  .client = true, .run = cmd_session_delete, .options = { YES } },
	{ .name = "session export", .args = "ID [FILE]", .summary = "write a session as a bundle",
	  .client = true, .run = cmd_session_export,
	  .more = "A bundle is the whole log as lines of JSON; import restores it byte by byte. Without FILE"
		  " it goes to stdout. FILE appears only when it is whole." },
	{ .name = "session import", .args = "FILE", .summary = "restore a session from its bundle",
	  .client = true, .run = cmd_session_import, .more = "FILE - is stdin." },
	{ .name = "import", .summary = "restore sessions from the files beside a database",
	  .client = true, .run = cmd_import,
	  .options = { { "--mirror", "DIR", "what a server with \"mirror: on\" wrote", .required = true } },
	  .more = "DIR is the data directory of that server, which need not run, or the folder of one session."
		  " Events, their hashes and queued wakes come back as they were; a session that is there"
		  " already is left as it is. Prints the ids.",
	  .examples = "perdure import --mirror /var/lib/perdure-old" },

	{ .name = "lane list", .summary = "list conversations, newest activity first", .client = true,
	  .run = cmd_lane_list,
	  .more = "A lane is a conversation: where it takes place, and the session that it is in now.",
	  .options = {
		{ "--active", "MINUTES", "only those in which something was said so recently" },
		LIMIT("50"),
	  } },
	{ .name = "lane show", .args = "LANE", .summary = "show one conversation", .client = true,
	  .run = cmd_lane_show, .more = "LANE is its id, or the id of the session that it is in." },
	{ .name = "lane reset", .args = "LANE",
	  .summary = "begin a conversation anew; prints the new session's id", .client = true,
	  .run = cmd_lane_reset, .options = { { "--name", "NAME", "what people call it" } },
	  .more = "The session it was in is archived; lane switch goes back to it." },
	{ .name = "lane switch", .args = "LANE SESSION",
	  .summary = "let a conversation go on in another session", .client = true,
	  .run = cmd_lane_switch },
	{ .name = "lane update", .args = "LANE", .summary = "change a conversation's settings",
	  .client = true, .run = cmd_lane_update,
	  .options = {
		{ "--busy", "MODE", "of its messages that come while a turn runs: queue, steer,"
				    " interrupt, collect, reject or default" },
		{ "--name", "NAME", "what people call it" },
	  },
	  .more = "A message that names a mode itself keeps it; default goes back to what the platform"
		  " or queue.busy says." },
	{ .name = "lane suspend", .args = "LANE",
	  .summary = "let its next message open a new session", .client = true,
	  .run = cmd_lane_suspend },
	{ .name = "lane resume", .args = "LANE",
	  .summary = "let its next message continue the session, whatever the policy says",
	  .client = true, .run = cmd_lane_resume,
	  .options = {
		{ "--reason", "R", "restart_timeout, shutdown_timeout or restart_interrupted" },
		{ "--clear", NULL, "take that mark away" },
	  } },
	{ .name = "lane prune", .summary = "forget conversations that are old; prints how many",
	  .client = true, .run = cmd_lane_prune,
	  .options = { { "--days", "N", "without activity for so long", .required = true } },
	  .more = "Sessions stay: only which one a conversation is in is forgotten." },
	{ .name = "lane export", .args = "[FILE]", .summary = "write all lanes as a sessions.json",
	  .client = true, .run = cmd_lane_export, .more = "FILE appears only when it is whole." },
	{ .name = "lane import", .args = "FILE", .summary = "restore lanes from a sessions.json",
	  .client = true, .run = cmd_lane_import,
	  .more = "FILE - is stdin. Lanes whose session is not here are counted and left out." },

	{ .name = "agent list", .summary = "list agents", .client = true, .run = cmd_agent_list,
	  .options = { { "--all", NULL, "also archived ones", 'a' }, LIMIT("0") } },
	{ .name = "agent show", .args = "ID", .summary = "show an agent's definition", .client = true,
	  .run = cmd_agent_show, .options = { { "--version", "N", "as this version froze it" } } },
	{ .name = "agent create", .summary = "create an agent; prints its id", .client = true,
	  .run = cmd_agent_create,
	  .options = {
		{ "--name", "NAME", "what people call it" },
		{ "--model", "MODEL", "the model that it runs (the server's default)" },
		{ "--system", "TEXT", "its system prompt; @FILE reads it" },
		{ "--description", "TEXT", "what it is for" },
		{ "--file", "FILE", "the whole definition as JSON; - is stdin", 'f' },
	  },
	  .examples = "perdure agent create --name helper --system 'You are brief.'\n"
		      "perdure agent create --file agent.json" },
	{ .name = "agent update", .args = "ID", .summary = "change an agent; makes its next version",
	  .client = true, .run = cmd_agent_update,
	  .options = {
		{ "--name", "NAME", "what people call it" },
		{ "--model", "MODEL", "the model that it runs" },
		{ "--system", "TEXT", "its system prompt; @FILE reads it" },
		{ "--description", "TEXT", "what it is for" },
		{ "--version", "N", "refuse unless this is the current version" },
		{ "--file", "FILE", "the changes as JSON; - is stdin", 'f' },
	  } },
	{ .name = "agent archive", .args = "ID", .summary = "archive an agent: it opens no new session",
	  .client = true, .run = cmd_agent_archive },
	{ .name = "agent wake", .summary = "look at what is pending or due and run one turn",
	  .client = true, .run = cmd_agent_wake, .options = { SESSION } },
	{ .name = "agent session create", .summary = "open a session; prints its id", .client = true,
	  .run = cmd_agent_session_create,
	  .options = {
		{ "--name", "AGENT", "the agent, by id or name", .required = true },
		{ "--environment", "ID", "where its tools run (local-default)" },
		{ "--title", "TEXT", "a title" },
	  },
	  .examples = "perdure agent session create --name main" },
	{ .name = "agent session send", .summary = "send a message; prints its id", .client = true,
	  .run = cmd_agent_session_send,
	  .options = {
		SESSION,
		{ "--message", "TEXT", "what to say", 'm', .required = true },
		{ "--wait", NULL, "wait for the answer and print it" },
	  } },
	{ .name = "agent session status", .summary = "show what a session does and waits for",
	  .client = true, .run = cmd_agent_session_status, .options = { SESSION } },
	{ .name = "agent session events", .summary = "show the last events", .client = true,
	  .run = cmd_agent_session_events, .options = { SESSION, LIMIT("10") } },
	{ .name = "agent session confirm-tool", .summary = "allow or deny a tool call that waits",
	  .client = true, .run = cmd_agent_session_confirm_tool,
	  .options = {
		SESSION,
		{ "--allowed", "true|false", "the decision", .required = true },
		{ "--request", "ID", "the call; not needed when only one waits" },
		{ "--note", "TEXT", "with false: why" },
		{ "--always", NULL, "with true: such calls are not asked about again" },
	  } },
	{ .name = "agent session custom-tool-result", .summary = "give the result of a custom tool",
	  .client = true, .run = cmd_agent_session_custom_tool_result,
	  .options = {
		SESSION,
		{ "--output", "TEXT", "the result", .required = true },
		{ "--request", "ID", "the call; not needed when only one waits" },
		{ "--error", NULL, "the tool failed" },
	  } },
	{ .name = "agent session interrupt", .summary = "interrupt the turn that runs", .client = true,
	  .run = cmd_agent_session_interrupt, .options = { SESSION } },

	{ .name = "environment list", .summary = "list environments", .client = true,
	  .run = cmd_environment_list,
	  .options = { { "--all", NULL, "also archived ones", 'a' }, LIMIT("0") } },
	{ .name = "environment show", .args = "ID", .summary = "show an environment", .client = true,
	  .run = cmd_environment_show },
	{ .name = "schedule create", .summary = "create a schedule; prints its id", .client = true,
	  .run = cmd_schedule_create,
	  .more = "What the agent says goes where --to says. Without it it goes where the schedule was asked"
		  " for, and to nobody when that is nowhere; the session schedule:ID has it in any case.",
	  .options = {
		{ "--name", "NAME", "what people call it" },
		{ "--prompt", "TEXT", "what the agent is told; @FILE reads it" },
		{ "--agent", "ID", "the agent (main)" },
		{ "--cron", "EXPR", "five fields, or @daily and its like" },
		{ "--zone", "NAME", "the time zone of --cron, Europe/Berlin (UTC)" },
		{ "--at", "TIME", "once, as 2026-12-31T09:00:00Z" },
		{ "--every", "TIME", "again and again: 90s, 15m, 2h, 7d" },
		{ "--missed", "POLICY", "slots that passed: skip, latest or all:N (latest)" },
		{ "--timeout", "TIME", "how long a run may take (1h)" },
		{ "--to", "WHERE", "silent, origin, session:ID, home:P or target:P:CHAT (origin)" },
		{ "--file", "FILE", "the whole definition as JSON; - is stdin", 'f' },
	  },
	  .examples = "perdure schedule create --name news --cron '0 9 * * 1-5' --zone Europe/Berlin \\\n"
		      "  --prompt 'What is new?' --to session:cli:notes\n"
		      "perdure schedule create --name ping --every 15m --prompt 'say pong'" },
	{ .name = "schedule list", .summary = "list schedules", .client = true,
	  .run = cmd_schedule_list, .options = { LIMIT("0") } },
	{ .name = "schedule show", .args = "ID", .summary = "show a schedule", .client = true,
	  .run = cmd_schedule_show },
	{ .name = "schedule update", .args = "ID", .summary = "change a schedule", .client = true,
	  .run = cmd_schedule_update,
	  .options = {
		{ "--name", "NAME", "what people call it" },
		{ "--prompt", "TEXT", "what the agent is told; @FILE reads it" },
		{ "--cron", "EXPR", "five fields, or @daily and its like" },
		{ "--zone", "NAME", "the time zone of --cron, Europe/Berlin (UTC)" },
		{ "--at", "TIME", "once, as 2026-12-31T09:00:00Z" },
		{ "--every", "TIME", "again and again: 90s, 15m, 2h, 7d" },
		{ "--missed", "POLICY", "slots that passed: skip, latest or all:N (latest)" },
		{ "--timeout", "TIME", "how long a run may take (1h)" },
		{ "--to", "WHERE", "silent, origin, session:ID, home:P or target:P:CHAT (origin)" },
		{ "--file", "FILE", "the changes as JSON; - is stdin", 'f' },
	  } },
	{ .name = "schedule delete", .args = "ID", .summary = "delete a schedule and its history",
	  .client = true, .run = cmd_schedule_delete, .options = { YES } },
	{ .name = "schedule run", .args = "ID", .summary = "run a schedule now; prints the run's id",
	  .client = true, .run = cmd_schedule_run },
	{ .name = "schedule runs", .args = "ID", .summary = "show how its runs went, newest first",
	  .client = true, .run = cmd_schedule_runs, .options = { LIMIT("20") } },
	{ .name = "schedule pause", .args = "ID", .summary = "pause a schedule", .client = true,
	  .run = cmd_schedule_pause },
	{ .name = "schedule resume", .args = "ID",
	  .summary = "let a paused schedule go on; what passed is not made up for", .client = true,
	  .run = cmd_schedule_resume },

	{ .name = "user create", .summary = "create a user; prints the id", .client = true,
	  .run = cmd_user_create,
	  .options = {
		{ "--name", "NAME", "what people call them", .required = true },
		{ "--role", "ROLE", "owner, user or guest (user)" },
	  } },
	{ .name = "user list", .summary = "list users", .client = true, .run = cmd_user_list,
	  .options = { LIMIT("0") } },
	{ .name = "token create", .summary = "create a token; prints the secret, once", .client = true,
	  .run = cmd_token_create,
	  .options = {
		{ "--kind", "KIND", "owner, user, channel, worker or environment", .required = true },
		{ "--user", "ID", "of a user token: for whom" },
		{ "--namespace", "NAME", "of a channel token: how its ids begin" },
		{ "--environment", "ID", "of an environment token: which" },
		{ "--name", "NAME", "what it is for" },
		{ "--expires", "TIME", "until when, as 2026-12-31T00:00:00Z" },
	  },
	  .examples = "perdure token create --kind user --user user_... > alice.token" },
	{ .name = "token list", .summary = "list tokens, without secrets", .client = true,
	  .run = cmd_token_list, .options = { LIMIT("0") } },
	{ .name = "token revoke", .args = "ID", .summary = "revoke a token, also on open streams",
	  .client = true, .run = cmd_token_revoke },

	{ .name = "restart", .summary = "restart the server and wait until it serves again",
	  .client = true, .run = cmd_restart,
	  .more = "Owners only. New work is refused with 'try again', turns that run may end"
		  " (agent.drain_timeout_s), then the server begins anew in the same process, with its"
		  " configuration and program as they are by now. Turns that take longer go on afterwards."
		  " If it would not come up again, nothing is done." },

	{ .name = "explain", .summary = "ask one decision of the product with facts of your own",
	  .main = cmd_explain },
	{ .name = "completion", .args = "SHELL", .summary = "print the completion script for bash",
	  .run = cmd_text_completion, .examples = "source <(perdure completion bash)" },
	{ .name = "man", .summary = "print the manual page", .run = cmd_text_man,
	  .examples = "perdure man | man -l -" },
	{ .name = "version", .summary = "print the version", .run = cmd_text_version },
	/* clang-format on */
};
const size_t COMMANDS_COUNT = sizeof COMMANDS / sizeof *COMMANDS;
