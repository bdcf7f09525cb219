#include "provider/anthropic.h"

#include "dialect_rig.h"

static const struct row {
	const char *name, *stream, *want;
} ROWS[] = {
#define START                                                                                 \
	NAMED("message_start",                                                                \
	      "{'type':'message_start','message':{'id':'msg_1','role':'assistant','content':" \
	      "[],'usage':{'input_tokens':7,'cache_creation_input_tokens':20,'cache_read_"    \
	      "input_tokens':300,'output_tokens':1}}}")
#define BEGIN(at, block)             \
	NAMED("content_block_start", \
	      "{'type':'content_block_start','index':" #at ",'content_block':" block "}")
#define DELTA(at, delta)             \
	NAMED("content_block_delta", \
	      "{'type':'content_block_delta','index':" #at ",'delta':" delta "}")
#define STOP(at) NAMED("content_block_stop", "{'type':'content_block_stop','index':" #at "}")
#define END(why)                                                                      \
	NAMED("message_delta", "{'type':'message_delta','delta':{'stop_reason':'" why \
			       "','stop_sequence':null},'usage':{'output_tokens':42," \
			       "'input_tokens':null}}")                               \
	NAMED("message_stop", "{'type':'message_stop'}")
#define TEXT(at)       BEGIN(at, "{'type':'text','text':''}")
#define SAY(at, text)  DELTA(at, "{'type':'text_delta','text':'" text "'}")
#define JSON(at, text) DELTA(at, "{'type':'input_json_delta','partial_json':'" text "'}")
#define TOOL(at, id)   BEGIN(at, "{'type':'tool_use','id':'" id "','name':'look','input':{}}")
#define ERROR(type, message) \
	NAMED("error", "{'type':'error','error':{'type':'" type "','message':'" message "'}}")

	{ "T3 text, with a ping in it, and usage that tells the cache apart",
	  START TEXT(0) NAMED("ping", "{'type':'ping'}") SAY(0, "héllo") SAY(0, " wörld") STOP(0)
		  END("end_turn"),
	  "'héllo' ' wörld' end 7+42 r0 300+20" },
	{ "T3 parallel calls, their arguments in pieces, one without any",
	  START TEXT(0) SAY(0, "a") STOP(0) TOOL(1, "t1") JSON(1, "") JSON(1, "{\\'q\\':")
		  JSON(1, " 1}") STOP(1) TOOL(2, "t2") STOP(2) END("tool_use"),
	  "'a' call(t1 look {'q': 1}) call(t2 look {}) tools 7+42 r0 300+20" },
	{ "T3 thinking is kept with its signature, at its place",
	  START BEGIN(0, "{'type':'thinking','thinking':''}") DELTA(
		  0, "{'type':'thinking_delta','thinking':'h'}")
		  DELTA(0, "{'type':'thinking_delta','thinking':'m'}") DELTA(
			  0, "{'type':'signature_delta','signature':'SIG'}") STOP(0) TEXT(1)
			  SAY(1, "a") STOP(1) BEGIN(2, "{'type':'redacted_thinking','data':'XX'}")
				  STOP(2) TOOL(3, "t1") STOP(3) END("tool_use"),
	  "(h) (m) 'a' {'from':'acme/m','items':[{'at':0,'item':{'type':'thinking','thinking':"
	  "'hm','signature':'SIG'}},{'at':1,'item':{'type':'redacted_thinking','data':'XX'}}]} "
	  "call(t1 look {}) tools 7+42 r0 300+20" },
	{ "T3 thinking without a signature is only shown",
	  START BEGIN(0, "{'type':'thinking','thinking':''}")
		  DELTA(0, "{'type':'thinking_delta','thinking':'hm'}") STOP(0) END("end_turn"),
	  "(hm) end 7+42 r0 300+20" },
	{ "T3 the call that the length limit cut is lost",
	  START TOOL(0, "t1") JSON(0, "{}") STOP(0) TOOL(1, "t2") JSON(1, "{\\'q\\':") STOP(1)
		  END("max_tokens"),
	  "call(t1 look {}) lost(t2 look) cut 7+42 r0 300+20" },
	{ "T3 the call that the length limit cut before its arguments is lost",
	  START TOOL(0, "t1") JSON(0, "{}") STOP(0) TOOL(1, "t2") JSON(1, "") STOP(1)
		  END("max_tokens"),
	  "call(t1 look {}) lost(t2 look) cut 7+42 r0 300+20" },
	{ "T3 a call without arguments that others follow is whole at the length limit",
	  START TOOL(0, "t1") JSON(0, "") STOP(0) TOOL(1, "t2") JSON(1, "{\\'q") STOP(1)
		  END("max_tokens"),
	  "call(t1 look {}) lost(t2 look) cut 7+42 r0 300+20" },
	{ "T3 so is one that text follows",
	  START TOOL(0, "t1") JSON(0, "") STOP(0) TEXT(1) SAY(1, "a") STOP(1) END("max_tokens"),
	  "'a' call(t1 look {}) length 7+42 r0 300+20" },
	{ "T3 a full window is a length", START END("model_context_window_exceeded"),
	  "cut 7+42 r0 300+20" },
	{ "T3 a refusal", START TEXT(0) SAY(0, "no") END("refusal"),
	  "'no' refusal 7+42 r0 300+20" },
	{ "T3 blocks and events that nobody knows",
	  START BEGIN(0, "{'type':'marvel','x':[1]}") DELTA(0, "{'type':'wonder'}") STOP(0)
		  NAMED("news", "{'type':'news'}") TEXT(1) SAY(1, "a") END("end_turn"),
	  "'a' end 7+42 r0 300+20" },
	{ "T6 overload in the stream",
	  START TEXT(0) SAY(0, "a") ERROR("overloaded_error", "Overloaded"),
	  "'a' !overloaded acme/m: the answer broke off: Overloaded" },
	{ "T6 a rate limit in the stream", ERROR("rate_limit_error", "slow down"),
	  "!rate_limited acme/m: the answer broke off: slow down" },
	{ "T6 a server error in the stream", START ERROR("api_error", "oops"),
	  "!server acme/m: the answer broke off: oops" },
	{ "T6 a prompt that is too long",
	  ERROR("invalid_request_error", "prompt is too long: 9 > 8"),
	  "!context_length acme/m: the answer broke off: prompt is too long: 9 > 8" },
	{ "T6 the end is missing", START TEXT(0) SAY(0, "a") STOP(0),
	  "'a' !network acme/m: the answer ended in the middle" },
	{ "T6 nothing at all", "", "!network acme/m: the answer ended in the middle" },
	{ "T6 an event that is no JSON", START "data: {\n\n" TEXT(0) SAY(0, "a"),
	  "!malformed acme/m: the answer makes no sense: offset 1: expected a key in "
	  "quotes, found the end" },
	{ "T6 a key that is quoted in an error", ERROR("authentication_error", "bad the-key"),
	  "!request acme/m: the answer broke off: bad [redacted]" },
};

static void
check_row(void **state)
{
	const struct row *row = *state;

	dialect_check_stream(&DIALECT_ANTHROPIC, row->stream, row->want);
}

static const struct row HEARD[] = {
	{ "T15 the beginning of an answer tells what the prompt cost", START, ".327" },
	{ "T15 so do arguments, piece by piece",
	  START TEXT(0) SAY(0, "a") STOP(0) TOOL(1, "t1") JSON(1, "") JSON(1, "{\\'q\\':"),
	  ".327.327{'q':" },
	{ "T15 an error is no beginning", ERROR("overloaded_error", "m"), "" },
};

static void
check_heard(void **state)
{
	const struct row *row = *state;

	dialect_check_heard(&DIALECT_ANTHROPIC, row->stream, row->want);
}

static const struct row WHOLE[] = {
	{ "T3 an answer that came whole",
	  "{'content':[{'type':'thinking','thinking':'hm','signature':'S'},{'type':'text','text':"
	  "'a'},{'type':'tool_use','id':'t','name':'look','input':{'q':1}}],'stop_reason':"
	  "'tool_use','usage':{'input_tokens':1,'output_tokens':2,'output_tokens_details':"
	  "{'thinking_tokens':1}}}",
	  "(hm) 'a' {'from':'acme/m','items':[{'at':0,'item':{'type':'thinking','thinking':'hm',"
	  "'signature':'S'}}]} call(t look {'q':1}) tools 1+2 r1 0+0" },
	{ "T3 the last call may be cut where the limit was reached",
	  "{'content':[{'type':'tool_use','id':'t','name':'look','input':{}},{'type':'tool_use',"
	  "'id':'u','name':'look','input':{}}],'stop_reason':'max_tokens'}",
	  "call(t look {}) lost(u look) cut 0+0 r0 0+0" },
	{ "T6 an error that came whole", "{'type':'error','error':{'type':'api_error'}}",
	  "!server acme/m: the answer broke off: an error that says nothing" },
	{ "T6 something else", "{}", "!malformed acme/m: the answer has no content" },
	{ "T6 no object", "[]", "!malformed acme/m: the answer makes no sense: it is no object" },
};

static void
check_whole(void **state)
{
	const struct row *row = *state;

	dialect_check_whole(&DIALECT_ANTHROPIC, row->stream, row->want);
}

#define MARK    ",'cache_control':{'type':'ephemeral'}"
#define PICTURE "{'type':'image','source':{'type':'base64','media_type':'image/png','data':'QUJD'}}"

static void
M11_a_request_with_everything(void **state)
{
	(void)state;
	dialect_check_body(
		&DIALECT_ANTHROPIC, false, &DIALECT_FULL,
		"{'model':'m','max_tokens':100,'stream':true,'tools':[{'name':'look',"
		"'description':'looks','input_schema':{'type':'object'}},{'name':'bare',"
		"'description':'has no schema','input_schema':{'type':'object','properties':{}}}],"
		"'system':[{'type':'text','text':'Be kind.'" MARK "}],'messages':["
		"{'role':'user','content':[{'type':'text','text':'see'}," PICTURE
		",{'type':'image','source':{'type':'url','url':'https://example.org/a.jpg'}}]},"
		"{'role':'assistant','content':[{'type':'first'},{'type':'text','text':'well'},"
		"{'type':'tool_use','id':'call_1','name':'look','input':{'q':1}},"
		"{'type':'second'},"
		"{'type':'tool_use','id':'f_look_2','name':'look','input':{'arguments':"
		"'not json'}}]},"
		"{'role':'user','content':[{'type':'tool_result','tool_use_id':'call_1','content':"
		"[{'type':'text','text':'one'}," PICTURE "]},{'type':'tool_result','tool_use_id':"
		"'f_look_2'},{'type':'text','text':'and?'" MARK "}]},"
		"{'role':'assistant','content':[{'type':'text','text':'so'}]},"
		"{'role':'user','content':[{'type':'text','text':'[system message]\\nmind'},"
		"{'type':'text','text':'end'" MARK "}]}]}");
}

static void
T3_the_first_and_the_last_word_are_the_users(void **state)
{
	static const struct message SAID[] = {
		{ .role = MESSAGE_ASSISTANT, .content = { "a", 1 } },
	};
	struct provider_request q = DIALECT_PLAIN;

	(void)state;
	q.messages = SAID;
	q.tools = DIALECT_FULL.tools;
	q.tool_count = 1;
	dialect_check_body(
		&DIALECT_ANTHROPIC, false, &q,
		"{'model':'gpt-4o','max_tokens':10,'stream':true,'tools':[{'name':'look',"
		"'description':'looks','input_schema':{'type':'object'}" MARK "}],'messages':["
		"{'role':'user','content':[{'type':'text','text':'[The conversation goes on.]'" MARK
		"}]},{'role':'assistant','content':[{'type':'text','text':'a'}]},"
		"{'role':'user','content':[{'type':'text','text':'[Go on.]'" MARK "}]}]}");
}

static void
T3_a_name_that_was_made_up_goes_back_plain(void **state)
{
	(void)state;
	dialect_check_body(
		&DIALECT_ANTHROPIC, false, &DIALECT_MADE_UP,
		"{'model':'m','max_tokens':10,'stream':true,'messages':[{'role':'user','content':"
		"[{'type':'text','text':'hi'" MARK "}]},{'role':'assistant','content':[{'type':"
		"'tool_use','id':'c1','name':'functions_look_up','input':{}}]},{'role':'user',"
		"'content':[{'type':'tool_result','tool_use_id':'c1','content':[{'type':'text',"
		"'text':'no such tool'}]" MARK "}]}]}");
}

static void
T3_effort_is_asked_for(void **state)
{
	struct provider_request q = DIALECT_PLAIN;

	(void)state;
	q.effort = STR("max");
	dialect_check_body(&DIALECT_ANTHROPIC, false, &q,
			   "{'model':'gpt-4o','max_tokens':10,'stream':true,'thinking':{'type':"
			   "'adaptive','display':'summarized'},'output_config':{'effort':'max'},"
			   "'messages':[{'role':'user','content':[{'type':'text','text':'hi'" MARK
			   "}]}]}");
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, check_row);
	SUITE_ROWS(&s, HEARD, check_heard);
	SUITE_ROWS(&s, WHOLE, check_whole);
	SUITE_TEST(&s, M11_a_request_with_everything);
	SUITE_TEST(&s, T3_the_first_and_the_last_word_are_the_users);
	SUITE_TEST(&s, T3_a_name_that_was_made_up_goes_back_plain);
	SUITE_TEST(&s, T3_effort_is_asked_for);
	return suite_run(&s, "provider/anthropic");
}
