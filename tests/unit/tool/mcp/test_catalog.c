#include "tool/mcp/catalog.h"

#include "harness.h"

#define TOOL(name) "{'name':'" name "','inputSchema':{'type':'object'}}"

/* The tools of one page, "name(description)" each with r for read only, i for idempotent. */
static const struct row {
	const char *name, *page, *want; /* ' stands for "; want !: refused */
} ROWS[] = {
	{ "T10 tools", "{'tools':[" TOOL("a") "," TOOL("b") "]}", "a() b() " },
	{ "T10 hints and words",
	  "{'tools':[{'name':'a','description':'does "
	  "a','inputSchema':{},'annotations':{'readOnlyHint':true}},"
	  "{'name':'b','title':'B','inputSchema':{},'annotations':{'idempotentHint':true,'"
	  "readOnlyHint':false}}]}",
	  "a(does a)r b(B)i " },
	{ "T10 hints that are no booleans",
	  "{'tools':[{'name':'a','inputSchema':{},'annotations':{'readOnlyHint':'true'}}]}",
	  "a() " },
	{ "T10 none", "{'tools':[]}", "" },
	{ "T10 a tool without a name is left out", "{'tools':[{'inputSchema':{}}," TOOL("b") "]}",
	  "b() " },
	{ "T10 a tool with a line end in its name", "{'tools':[" TOOL("a\\nb") "," TOOL("b") "]}",
	  "b() " },
	{ "T10 a tool without a schema", "{'tools':[{'name':'a'}," TOOL("b") "]}", "b() " },
	{ "T10 a tool whose schema is a list", "{'tools':[{'name':'a','inputSchema':[]}]}", "" },
	{ "T10 a tool that is a number", "{'tools':[5," TOOL("b") "]}", "b() " },
	{ "T10 a name twice", "{'tools':[" TOOL("a") "," TOOL("a") "]}", "a() " },
	{ "T10 names that models could not tell apart",
	  "{'tools':[" TOOL("a.b") "," TOOL("a/b") "]}", "a.b() " },
	{ "T10 headers that make no sense",
	  "{'tools':[{'name':'a','inputSchema':{'properties':{'x':{'type':'object','x-mcp-header':'"
	  "X'}}}}," TOOL("b") "]}",
	  "b() " },
	{ "T10 no list", "{}", "!its answer to tools/list has no tools" },
	{ "T10 a list that is none", "{'tools':{}}", "!its answer to tools/list has no tools" },
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

static int
add(struct catalog *c, struct str page, struct str *cursor, struct err *e)
{
	struct arena gone;
	int rc;

	arena_init(&gone);
	rc = catalog_add(c, STR("s"), parse(&gone, page), true, cursor, e);
	arena_release(&gone); /* the tools outlive the message */
	return rc;
}

static void
row_holds(void **state)
{
	const struct row *row = *state;
	struct str cursor = { 0 };
	struct catalog c;
	struct buf out;
	struct err e;

	catalog_init(&c);
	buf_init(&out, 4096);
	if (add(&c, str_of(row->page), &cursor, &e) != 0)
		buf_printf(&out, "!%s", e.text);
	else
		for (size_t i = 0; i < c.count; i++)
			buf_printf(&out, STR_FMT "(" STR_FMT ")%s%s ", STR_ARG(c.tools[i].doc.name),
				   STR_ARG(c.tools[i].doc.description),
				   c.tools[i].doc.read_only ? "r" : "",
				   c.tools[i].doc.idempotent ? "i" : "");
	check_str("tools", buf_str(&out), str_of(row->want));
	buf_release(&out);
	catalog_release(&c);
}

static void
T10_pages_follow_each_other_and_end(void **state)
{
	struct str cursor = { 0 };
	struct catalog c;
	struct err e;
	char page[256];
	int rc = 0;

	(void)state;
	catalog_init(&c);
	for (int i = 0; rc == 0 && i <= CATALOG_PAGES_MAX; i++) {
		snprintf(page, sizeof page,
			 "{'tools':[{'name':'t%d','inputSchema':{'n':%d}}],'nextCursor':'c%d'}", i,
			 i, i);
		rc = add(&c, str_of(page), &cursor, &e);
	}
	assert_int_equal(rc, ERR_LIMIT);
	assert_int_equal(c.count, CATALOG_PAGES_MAX);
	check_str("schema", c.tools[7].doc.input_schema, STR("{\"n\":7}"));
	assert_ptr_equal(catalog_find(&c, STR("t9")), &c.tools[9]);
	assert_null(catalog_find(&c, STR("t999")));
	catalog_release(&c);
}

/* A call is bound to one tool: another that a model would be told of by that name is not it. */
static void
T7_a_tool_is_found_by_its_own_name_alone(void **state)
{
	struct str cursor;
	struct catalog c;
	struct err e;

	(void)state;
	catalog_init(&c);
	assert_int_equal(add(&c, STR("{'tools':[" TOOL("a.b") "," TOOL("x") "]}"), &cursor, &e), 0);
	assert_ptr_equal(catalog_find(&c, STR("a.b")), &c.tools[0]);
	assert_true(catalog_tells(&c, STR("a_b")));
	assert_null(catalog_find(&c, STR("a_b")));
	assert_null(catalog_find(&c, STR("s__x")));
	catalog_release(&c);
}

static void
T10_tools_and_their_sizes_are_bounded(void **state)
{
	struct str cursor = { 0 };
	struct catalog c;
	struct buf page;
	struct err e;

	(void)state;
	catalog_init(&c);
	buf_init(&page, 8 << 20);
	buf_puts(&page, "{'tools':[");
	for (int i = 0; i <= CATALOG_TOOLS_MAX; i++)
		buf_printf(&page, "%s{'name':'t%d','inputSchema':{}}", i ? "," : "", i);
	buf_puts(&page, "]}");
	assert_int_equal(add(&c, buf_str(&page), &cursor, &e), ERR_LIMIT);
	catalog_release(&c);

	catalog_init(&c);
	buf_clear(&page);
	buf_puts(&page, "{'tools':[{'name':'long','inputSchema':{'a':'");
	memset(buf_extend(&page, CATALOG_SCHEMA_MAX), 'x', CATALOG_SCHEMA_MAX);
	buf_puts(&page, "'}},{'name':'wordy','inputSchema':{},'description':'");
	memset(buf_extend(&page, 2 * CATALOG_DESCRIPTION_MAX), 'x', 2 * CATALOG_DESCRIPTION_MAX);
	buf_puts(&page, "'}]}");
	assert_int_equal(add(&c, buf_str(&page), &cursor, &e), 0);
	assert_int_equal(c.count, 1);
	assert_int_equal(c.tools[0].doc.description.len, CATALOG_DESCRIPTION_MAX);
	buf_release(&page);
	catalog_release(&c);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, row_holds);
	SUITE_TEST(&s, T10_pages_follow_each_other_and_end);
	SUITE_TEST(&s, T7_a_tool_is_found_by_its_own_name_alone);
	SUITE_TEST(&s, T10_tools_and_their_sizes_are_bounded);
	return suite_run(&s, "tool/mcp/catalog");
}
