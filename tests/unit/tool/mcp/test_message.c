#include "tool/mcp/message.h"

#include "base/buf.h"
#include "harness.h"

/* In texts ' stands for ". Each message: a letter (r result, e error, q request, n notification), then
 * what it says. */
static const struct row {
	const char *name, *text, *want;
} ROWS[] = {
	{ "T10 a result", "{'jsonrpc':'2.0','id':7,'result':{'a':1}}", "r7{'a':1}" },
	{ "T10 an error",
	  "{'jsonrpc':'2.0','id':7,'error':{'code':-32601,'message':'no','data':[1]}}",
	  "e7-32601 no[1]" },
	{ "T10 an error about nobody's request",
	  "{'jsonrpc':'2.0','id':null,'error':{'code':-32700,'message':'what?'}}",
	  "e-1-32700 what?" },
	{ "T10 an error without an id", "{'jsonrpc':'2.0','error':{'code':1,'message':'x'}}",
	  "e-11 x" },
	{ "T10 a request", "{'jsonrpc':'2.0','id':'a','method':'ping'}", "q'a'ping" },
	{ "T10 a request with id 0", "{'jsonrpc':'2.0','id':0,'method':'roots/list','params':{}}",
	  "q0roots/list{}" },
	{ "T10 a notification",
	  "{'jsonrpc':'2.0','method':'notifications/progress','params':{'progress':1}}",
	  "nnotifications/progress{'progress':1}" },
	{ "T10 a batch", "[{'jsonrpc':'2.0','method':'a'},{'jsonrpc':'2.0','id':2,'result':{}}]",
	  "nar2{}" },
	{ "T10 an answer to a text id is nobody's", "{'jsonrpc':'2.0','id':'7','result':{}}",
	  "r-1{}" },
	{ "T10 members that are not known", "{'jsonrpc':'2.0','id':1,'result':{},'x':[]}", "r1{}" },
	{ "T10 a NUL becomes a replacement character", "{'jsonrpc':'2.0','method':'a\\u0000b'}",
	  "na\xef\xbf\xbd"
	  "b" },
	{ "T10 so does half a surrogate pair",
	  "{'jsonrpc':'2.0','method':'\\ud83d.\\ude42.\\ud83d\\ud83d\\ude42'}",
	  "n\xef\xbf\xbd.\xef\xbf\xbd.\xef\xbf\xbd\xf0\x9f\x99\x82" },
	{ "T10 an escaped backslash is none", "{'jsonrpc':'2.0','method':'\\\\u0000'}",
	  "n\\u0000" },
	{ "T10 no JSON", "hello", "!" },
	{ "T10 cut off", "{'jsonrpc':'2.0','id':1,'result':{", "!" },
	{ "T10 another version", "{'jsonrpc':'1.0','id':1,'result':{}}",
	  "!not a message of JSON-RPC 2.0: jsonrpc" },
	{ "T10 no version", "{'id':1,'result':{}}", "!not a message of JSON-RPC 2.0: jsonrpc" },
	{ "T10 neither method nor result", "{'jsonrpc':'2.0','id':1}",
	  "!not a message of JSON-RPC 2.0: it has no method" },
	{ "T10 a result that is no object", "{'jsonrpc':'2.0','id':1,'result':3}",
	  "!not a message of JSON-RPC 2.0: a result" },
	{ "T10 an error without words", "{'jsonrpc':'2.0','id':1,'error':{'code':1}}",
	  "!not a message of JSON-RPC 2.0: an error" },
	{ "T10 params that are a list", "{'jsonrpc':'2.0','method':'a','params':[1]}",
	  "!not a message of JSON-RPC 2.0: its params" },
	{ "T10 an id that is an object", "{'jsonrpc':'2.0','id':{},'method':'a'}",
	  "!not a message of JSON-RPC 2.0: its id" },
	{ "T10 an answer whose id is a list", "{'jsonrpc':'2.0','id':[1],'result':{}}",
	  "!not a message of JSON-RPC 2.0: its id" },
	{ "T10 a method that is a number", "{'jsonrpc':'2.0','method':5}",
	  "!not a message of JSON-RPC 2.0: its method" },
	{ "T10 an empty batch", "[]", "!not a message of JSON-RPC 2.0: a batch" },
	{ "T10 a batch of numbers", "[1]", "!not a message of JSON-RPC 2.0: it is no object" },
	{ "T10 a key twice", "{'jsonrpc':'2.0','id':1,'id':2,'result':{}}", "!" },
};

static struct str
quoted(struct arena *a, const char *text)
{
	struct str s = arena_str(a, str_of(text));
	char *bytes = (char *)(uintptr_t)s.ptr;

	for (size_t i = 0; i < s.len; i++)
		if (bytes[i] == '\'')
			bytes[i] = '"';
	return s;
}

static void
trace(const struct message_in *m, struct buf *out)
{
	switch (m->kind) {
	case MESSAGE_RESULT:
		buf_printf(out, "r%lld" STR_FMT, (long long)m->id, STR_ARG(json_raw(m->result)));
		break;
	case MESSAGE_ERROR:
		buf_printf(out, "e%lld%lld " STR_FMT, (long long)m->id, (long long)m->code,
			   STR_ARG(m->text));
		if (json_is_set(m->data))
			buf_put_str(out, json_raw(m->data));
		break;
	case MESSAGE_REQUEST:
		buf_printf(out, "q" STR_FMT STR_FMT, STR_ARG(m->raw_id), STR_ARG(m->method));
		break;
	case MESSAGE_NOTIFICATION: buf_printf(out, "n" STR_FMT, STR_ARG(m->method)); break;
	}
	if (json_is_set(m->params))
		buf_put_str(out, json_raw(m->params));
}

static void
row_holds(void **state)
{
	const struct row *row = *state;
	struct message_in *messages;
	struct arena a;
	struct buf out;
	struct err e;
	size_t count;

	arena_init(&a);
	buf_init(&out, 4096);
	if (message_read(&a, quoted(&a, row->text), &messages, &count, &e) != 0) {
		buf_printf(&out, "!%s", e.text);
		if (!str_starts(buf_str(&out), str_of(row->want)))
			check_str("said", buf_str(&out), str_of(row->want));
	} else {
		for (size_t i = 0; i < count; i++)
			trace(&messages[i], &out);
		check_str("read", buf_str(&out), quoted(&a, row->want));
	}
	buf_release(&out);
	arena_release(&a);
}

static void
T10_depth_and_length_are_bounded(void **state)
{
	struct message_in *messages;
	struct arena a;
	struct buf text;
	struct err e;
	size_t count;

	(void)state;
	arena_init(&a);
	for (int depth = MESSAGE_DEPTH_MAX - 2; depth <= MESSAGE_DEPTH_MAX + 1; depth++) {
		buf_init(&text, 4096);
		buf_puts(&text, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":");
		for (int i = 2; i < depth; i++)
			buf_putc(&text, '[');
		for (int i = 2; i < depth; i++)
			buf_putc(&text, ']');
		buf_puts(&text, "}}");
		assert_int_equal(message_read(&a, buf_str(&text), &messages, &count, &e),
				 depth <= MESSAGE_DEPTH_MAX ? 0 : ERR_INVALID);
		buf_release(&text);
	}
	buf_init(&text, MESSAGE_BYTES_MAX + 1);
	memset(buf_extend(&text, MESSAGE_BYTES_MAX + 1), ' ', MESSAGE_BYTES_MAX + 1);
	assert_int_equal(message_read(&a, buf_str(&text), &messages, &count, &e), ERR_TOO_LARGE);
	buf_release(&text);
	arena_release(&a);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, row_holds);
	SUITE_TEST(&s, T10_depth_and_length_are_bounded);
	return suite_run(&s, "tool/mcp/message");
}
