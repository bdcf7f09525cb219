#include "provider/openai_chat.h"

#include "dialect_rig.h"

#define CHUNK(delta, why)                                                                       \
	EVENT("{'id':'c','object':'chat.completion.chunk','choices':[{'index':0,'delta':" delta \
	      ",'finish_reason':" why "}]}")
#define SAY(text)   CHUNK("{'content':'" text "'}", "null")
#define ROLE        CHUNK("{'role':'assistant','content':''}", "null")
#define END(why)    CHUNK("{}", "'" why "'")
#define CALL(piece) CHUNK("{'tool_calls':[" piece "]}", "null")
#define USAGE                                                                                      \
	EVENT("{'choices':[],'usage':{'prompt_tokens':30,'completion_tokens':9,'total_tokens':39," \
	      "'prompt_tokens_details':{'cached_tokens':20},'completion_tokens_details':"          \
	      "{'reasoning_tokens':4}}}")
#define DONE        EVENT("[DONE]")
#define SIGNATURE   "'extra_content':{'google':{'thought_signature':'S'}}"
#define KEPT(items) "{'from':'acme/m','items':[" items "]}"

static const struct row {
	const char *name, *stream, *want;
} ROWS[] = {
	{ "T3 text, and usage whose prompt includes what was cached",
	  ROLE SAY("héllo") SAY(" wörld") END("stop") USAGE DONE,
	  "'héllo' ' wörld' end 10+9 r4 20+0" },
	{ "T3 parallel calls, their pieces mixed",
	  ROLE CALL("{'index':0,'id':'a','type':'function','function':{'name':'look','arguments':"
		    "''}}") CALL("{'index':1,'id':'b','type':'function','function':{'name':'see',"
				 "'arguments':''}}")
		  CALL("{'index':0,'function':{'arguments':'{\\'q\\':'}},{'index':1,'function':"
		       "{'arguments':'{}'}}") CALL("{'index':0,'function':{'arguments':'1}'}}")
			  END("tool_calls") DONE,
	  "call(a look {'q':1}) call(b see {}) tools 0+0 r0 0+0" },
	{ "T3 calls that all have one index",
	  CALL("{'index':0,'id':'a','function':{'name':'look','arguments':'{}'}}")
		  CALL("{'index':0,'id':'b','function':{'name':'see','arguments':'{}'}}")
			  END("stop") DONE,
	  "call(a look {}) call(b see {}) tools 0+0 r0 0+0" },
	{ "T3 a call whose every piece has an id of its own",
	  CALL("{'index':0,'id':'a','function':{'name':'look','arguments':''}}")
		  CALL("{'index':0,'id':'b','function':{'arguments':'{\\'q\\':'}}")
			  CALL("{'index':0,'id':'c','function':{'name':'','arguments':'1}'}}")
				  END("tool_calls") DONE,
	  "call(a look {'q':1}) tools 0+0 r0 0+0" },
	{ "T3 calls without index and id",
	  CALL("{'function':{'name':'look','arguments':'{}'}}") END("tool_calls") DONE,
	  "call(call_1 look {}) tools 0+0 r0 0+0" },
	{ "T3 thinking by either name",
	  CHUNK("{'reasoning_content':'h'}", "null") CHUNK("{'reasoning':'m'}", "null") SAY("a")
		  END("stop") DONE,
	  "(h) (m) 'a' end 0+0 r0 0+0" },
	{ "T3 the thoughts that led to calls are kept, and what came with a call",
	  CHUNK("{'reasoning_content':'h'}", "null") CHUNK("{'reasoning_content':'\\'m'}", "null")
		  CALL("{'index':0,'id':'a','function':{'name':'look','arguments':'{}'}}")
			  CALL("{'index':1,'id':'b','function':{'name':'see'}," SIGNATURE "}")
				  END("tool_calls") END("tool_calls") USAGE DONE,
	  "(h) ('m) " KEPT("{'at':0,'item':{'reasoning_content':'h\\'m'}},"
			   "{'at':2,'item':{" SIGNATURE "}}") " call(a look {}) call(b see {}) "
							      "tools 10+9 r4 20+0" },
	{ "T3 thoughts are kept by the name they came under, without [DONE]",
	  CHUNK("{'reasoning':'hm'}", "null") CALL(
		  "{'id':'a','function':{'name':'look'},'extra_content':null}") END("tool_calls"),
	  "(hm) " KEPT("{'at':0,'item':{'reasoning':'hm'}}") " call(a look {}) tools 0+0 r0 0+0" },
	{ "T3 a thought that is empty is kept empty",
	  CHUNK("{'reasoning_content':'','reasoning':''}", "null")
		  CHUNK("{'reasoning_content':null}", "null")
			  CALL("{'id':'a','function':{'name':'look'}}") END("tool_calls") DONE,
	  KEPT("{'at':0,'item':{'reasoning_content':''}}") " call(a look {}) tools 0+0 r0 0+0" },
	{ "T3 what came first with a call is kept, when it is something",
	  CALL("{'index':0,'id':'a','function':{'name':'look'},'extra_content':{}}") CALL(
		  "{'index':0," SIGNATURE "}") CALL("{'index':0,'extra_content':{'x':1}}")
		  CALL("{'index':1,'function':{'name':'see'},'extra_content':7}") END("stop") DONE,
	  KEPT("{'at':1,'item':{" SIGNATURE "}}") " call(a look {}) call(call_2 see {}) tools "
						  "0+0 r0 0+0" },
	{ "T3 content in parts",
	  CHUNK("{'content':[{'type':'text','text':'a'},{'type':'text','text':'b'}]}", "'stop'")
		  DONE,
	  "'a' 'b' end 0+0 r0 0+0" },
	{ "T3 the call that the length limit cut is lost",
	  CALL("{'index':0,'id':'a','function':{'name':'look','arguments':'{\\'q'}}") END("length")
		  DONE,
	  "lost(a look) cut 0+0 r0 0+0" },
	{ "T3 the call that the length limit cut before its arguments is lost",
	  CALL("{'index':0,'id':'a','function':{'name':'look','arguments':'{}'}}")
		  CALL("{'index':1,'id':'b','function':{'name':'look','arguments':''}}")
			  END("length") DONE,
	  "call(a look {}) lost(b look) cut 0+0 r0 0+0" },
	{ "T3 a call without arguments is whole when another begins, and what is kept stays in "
	  "place",
	  CALL("{'index':0,'id':'a','function':{'name':'look','arguments':''}}") CALL(
		  "{'index':1,'id':'b','function':{'name':'look','arguments':'{\\'q'}," SIGNATURE
		  "}") END("length") DONE,
	  KEPT("{'at':2,'item':{" SIGNATURE "}}") " call(a look {}) lost(b look) cut 0+0 r0 0+0" },
	{ "T3 the length limit cuts what is said", SAY("a") END("length") DONE,
	  "'a' length 0+0 r0 0+0" },
	{ "T3 a content filter", SAY("a") END("content_filter") DONE, "'a' refusal 0+0 r0 0+0" },
	{ "T3 a refusal is said", CHUNK("{'refusal':'no'}", "null") END("stop") DONE,
	  "'no' refusal 0+0 r0 0+0" },
	{ "T3 more cached than asked is a bug of the peer's",
	  END("stop") EVENT("{'choices':[],'usage':{'prompt_tokens':5,'completion_tokens':-1,"
			    "'prompt_tokens_details':{'cached_tokens':9}}}") DONE,
	  "end 0+0 r0 5+0" },
	{ "T3 usage of null, comments, no [DONE]",
	  ": hello\n\n" EVENT("{'choices':[{'delta':{'content':'a'},'finish_reason':'stop'}],"
			      "'usage':null}"),
	  "'a' end 0+0 r0 0+0" },
	{ "T6 a call without a name",
	  CALL("{'index':0,'id':'a','function':{'arguments':'{}'}}") END("tool_calls") DONE,
	  "!malformed acme/m: a tool call in the answer has no name" },
	{ "T6 an error in the stream",
	  SAY("a") EVENT("{'error':{'message':'try later','type':'server_error','code':null}}"),
	  "'a' !server acme/m: the answer broke off: try later" },
	{ "T6 an error with a number", EVENT("{'error':{'message':'much','code':429}}"),
	  "!rate_limited acme/m: the answer broke off: much" },
	{ "T6 a context that is too long",
	  EVENT("{'error':{'message':'m','code':'context_length_exceeded'}}"),
	  "!context_length acme/m: the answer broke off: m" },
	{ "T6 no money", EVENT("{'error':{'message':'m','type':'insufficient_quota'}}"),
	  "!billing acme/m: the answer broke off: m" },
	{ "T6 an error that is a text", EVENT("{'error':'gone'}"),
	  "!server acme/m: the answer broke off: gone" },
	{ "T6 the end is missing", ROLE SAY("a"),
	  "'a' !network acme/m: the answer ended in the middle" },
	{ "T6 [DONE] without a reason", SAY("a") DONE,
	  "'a' !network acme/m: the answer ended in the middle" },
	{ "T6 a half event at the end", SAY("a") "data: {'choices'",
	  "'a' !network acme/m: the answer ended in the middle" },
	{ "T6 an event that is no object", EVENT("7"),
	  "!malformed acme/m: the answer makes no sense: it is no object" },
};

static void
check_row(void **state)
{
	const struct row *row = *state;

	dialect_check_stream(&DIALECT_OPENAI_CHAT, row->stream, row->want);
}

static const struct row HEARD[] = {
	{ "T15 an answer has begun with its first choice", ROLE SAY("a"), ".0" },
	{ "T15 before that nobody answers", EVENT("{'choices':[]}"), "" },
	{ "T15 arguments are heard piece by piece",
	  ROLE CALL("{'index':0,'id':'a','function':{'name':'look','arguments':''}}")
		  CALL("{'index':0,'function':{'arguments':'{\\'q'}}")
			  CALL("{'index':0,'function':{'arguments':'\\':'}}"),
	  ".0.0{'q.0':" },
};

static void
check_heard(void **state)
{
	const struct row *row = *state;

	dialect_check_heard(&DIALECT_OPENAI_CHAT, row->stream, row->want);
}

static const struct row WHOLE[] = {
	{ "T3 an answer that came whole",
	  "{'choices':[{'message':{'role':'assistant','content':'a','reasoning_content':'hm',"
	  "'refusal':null,'tool_calls':[{'id':'x','function':{'name':'look','arguments':'{}'}},"
	  "{'id':'y','function':{'name':'see','arguments':''}}]},'finish_reason':'tool_calls'}],"
	  "'usage':{'prompt_tokens':3,'completion_tokens':2}}",
	  "(hm) 'a' " KEPT(
		  "{'at':0,'item':{'reasoning_content':'hm'}}") " call(x look {}) call(y "
								"see {}) tools 3+2 r0 0+0" },
	{ "T6 an error that came whole", "{'error':{'message':'m','code':'500'}}",
	  "!server acme/m: the answer broke off: m" },
	{ "T6 no choices", "{'choices':[]}", "!malformed acme/m: the answer has no choices" },
};

static void
check_whole(void **state)
{
	const struct row *row = *state;

	dialect_check_whole(&DIALECT_OPENAI_CHAT, row->stream, row->want);
}

#define PICTURE "{'type':'image_url','image_url':{'url':'data:image/png;base64,QUJD'}}"

static void
M11_a_request_with_everything(void **state)
{
	(void)state;
	dialect_check_body(
		&DIALECT_OPENAI_CHAT, false, &DIALECT_FULL,
		"{'model':'m','messages':[{'role':'system','content':'Be kind.'},"
		"{'role':'user','content':[{'type':'text','text':'see'}," PICTURE
		",{'type':'image_url','image_url':{'url':'https://example.org/a.jpg'}}]},"
		"{'role':'assistant','content':'well','tool_calls':["
		"{'id':'call_1','type':'function','function':{'name':'look','arguments':"
		"'{\\'q\\':1}'}},{'id':'f.look:2','type':'function','function':{'name':'look',"
		"'arguments':'not json'}}]},"
		"{'role':'tool','tool_call_id':'call_1','content':'one'},"
		"{'role':'tool','tool_call_id':'f.look:2','content':''},"
		"{'role':'user','content':[{'type':'text','text':"
		"'[images of the result of call_1]'}," PICTURE "]},"
		"{'role':'user','content':'and?'},{'role':'assistant','content':'so'},"
		"{'role':'system','content':'mind'},{'role':'user','content':'end'}],"
		"'tools':[{'type':'function','function':{'name':'look','description':'looks',"
		"'parameters':{'type':'object'}}},{'type':'function','function':{'name':'bare',"
		"'description':'has no schema','parameters':{'type':'object','properties':{}}}}],"
		"'max_tokens':100,'stream':true,'stream_options':{'include_usage':true}}");
}

#define OWN(who)                                                                      \
	"{\"from\":\"" who "\",\"items\":[{\"at\":0,\"item\":{\"reasoning_content\":" \
	"\"hm\"}},{\"at\":2,\"item\":{\"extra_content\":{\"google\":"                 \
	"{\"thought_signature\":\"S\"}}}}]}"
#define CALLED(id, extra) \
	"{'id':'" id "','type':'function','function':{'name':'look','arguments':'{}'}" extra "}"

static const struct returned {
	const char *name, *reasoning;
	size_t calls;
	const char *want;
} RETURNED[] = {
	{ "T3 reasoning goes back with its calls", OWN("acme/m"), 2,
	  "'content':null,'reasoning_content':'hm','tool_calls':[" CALLED("a", "") "," CALLED(
		  "b", "," SIGNATURE) "]" },
	{ "T3 reasoning under the other name",
	  "{\"from\":\"acme/m\",\"items\":[{\"at\":0,\"item\":{\"reasoning\":\"hm\"}}]}", 1,
	  "'content':null,'reasoning':'hm','tool_calls':[" CALLED("a", "") "]" },
	{ "T3 reasoning of another model stays here", OWN("other/m"), 2,
	  "'content':null,'tool_calls':[" CALLED("a", "") "," CALLED("b", "") "]" },
	{ "T3 reasoning without calls stays here", OWN("acme/m"), 0, "'content':'so'" },
};

static void
check_returned(void **state)
{
	static const struct tool_call CALLS[] = {
		{ { "a", 1 }, { "look", 4 }, { "{}", 2 } },
		{ { "b", 1 }, { "look", 4 }, { "{}", 2 } },
	};
	const struct returned *row = *state;
	struct message said = { .role = MESSAGE_ASSISTANT,
				.content = row->calls > 0 ? STR("") : STR("so"),
				.tool_calls = CALLS,
				.tool_call_count = row->calls,
				.reasoning = str_of(row->reasoning) };
	struct provider_request q = DIALECT_PLAIN;
	char want[1024];

	q.messages = &said;
	snprintf(want, sizeof want,
		 "{'model':'gpt-4o','messages':[{'role':'assistant',%s}],'max_tokens':10,"
		 "'stream':true,'stream_options':{'include_usage':true}}",
		 row->want);
	dialect_check_body(&DIALECT_OPENAI_CHAT, false, &q, want);
}

static void
T3_openai_itself_is_told_more(void **state)
{
	struct provider_request q = DIALECT_PLAIN;

	(void)state;
	q.cache_key = STR("sesn_1");
	dialect_check_body(&DIALECT_OPENAI_CHAT, true, &q,
			   "{'model':'gpt-4o','messages':[{'role':'user','content':'hi'}],"
			   "'max_completion_tokens':10,'stream':true,'stream_options':"
			   "{'include_usage':true},'prompt_cache_key':'sesn_1'}");
}

static void
T3_a_name_that_was_made_up_goes_back_plain(void **state)
{
	(void)state;
	dialect_check_body(
		&DIALECT_OPENAI_CHAT, false, &DIALECT_MADE_UP,
		"{'model':'m','messages':[{'role':'user','content':'hi'},{'role':'assistant',"
		"'content':null,'tool_calls':[{'id':'c1','type':'function','function':{'name':"
		"'functions_look_up','arguments':'{}'}}]},{'role':'tool','tool_call_id':'c1',"
		"'content':'no such tool'}],'max_tokens':10,'stream':true,'stream_options':"
		"{'include_usage':true}}");
}

static void
T3_effort_is_asked_for(void **state)
{
	struct provider_request q = DIALECT_PLAIN;

	(void)state;
	q.effort = STR("max");
	dialect_check_body(&DIALECT_OPENAI_CHAT, false, &q,
			   "{'model':'gpt-4o','messages':[{'role':'user','content':'hi'}],"
			   "'max_tokens':10,'reasoning_effort':'xhigh','stream':true,"
			   "'stream_options':{'include_usage':true}}");
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, check_row);
	SUITE_ROWS(&s, HEARD, check_heard);
	SUITE_ROWS(&s, WHOLE, check_whole);
	SUITE_ROWS(&s, RETURNED, check_returned);
	SUITE_TEST(&s, M11_a_request_with_everything);
	SUITE_TEST(&s, T3_openai_itself_is_told_more);
	SUITE_TEST(&s, T3_a_name_that_was_made_up_goes_back_plain);
	SUITE_TEST(&s, T3_effort_is_asked_for);
	return suite_run(&s, "provider/openai_chat");
}
