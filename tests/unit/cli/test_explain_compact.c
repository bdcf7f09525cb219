#include "explain_rows.h"

#define U "{\"role\":\"user\",\"content\":\"What is the capital of France?\"}"
#define A "{\"role\":\"assistant\",\"content\":\"Paris.\"}"
#define S "{\"role\":\"system\",\"content\":\"Be brief.\"}"
#define CALLS                                                                                \
	"{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"x\",\"type\":"   \
	"\"function\",\"function\":{\"name\":\"bash\",\"arguments\":\"{}\"}},{\"id\":\"y\"," \
	"\"type\":\"function\",\"function\":{\"name\":\"bash\",\"arguments\":\"{}\"}}]}"
#define R(id) "{\"role\":\"tool\",\"tool_call_id\":\"" id "\",\"content\":\"ok\"}"

static const struct explain_row ROWS[] = {
	{ "C3 explain below the threshold", "compact",
	  "{\"messages\":[" U "," A "," U "," A "," U "," A "," U "," A "," U "," A
	  "],\"window\":1000}",
	  "{\"needed\":false,\"summarised\":[],\"kept\":[0,1,2,3,4,5,6,7,8,9],"
	  "\"reason\":\"below_threshold\"}" },
	{ "C3 explain keeps 4 turns by default", "compact",
	  "{\"messages\":[" S "," U "," A "," U "," A "," U "," A "," U "," A "," U "," A
	  "],\"window\":50}",
	  "{\"needed\":true,\"summarised\":[1,2],\"kept\":[0,3,4,5,6,7,8,9,10],"
	  "\"reason\":\"over_threshold\"}" },
	{ "C3 explain keeps 10 messages", "compact",
	  "{\"messages\":[" U "," A "," U "," A "," U "," A "," U "," A "," U "," A "," U "," A
	  "],\"window\":50,\"profile\":\"keep_messages\"}",
	  "{\"needed\":true,\"summarised\":[0,1],\"kept\":[2,3,4,5,6,7,8,9,10,11],"
	  "\"reason\":\"over_threshold\"}" },
	{ "C3 explain does not split parallel calls", "compact",
	  "{\"messages\":[" U "," CALLS
	  "," R("x") "," R("y") "," A "," A "," A "," A "," A "," A "," A "," A "," A
				"],\"window\":10,\"profile\":\"keep_messages\"}",
	  "{\"needed\":true,\"summarised\":[0],\"kept\":[1,2,3,4,5,6,7,8,9,10,11,12],"
	  "\"reason\":\"over_threshold\"}" },
	{ "C3 explain too few turns", "compact",
	  "{\"messages\":[" U "," A "," A "," A "," A "," A "],\"window\":5}",
	  "{\"needed\":false,\"summarised\":[],\"kept\":[0,1,2,3,4,5],"
	  "\"reason\":\"too_few_turns\"}" },
	{ "C3 explain too few messages", "compact",
	  "{\"messages\":[" U "," U "," U "," U "," U "],\"window\":1}",
	  "{\"needed\":false,\"summarised\":[],\"kept\":[0,1,2,3,4],"
	  "\"reason\":\"too_few_messages\"}" },
	{ "C3 explain aggressive", "compact",
	  "{\"messages\":[" U "," U "," U "," U "," U "," U
	  "],\"window\":100000,\"aggressive\":true,\"profile\":\"keep_turns\"}",
	  "{\"needed\":true,\"summarised\":[0,1],\"kept\":[2,3,4,5],\"reason\":\"aggressive\"}" },
	{ "C5 explain an earlier summary", "compact",
	  "{\"messages\":[{\"role\":\"user\",\"content\":\"-\",\"synthetic\":true,\"summary\":true}"
	  ","
	  "{\"role\":\"assistant\",\"content\":\"-\",\"summary\":true}," U "," U "," U "," U
	  "],\"window\":10}",
	  "{\"needed\":false,\"summarised\":[],\"kept\":[0,1,2,3,4,5],"
	  "\"reason\":\"nothing_new\"}" },
	{ "C3 explain refuses no window", "compact", "{\"messages\":[]}", "error: window" },
	{ "C3 explain names the call", "compact",
	  "{\"messages\":[{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":[{\"id\":\"c\","
	  "\"function\":{\"name\":\"n\"}}]}],\"window\":1}",
	  "error: messages[0].tool_calls[0].function.arguments" },
	{ "C3 explain refuses unknown fields", "compact", "{\"messages\":[],\"window\":1,\"x\":1}",
	  "error: x" },
};

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, explain_row_check);
	return suite_run(&s, "cli/explain_compact");
}
