#include "core/environment_def.h"

#include "definition_rows.h"

static int
make(struct json current, int64_t now_ms, struct json body, struct arena *a,
     struct definition_text *out, struct err *e)
{
	struct definition_facts f = { .id = STR("env_1"), .now_ms = now_ms, .current = current };

	return environment_def_make(&f, body, a, out, e);
}

#define CONFIG(value) "{'name':'e','config':" value "}"
#define LOCAL(more)   CONFIG("{'type':'local','working_directory':'/w'" more "}")
#define PATH(path)    CONFIG("{'type':'local','working_directory':'" path "'}")
#define CLOUD(more)   CONFIG("{'type':'cloud'" more "}")
#define NO_PACKAGES   "'packages':{'apt':[],'cargo':[],'gem':[],'go':[],'npm':[],'pip':[]}"

static const struct definition_row ROWS[] = {
	/* clang-format off */
	{ "M2 a local environment", LOCAL(""), NULL,
	  "{'id':'env_1','type':'environment','name':'e','description':null,'metadata':{},"
	  "'config':{'type':'local','working_directory':'/w','sandbox':{'mode':'workspace','workspace_access':'rw','network':'off'},"
	  "'mcp_servers':[],'env':{}},'archived_at':null,'created_at':'1970-01-01T00:00:01Z','updated_at':'1970-01-01T00:00:01Z'}" },
	{ "M2 its sandbox", LOCAL(",'sandbox':{'mode':'off','workspace_access':'ro','network':'on'}"), NULL, "'sandbox':{'mode':'off','workspace_access':'ro','network':'on'}" },
	{ "M2 no access to the workspace", LOCAL(",'sandbox':{'workspace_access':'none'}"), NULL, "'workspace_access':'none'" },
	{ "M2 another mode", LOCAL(",'sandbox':{'mode':'on'}"), NULL, "error: config.sandbox.mode: must be one of workspace, off" },
	{ "M2 another access", LOCAL(",'sandbox':{'workspace_access':'wr'}"), NULL, "error: config.sandbox.workspace_access: must be one of rw, ro, none" },
	{ "M2 another network", LOCAL(",'sandbox':{'network':'lan'}"), NULL, "error: config.sandbox.network: must be one of off, on" },
	{ "M2 an unknown setting", LOCAL(",'sandbox':{'net':'on'}"), NULL, "error: config.sandbox.net: unknown field" },
	{ "M2 a setting is not null", LOCAL(",'sandbox':{'mode':null}"), NULL, "error: config.sandbox.mode: must be a string" },
	{ "M2 a directory is required", CONFIG("{'type':'local'}"), NULL, "error: config.working_directory: is required" },
	{ "M2 null: each session has its own", CONFIG("{'type':'local','working_directory':null}"), NULL, "'config':{'type':'local','working_directory':null,'sandbox'" },
	{ "M2 a directory is no number", CONFIG("{'type':'local','working_directory':1}"), NULL, "error: config.working_directory: must be a string" },
	{ "M2 a directory is absolute", PATH("w"), NULL, "error: config.working_directory: must be an absolute path" },
	{ "M2 a directory is not empty", PATH(""), NULL, "error: config.working_directory: must have 1 to" },
	{ "M2 a directory does not lead back up", PATH("/a/../b"), NULL, "error: config.working_directory: must be an absolute path of at most 4096 bytes without '..'" },
	{ "M2 nor at its end", PATH("/a/.."), NULL, "error: config.working_directory: must be an absolute path" },
	{ "M2 dots in a name are a name", PATH("/a..b/...c"), NULL, "'working_directory':'/a..b/...c'" },
	{ "M2 a directory has no control characters", PATH("/a\\nb"), NULL, "error: config.working_directory: must not contain control" },
	{ "M2 variables by secret", LOCAL(",'env':{'A_1':{'secret':'github'},'_b':{'secret':'x'}}"), NULL, "'env':{'A_1':{'secret':'github'},'_b':{'secret':'x'}}" },
	{ "M2 a variable's value is not stored", LOCAL(",'env':{'A':'hunter2'}"), NULL, "error: config.env.A: must be {'secret': 'its name'}: values are not stored here" },
	{ "M2 a variable names its secret", LOCAL(",'env':{'A':{}}"), NULL, "error: config.env.A.secret: is required" },
	{ "M2 a variable's name", LOCAL(",'env':{'1A':{'secret':'x'}}"), NULL, "error: a variable's name has letters, digits and underscores" },
	{ "M2 a variable has a name", LOCAL(",'env':{'':{'secret':'x'}}"), NULL, "error: a variable's name has letters, digits and underscores" },
	{ "M2 a secret has a name", LOCAL(",'env':{'A':{'secret':''}}"), NULL, "error: config.env.A.secret: must have 1 to 200" },
	{ "M2 self-hosted", CONFIG("{'type':'self_hosted'}"), NULL, "'config':{'type':'self_hosted'}" },
	{ "M2 self-hosted has nothing else", CONFIG("{'type':'self_hosted','sandbox':{}}"), NULL, "error: config.sandbox: unknown field" },
	{ "M2 cloud is accepted", CLOUD(""), NULL, "'config':{'type':'cloud','networking':{'type':'unrestricted'}," NO_PACKAGES "}" },
	{ "M2 no config is cloud, as on the wire", "{'name':'e'}", NULL, "'config':{'type':'cloud','networking':{'type':'unrestricted'}," NO_PACKAGES "}" },
	{ "M2 null is no config", CONFIG("null"), NULL, "'config':{'type':'cloud'" },
	{ "M2 a limited network", CLOUD(",'networking':{'type':'limited','allowed_hosts':['a.b'],'allow_mcp_servers':true}"), NULL, "'networking':{'type':'limited','allowed_hosts':['a.b'],'allow_mcp_servers':true,'allow_package_managers':false}" },
	{ "M2 a limited network, all null", CLOUD(",'networking':{'type':'limited','allowed_hosts':null,'allow_mcp_servers':null,'allow_package_managers':null}"), NULL, "'allowed_hosts':[],'allow_mcp_servers':false,'allow_package_managers':false" },
	{ "M2 an unrestricted network has no hosts", CLOUD(",'networking':{'type':'unrestricted','allowed_hosts':[]}"), NULL, "error: config.networking.allowed_hosts: unknown field" },
	{ "M2 another network type", CLOUD(",'networking':{'type':'none'}"), NULL, "error: config.networking.type: must be one of unrestricted, limited" },
	{ "M2 a host is a text", CLOUD(",'networking':{'type':'limited','allowed_hosts':[1]}"), NULL, "error: config.networking.allowed_hosts[0]: must be a string" },
	{ "M2 packages", CLOUD(",'packages':{'type':'packages','pip':['x==1'],'apt':null}"), NULL, "'packages':{'apt':[],'cargo':[],'gem':[],'go':[],'npm':[],'pip':['x==1']}" },
	{ "M2 another package manager", CLOUD(",'packages':{'brew':[]}"), NULL, "error: config.packages.brew: unknown field" },
	{ "M2 packages of another type", CLOUD(",'packages':{'type':'x'}"), NULL, "error: config.packages.type: must be one of packages" },
	{ "M2 a package is not empty", CLOUD(",'packages':{'pip':['']}"), NULL, "error: config.packages.pip[0]: must have 1 to" },
	{ "M2 another kind", CONFIG("{'type':'docker'}"), NULL, "error: config.type: must be one of local, self_hosted, cloud" },
	{ "M2 a config has a type", CONFIG("{}"), NULL, "error: config: must have a type: local, self_hosted or cloud" },
	{ "M2 a config is an object", CONFIG("'local'"), NULL, "error: config: must be an object or null" },
	{ "M2 a name is required", "{}", NULL, "error: name: is required" },
	{ "M2 an unknown field", "{'name':'e','kind':'local'}", NULL, "error: kind: unknown field" },
	{ "A1 an environment has no version to expect", LOCAL(""), "{'version':1}", "error: version: unknown field" },
	{ "A1 an update keeps what it does not name", LOCAL(",'sandbox':{'network':'on'}"), "{'name':'f'}", "'name':'f','description':null,'metadata':{},'config':{'type':'local','working_directory':'/w','sandbox':{'mode':'workspace','workspace_access':'rw','network':'on'}" },
	{ "A1 within a config too", LOCAL(",'sandbox':{'network':'on'},'env':{'A':{'secret':'s'}}"), "{'config':{'type':'local','sandbox':{'mode':'off'}}}",
	  "'config':{'type':'local','working_directory':'/w','sandbox':{'mode':'off','workspace_access':'rw','network':'on'},'mcp_servers':[],'env':{'A':{'secret':'s'}}}" },
	{ "A1 null restores a sandbox's defaults", LOCAL(",'sandbox':{'network':'on'}"), "{'config':{'type':'local','sandbox':null}}", "'network':'off'" },
	{ "A1 null clears the variables", LOCAL(",'env':{'A':{'secret':'s'}}"), "{'config':{'type':'local','env':null}}", "'env':{}" },
	{ "A1 null leaves a config alone", LOCAL(""), "{'config':null}", "same" },
	{ "A1 another type starts afresh", LOCAL(""), "{'config':{'type':'self_hosted'}}", "'config':{'type':'self_hosted'}" },
	{ "A1 and back needs its directory", CONFIG("{'type':'self_hosted'}"), "{'config':{'type':'local'}}", "error: config.working_directory: is required" },
	{ "A1 a limited network keeps its hosts", CLOUD(",'networking':{'type':'limited','allowed_hosts':['h']}"), "{'config':{'type':'cloud','networking':{'type':'limited','allow_mcp_servers':true}}}", "'allowed_hosts':['h'],'allow_mcp_servers':true" },
	{ "A1 an unnamed network stays", CLOUD(",'networking':{'type':'limited','allowed_hosts':['h']}"), "{'config':{'type':'cloud','packages':{'go':['x']}}}", "'networking':{'type':'limited','allowed_hosts':['h']" },
	{ "A1 the same again", LOCAL(",'env':{'A':{'secret':'s'}}"), "{'name':'e','config':{'type':'local','working_directory':'/w'}}", "same" },
	{ "A1 null clears a description", "{'name':'e','description':'d'}", "{'description':null}", "'description':null" },
	{ "A1 metadata is merged", "{'name':'e','metadata':{'a':'1','b':'2'}}", "{'metadata':{'a':null}}", "'metadata':{'b':'2'}" },
	/* clang-format on */
};

static void
row_holds(void **state)
{
	definition_row_holds(*state, make);
}

static const struct list_end ENDS[] = {
	/* clang-format off */
	{ "M2 at most 64 variables", "{'name':'e','config':{'type':'local','working_directory':'/w','env':{", "'V#':{'secret':'s'}", "}}}", 64, "config.env: must have at most 64 variables, not 65" },
	{ "M2 at most 256 packages", "{'name':'e','config':{'type':'cloud','packages':{'npm':[", "'p#'", "]}}}", 256, "config.packages.npm: must have at most 256 entries, not 257" },
	/* clang-format on */
};

static void
end_holds(void **state)
{
	list_end_holds(*state, make);
}

static void
M2_a_path_has_4096_bytes(void **state)
{
	for (int more = 0; more < 2; more++) {
		struct definition_text out;
		struct err e = { 0 };
		struct arena a;
		struct str body;

		(void)state;
		arena_init(&a);
		body = arena_printf(&a,
				    "{'name':'e','config':{'type':'local','working_directory':"
				    "'/\xc3\xa4%0*d'}}",
				    4093 + more, 0);
		assert_int_equal(make((struct json){ 0 }, 1, json_of(quoted(&a, body.ptr), &a), &a,
				      &out, &e),
				 more ? ERR_INVALID : 0);
		arena_release(&a);
	}
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, row_holds);
	SUITE_ROWS(&s, ENDS, end_holds);
	SUITE_TEST(&s, M2_a_path_has_4096_bytes);
	return suite_run(&s, "environment_def");
}
