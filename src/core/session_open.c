#include "core/session_open.h"

#include "core/budget.h"
#include "core/session.h"

int
session_title_check(struct json v, struct arena *a, struct str *out, struct err *e)
{
	struct str title = json_str(v, a);
	size_t chars = 0;

	for (size_t i = 0; i < title.len; i++) {
		if ((unsigned char)title.ptr[i] < 0x20 || title.ptr[i] == 0x7f)
			return json_fail(v, e, "must be one line without control characters");
		chars += ((unsigned char)title.ptr[i] & 0xc0) != 0x80;
	}
	if (chars > SESSION_TITLE_MAX)
		return json_fail(v, e, "has %zu characters; at most %d fit", chars,
				 SESSION_TITLE_MAX);
	*out = title;
	return 0;
}

int
session_budget_check(struct json v, struct err *e)
{
	static const char *const TYPES[] = { "limit" };
	struct json type = { 0 }, cost = { 0 }, amount = { 0 }, currency = { 0 };
	const struct json_field fields[] = {
		{ "type", JSON_WANT_STRING, true, &type },
		{ "max_list_cost", JSON_WANT_OBJECT, true, &cost },
	};
	const struct json_field cost_fields[] = {
		{ "amount", JSON_WANT_STRING, true, &amount },
		{ "currency", JSON_WANT_STRING, true, &currency },
	};
	struct str digits;
	size_t which;
	int rc = json_fields(v, fields, ARRAY_LEN(fields), e);

	if (rc == 0)
		rc = json_take_word(type, TYPES, ARRAY_LEN(TYPES), &which, e);
	if (rc == 0)
		rc = json_fields(cost, cost_fields, ARRAY_LEN(cost_fields), e);
	if (rc != 0)
		return rc;
	if (!json_str_eq(currency, STR("USD")))
		return json_fail(currency, e, "must be USD");
	digits = json_raw(amount); /* quotes included; digits need no escape */
	if (digits.len < 3 || digits.len > 14)
		return json_fail(amount, e,
				 "must be whole cents as a text: \"2500\" is 25 dollars");
	for (size_t i = 1; i + 1 < digits.len; i++)
		if (digits.ptr[i] < '0' || digits.ptr[i] > '9')
			return json_fail(amount, e,
					 "must be whole cents as a text: \"2500\" is 25 dollars");
	return 0;
}

int64_t
session_budget_limit(struct json v)
{
	static const int64_t PICO_PER_CENT = INT64_C(10000000000);
	struct json cost, amount;
	struct str digits;
	int64_t cents;

	if (!json_is_set(v) || !json_find(v, STR("max_list_cost"), &cost) ||
	    !json_find(cost, STR("amount"), &amount))
		return BUDGET_UNLIMITED;
	digits = json_raw(amount); /* in quotes */
	if (digits.len < 2 || !str_to_int(str_slice(digits, 1, digits.len - 1), &cents))
		return BUDGET_UNLIMITED;
	return cents > COST_MAX / PICO_PER_CENT ? COST_MAX : cents * PICO_PER_CENT;
}

/* Which revision a repository is checked out at. */
static int
check_checkout(struct json v, struct err *e)
{
	static const char *const TYPES[] = { "branch", "commit" };
	struct json type = { 0 }, name = { 0 }, sha = { 0 };
	const struct json_field fields[] = {
		{ "type", JSON_WANT_STRING, true, &type },
		{ "name", JSON_WANT_STRING, false, &name },
		{ "sha", JSON_WANT_STRING, false, &sha },
	};
	size_t which = 0;
	int rc = 0;

	if (!json_is_set(v))
		return 0;
	rc = json_fields(v, fields, ARRAY_LEN(fields), e);
	if (rc == 0)
		rc = json_take_word(type, TYPES, ARRAY_LEN(TYPES), &which, e);
	if (rc == 0 && (json_is_set(name) != (which == 0) || json_is_set(sha) != (which == 1)))
		rc = json_fail(v, e, "a branch has a name, a commit a sha, and nothing else");
	return rc;
}

int
session_resource_check(struct json v, struct err *e)
{
	static const char *const TYPES[] = { "file", "github_repository", "memory_store" };
	static const char *const ACCESS[] = { "read_write", "read_only" };
	struct json type = { 0 }, named = { 0 }, checkout = { 0 }, access = { 0 }, text[2] = { 0 };
	const struct json_field file[] = {
		{ "type", JSON_WANT_STRING, true, &type },
		{ "file_id", JSON_WANT_STRING, true, &named },
		{ "mount_path", JSON_WANT_STRING | JSON_WANT_NULL, false, &text[0] },
	};
	const struct json_field repository[] = {
		{ "type", JSON_WANT_STRING, true, &type },
		{ "url", JSON_WANT_STRING, true, &named },
		{ "authorization_token", JSON_WANT_STRING, false, &text[1] },
		{ "checkout", JSON_WANT_OBJECT | JSON_WANT_NULL, false, &checkout },
		{ "mount_path", JSON_WANT_STRING | JSON_WANT_NULL, false, &text[0] },
	};
	const struct json_field memory[] = {
		{ "type", JSON_WANT_STRING, true, &type },
		{ "memory_store_id", JSON_WANT_STRING, true, &named },
		{ "access", JSON_WANT_STRING | JSON_WANT_NULL, false, &access },
		{ "instructions", JSON_WANT_STRING | JSON_WANT_NULL, false, &text[0] },
	};
	const struct {
		const struct json_field *fields;
		size_t count;
	} OF[] = {
		{ file, ARRAY_LEN(file) },
		{ repository, ARRAY_LEN(repository) },
		{ memory, ARRAY_LEN(memory) },
	};
	size_t which = 0;
	int rc;

	if (json_type(v) != JSON_OBJECT)
		return json_fail(v, e, "must be an object");
	if (!json_find(v, STR("type"), &type))
		return json_fail(v, e, "type is missing: file, github_repository or memory_store");
	rc = json_take_word(type, TYPES, ARRAY_LEN(TYPES), &which, e);
	if (rc == 0)
		rc = json_fields(v, OF[which].fields, OF[which].count, e);
	if (rc == 0)
		rc = check_checkout(checkout, e);
	if (rc == 0)
		rc = json_take_word(access, ACCESS, ARRAY_LEN(ACCESS), &which, e);
	return rc;
}

/* "id", {"type":"agent","id","version"?} or {"type":"agent_with_overrides","id","version"?,…}. */
static int
read_agent(struct json v, struct arena *a, struct session_open *out, struct err *e)
{
	static const char *const TYPES[] = { "agent", "agent_with_overrides" };
	struct json type = { 0 }, id = { 0 }, version = { 0 }, any[5] = { 0 };
	const struct json_field fields[] = {
		{ "type", JSON_WANT_STRING, true, &type },
		{ "id", JSON_WANT_STRING, true, &id },
		{ "version", JSON_WANT_NUMBER | JSON_WANT_NULL, false, &version },
		{ "model", JSON_WANT_STRING | JSON_WANT_OBJECT, false, &any[0] },
		{ "system", JSON_WANT_STRING | JSON_WANT_NULL, false, &any[1] },
		{ "tools", JSON_WANT_ARRAY, false, &any[2] },
		{ "mcp_servers", JSON_WANT_ARRAY, false, &any[3] },
		{ "skills", JSON_WANT_ARRAY, false, &any[4] },
	};
	size_t which = 0;
	int rc;

	if (!json_is_set(v))
		return 0;
	if (json_type(v) == JSON_STRING) {
		out->agent_id = json_str(v, a);
		return 0;
	}
	rc = json_fields(v, fields, ARRAY_LEN(fields), e);
	if (rc == 0)
		rc = json_take_word(type, TYPES, ARRAY_LEN(TYPES), &which, e);
	if (rc == 0)
		rc = json_take_int(version, 1, INT32_MAX, &out->agent_version, e);
	if (rc != 0)
		return rc;
	out->agent_id = json_str(id, a);
	if (which == 1) {
		out->overrides = v;
		return 0;
	}
	for (size_t i = 0; i < ARRAY_LEN(any); i++)
		if (json_is_set(any[i]))
			return json_fail(any[i], e, "needs type agent_with_overrides");
	return 0;
}

static int
check_vaults(struct json v, struct err *e)
{
	struct json_iter it = json_iter(v);

	if (json_is_set(v) && json_count(v) > SESSION_VAULTS_MAX)
		return json_fail(v, e, "has %zu entries; at most %d fit", json_count(v),
				 SESSION_VAULTS_MAX);
	while (json_is_set(v) && json_next(&it))
		if (json_type(it.value) != JSON_STRING)
			return json_fail(it.value, e, "must be a text");
	return 0;
}

static int
check_resources(struct json v, struct err *e)
{
	struct json_iter it = json_iter(v);
	int rc = 0;

	if (!json_is_set(v))
		return 0;
	if (json_count(v) > SESSION_RESOURCES_MAX)
		return json_fail(v, e, "has %zu entries; at most %d fit", json_count(v),
				 SESSION_RESOURCES_MAX);
	while (rc == 0 && json_next(&it))
		rc = session_resource_check(it.value, e);
	return rc;
}

static int
check_id(struct str id, struct err *e)
{
	if (session_id_check_chosen(id, e) != 0)
		return err_prefix(e, ERR_INVALID, "id: ");
	if (str_eq(id, STR("import")) || str_eq(id, STR("resolve")))
		return err_set(e, ERR_INVALID, "id: '" STR_FMT "' is a word of the API itself",
			       STR_ARG(id));
	return 0;
}

static int
check_parts(struct session_open *out, struct err *e)
{
	int rc = json_is_set(out->budget) ? session_budget_check(out->budget, e) : 0;

	if (rc == 0)
		rc = check_vaults(out->vault_ids, e);
	if (rc == 0)
		rc = check_resources(out->resources, e);
	if (rc == 0 && out->webhook_url.len > 0 && !str_starts(out->webhook_url, STR("https://")))
		rc = err_set(e, ERR_INVALID, "webhook_url: must begin with https://");
	return rc;
}

int
session_open_read(struct json body, struct arena *a, struct session_open *out, struct err *e)
{
	struct json id = { 0 }, agent = { 0 }, environment = { 0 }, workspace = { 0 },
		    title = { 0 }, source = { 0 }, webhook = { 0 };
	struct session_open o = {
		.agent_id = STR("main"),
		.workspace_id = STR("main"),
		.source = { .kind = STR("api"), .interactive = true },
	};
	const struct json_field fields[] = {
		{ "id", JSON_WANT_STRING | JSON_WANT_NULL, false, &id },
		{ "agent", JSON_WANT_STRING | JSON_WANT_OBJECT, false, &agent },
		{ "environment_id", JSON_WANT_STRING | JSON_WANT_NULL, false, &environment },
		{ "workspace_id", JSON_WANT_STRING | JSON_WANT_NULL, false, &workspace },
		{ "title", JSON_WANT_STRING | JSON_WANT_NULL, false, &title },
		{ "source", JSON_WANT_OBJECT | JSON_WANT_NULL, false, &source },
		{ "metadata", JSON_WANT_OBJECT | JSON_WANT_NULL, false, &o.metadata },
		{ "initial_events", JSON_WANT_ARRAY | JSON_WANT_NULL, false, &o.initial_events },
		{ "resources", JSON_WANT_ARRAY | JSON_WANT_NULL, false, &o.resources },
		{ "vault_ids", JSON_WANT_ARRAY | JSON_WANT_NULL, false, &o.vault_ids },
		{ "budget", JSON_WANT_OBJECT | JSON_WANT_NULL, false, &o.budget },
		{ "webhook_url", JSON_WANT_STRING | JSON_WANT_NULL, false, &webhook },
	};
	int rc = json_fields(body, fields, ARRAY_LEN(fields), e);

	if (rc == 0)
		rc = read_agent(agent, a, &o, e);
	if (rc == 0)
		rc = json_take_str(id, a, &o.id, e);
	if (rc == 0 && json_is_set(id))
		rc = check_id(o.id, e);
	if (rc == 0)
		rc = json_take_str(environment, a, &o.environment_id, e);
	if (rc == 0)
		rc = json_take_str(workspace, a, &o.workspace_id, e);
	if (rc == 0)
		rc = json_take_str(webhook, a, &o.webhook_url, e);
	if (rc == 0 && json_is_set(title))
		rc = session_title_check(title, a, &o.title, e);
	if (rc == 0 && json_is_set(source)) {
		o.has_source = true;
		rc = session_source_read(source, a, &o.source, e);
	}
	if (rc == 0)
		rc = check_parts(&o, e);
	if (rc == 0)
		*out = o;
	return rc;
}
