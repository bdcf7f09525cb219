#include "explain_rows.h"

#define USER      "{\"role\":\"user\",\"content\":\"go\"}"
#define ASSISTANT "{\"role\":\"assistant\",\"content\":\"done\"}"
#define CALL(id, name)                                                           \
	"{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"" id \
	"\",\"type\":\"function\",\"function\":{\"name\":\"" name "\",\"arguments\":\"{}\"}}]}"
#define FIFTY            "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
#define X500             FIFTY FIFTY FIFTY FIFTY FIFTY FIFTY FIFTY FIFTY FIFTY FIFTY
#define X5000            X500 X500 X500 X500 X500 X500 X500 X500 X500 X500
#define RESULT(id, text) "{\"role\":\"tool\",\"tool_call_id\":\"" id "\",\"content\":\"" text "\"}"
#define LAST3            ASSISTANT "," ASSISTANT "," ASSISTANT

static const struct explain_row ROWS[] = {
	{ "C2 explain nothing to prune", "prune", "{\"messages\":[" USER "],\"window\":1}",
	  "{\"kept\":[0],\"trimmed\":[],\"cleared\":[]}" },
	{ "C2 explain no messages", "prune", "{\"messages\":[],\"window\":1}",
	  "{\"kept\":[],\"trimmed\":[],\"cleared\":[]}" },
	{ "C2 explain a trimmed result", "prune",
	  "{\"messages\":[" USER "," CALL("c", "bash") "," RESULT("c", X5000) "," LAST3
									      "],\"window\":2000}",
	  "{\"kept\":[0,1,3,4,5],\"trimmed\":[2],\"cleared\":[]}" },
	{ "C2 explain a window large enough", "prune",
	  "{\"messages\":[" USER "," CALL("c", "bash") "," RESULT(
		  "c", X5000) "," LAST3 "],\"window\":200000,\"aggressive\":false}",
	  "{\"kept\":[0,1,2,3,4,5],\"trimmed\":[],\"cleared\":[]}" },
	{ "C2 explain aggressive mode", "prune",
	  "{\"messages\":[" USER "," CALL("c", "bash") "," RESULT(
		  "c", FIFTY) "," LAST3 "],\"window\":200000,\"aggressive\":true}",
	  "{\"kept\":[0,1,3,4,5],\"trimmed\":[],\"cleared\":[2]}" },
	{ "C2 explain a skill by its call", "prune",
	  "{\"messages\":[" USER "," CALL("c", "skill") "," RESULT(
		  "c", X5000) "," LAST3
			      "],\"window\":1,\"aggressive\":true,\"profile\":\"keep_messages\"}",
	  "{\"kept\":[0,1,2,3,4,5],\"trimmed\":[],\"cleared\":[]}" },
	{ "C2 explain a skill by its name", "prune",
	  "{\"messages\":[" USER ",{\"role\":\"tool\",\"name\":\"skill\",\"content\":\"" X5000
	  "\"}," LAST3 "],\"window\":1,\"aggressive\":true}",
	  "{\"kept\":[0,1,2,3,4],\"trimmed\":[],\"cleared\":[]}" },
	{ "C2 explain refuses no window", "prune", "{\"messages\":[]}", "error: window" },
	{ "C2 explain refuses a window of 0", "prune", "{\"messages\":[],\"window\":0}",
	  "error: window" },
	{ "C2 explain refuses a broken window", "prune", "{\"messages\":[],\"window\":1.5}",
	  "error: window" },
	{ "C2 explain refuses a window in words", "prune", "{\"messages\":[],\"window\":\"1\"}",
	  "error: window" },
	{ "C2 explain refuses no messages", "prune", "{\"window\":1}", "error: messages" },
	{ "C2 explain refuses messages that are no list", "prune", "{\"messages\":{},\"window\":1}",
	  "error: messages" },
	{ "C2 explain names the message", "prune",
	  "{\"messages\":[" USER "," USER "," USER
	  ",{\"role\":\"bot\",\"content\":\"\"}],\"window\":1}",
	  "error: messages[3].role" },
	{ "C2 explain refuses a wrong flag", "prune",
	  "{\"messages\":[],\"window\":1,\"aggressive\":1}", "error: aggressive" },
	{ "C2 explain refuses an unknown profile", "prune",
	  "{\"messages\":[],\"window\":1,\"profile\":\"all\"}", "error: profile" },
	{ "C2 explain refuses unknown fields", "prune",
	  "{\"messages\":[],\"window\":1,\"limit\":1}", "error: limit" },
};

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, explain_row_check);
	return suite_run(&s, "cli/explain_prune");
}
