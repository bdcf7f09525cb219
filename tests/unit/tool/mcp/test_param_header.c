#include "tool/mcp/param_header.h"

#include "base/buf.h"
#include "harness.h"

/* The headers of a schema and arguments, "Name: value" in lines; ' stands for ". */
static const struct row {
	const char *name, *schema, *arguments, *want;
} ROWS[] = {
	{ "T10 none", "{'properties':{'a':{'type':'string'}}}", "{'a':'x'}", "" },
	{ "T10 a string", "{'properties':{'a':{'type':'string','x-mcp-header':'Region'}}}",
	  "{'a':'us west'}", "Mcp-Param-Region: us west\n" },
	{ "T10 an integer as it is meant",
	  "{'properties':{'a':{'type':'integer','x-mcp-header':'N'}}}", "{'a':-4.2e1}",
	  "Mcp-Param-N: -42\n" },
	{ "T10 a boolean", "{'properties':{'a':{'type':'boolean','x-mcp-header':'B'}}}",
	  "{'a':false}", "Mcp-Param-B: false\n" },
	{ "T10 null is left out", "{'properties':{'a':{'type':'boolean','x-mcp-header':'B'}}}",
	  "{'a':null}", "" },
	{ "T10 absent is left out", "{'properties':{'a':{'type':'boolean','x-mcp-header':'B'}}}",
	  "{}", "" },
	{ "T10 within an object",
	  "{'properties':{'o':{'type':'object','properties':{'a':{'type':'string','x-mcp-header':'"
	  "A'}}}}}",
	  "{'o':{'a':'deep'}}", "Mcp-Param-A: deep\n" },
	{ "T10 a property that is called so", "{'properties':{'x-mcp-header':{'type':'string'}}}",
	  "{'x-mcp-header':'v'}", "" },
	{ "T10 an empty value", "{'properties':{'a':{'type':'string','x-mcp-header':'A'}}}",
	  "{'a':''}", "Mcp-Param-A: =?base64?\x3f=\n" },
	{ "T10 spaces around", "{'properties':{'a':{'type':'string','x-mcp-header':'A'}}}",
	  "{'a':' padded '}", "Mcp-Param-A: =?base64?IHBhZGRlZCA=?=\n" },
	{ "T10 not ASCII", "{'properties':{'a':{'type':'string','x-mcp-header':'A'}}}",
	  "{'a':'Hello, \xe4\xb8\x96\xe7\x95\x8c'}",
	  "Mcp-Param-A: =?base64?SGVsbG8sIOS4lueVjA==?=\n" },
	{ "T10 a line end", "{'properties':{'a':{'type':'string','x-mcp-header':'A'}}}",
	  "{'a':'line1\\nline2'}", "Mcp-Param-A: =?base64?bGluZTEKbGluZTI=?=\n" },
	{ "T10 what looks encoded", "{'properties':{'a':{'type':'string','x-mcp-header':'A'}}}",
	  "{'a':'=?base64?literal?='}", "Mcp-Param-A: =?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=\n" },
	{ "T10 an empty name", "{'properties':{'a':{'type':'string','x-mcp-header':''}}}", "{}",
	  "!properties.a.x-mcp-header: is no name" },
	{ "T10 a name with a blank", "{'properties':{'a':{'type':'string','x-mcp-header':'a b'}}}",
	  "{}", "!properties.a.x-mcp-header: is no name" },
	{ "T10 a name with a line end",
	  "{'properties':{'a':{'type':'string','x-mcp-header':'a\\r\\nb'}}}", "{}",
	  "!properties.a.x-mcp-header: is no name" },
	{ "T10 a name that is a number", "{'properties':{'a':{'type':'string','x-mcp-header':5}}}",
	  "{}", "!properties.a.x-mcp-header: is no name" },
	{ "T10 a name twice",
	  "{'properties':{'a':{'type':'string','x-mcp-header':'R'},'b':{'type':'string','x-mcp-"
	  "header':'r'}}}",
	  "{}", "!properties.b.x-mcp-header: names a header a second time" },
	{ "T10 at a number", "{'properties':{'a':{'type':'number','x-mcp-header':'R'}}}", "{}",
	  "!properties.a.x-mcp-header: stands only at" },
	{ "T10 at an object", "{'properties':{'a':{'type':'object','x-mcp-header':'R'}}}", "{}",
	  "!properties.a.x-mcp-header: stands only at" },
	{ "T10 without a type", "{'properties':{'a':{'x-mcp-header':'R'}}}", "{}",
	  "!properties.a.x-mcp-header: stands only at" },
	{ "T10 within an array",
	  "{'properties':{'a':{'type':'array','items':{'type':'string','x-mcp-header':'R'}}}}",
	  "{}", "!properties.a.items.x-mcp-header: stands where" },
	{ "T10 within a choice",
	  "{'anyOf':[{'properties':{'a':{'type':'string','x-mcp-header':'R'}}}]}", "{}",
	  "!anyOf[0].properties.a.x-mcp-header: stands where" },
	{ "T10 at the schema itself", "{'type':'string','x-mcp-header':'R'}", "{}",
	  "!x-mcp-header: stands where" },
};

static struct json
parse(struct arena *a, const char *text)
{
	struct json_doc *doc = ARENA_NEW(a, struct json_doc);
	struct str s = arena_str(a, str_of(text));

	for (char *p = (char *)(uintptr_t)s.ptr; *p; p++)
		*p = *p == '\'' ? '"' : *p;
	assert_int_equal(json_parse(a, s, &JSON_LIMITS_DEFAULT, doc, NULL), 0);
	return json_root(doc);
}

static void
row_holds(void **state)
{
	const struct row *row = *state;
	struct http_header headers[PARAM_HEADERS_MAX];
	struct param_header *params;
	struct arena a, gone;
	struct buf out;
	struct err e;
	size_t count;
	int rc;

	arena_init(&a);
	arena_init(&gone);
	buf_init(&out, 4096);
	rc = param_header_read(parse(&gone, row->schema), &a, &params, &count, &e);
	arena_release(&gone); /* the tool outlives the message that told of it */
	if (rc != 0) {
		buf_printf(&out, "!%s", e.text);
		if (!str_starts(buf_str(&out), str_of(row->want)))
			check_str("said", buf_str(&out), str_of(row->want));
	} else {
		size_t made =
			param_header_fill(params, count, parse(&a, row->arguments), &a, headers);

		for (size_t i = 0; i < made; i++)
			buf_printf(&out, STR_FMT ": " STR_FMT "\n", STR_ARG(headers[i].name),
				   STR_ARG(headers[i].value));
		check_str("headers", buf_str(&out), str_of(row->want));
	}
	buf_release(&out);
	arena_release(&a);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, row_holds);
	return suite_run(&s, "tool/mcp/param_header");
}
