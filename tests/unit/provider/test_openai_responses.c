#include "provider/openai_responses.h"

#include "dialect_rig.h"

#define TYPED(type, rest) NAMED(type, "{'type':'" type "'," rest "}")
#define START             TYPED("response.created", "'response':{'id':'r','status':'in_progress','output':[]}")
#define ADDED(item)       TYPED("response.output_item.added", "'output_index':0,'item':" item)
#define DONE(item)        TYPED("response.output_item.done", "'output_index':0,'item':" item)
#define SAY(text)         TYPED("response.output_text.delta", "'output_index':0,'delta':'" text "'")
#define MESSAGE           ADDED("{'type':'message','id':'m1','content':[]}")
#define CALL(id, arguments)                                \
	"{'type':'function_call','id':'fc','call_id':'" id \
	"','name':'look','arguments':'" arguments "'}"
#define REASONING                                                                          \
	"{'type':'reasoning','id':'rs_1','summary':[{'type':'summary_text','text':'hm'}]," \
	"'encrypted_content':'XX','status':null}"
#define USAGE                                                                     \
	"'usage':{'input_tokens':30,'input_tokens_details':{'cached_tokens':20}," \
	"'output_tokens':9,'output_tokens_details':{'reasoning_tokens':4}}"
#define COMPLETED(output)                                  \
	TYPED("response.completed",                        \
	      "'response':{'id':'r','status':'completed'," \
	      "'error':null,'incomplete_details':null,'output':[" output "]," USAGE "}")
#define KEPT                                                                                  \
	"{'from':'acme/m','items':[{'at':0,'item':{'type':'reasoning','id':'rs_1','summary':" \
	"[{'type':'summary_text','text':'hm'}],'encrypted_content':'XX'}}]}"

static const struct row {
	const char *name, *stream, *want;
} ROWS[] = {
	{ "T3 text, and usage whose prompt includes what was cached",
	  START MESSAGE SAY("héllo") SAY(" wörld")
		  COMPLETED("{'type':'message','content':[{'type':'output_text','text':'x'}]}"),
	  "'héllo' ' wörld' end 10+9 r4 20+0" },
	{ "T3 parallel calls",
	  START ADDED(CALL("a", "")) TYPED("response.function_call_arguments.delta", "'delta':'{'")
		  DONE(CALL("a", "{}")) DONE(CALL("b", "{\\'q\\':1}"))
			  COMPLETED(CALL("a", "{}") "," CALL("b", "{}")),
	  "call(a look {}) call(b look {'q':1}) tools 10+9 r4 20+0" },
	{ "T3 what only the end tells",
	  START COMPLETED(REASONING ",{'type':'message','content':[{'type':'output_text','text':"
				    "'a'}]}," CALL("a", "{}")),
	  "(hm) 'a' " KEPT " call(a look {}) tools 10+9 r4 20+0" },
	{ "T3 reasoning is shown and its cipher kept",
	  START ADDED("{'type':'reasoning'}") TYPED("response.reasoning_summary_part.added",
						    "'summary_index':0")
		  TYPED("response.reasoning_summary_text.delta", "'delta':'h'")
			  TYPED("response.reasoning_summary_part.added", "'summary_index':1")
				  TYPED("response.reasoning_summary_text.delta", "'delta':'m'")
					  DONE(REASONING) MESSAGE SAY("a") COMPLETED(REASONING),
	  "(h) (\n\n) (m) 'a' " KEPT " end 10+9 r4 20+0" },
	{ "T3 reasoning without a cipher is not kept",
	  START TYPED("response.reasoning_text.delta", "'delta':'hm'")
		  DONE("{'type':'reasoning','id':'rs','summary':[]}") SAY("a") COMPLETED(""),
	  "(hm) 'a' end 10+9 r4 20+0" },
	{ "T3 two messages stand apart", START MESSAGE SAY("a") MESSAGE SAY("b") COMPLETED(""),
	  "'a' '\n\n' 'b' end 10+9 r4 20+0" },
	{ "T3 the length limit",
	  START DONE(CALL("a", "{\\'q")) TYPED(
		  "response.incomplete", "'response':{'status':'incomplete','incomplete_details':"
					 "{'reason':'max_output_tokens'},'output':[]}"),
	  "lost(a look) cut 0+0 r0 0+0" },
	{ "T3 the call that the length limit cut before its arguments is lost",
	  START DONE(CALL("a", "{}")) DONE(CALL("b", "")) TYPED(
		  "response.incomplete", "'response':{'status':'incomplete','incomplete_details':"
					 "{'reason':'max_output_tokens'},'output':[]}"),
	  "call(a look {}) lost(b look) cut 0+0 r0 0+0" },
	{ "T3 a call without arguments that is said to be whole is so at the length limit",
	  START DONE("{'type':'function_call','call_id':'a','name':'look','status':'completed'}")
		  DONE("{'type':'function_call','call_id':'b','name':'look','status':'incomplete'}")
			  TYPED("response.incomplete",
				"'response':{'status':'incomplete','incomplete_details':"
				"{'reason':'max_output_tokens'},'output':[]}"),
	  "call(a look {}) lost(b look) cut 0+0 r0 0+0" },
	{ "T3 the last one too",
	  START DONE("{'type':'function_call','call_id':'a','name':'look','status':'completed'}")
		  TYPED("response.incomplete",
			"'response':{'status':'incomplete','incomplete_details':"
			"{'reason':'max_output_tokens'},'output':[]}"),
	  "call(a look {}) length 0+0 r0 0+0" },
	{ "T3 a content filter",
	  START TYPED("response.incomplete",
		      "'response':{'incomplete_details':{'reason':'content_filter'}}"),
	  "refusal 0+0 r0 0+0" },
	{ "T3 a refusal is said",
	  START TYPED("response.refusal.delta", "'delta':'no'") COMPLETED(""),
	  "'no' refusal 10+9 r4 20+0" },
	{ "T6 it failed",
	  START TYPED("response.failed", "'response':{'status':'failed','error':{'code':"
					 "'rate_limit_exceeded','message':'slow'}}"),
	  "!rate_limited acme/m: the answer broke off: slow" },
	{ "T6 it was given up", START TYPED("response.failed", "'response':{'status':'failed'}"),
	  "!server acme/m: the provider gave the answer up" },
	{ "T6 an error in the stream",
	  START SAY("a") TYPED("error", "'code':'server_error','message':'oops','param':null"),
	  "'a' !server acme/m: the answer broke off: oops" },
	{ "T6 an error in the other form",
	  TYPED("error", "'error':{'type':'invalid_request_error','code':"
			 "'context_length_exceeded','message':'long'}"),
	  "!context_length acme/m: the answer broke off: long" },
	{ "T6 the end is missing", START MESSAGE SAY("a"),
	  "'a' !network acme/m: the answer ended in the middle" },
	{ "T6 an end with nothing in it", TYPED("response.completed", "'x':1"),
	  "!malformed acme/m: the answer has no response in it" },
	{ "T6 an event that is no JSON", START "data: {\n\n",
	  "!malformed acme/m: the answer makes no sense: offset 1: expected a key in "
	  "quotes, found the end" },
};

static void
check_row(void **state)
{
	const struct row *row = *state;

	dialect_check_stream(&DIALECT_OPENAI_RESPONSES, row->stream, row->want);
}

#define PIECE(text) TYPED("response.function_call_arguments.delta", "'delta':'" text "'")

static const struct row HEARD[] = {
	{ "T15 that a response was made is no answer yet", START, "" },
	{ "T15 an answer has begun with its first item", START MESSAGE SAY("a"), ".0" },
	{ "T15 arguments are heard once, in pieces",
	  START ADDED(CALL("a", "")) PIECE("{\\'q") PIECE("\\':1}") DONE(CALL("a", "{\\'q\\':1}")),
	  ".0.0{'q.0':1}" },
	{ "T15 or with the call, of a peer that sends no pieces",
	  START DONE(CALL("a", "{\\'q\\':1}")) DONE(CALL("b", "{}")), ".0{'q':1}.0{}" },
};

static void
check_heard(void **state)
{
	const struct row *row = *state;

	dialect_check_heard(&DIALECT_OPENAI_RESPONSES, row->stream, row->want);
}

static const struct row WHOLE[] = {
	{ "T3 an answer that came whole",
	  "{'status':'completed','output':[" REASONING ",{'type':'message','content':[{'type':"
	  "'output_text','text':'a'}]}," CALL("x", "{}") "]," USAGE "}",
	  "(hm) 'a' " KEPT " call(x look {}) tools 10+9 r4 20+0" },
	{ "T3 a refusal that came whole",
	  "{'output':[{'type':'message','content':[{'type':'refusal','refusal':'no'}]}]}",
	  "'no' refusal 0+0 r0 0+0" },
	{ "T6 an error that came whole", "{'error':{'message':'m','code':'server_error'}}",
	  "!server acme/m: the answer broke off: m" },
	{ "T6 something else", "{'a':1}", "!malformed acme/m: the answer has no output" },
};

static void
check_whole(void **state)
{
	const struct row *row = *state;

	dialect_check_whole(&DIALECT_OPENAI_RESPONSES, row->stream, row->want);
}

#define PICTURE "{'type':'input_image','image_url':'data:image/png;base64,QUJD','detail':'auto'}"

static void
M11_a_request_with_everything(void **state)
{
	(void)state;
	dialect_check_body(
		&DIALECT_OPENAI_RESPONSES, true, &DIALECT_FULL,
		"{'model':'m','instructions':'Be kind.','input':["
		"{'role':'user','content':[{'type':'input_text','text':'see'}," PICTURE
		",{'type':'input_image','image_url':'https://example.org/a.jpg','detail':'auto'}]},"
		"{'type':'first'},{'role':'assistant','content':'well'},"
		"{'type':'function_call','call_id':'call_1','name':'look','arguments':"
		"'{\\'q\\':1}'},{'type':'second'},"
		"{'type':'function_call','call_id':'f.look:2','name':'look','arguments':"
		"'not json'},"
		"{'type':'function_call_output','call_id':'call_1','output':[{'type':'input_text',"
		"'text':'one'}," PICTURE "]},"
		"{'type':'function_call_output','call_id':'f.look:2','output':''},"
		"{'role':'user','content':[{'type':'input_text','text':'and?'}]},"
		"{'role':'assistant','content':'so'},{'role':'system','content':'mind'},"
		"{'role':'user','content':[{'type':'input_text','text':'end'}]}],"
		"'tools':[{'type':'function','name':'look','description':'looks','parameters':"
		"{'type':'object'},'strict':false},{'type':'function','name':'bare','description':"
		"'has no schema','parameters':{'type':'object','properties':{}},'strict':false}],"
		"'max_output_tokens':100,'stream':true,'store':false,'include':"
		"['reasoning.encrypted_content'],'prompt_cache_key':'sesn_1'}");
}

static void
T3_models_that_do_not_reason_are_not_asked_for_it(void **state)
{
	(void)state;
	dialect_check_body(&DIALECT_OPENAI_RESPONSES, false, &DIALECT_PLAIN,
			   "{'model':'gpt-4o','input':[{'role':'user','content':[{'type':"
			   "'input_text','text':'hi'}]}],'max_output_tokens':10,'stream':true,"
			   "'store':false}");
}

static void
T3_a_name_that_was_made_up_goes_back_plain(void **state)
{
	(void)state;
	dialect_check_body(
		&DIALECT_OPENAI_RESPONSES, false, &DIALECT_MADE_UP,
		"{'model':'m','input':[{'role':'user','content':[{'type':'input_text','text':'hi'}"
		"]},{'type':'function_call','call_id':'c1','name':'functions_look_up',"
		"'arguments':'{}'},{'type':'function_call_output','call_id':'c1','output':"
		"'no such tool'}],'max_output_tokens':10,'stream':true,'store':false,'include':"
		"['reasoning.encrypted_content']}");
}

static void
T3_effort_is_asked_for(void **state)
{
	struct provider_request q = DIALECT_PLAIN;

	(void)state;
	q.effort = STR("max");
	dialect_check_body(&DIALECT_OPENAI_RESPONSES, false, &q,
			   "{'model':'gpt-4o','input':[{'role':'user','content':[{'type':"
			   "'input_text','text':'hi'}]}],'max_output_tokens':10,'stream':true,"
			   "'store':false,'reasoning':{'effort':'xhigh','summary':'auto'}}");
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, check_row);
	SUITE_ROWS(&s, HEARD, check_heard);
	SUITE_ROWS(&s, WHOLE, check_whole);
	SUITE_TEST(&s, M11_a_request_with_everything);
	SUITE_TEST(&s, T3_models_that_do_not_reason_are_not_asked_for_it);
	SUITE_TEST(&s, T3_a_name_that_was_made_up_goes_back_plain);
	SUITE_TEST(&s, T3_effort_is_asked_for);
	return suite_run(&s, "provider/openai_responses");
}
