#include "core/tool_offer.h"

#include "definition_rows.h"

static const struct tool_doc OWN[] = {
	{ .name = STR("own"), .description = STR("o"), .input_schema = STR("{}") },
};
static const struct tool_doc LOCAL[] = {
	{ .name = STR("bash") },
	{ .name = STR("read"), .read_only = true },
	{ .name = STR("process_list"), .read_only = true },
	{ .name = STR("process_kill") },
};
static const struct tool_doc REMOTE[] = {
	{ .name = STR("search"), .server = STR("web"), .read_only = true },
	{ .name = STR("put"), .server = STR("disk"), .idempotent = true },
	{ .name = STR("a.b/c"), .server = STR("disk") },
	{ .name = STR("read"), .server = STR("my disk") },
};

#define TEN "abcdefghij"

/* One word a tool: its name, * custom, @server, ? asks, > the client's, ~ may be repeated,
 * ! changes files. */
static const struct row {
	const char *name, *blocks, *want;
	bool by_worker;
} ROWS[] = {
	{ "T12 no block, no tools; the environment's servers ask", "[]",
	  "search@web?~ put@disk?~ a_b_c@disk? read@my disk?" },
	{ "T9 custom tools are the client's",
	  "[{'type':'custom','name':'ask','description':'asks','input_schema':{'type':'object'}}]",
	  "ask*> search@web?~ put@disk?~ a_b_c@disk? read@my disk?" },
	{ "T9 by the name that the client knows, however long",
	  "[{'type':'custom','name':'" TEN TEN TEN TEN TEN TEN TEN "'}]",
	  TEN TEN TEN TEN TEN TEN TEN "*> search@web?~ put@disk?~ a_b_c@disk? read@my disk?" },
	{ "T12 the built-in block brings the engine's own along, which run unasked",
	  "[{'type':'agent_toolset_20260401','default_config':{'permission_policy':{'type':"
	  "'always_ask'}}}]",
	  "own bash?! read?~ process_list?~ process_kill? search@web?~ put@disk?~ a_b_c@disk? "
	  "my_disk__read@my "
	  "disk?" },
	{ "T12 they run unasked unless the block says otherwise; what follows bash does as bash",
	  "[{'type':'agent_toolset_20260401','configs':[{'name':'bash','enabled':false},{'name':"
	  "'read','permission_policy':{'type':'auto'}}]}]",
	  "own read?~ search@web?~ put@disk?~ a_b_c@disk? my_disk__read@my disk?" },
	{ "T12 what ends a process changes no file: it need not wait for a command that runs",
	  "[{'type':'agent_toolset_20260401','configs':[{'name':'read','enabled':false}]},"
	  "{'type':'mcp_toolset','mcp_server_name':'disk','default_config':{'enabled':false}},"
	  "{'type':'mcp_toolset','mcp_server_name':'my disk','default_config':{'enabled':false}}]",
	  "own bash! process_list~ process_kill search@web?~" },
	{ "T11 elsewhere a worker runs them, and nothing is left running",
	  "[{'type':'agent_toolset_20260401'}]",
	  "own bash>! read>~ search@web?~ put@disk?~ a_b_c@disk? my_disk__read@my disk?", true },
	{ "T10 a server's block says what of it is offered",
	  "[{'type':'mcp_toolset','mcp_server_name':'disk','default_config':{'enabled':false},"
	  "'configs':[{'name':'put','enabled':true,'permission_policy':{'type':'always_allow'}}]},"
	  "{'type':'mcp_toolset','mcp_server_name':'my disk','default_config':{'enabled':false}}]",
	  "search@web?~ put@disk~" },
	{ "T10 a tool that nobody could tell apart is left out",
	  "[{'type':'custom','name':'bash'},{'type':'agent_toolset_20260401'},"
	  "{'type':'custom','name':'my_disk__read'}]",
	  "own bash! read~ process_list~ process_kill my_disk__read*> search@web?~ put@disk?~ "
	  "a_b_c@disk?" },
};

static void
show(const struct tool_offer *o, struct buf *out)
{
	for (size_t i = 0; i < o->count; i++) {
		const struct turn_tool *t = &o->tools[i];

		buf_printf(out, "%s" STR_FMT "%s%s" STR_FMT "%s%s%s%s", i > 0 ? " " : "",
			   STR_ARG(t->name), t->kind == EVENT_AGENT_CUSTOM_TOOL_USE ? "*" : "",
			   t->mcp_server_name.len > 0 ? "@" : "", STR_ARG(t->mcp_server_name),
			   t->policy != APPROVAL_ALWAYS_ALLOW ? "?" : "", t->client_side ? ">" : "",
			   t->repeatable ? "~" : "", t->changes_files ? "!" : "");
		assert_int_equal(t->kind == EVENT_AGENT_MCP_TOOL_USE, t->mcp_server_name.len > 0);
	}
}

static void
row(void **state)
{
	const struct row *t = *state;
	struct tool_offer offer;
	struct arena a;
	struct buf out;

	arena_init(&a);
	buf_init(&out, 1 << 16);
	tool_offer_make(&(struct tool_offer_facts){ .blocks = json_of(quoted(&a, t->blocks), &a),
						    .own = { OWN, ARRAY_LEN(OWN) },
						    .local = { LOCAL, ARRAY_LEN(LOCAL) },
						    .remote = { REMOTE, ARRAY_LEN(REMOTE) },
						    .by_worker = t->by_worker },
			&a, &offer);
	show(&offer, &out);
	check_str(t->name, buf_str(&out), str_of(t->want));
	buf_release(&out);
	arena_release(&a);
}

static const struct tool_doc *
doc_of(const struct tool_offer *o, struct turn_call call)
{
	call.kind = call.server.len > 0 ? EVENT_AGENT_MCP_TOOL_USE : EVENT_AGENT_TOOL_USE;
	return tool_offer_doc(o, &call);
}

static void
T10_a_called_tool_is_found_again(void **state)
{
	const struct tool_doc *doc;
	struct tool_offer offer;
	struct arena a;
	struct json blocks;

	(void)state;
	arena_init(&a);
	blocks =
		json_of(quoted(&a, "[{'type':'agent_toolset_20260401'},{'type':'mcp_toolset',"
				   "'mcp_server_name':'my disk'},{'type':'custom','name':'ask',"
				   "'description':'asks','input_schema':{'type':'object','x':1}}]"),
			&a);
	tool_offer_make(&(struct tool_offer_facts){ .blocks = blocks,
						    .local = { LOCAL, ARRAY_LEN(LOCAL) },
						    .remote = { REMOTE, ARRAY_LEN(REMOTE) } },
			&a, &offer);
	doc = doc_of(&offer, (struct turn_call){ .name = STR("my_disk__read"),
						 .server = STR("my disk"),
						 .own_name = STR("read") });
	check_str("server", doc->server, STR("my disk"));
	check_str("name", tool_offer_own_name(doc), STR("read"));
	assert_ptr_equal(doc_of(&offer, (struct turn_call){ .name = STR("called otherwise then"),
							    .server = STR("my disk"),
							    .own_name = STR("read") }),
			 doc);
	assert_null(doc_of(&offer, (struct turn_call){ .name = STR("my_disk__read"),
						       .server = STR("disk"),
						       .own_name = STR("read") }));
	assert_null(doc_of(&offer, (struct turn_call){ .name = STR("my_disk__read") }));
	doc = doc_of(&offer, (struct turn_call){ .name = STR("read") });
	check_str("ours", doc->server, STR(""));
	assert_null(doc_of(&offer, (struct turn_call){ .name = STR("ask") }));
	doc = tool_offer_doc(&offer, &(struct turn_call){ .name = STR("ask"),
							  .kind = EVENT_AGENT_CUSTOM_TOOL_USE });
	check_str("description", doc->description, STR("asks"));
	check_str("schema", doc->input_schema, STR("{\"type\":\"object\",\"x\":1}"));
	assert_null(doc_of(&offer, (struct turn_call){ .name = STR("nope") }));
	assert_true(tool_offer_wants_built_in(blocks));
	assert_true(tool_offer_wants_server(blocks, STR("my disk")));
	assert_false(tool_offer_wants_server(blocks, STR("web")));
	assert_false(tool_offer_wants_built_in((struct json){ 0 }));
	arena_release(&a);
}

/* What a block says of a tool does not depend on who else has one of that name. */
static void
T10_a_servers_block_names_tools_as_the_server_does(void **state)
{
	static const struct tool_doc CLASHING[] = {
		{ .name = STR("disk__put"), .server = STR("disk"), .own_name = STR("put") },
		{ .name = STR("web__put"), .server = STR("web"), .own_name = STR("put") },
		{ .name = STR("get_page"), .server = STR("web"), .own_name = STR("get.page") },
		{ .name = STR("a_b"), .server = STR("web"), .own_name = STR("a.b") },
		{ .name = STR("web__c"), .server = STR("web"), .own_name = STR("c") },
	};
	struct tool_offer offer;
	struct arena a;
	struct buf out;

	(void)state;
	arena_init(&a);
	buf_init(&out, 1 << 16);
	tool_offer_make(
		&(struct tool_offer_facts){
			.blocks = json_of(
				quoted(&a,
				       "[{'type':'mcp_toolset','mcp_server_name':'disk','configs':["
				       "{"
				       "'name':'put','enabled':false}]},{'type':'mcp_toolset',"
				       "'mcp_server_name':'web','default_config':{"
				       "'permission_policy':{'type':'always_allow'}},'configs':[{"
				       "'name':'get.page','permission_policy':{'type':'always_ask'}"
				       "},{'name':'a_b','enabled':false},{'name':'web__c',"
				       "'enabled':false}]}]"),
				&a),
			.remote = { CLASHING, ARRAY_LEN(CLASHING) } },
		&a, &offer);
	show(&offer, &out);
	check_str("offer", buf_str(&out), STR("web__put@web get_page@web?"));
	buf_release(&out);
	arena_release(&a);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, row);
	SUITE_TEST(&s, T10_a_called_tool_is_found_again);
	SUITE_TEST(&s, T10_a_servers_block_names_tools_as_the_server_does);
	return suite_run(&s, "core/tool_offer");
}
