#include "tool/mcp/result.h"

#include "base/utf8.h"
#include "harness.h"

static const struct row {
	const char *name, *result, *want; /* ' stands for " */
	enum tool_outcome outcome;
} ROWS[] = {
	{ "T10 a text", "{'content':[{'type':'text','text':'hi'}]}", "hi", OUTCOME_OK },
	{ "T10 texts begin lines",
	  "{'content':[{'type':'text','text':'a'},{'type':'text','text':'b\\n'},{'type':'text','"
	  "text':'c'}]}",
	  "a\nb\nc", OUTCOME_OK },
	{ "T10 an error", "{'content':[{'type':'text','text':'no'}],'isError':true}", "no",
	  OUTCOME_ERROR },
	{ "T10 nothing", "{'content':[]}", "", OUTCOME_OK },
	{ "T10 no content at all", "{}", "", OUTCOME_OK },
	{ "T10 a picture",
	  "{'content':[{'type':'image','mimeType':'image/png','data':'AAAAAAAA'}]}",
	  "[image image/png, 6 bytes]", OUTCOME_OK },
	{ "T10 a sound", "{'content':[{'type':'audio','mimeType':'audio/wav','data':'AAAA'}]}",
	  "[audio audio/wav, 3 bytes]", OUTCOME_OK },
	{ "T10 a resource with text",
	  "{'content':[{'type':'resource','resource':{'uri':'a://b','text':'words'}}]}",
	  "[resource a://b]\nwords", OUTCOME_OK },
	{ "T10 a resource with bytes",
	  "{'content':[{'type':'resource','resource':{'uri':'a://b','mimeType':'x/"
	  "y','blob':'AAAA'}}]}",
	  "[resource a://b x/y, 3 bytes]", OUTCOME_OK },
	{ "T10 a link",
	  "{'content':[{'type':'resource_link','uri':'a://b','name':'n','description':'d'}]}",
	  "[link a://b (n): d]", OUTCOME_OK },
	{ "T10 a kind that is not known", "{'content':[{'type':'hologram'}]}",
	  "[content of type hologram]", OUTCOME_OK },
	{ "T10 structured content alone", "{'structuredContent':{'t':1}}", "{'t':1}", OUTCOME_OK },
	{ "T10 structured content behind a picture",
	  "{'content':[{'type':'image','data':''}],'structuredContent':{'t':1}}",
	  "[image, 0 bytes]\n{'t':1}", OUTCOME_OK },
	{ "T10 structured content that the text repeats",
	  "{'content':[{'type':'text','text':'t is 1'}],'structuredContent':{'t':1}}", "t is 1",
	  OUTCOME_OK },
	{ "T10 blocks of the wrong type", "{'content':[1,'a',{'type':5},{'type':'text','text':3}]}",
	  "[content of type ]\n[content of type ]\n[content of type ]\n", OUTCOME_OK },
};

static struct json
parse(struct arena *a, struct str text)
{
	struct json_doc *doc = ARENA_NEW(a, struct json_doc);
	struct str s = arena_str(a, text);

	for (char *p = (char *)(uintptr_t)s.ptr; *p; p++)
		*p = *p == '\'' ? '"' : *p;
	assert_int_equal(json_parse(a, s, &JSON_LIMITS_DEFAULT, doc, NULL), 0);
	return json_root(doc);
}

static void
row_holds(void **state)
{
	const struct row *row = *state;
	struct arena a;
	struct buf out;
	struct str want;

	arena_init(&a);
	buf_init(&out, 2 * RESULT_BYTES_MAX);
	want = arena_str(&a, str_of(row->want));
	for (char *p = (char *)(uintptr_t)want.ptr; *p; p++)
		*p = *p == '\'' ? '"' : *p;
	assert_int_equal(result_read(parse(&a, str_of(row->result)), &out), row->outcome);
	check_str("text", buf_str(&out), want);
	buf_release(&out);
	arena_release(&a);
}

static void
T10_a_long_result_is_cut_between_characters(void **state)
{
	struct arena a;
	struct buf text, out;

	(void)state;
	arena_init(&a);
	buf_init(&text, 8 << 20);
	buf_puts(&text, "{'content':[{'type':'text','text':'x");
	while (text.len < RESULT_BYTES_MAX + 1000)
		buf_puts(&text, "\xc3\xa9");
	buf_puts(&text, "'}]}");
	buf_init(&out, 2 * RESULT_BYTES_MAX);
	assert_int_equal(result_read(parse(&a, buf_str(&text)), &out), OUTCOME_OK);
	assert_true(utf8_valid(buf_str(&out)));
	assert_true(out.len <= RESULT_BYTES_MAX + 64);
	assert_true(str_ends(buf_str(&out), STR(" bytes are left out]")));
	buf_release(&text);
	buf_release(&out);
	arena_release(&a);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, row_holds);
	SUITE_TEST(&s, T10_a_long_result_is_cut_between_characters);
	return suite_run(&s, "tool/mcp/result");
}
