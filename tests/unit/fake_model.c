#include "fake_model.h"

#include <stdlib.h>

#include "app/host_loop.h"
#include "base/xalloc.h"
#include "provider/anthropic.h"
#include "provider/openai_chat.h"
#include "provider/openai_responses.h"

enum { BOUND_MS = 20000, SLICE_MS = 10, SAID_MAX = 1 << 20 };

/* ---- one request ---- */

struct served {
	struct list node;
	struct fake_model *fake;
	struct http_request *request;
	struct loop_timer *timer;
	char *said; /* a copy of its own: the answer may change meanwhile */
	struct str rest;
	struct fake_answer answer;
};

static void
served_free(struct served *s)
{
	list_remove(&s->node);
	loop_timer_free(&s->timer);
	http_request_release(s->request);
	free(s->said);
	free(s);
}

static void
on_gone(void *context, enum http_gone why)
{
	(void)why;
	served_free(context);
}

static void
push(struct served *s, struct str text)
{
	struct net_bytes *bytes = net_bytes_copy(text);

	if (text.len > 0)
		IGNORE(http_request_push(s->request, bytes)); /* on_gone tells */
	net_bytes_unref(bytes);
}

static void
end(struct served *s)
{
	switch (s->answer.ending) {
	case FAKE_END: http_request_end(s->request); break;
	case FAKE_CUT: http_request_cut(s->request, HTTP_GONE_BROKEN); return; /* on_gone frees */
	case FAKE_HANG: return;
	}
	served_free(s);
}

static void
go_on(void *context)
{
	struct served *s = context;
	struct str piece;
	bool more = str_cut(s->rest, FAKE_PAUSE[0], &piece, &s->rest);

	push(s, piece);
	if (more)
		loop_timer_set(s->timer, s->answer.pause_ms);
	else if (s->answer.ending == FAKE_CUT && piece.len > 0)
		loop_timer_set(s->timer, 20); /* what was said must leave first */
	else
		end(s);
}

static void
answer(struct served *s)
{
	const struct fake_answer *a = &s->answer;
	struct http_header headers[2];
	struct http_reply reply = {
		.status = a->status == 0 ? 200 : a->status,
		.headers = headers,
		.content_type = str_of(a->type ? a->type : "text/event-stream"),
	};

	if (a->status < 0)
		return;
	if (a->retry_after)
		headers[reply.header_count++] =
			(struct http_header){ STR("retry-after"), str_of(a->retry_after) };
	if (a->retry_after_ms)
		headers[reply.header_count++] =
			(struct http_header){ STR("retry-after-ms"), str_of(a->retry_after_ms) };
	http_request_open(s->request, &reply);
	go_on(s);
}

static bool
on_request_body(void *context, struct str body, bool last)
{
	struct served *s = context;

	assert_true(last);
	buf_clear(&s->fake->body);
	buf_put_str(&s->fake->body, body);
	answer(s);
	return true;
}

static void
on_request(void *context, struct http_request *r)
{
	struct fake_model *f = context;
	struct served *s = xcalloc(1, sizeof *s);
	const struct http_head *head = http_request_head(r);

	f->requests++;
	buf_clear(&f->path);
	buf_put_str(&f->path, head->path);
	buf_clear(&f->headers);
	for (size_t i = 0; i < head->header_count; i++)
		buf_printf(&f->headers, STR_FMT ": " STR_FMT "\n", STR_ARG(head->headers[i].name),
			   STR_ARG(head->headers[i].value));
	*s = (struct served){ .fake = f, .request = r, .answer = f->answer };
	s->said = xstrdup(f->answer.body ? f->answer.body : "");
	s->rest = str_of(s->said);
	s->timer = loop_timer_new(f->loop, go_on, s);
	list_append(&f->open, &s->node);
	http_request_own(r, &(struct http_owner){ .on_gone = on_gone, .context = s });
	http_request_body(r, &(struct http_body_want){ .fn = on_request_body, .context = s });
}

/* ---- life ---- */

static void
on_bound(void *context)
{
	struct fake_model *f = context;

	loop_stop(f->loop);
}

void
fake_model_init(struct fake_model *f)
{
	struct http_handler handler = { .on_request = on_request, .context = f };
	struct err e;
	int port;

	*f = (struct fake_model){ .loop = loop_new() };
	f->host = host_loop_new(f->loop);
	f->egress = egress_new(f->loop, NULL);
	f->bound = loop_timer_new(f->loop, on_bound, f);
	list_init(&f->open);
	buf_init(&f->path, SAID_MAX);
	buf_init(&f->headers, SAID_MAX);
	buf_init(&f->body, SAID_MAX);
	f->server = http_server_new(f->loop, &handler, &HTTP_LIMITS_DEFAULT);
	if (http_server_listen_tcp(f->server, "127.0.0.1", 0, &port, &e) != 0)
		fail_msg("%s", e.text);
	snprintf(f->base_url, sizeof f->base_url, "http://127.0.0.1:%d", port);
	setenv("FAKE_KEY", "sk-fake-0123456789abcdef", 1);
}

void
fake_model_release(struct fake_model *f)
{
	egress_free(&f->egress);
	list_for_each (at, &f->open)
		served_free(LIST_OWNER(at, struct served, node));
	http_server_free(&f->server);
	loop_timer_free(&f->bound);
	loop_settle(f->loop);
	host_loop_free(&f->host);
	loop_free(&f->loop);
	buf_release(&f->path);
	buf_release(&f->headers);
	buf_release(&f->body);
	free((char *)(uintptr_t)f->answer.body);
}

struct provider *
fake_model_open(struct fake_model *f, const struct fake_dialect *d, int64_t idle_ms)
{
	return d->open(&(struct http_model_config){
		.host = f->host,
		.egress = f->egress,
		.name = STR("acme"),
		.base_url = str_of(f->base_url),
		.api_key_env = STR("FAKE_KEY"),
		.idle_ms = idle_ms,
	});
}

void
fake_model_run(struct fake_model *f, int64_t ms)
{
	loop_timer_set(f->bound, ms);
	loop_run(f->loop);
}

void
fake_model_await(struct fake_model *f, const size_t *number, size_t least)
{
	for (int64_t waited = 0; *number < least; waited += SLICE_MS) {
		if (waited > BOUND_MS)
			fail_msg("waited %d ms in vain", BOUND_MS);
		fake_model_run(f, SLICE_MS);
	}
}

void
fake_model_say(struct fake_model *f, const char *const *parts, size_t count)
{
	struct buf b;
	char *said;

	buf_init(&b, SAID_MAX);
	for (size_t i = 0; i < count; i++)
		buf_puts(&b, parts[i]);
	buf_putc(&b, '\0');
	said = xstrdup(b.ptr);
	for (char *p = said; *p; p++)
		*p = *p == '\'' ? '"' : *p;
	buf_release(&b);
	free((char *)(uintptr_t)f->answer.body);
	f->answer.body = said;
}

/* ---- what the dialects say ---- */

#define EVENT(json) "data: " json "\n\n"
#define CHAT(delta) EVENT("{'choices':[{'index':0,'delta':" delta ",'finish_reason':null}]}")
#define CHAT_END(why)                                                           \
	EVENT("{'choices':[{'index':0,'delta':{},'finish_reason':'" why "'}]}") \
	EVENT("{'choices':[],'usage':{'prompt_tokens':12,'completion_tokens':3}}") EVENT("[DONE]")
#define BLOCK(at, type) \
	EVENT("{'type':'content_block_start','index':" at ",'content_block':" type "}")
#define DELTA(at, delta) EVENT("{'type':'content_block_delta','index':" at ",'delta':" delta "}")
#define STOP(at)         EVENT("{'type':'content_block_stop','index':" at "}")
#define TEXT(text)       DELTA("1", "{'type':'text_delta','text':'" text "'}")
#define TOOL(at, id, name, json)                                                    \
	BLOCK(at, "{'type':'tool_use','id':'" id "','name':'" name "','input':{}}") \
	DELTA(at, "{'type':'input_json_delta','partial_json':'" json "'}") STOP(at)
#define MESSAGE_END(why)                                             \
	EVENT("{'type':'message_delta','delta':{'stop_reason':'" why \
	      "'},'usage':{'output_tokens':3}}")                     \
	EVENT("{'type':'message_stop'}")
#define SAID(text) EVENT("{'type':'response.output_text.delta','delta':'" text "'}")
#define ITEM(id, name, json)                                                                      \
	EVENT("{'type':'response.output_item.done','item':{'type':'function_call','call_id':'" id \
	      "','name':'" name "','arguments':'" json "'}}")
#define COMPLETED                                                                          \
	EVENT("{'type':'response.completed','response':{'status':'completed','output':[]," \
	      "'usage':{'input_tokens':12,'output_tokens':3}}}")
#define ARGS "{\\'x\\':1}"

const struct fake_dialect FAKE_DIALECTS[3] = {
	[FAKE_ANTHROPIC] = {
		.name = "anthropic",
		.path = "/v1/messages",
		.key_header = "x-api-key: sk-fake-0123456789abcdef\n",
		.open = provider_anthropic_new,
		.begin = EVENT("{'type':'message_start','message':{'usage':{'input_tokens':12}}}"),
		.think_hm = BLOCK("0", "{'type':'thinking','thinking':''}")
			DELTA("0", "{'type':'thinking_delta','thinking':'hm'}") STOP("0"),
		.say_hello = TEXT("héllo w") TEXT("örld,"),
		.say_more = TEXT(" again and again"),
		.say_a = TEXT("a"),
		.say_b = TEXT("b"),
		.call = TOOL("2", "c1", "look", ARGS),
		.two_calls = TOOL("2", "c1", "look", ARGS) TOOL("3", "c2", "see", ""),
		.overloaded = EVENT("{'type':'error','error':{'type':'overloaded_error',"
				    "'message':'Overloaded'}}"),
		.end = MESSAGE_END("end_turn"),
		.end_calls = MESSAGE_END("tool_use"),
		.whole = "{'content':[{'type':'text','text':'a'}],'stop_reason':'end_turn',"
			 "'usage':{'input_tokens':12,'output_tokens':3}}",
		.too_long = "{'type':'error','error':{'type':'invalid_request_error','message':"
			    "'prompt is too long: 9 tokens > 8 maximum'}}",
	},
	[FAKE_CHAT] = {
		.name = "openai-chat",
		.path = "/chat/completions",
		.key_header = "authorization: Bearer sk-fake-0123456789abcdef\n",
		.open = provider_openai_chat_new,
		.begin = CHAT("{'role':'assistant','content':''}"),
		.think_hm = CHAT("{'reasoning_content':'hm'}"),
		.say_hello = CHAT("{'content':'héllo w'}") CHAT("{'content':'örld,'}"),
		.say_more = CHAT("{'content':' again and again'}"),
		.say_a = CHAT("{'content':'a'}"),
		.say_b = CHAT("{'content':'b'}"),
		.call = CHAT("{'tool_calls':[{'index':0,'id':'c1','function':{'name':'look',"
			     "'arguments':'" ARGS "'}}]}"),
		.two_calls = CHAT("{'tool_calls':[{'index':0,'id':'c1','function':{'name':'look',"
				  "'arguments':'" ARGS "'}}]}")
			CHAT("{'tool_calls':[{'index':1,'id':'c2','function':{'name':'see',"
			     "'arguments':''}}]}"),
		.overloaded = EVENT("{'error':{'message':'Overloaded','code':529}}"),
		.end = CHAT_END("stop"),
		.end_calls = CHAT_END("tool_calls"),
		.whole = "{'choices':[{'message':{'content':'a'},'finish_reason':'stop'}],"
			 "'usage':{'prompt_tokens':12,'completion_tokens':3}}",
		.too_long = "{'error':{'message':'too much','type':'invalid_request_error',"
			    "'code':'context_length_exceeded'}}",
	},
	[FAKE_RESPONSES] = {
		.name = "openai-responses",
		.path = "/responses",
		.key_header = "authorization: Bearer sk-fake-0123456789abcdef\n",
		.open = provider_openai_responses_new,
		.begin = EVENT("{'type':'response.created','response':{'id':'r'}}"),
		.think_hm = EVENT("{'type':'response.reasoning_summary_text.delta','delta':'hm'}"),
		.say_hello = SAID("héllo w") SAID("örld,"),
		.say_more = SAID(" again and again"),
		.say_a = SAID("a"),
		.say_b = SAID("b"),
		.call = ITEM("c1", "look", ARGS),
		.two_calls = ITEM("c1", "look", ARGS) ITEM("c2", "see", ""),
		.overloaded = EVENT("{'type':'error','code':'overloaded','message':'Overloaded'}"),
		.end = COMPLETED,
		.end_calls = COMPLETED,
		.whole = "{'status':'completed','output':[{'type':'message','content':[{'type':"
			 "'output_text','text':'a'}]}],'usage':{'input_tokens':12,"
			 "'output_tokens':3}}",
		.too_long = "{'error':{'message':'too much','type':'invalid_request_error',"
			    "'code':'context_length_exceeded'}}",
	},
};
