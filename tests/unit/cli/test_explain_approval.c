#include "explain_rows.h"

#define BASH(rules, command) \
	"{\"rules\":[" rules "],\"tool\":\"bash\",\"arguments\":{\"command\":\"" command "\"}}"
#define ALLOW_GIT "{\"tool\":\"bash\",\"pattern\":\"git *\",\"action\":\"allow\"}"
#define DENY_RM   "{\"tool\":\"bash\",\"pattern\":\"rm *\",\"action\":\"deny\"}"
#define ALL       "{\"tool\":\"bash\",\"pattern\":\"*\",\"action\":\"allow\"}"
#define ASK       "{\"decision\":\"ask\",\"rule\":null}"

static const struct explain_row ROWS[] = {
	{ "T8 explain: no rules ask", "approval", BASH("", "ls"), ASK },
	{ "T8 explain: a pattern allows", "approval", BASH(ALLOW_GIT, "git log"),
	  "{\"decision\":\"allow\",\"rule\":0}" },
	{ "T8 explain: a deny names its rule", "approval",
	  BASH(ALLOW_GIT "," DENY_RM, "git log; rm -rf /"), "{\"decision\":\"deny\",\"rule\":1}" },
	{ "T8 explain: substitution asks", "approval", BASH(ALL, "echo $(id)"), ASK },
	{ "T8 explain: a newline separates", "approval", BASH(ALLOW_GIT, "git log\\nls"), ASK },
	{ "T8 explain: an ask names its rule", "approval",
	  BASH(ALL ",{\"tool\":\"*\",\"action\":\"ask\"}", "ls"),
	  "{\"decision\":\"ask\",\"rule\":1}" },
	{ "T8 explain: the layer is session unless given", "approval",
	  BASH("{\"tool\":\"bash\",\"action\":\"allow\"},"
	       "{\"tool\":\"bash\",\"action\":\"ask\",\"layer\":\"operator\"}",
	       "ls"),
	  "{\"decision\":\"allow\",\"rule\":0}" },
	{ "T8 explain: an operator's deny is final", "approval",
	  BASH("{\"tool\":\"bash\",\"action\":\"deny\",\"layer\":\"operator\"}," ALL, "ls"),
	  "{\"decision\":\"deny\",\"rule\":0}" },
	{ "T8 explain: a deny of the agent's latest version", "approval",
	  BASH("{\"tool\":\"bash\",\"action\":\"deny\",\"layer\":\"agent_latest\"}," ALL, "ls"),
	  "{\"decision\":\"deny\",\"rule\":0}" },
	{ "T8 explain: a server's tool", "approval",
	  "{\"rules\":[{\"tool\":\"search\",\"mcp_server_name\":\"jira\",\"action\":\"allow\"}],"
	  "\"tool\":\"search\",\"mcp_server_name\":\"jira\",\"arguments\":{}}",
	  "{\"decision\":\"allow\",\"rule\":0}" },
	{ "T8 explain: no server's tool", "approval",
	  "{\"rules\":[{\"tool\":\"search\",\"mcp_server_name\":\"jira\",\"action\":\"allow\"}],"
	  "\"tool\":\"search\",\"arguments\":{}}",
	  ASK },
	{ "T8 explain: an agent deny is final", "approval",
	  BASH("{\"tool\":\"bash\",\"action\":\"deny\",\"layer\":\"agent\"}," ALL, "ls"),
	  "{\"decision\":\"deny\",\"rule\":0}" },
	{ "T8 explain: any arguments object", "approval",
	  "{\"rules\":[{\"tool\":\"mcp_*\",\"action\":\"allow\"}],\"tool\":\"mcp_x\","
	  "\"arguments\":{\"a\":[1,{\"b\":null}]}}",
	  "{\"decision\":\"allow\",\"rule\":0}" },
	{ "T8 explain: an empty pattern matches only nothing", "approval",
	  BASH("{\"tool\":\"bash\",\"pattern\":\"\",\"action\":\"allow\"}", "ls"), ASK },
	{ "T8 explain: an unknown action", "approval",
	  BASH("{\"tool\":\"bash\",\"action\":\"maybe\"}", "ls"), "error: rules[0].action" },
	{ "T8 explain: an unknown layer", "approval",
	  BASH(ALL ",{\"tool\":\"bash\",\"action\":\"ask\",\"layer\":\"user\"}", "ls"),
	  "error: rules[1].layer" },
	{ "T8 explain: a rule without tool", "approval", BASH("{\"action\":\"ask\"}", "ls"),
	  "error: rules[0].tool" },
	{ "T8 explain: a rule without action", "approval", BASH("{\"tool\":\"x\"}", "ls"),
	  "error: rules[0].action" },
	{ "T8 explain: a rule with an empty tool", "approval",
	  BASH("{\"tool\":\"\",\"action\":\"ask\"}", "ls"), "error: rules[0].tool" },
	{ "T8 explain: an unknown field of a rule", "approval",
	  BASH("{\"tool\":\"x\",\"action\":\"ask\",\"patern\":\"y\"}", "ls"),
	  "error: rules[0].patern" },
	{ "T8 explain: a pattern that is no string", "approval",
	  BASH("{\"tool\":\"x\",\"action\":\"ask\",\"pattern\":null}", "ls"),
	  "error: rules[0].pattern" },
	{ "T8 explain: a rule that is no object", "approval", BASH("1", "ls"), "error: rules[0]" },
	{ "T8 explain: rules that are no list", "approval",
	  "{\"rules\":{},\"tool\":\"x\",\"arguments\":{}}", "error: rules" },
	{ "T8 explain: no rules at all", "approval", "{\"tool\":\"x\",\"arguments\":{}}",
	  "error: rules" },
	{ "T8 explain: no tool", "approval", "{\"rules\":[],\"arguments\":{}}", "error: tool" },
	{ "T8 explain: an empty tool", "approval", "{\"rules\":[],\"tool\":\"\",\"arguments\":{}}",
	  "error: tool" },
	{ "T8 explain: no arguments", "approval", "{\"rules\":[],\"tool\":\"x\"}",
	  "error: arguments" },
	{ "T8 explain: arguments that are no object", "approval",
	  "{\"rules\":[],\"tool\":\"x\",\"arguments\":[]}", "error: arguments" },
	{ "T8 explain: an unknown field", "approval",
	  "{\"rules\":[],\"tool\":\"x\",\"arguments\":{},\"user\":1}", "error: user" },
};

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, explain_row_check);
	return suite_run(&s, "cli/explain_approval");
}
