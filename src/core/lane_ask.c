#include "core/lane_ask.h"

#include "base/utf8.h"

enum { KIND_MAX = 32 };

/* Platforms whose messages people send themselves, with their own token; and the session's kind. */
static const struct own_platform {
	const char *platform, *kind;
} OWN_PLATFORMS[] = {
	{ "api", "api" },
	{ "cli", "cli" },
	{ "local", "cli" },
	{ "web", "web" },
};

static const struct own_platform *
own_platform(struct str platform)
{
	for (size_t i = 0; i < ARRAY_LEN(OWN_PLATFORMS); i++)
		if (str_eq(platform, str_of(OWN_PLATFORMS[i].platform)))
			return &OWN_PLATFORMS[i];
	return NULL;
}

bool
lane_ask_is_own(struct str platform)
{
	return own_platform(platform) != NULL;
}

/* ---- reading ---- */

static int
take_text(struct json v, struct arena *a, struct str *out, struct err *e)
{
	struct str text = *out;
	int rc = json_take_str(v, a, &text, e);

	if (rc == 0 && json_is_set(v) && (text.len == 0 || text.len > LANE_ASK_TEXT_MAX))
		rc = json_fail(v, e, "must have 1 to %d bytes", LANE_ASK_TEXT_MAX);
	if (rc == 0 && json_is_set(v) && utf8_is_blank(text))
		rc = json_fail(v, e, "must not be blank");
	if (rc == 0)
		*out = text;
	return rc;
}

static int
take_agent(struct json v, struct arena *a, struct str *out, struct err *e)
{
	int rc = take_text(v, a, out, e);

	if (rc == 0 && json_is_set(v) && !source_segment_valid(*out))
		rc = json_fail(v, e, "must be letters, digits, dots, dashes and underscores");
	return rc;
}

static int
read_key(struct json v, struct arena *a, struct lane_ask *ask, struct err *e)
{
	struct json surface = { 0 }, id = { 0 }, agent = { 0 }, workspace = { 0 }, user = { 0 };
	const struct json_field fields[] = {
		{ "surface", JSON_WANT_STRING, true, &surface },
		{ "surface_id", JSON_WANT_STRING, true, &id },
		{ "agent_id", JSON_WANT_STRING | JSON_WANT_NULL, false, &agent },
		{ "workspace_id", JSON_WANT_STRING | JSON_WANT_NULL, false, &workspace },
		{ "user_id", JSON_WANT_STRING | JSON_WANT_NULL, false, &user },
	};
	int rc = json_fields(v, fields, ARRAY_LEN(fields), e);

	if (rc == 0)
		rc = take_text(surface, a, &ask->key.surface, e);
	if (rc == 0)
		rc = take_text(id, a, &ask->key.surface_id, e);
	if (rc == 0)
		rc = take_agent(agent, a, &ask->agent_id, e);
	if (rc == 0)
		rc = take_text(workspace, a, &ask->workspace_id, e);
	if (rc == 0)
		rc = take_text(user, a, &ask->key.user_id, e);
	ask->key.agent_id = ask->agent_id;
	ask->key.workspace_id = ask->workspace_id;
	return rc;
}

static int
read_source(struct json v, struct arena *a, struct lane_ask *ask, struct err *e)
{
	if (json_raw(v).len > LANE_ASK_SOURCE_MAX)
		return json_fail(v, e, "must have at most %d bytes", LANE_ASK_SOURCE_MAX);
	ask->by_source = true;
	ask->workspace_id = STR("main");
	return source_decode(v, a, &ask->source, e);
}

int
lane_ask_read(struct json body, struct arena *a, struct lane_ask *out, struct err *e)
{
	struct json key = { 0 }, source = { 0 }, agent = { 0 }, workspace = { 0 }, force = { 0 };
	const struct json_field fields[] = {
		{ "key", JSON_WANT_OBJECT, false, &key },
		{ "source", JSON_WANT_OBJECT, false, &source },
		{ "agent_id", JSON_WANT_STRING | JSON_WANT_NULL, false, &agent },
		{ "workspace_id", JSON_WANT_STRING | JSON_WANT_NULL, false, &workspace },
		{ "force_new", JSON_WANT_BOOL | JSON_WANT_NULL, false, &force },
	};
	struct lane_ask ask = { .agent_id = STR("main") };
	int rc = json_fields(body, fields, ARRAY_LEN(fields), e);

	if (rc != 0)
		return rc;
	if (json_is_set(key) == json_is_set(source))
		return err_set(e, ERR_INVALID, "key, source: exactly one of them must be there");
	if (json_is_set(key) && (json_is_set(agent) || json_is_set(workspace)))
		return json_fail(json_is_set(agent) ? agent : workspace, e,
				 "stands inside key, when there is one");
	rc = json_is_set(key) ? read_key(key, a, &ask, e) : read_source(source, a, &ask, e);
	if (rc == 0)
		rc = take_agent(agent, a, &ask.agent_id, e);
	if (rc == 0)
		rc = take_text(workspace, a, &ask.workspace_id, e);
	if (rc == 0)
		rc = json_take_bool(force, &ask.force_new, e);
	if (rc == 0)
		*out = ask;
	return rc;
}

/* ---- who may ---- */

static int
check_source(const struct lane_ask *ask, const struct principal *who, struct err *e)
{
	struct str platform = ask->source.platform;

	if (who->kind == TOKEN_CHANNEL && str_eq(who->namespace, platform))
		return 0;
	if (who->kind == TOKEN_USER && own_platform(platform))
		return 0;
	return err_set(e, ERR_INVALID,
		       "source.platform: only an owner or the channel itself speaks for " STR_FMT,
		       STR_ARG(platform));
}

static int
check_key(const struct lane_ask *ask, const struct principal *who, struct err *e)
{
	struct str user = ask->key.user_id;

	if (user.len > 0 && !str_eq(user, who->user_id))
		return err_set(e, ERR_INVALID, "key.user_id: only an owner names another user");
	if (who->kind == TOKEN_CHANNEL && !str_eq(who->namespace, ask->key.surface))
		return err_set(e, ERR_INVALID, "key.surface: this token speaks for " STR_FMT,
			       STR_ARG(who->namespace));
	return 0;
}

int
lane_ask_check(const struct lane_ask *ask, const struct principal *who, struct err *e)
{
	if (principal_is_owner(who))
		return 0;
	return ask->by_source ? check_source(ask, who, e) : check_key(ask, who, e);
}

/* ---- where from ---- */

static bool
is_kind(struct str word)
{
	if (word.len == 0 || word.len > KIND_MAX)
		return false;
	for (size_t i = 0; i < word.len; i++) {
		char c = word.ptr[i];

		if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-'))
			return false;
	}
	return true;
}

struct session_source
lane_ask_session_source(const struct lane_ask *ask)
{
	struct str place = ask->by_source ? ask->source.platform : ask->key.surface;
	const struct own_platform *own = own_platform(place);
	struct session_source out = { .kind = STR("channel") };

	if (own)
		out.kind = str_of(own->kind);
	else if (!ask->by_source)
		out.kind = is_kind(place) ? place : STR("api");
	if (source_segment_valid(place))
		out.platform = place;
	out.interactive = session_source_is_interactive(out.kind);
	return out;
}
