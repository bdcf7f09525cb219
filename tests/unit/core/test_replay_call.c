#include "replay_log.h"

static const struct replay_row ROWS[] = {
	{ "T7 an allowed call has started once it is committed", "msg a; run t a; tool c",
	  "running active none | a #4 | | c:started" },
	{ "T8 an asked call waits", "msg a; run t a; tool c ask",
	  "running active none | a #4 | | c:approval" },
	{ "T8 a denied call only needs its result", "msg a; run t a; tool c deny; result c",
	  "running active none | a #4 #5 | | c:closed" },
	{ "T9 a custom tool waits for the client", "msg a; run t a; ctool c",
	  "running active none | a #4 | | c:result" },
	{ "T11 a worker's call waits for its result", "msg a; run t a; tool c client",
	  "running active none | a #4 | | c:result" },
	{ "T8 the park releases the turn", "msg a; run t a; tool c ask; park t c",
	  "parked active requires_action | a #4 | | c:approval" },
	{ "T8 an answer marks its call at ingress",
	  "msg a; run t a; tool c ask; park t c; allow y c",
	  "parked active requires_action | a #4 | y | c:approval*" },
	{ "T8 a confirmed call starts with the resume",
	  "msg a; run t a; tool c ask; park t c; allow y c; run t y",
	  "running active requires_action | a #4 | | c:started" },
	{ "T8 a confirmation is consumed while running",
	  "msg a; run t a; tool c ask; allow y c; consume t y",
	  "running active none | a #4 | | c:started" },
	{ "T9 partial answers re-emit the rest",
	  "msg a; run t a; ctool c; ctool d; park t c d; custom r c; park t d - r; custom q d; run "
	  "t q; end t end_turn",
	  "none active end_turn | a #4 #5 r q | |" },
	{ "T9 a confirmed client-side call goes on waiting for its result",
	  "msg a; run t a; ctool c ask; park t c; allow y c; park t c - y; custom r c; run t r; "
	  "end t end_turn",
	  "none active end_turn | a #4 r | |" },
	{ "T9 a result for an unknown call is refused", "msg a; run t a; custom r c",
	  "error: does not have" },
	{ "T9 a second answer is refused", "msg a; run t a; ctool c; custom r c; custom q c",
	  "error: second answer" },
	{ "T9 a result does not answer a confirmation", "msg a; run t a; tool c ask; toolres r c",
	  "error: does not wait for it" },
	{ "T8 a started call cannot be confirmed", "msg a; run t a; tool c; allow y c",
	  "error: does not wait for it" },
	{ "T7 a call has one result", "msg a; run t a; tool c; result c; result c",
	  "error: second result" },
	{ "T7 a result needs its call", "msg a; run t a; result c", "error: does not have" },
	{ "T7 a turn ends only with every call closed", "msg a; run t a; tool c; end t end_turn",
	  "error: has no result" },
	{ "T7 a call needs a running turn", "tool c", "error: outside a running turn" },
	{ "T8 started calls run before the park", "msg a; run t a; tool c; tool d ask; park t d",
	  "error: is not done" },
	{ "T8 a park needs a waiting call", "msg a; run t a; tool c; result c; park t c",
	  "error: no call waits" },
	{ "T10 an MCP call is closed by its own result",
	  "msg a; run t a; mcp c; mcpres c; end t end_turn", "none active end_turn | a #4 #5 | |" },
	{ "Q5 an interrupted park closes its calls first",
	  "msg a; run t a; tool c ask; park t c; interrupt i; result c; end t interrupted i",
	  "none active interrupted | a #4 #7 | |" },
	{ "Q5 an answer left over at the terminal counts as processed",
	  "msg a; run t a; tool c ask; park t c; allow y c; interrupt i; result c; end t "
	  "interrupted i",
	  "none active interrupted | a #4 #8 | |" },
	{ "Q5 the terminal may name the answer it leaves behind",
	  "msg a; run t a; tool c ask; park t c; allow y c; result c; end t interrupted y",
	  "none active interrupted | a #4 #7 | |" },
	{ "H5 recovery closes started calls and reschedules",
	  "msg a; run t a; tool c; result c; resched t 1; run t; say x; end t end_turn",
	  "none active end_turn | a #4 #5 #8 | |" },
	{ "H5 waiting calls survive a restart",
	  "msg a; run t a; ctool c; tool d; result d; resched t 1; run t; park t c; custom r c; "
	  "run t r; end t end_turn",
	  "none active end_turn | a #4 #5 #6 r | |" },
	{ "M9 calls of a turn end with it",
	  "msg a; run t a; tool c; result c; end t end_turn; msg b; run u b; result c",
	  "error: does not have" },
};

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, replay_row_check);
	return suite_run(&s, "replay_call");
}
