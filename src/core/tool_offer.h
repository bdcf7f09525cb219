/* tool_offer - which tools is a model offered, and what becomes of a call of each?
 *
 * The agent's blocks (core/agent_tools) say what it may use; docs say what there is. A custom tool is
 * the client's, and runs unasked unless a rule says otherwise. Built-in tools are ours, or a worker's where the environment is not ours. A server
 * that the environment brings needs no block: its tools ask first. Tools beside the built-in names
 * (processes that bash left running) go with bash; the engine's own come with the built-in block and
 * run unasked.
 *
 * Names of servers' tools are made what every provider takes (core/tool_name), and a name stands once:
 * of two tools of one name the later is offered as <server>__<name>. So a name is good for one listing:
 * a call is bound to its tool by core/tool_ref. */
#pragma once
#include "base/arena.h"
#include "base/json.h"
#include "core/tool_spec.h"
#include "core/turn_machine.h"

struct tool_docs {
	const struct tool_doc *ptr;
	size_t count;
};

struct tool_offer_facts {
	struct json blocks;      /* the agent's */
	struct tool_docs own;    /* of the engine */
	struct tool_docs local;  /* of this machine */
	struct tool_docs remote; /* of servers */
	bool by_worker;          /* somebody else's machine runs the built-in tools */
};

struct tool_offer {
	struct turn_tool *tools;
	struct tool_doc *docs; /* beside the tool of the same index; name as its home has it */
	size_t count;
	struct approval_rule *rules; /* what the agent's blocks say of them */
	size_t rule_count;
};

/* Texts stay where they are, or in a. */
void tool_offer_make(const struct tool_offer_facts *f, struct arena *a, struct tool_offer *out);
/* The tool that was called, also if it is offered by another name now; NULL: it is not there. */
const struct tool_doc *tool_offer_doc(const struct tool_offer *o, const struct turn_call *call);
/* What its server is to be asked for. */
struct str tool_offer_own_name(const struct tool_doc *doc);

/* Does it take a look at the machine, and which servers are to be asked? */
bool tool_offer_wants_built_in(struct json blocks);
bool tool_offer_wants_server(struct json blocks, struct str server);
