#include "core/environment_def.h"

#include "core/mcp_servers.h"
#include "core/metadata.h"

enum config_type { CONFIG_LOCAL, CONFIG_SELF_HOSTED, CONFIG_CLOUD };
static const char *const CONFIGS[] = {
	[CONFIG_LOCAL] = "local",
	[CONFIG_SELF_HOSTED] = "self_hosted",
	[CONFIG_CLOUD] = "cloud",
};
enum { OBJECT_OR_NULL = JSON_WANT_OBJECT | JSON_WANT_NULL, SECRET_MAX = 200, ENTRY_MAX = 256 };

/* ---- local ---- */

/* Absolute, and it says where it is: no part leads back up. */
static bool
is_directory(struct str path)
{
	struct str part, rest = path;

	if (path.len == 0 || path.len > ENVIRONMENT_PATH_MAX || path.ptr[0] != '/')
		return false;
	while (rest.len > 0) {
		str_cut(rest, '/', &part, &rest);
		if (str_eq(part, STR("..")))
			return false;
	}
	return true;
}

static int
write_directory(struct definition *d, struct json v, struct err *e)
{
	struct str path;
	int rc = 0;

	if (json_type(v) == JSON_NULL) {
		jw_field_null(&d->w, "working_directory");
		return 0;
	}
	rc = definition_take_label(d, v, ENVIRONMENT_PATH_MAX, &path, e);
	if (rc == 0 && !is_directory(path))
		rc = json_fail(v, e, "must be an absolute path of at most %d bytes without '..'",
			       ENVIRONMENT_PATH_MAX);
	if (rc == 0)
		jw_field_str(&d->w, "working_directory", path);
	return rc;
}

static int
write_sandbox(struct definition *d, struct json v, struct json now, struct err *e)
{
	/* The first word of each is its default: shut in, unless somebody opens it. */
	static const char *const MODES[] = { "workspace", "off" };
	static const char *const ACCESS[] = { "rw", "ro", "none" };
	static const char *const NETWORK[] = { "off", "on" };
	static const struct {
		const char *name;
		const char *const *words;
		size_t count;
	} SETTINGS[] = {
		{ "mode", MODES, ARRAY_LEN(MODES) },
		{ "workspace_access", ACCESS, ARRAY_LEN(ACCESS) },
		{ "network", NETWORK, ARRAY_LEN(NETWORK) },
	};
	struct json_field fields[ARRAY_LEN(SETTINGS)];
	int rc = 0;

	for (size_t i = 0; i < ARRAY_LEN(SETTINGS); i++)
		fields[i] = (struct json_field){ SETTINGS[i].name, JSON_WANT_STRING, false, NULL };
	if (json_type(v) != JSON_NULL)
		rc = json_fields(v, fields, ARRAY_LEN(fields), e);
	if (rc != 0)
		return rc;
	jw_field_object(&d->w, "sandbox");
	for (size_t i = 0; i < ARRAY_LEN(SETTINGS); i++) {
		size_t word = 0;

		rc = json_take_word(definition_given_or_kept(v, now, SETTINGS[i].name),
				    SETTINGS[i].words, SETTINGS[i].count, &word, e);
		if (rc != 0)
			return rc;
		jw_field_str(&d->w, SETTINGS[i].name, str_of(SETTINGS[i].words[word]));
	}
	jw_end_object(&d->w);
	return 0;
}

static bool
is_variable(struct str name)
{
	for (size_t i = 0; i < name.len; i++) {
		char c = name.ptr[i];
		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
		      (i > 0 && c >= '0' && c <= '9')))
			return false;
	}
	return name.len > 0 && name.len <= ENTRY_MAX;
}

static int
write_variable(struct definition *d, const struct json_iter *at, struct err *e)
{
	struct json secret = { 0 };
	const struct json_field fields[] = { { "secret", JSON_WANT_STRING, true, &secret } };
	struct str name = json_str(at->key, d->a), reference;
	int rc;

	if (!is_variable(name))
		return json_fail(at->value, e,
				 "a variable's name has letters, digits and underscores");
	if (json_type(at->value) != JSON_OBJECT)
		return json_fail(at->value, e,
				 "must be {\"secret\": \"its name\"}: values are not stored here");
	rc = json_fields(at->value, fields, ARRAY_LEN(fields), e);
	if (rc == 0)
		rc = definition_take_label(d, secret, SECRET_MAX, &reference, e);
	if (rc != 0)
		return rc;
	jw_field_object(&d->w, (const char *)arena_str(d->a, name).ptr);
	jw_field_str(&d->w, "secret", reference);
	jw_end_object(&d->w);
	return 0;
}

static int
write_variables(struct definition *d, struct json v, struct err *e)
{
	if (json_count(v) > ENVIRONMENT_VARIABLES_MAX)
		return json_fail(v, e, "must have at most %d variables, not %zu",
				 ENVIRONMENT_VARIABLES_MAX, json_count(v));
	jw_field_object(&d->w, "env");
	for (struct json_iter it = json_iter(v); json_next(&it);) {
		int rc = write_variable(d, &it, e);
		if (rc != 0)
			return rc;
	}
	jw_end_object(&d->w);
	return 0;
}

static int
write_local(struct definition *d, struct json v, struct json now, struct err *e)
{
	struct json sandbox = definition_find(v, "sandbox"), kept = { 0 };
	const struct json_field fields[] = {
		{ "type", JSON_WANT_STRING, true, NULL },
		{ "working_directory", JSON_WANT_ANY, !json_is_set(now), NULL },
		{ "sandbox", OBJECT_OR_NULL, false, NULL },
		{ "mcp_servers", JSON_WANT_ARRAY | JSON_WANT_NULL, false, NULL },
		{ "env", OBJECT_OR_NULL, false, NULL },
	};
	int rc = json_fields(v, fields, ARRAY_LEN(fields), e);

	if (rc == 0)
		rc = write_directory(d, definition_given_or_kept(v, now, "working_directory"), e);
	if (!json_is_set(sandbox) || json_type(sandbox) != JSON_NULL) /* null: the defaults */
		kept = definition_find(now, "sandbox");
	if (rc == 0)
		rc = write_sandbox(d, sandbox, kept, e);
	if (rc != 0)
		return rc;
	jw_key(&d->w, STR("mcp_servers"));
	rc = mcp_servers_write(d, definition_given_or_kept(v, now, "mcp_servers"), true, e);
	return rc == 0 ? write_variables(d, definition_given_or_kept(v, now, "env"), e) : rc;
}

/* ---- cloud ---- */

/* Short texts; v absent or null: none. */
static int
write_entries(struct definition *d, const char *name, struct json v, struct err *e)
{
	struct str entry;

	if (json_count(v) > ENVIRONMENT_ENTRIES_MAX)
		return json_fail(v, e, "must have at most %d entries, not %zu",
				 ENVIRONMENT_ENTRIES_MAX, json_count(v));
	jw_field_array(&d->w, name);
	for (struct json_iter it = json_iter(v); json_next(&it);) {
		int rc = definition_take_label(d, it.value, ENTRY_MAX, &entry, e);
		if (rc != 0)
			return rc;
		jw_str(&d->w, entry);
	}
	jw_end_array(&d->w);
	return 0;
}

static int
write_limited(struct definition *d, struct json v, struct json now, struct err *e)
{
	static const char *const FLAGS[] = { "allow_mcp_servers", "allow_package_managers" };
	int rc = write_entries(d, "allowed_hosts",
			       definition_given_or_kept(v, now, "allowed_hosts"), e);

	for (size_t i = 0; rc == 0 && i < ARRAY_LEN(FLAGS); i++) {
		struct json flag = definition_given_or_kept(v, now, FLAGS[i]);
		bool on = false;

		if (json_type(flag) != JSON_NULL)
			rc = json_take_bool(flag, &on, e);
		if (rc == 0)
			jw_field_bool(&d->w, FLAGS[i], on);
	}
	return rc;
}

static int
write_networking(struct definition *d, struct json v, struct json now, struct err *e)
{
	static const char *const TYPES[] = { "unrestricted", "limited" };
	struct json type = definition_find(now, "type");
	const struct json_field fields[] = {
		{ "type", JSON_WANT_STRING, true, &type },
		/* only of limited */
		{ "allowed_hosts", JSON_WANT_ARRAY | JSON_WANT_NULL, false, NULL },
		{ "allow_mcp_servers", JSON_WANT_BOOL | JSON_WANT_NULL, false, NULL },
		{ "allow_package_managers", JSON_WANT_BOOL | JSON_WANT_NULL, false, NULL },
	};
	bool is_limited = json_str_eq(definition_find(v, "type"), STR("limited"));
	size_t kind = 0;
	int rc = 0;

	if (json_is_set(v))
		rc = json_fields(v, fields, is_limited ? ARRAY_LEN(fields) : 1, e);
	if (rc == 0)
		rc = json_take_word(type, TYPES, ARRAY_LEN(TYPES), &kind, e);
	if (rc != 0)
		return rc;
	jw_field_object(&d->w, "networking");
	jw_field_str(&d->w, "type", str_of(TYPES[kind]));
	if (kind == 1)
		rc = write_limited(d, v, now, e);
	if (rc == 0)
		jw_end_object(&d->w);
	return rc;
}

static int
write_packages(struct definition *d, struct json v, struct json now, struct err *e)
{
	static const char *const MANAGERS[] = { "apt", "cargo", "gem", "go", "npm", "pip" };
	static const char *const TYPES[] = { "packages" };
	size_t type;
	struct json_field fields[ARRAY_LEN(MANAGERS) + 1];
	int rc = 0;

	for (size_t i = 0; i < ARRAY_LEN(MANAGERS); i++)
		fields[i] = (struct json_field){ MANAGERS[i], JSON_WANT_ARRAY | JSON_WANT_NULL,
						 false, NULL };
	fields[ARRAY_LEN(MANAGERS)] = (struct json_field){ "type", JSON_WANT_STRING, false, NULL };
	if (json_is_set(v))
		rc = json_fields(v, fields, ARRAY_LEN(fields), e);
	if (rc == 0)
		rc = json_take_word(definition_find(v, "type"), TYPES, ARRAY_LEN(TYPES), &type, e);
	if (rc != 0)
		return rc;
	jw_field_object(&d->w, "packages");
	for (size_t i = 0; rc == 0 && i < ARRAY_LEN(MANAGERS); i++)
		rc = write_entries(d, MANAGERS[i], definition_given_or_kept(v, now, MANAGERS[i]),
				   e);
	if (rc == 0)
		jw_end_object(&d->w);
	return rc;
}

static int
write_cloud(struct definition *d, struct json v, struct json now, struct err *e)
{
	struct json type, networking = { 0 }, packages = { 0 };
	const struct json_field fields[] = {
		{ "type", JSON_WANT_STRING, true, &type },
		{ "networking", OBJECT_OR_NULL, false, &networking },
		{ "packages", OBJECT_OR_NULL, false, &packages },
	};
	int rc = 0;

	if (json_is_set(v))
		rc = json_fields(v, fields, ARRAY_LEN(fields), e);
	if (rc == 0)
		rc = write_networking(d, networking, definition_find(now, "networking"), e);
	if (rc == 0)
		rc = write_packages(d, packages, definition_find(now, "packages"), e);
	return rc;
}

/* ---- the object ---- */

static int
check_self_hosted(struct json v, struct err *e)
{
	static const struct json_field FIELDS[] = { { "type", JSON_WANT_STRING, true, NULL } };

	return json_fields(v, FIELDS, ARRAY_LEN(FIELDS), e);
}

static int
write_config(struct definition *d, struct json v, struct json now, struct err *e)
{
	struct json type = definition_find(v, "type");
	size_t kind = CONFIG_CLOUD;
	int rc = 0;

	if (!json_is_set(v) && json_is_set(now)) { /* null: there is nothing to go back to */
		jw_raw(&d->w, json_raw(now));
		return 0;
	}
	if (json_is_set(v) && !json_is_set(type))
		return json_fail(v, e, "must have a type: local, self_hosted or cloud");
	rc = json_take_word(type, CONFIGS, ARRAY_LEN(CONFIGS), &kind, e);
	if (rc != 0)
		return rc;
	if (!json_str_eq(definition_find(now, "type"), str_of(CONFIGS[kind])))
		now = (struct json){ 0 };
	jw_object(&d->w);
	jw_field_str(&d->w, "type", str_of(CONFIGS[kind]));
	switch ((enum config_type)kind) {
	case CONFIG_LOCAL: rc = write_local(d, v, now, e); break;
	case CONFIG_SELF_HOSTED: rc = check_self_hosted(v, e); break;
	case CONFIG_CLOUD: rc = write_cloud(d, v, now, e); break;
	}
	if (rc == 0)
		jw_end_object(&d->w);
	return rc;
}

static int
write_description(struct definition *d, struct json v, struct json now, struct err *e)
{
	(void)now;
	return definition_write_text(d, v, 0, ENVIRONMENT_DESCRIPTION_MAX, e);
}

static int
write_metadata(struct definition *d, struct json v, struct json now, struct err *e)
{
	return metadata_merge(json_is_set(v) ? now : (struct json){ 0 }, v, d->a, &d->w, e);
}

int
environment_def_make(const struct definition_facts *f, struct json body, struct arena *a,
		     struct definition_text *out, struct err *e)
{
	static const struct definition_member MEMBERS[] = {
		{ "name", JSON_WANT_STRING, true, definition_write_name, NULL },
		{ "description", JSON_WANT_STRING | JSON_WANT_NULL, false, write_description,
		  NULL },
		{ "metadata", OBJECT_OR_NULL, false, write_metadata, NULL },
		{ "config", OBJECT_OR_NULL, false, write_config, NULL },
	};
	static const struct definition_kind ENVIRONMENT = {
		.type = "environment",
		.archivable = true,
		.members = MEMBERS,
		.count = ARRAY_LEN(MEMBERS),
	};

	return definition_make(&ENVIRONMENT, f, body, a, out, e);
}
