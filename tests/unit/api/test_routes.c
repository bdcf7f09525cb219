/* The authorisation matrix: who × route × what they are to the thing, every cell asked of the real
 * server and compared with core/access_policy through the row's verb. A route that is on the table is
 * in the matrix; one that the matrix cannot ask fails it. */
#include "api/exchange.h"

#include <stdlib.h>

#include "base/base64url.h"
#include "real_engine.h"
#include "socket_client.h"

static struct api_rig RIG;
static struct arena ARENA; /* of a cell */
static struct arena KEEP;

/* --- who --- */

enum who {
	NOBODY,
	UNKNOWN,
	OWNER,
	USER,
	STRANGER,
	GUEST,
	CHANNEL,
	WORKER,
	ENVIRONMENT,
	ITEM,   /* the secret of an item of its queue */
	FORMER, /* … whose lease is another's by now */
	WHO_COUNT
};
static const char *const WHO[] = { "nobody",      "unknown token", "owner",        "user",
				   "stranger",    "guest",         "channel",      "worker",
				   "environment", "work item",     "former holder" };
static struct caller {
	const char *token;
	struct principal is;
} CALLERS[WHO_COUNT] = {
	[UNKNOWN] = { "pdr_1111111111111111111111111111111111111111111111111111111111111111",
		      { 0 } },
	[OWNER] = { REAL_OWNER_TOKEN, { .kind = TOKEN_OWNER } },
};

/* --- what they are to it --- */

enum thing {
	THEIRS,    /* USER takes part */
	CHANNELS,  /* in the namespace of CHANNEL */
	LOOKALIKE, /* in one that only begins like it */
	HANDED,    /* ENVIRONMENT executes its tools, or is it */
	ABSENT,
	THING_COUNT
};
static const char *const THING[] = { "theirs", "the channel's", "a lookalike's", "handed over",
				     "absent" };

static struct {
	enum access_level level;    /* of agent main */
	const char *environment;    /* of ENVIRONMENT's token */
	const char *agent;          /* whose tool a client executes */
	const char *session, *work; /* of ITEM's and FORMER's secret; NULL: not needed */
	int made;
} WORLD;

/* --- asking --- */

static struct rig_reply
ask(const char *method, const char *target, const char *token, const char *body)
{
	return api_rig_ask(&RIG, &(struct rig_ask){ method, target, token, NULL, body });
}

static struct str
member(struct str body, const char *name)
{
	struct json_doc *doc = ARENA_NEW(&ARENA, struct json_doc);
	struct json v = { 0 };
	struct err e;

	if (json_parse(&ARENA, arena_str(&ARENA, body), &JSON_LIMITS_DEFAULT, doc, &e) != 0 ||
	    !json_find(json_root(doc), str_of(name), &v))
		fail_msg("no %s in " STR_FMT, name, STR_ARG(body));
	return arena_str(&ARENA, json_str(v, &ARENA));
}

/* Made by who, must work; its id. */
static const char *
make(enum who who, const char *target, struct str body)
{
	struct rig_reply reply = ask("POST", target, CALLERS[who].token, body.ptr);

	if (reply.status != 200)
		fail_msg("POST %s " STR_FMT ": %d " STR_FMT, target, STR_ARG(body), reply.status,
			 STR_ARG(reply.body));
	return member(reply.body, "id").ptr;
}

static void
make_token(enum who who, struct principal is, struct str body)
{
	struct arena *a = who == ENVIRONMENT ? &ARENA : &KEEP;
	struct rig_reply reply = ask("POST", "/v1/tokens", REAL_OWNER_TOKEN, body.ptr);

	rig_expect("a token", &reply, 200, NULL);
	is.user_id = arena_str(a, is.user_id);
	is.environment_id = arena_str(a, is.environment_id);
	CALLERS[who] = (struct caller){ arena_str(a, member(reply.body, "token")).ptr, is };
}

static void
make_user(enum who who, enum role role)
{
	const char *id = make(OWNER, "/v1/users",
			      arena_printf(&ARENA, "{\"name\":\"%s\",\"role\":\"%s\"}", WHO[who],
					   role_name(role)));

	make_token(who,
		   (struct principal){ .kind = TOKEN_USER, .user_id = str_of(id), .role = role },
		   arena_printf(&ARENA, "{\"kind\":\"user\",\"user_id\":\"%s\"}", id));
}

static void
make_world(void)
{
	struct rig_reply reply = ask("GET", "/v1/agents/main", REAL_OWNER_TOKEN, NULL);

	rig_expect("agent main", &reply, 200, NULL);
	assert_true(access_level_parse(member(reply.body, "access"), &WORLD.level));
	make_user(USER, ROLE_USER);
	make_user(STRANGER, ROLE_USER);
	make_user(GUEST, ROLE_GUEST);
	make_token(CHANNEL,
		   (struct principal){ .kind = TOKEN_CHANNEL, .namespace = STR("telegram") },
		   STR("{\"kind\":\"channel\",\"namespace\":\"telegram\"}"));
	make_token(WORKER, (struct principal){ .kind = TOKEN_WORKER },
		   STR("{\"kind\":\"worker\"}"));
	WORLD.agent =
		arena_str(&KEEP,
			  str_of(make(OWNER, "/v1/agents",
				      STR("{\"name\":\"a\",\"model\":\"demo\",\"tools\":[{\"type\":"
					  "\"custom\",\"name\":\"deploy\",\"description\":\"d\","
					  "\"input_schema\":{\"type\":\"object\"}}]}"))))
			.ptr;
}

/* A new environment, and the token that belongs to it: some cells end its life. */
static void
make_environment(void)
{
	WORLD.environment = make(OWNER, "/v1/environments",
				 STR("{\"name\":\"e\",\"config\":{\"type\":\"self_hosted\"}}"));
	make_token(ENVIRONMENT,
		   (struct principal){ .kind = TOKEN_ENVIRONMENT,
				       .environment_id = str_of(WORLD.environment) },
		   arena_printf(&ARENA, "{\"kind\":\"environment\",\"environment_id\":\"%s\"}",
				WORLD.environment));
}

/* ---- an item of its queue ---- */

/* The item that a poll gets, and what its secret is. */
static const char *
poll_item(enum who who)
{
	struct rig_reply reply = ask(
		"GET",
		arena_printf(&ARENA,
			     "/v1/environments/%s/work/poll?block_ms=9999&reclaim_older_than_ms=0",
			     WORLD.environment)
			.ptr,
		CALLERS[ENVIRONMENT].token, NULL);
	unsigned char json[256];
	struct str secret;
	size_t len;

	rig_expect("an item", &reply, 200, "\"secret\":\"");
	secret = member(reply.body, "secret");
	assert_true(BASE64URL_LEN(sizeof json) > secret.len);
	assert_true(base64url_decode(secret, json, &len));
	CALLERS[who].token =
		arena_str(&ARENA, member((struct str){ (char *)json, len }, "sessions_token")).ptr;
	CALLERS[who].is = (struct principal){ .kind = TOKEN_ENVIRONMENT,
					      .environment_id = str_of(WORLD.environment),
					      .work_id = member(reply.body, "id"),
					      .session_id = str_of(WORLD.session),
					      .lease_lost = who == FORMER };
	return CALLERS[who].is.work_id.ptr;
}

/* A session of the environment that waits for its tool, and its item, handed out. */
static void
make_item(void)
{
	WORLD.session = make(OWNER, "/v1/sessions",
			     arena_printf(&ARENA, "{\"agent\":\"%s\",\"environment_id\":\"%s\"}",
					  WORLD.agent, WORLD.environment));
	rig_expect(
		"a call",
		&(struct rig_reply[]){ ask(
			"POST", arena_printf(&ARENA, "/v1/sessions/%s/messages", WORLD.session).ptr,
			REAL_OWNER_TOKEN, "{\"text\":\"tool deploy {}\",\"mode\":\"wait\"}") }[0],
		200, "requires_action");
	WORLD.work = poll_item(FORMER);
	poll_item(ITEM);
}

static const char *
make_session(enum thing thing)
{
	int n = ++WORLD.made;

	switch (thing) {
	case THEIRS: return make(USER, "/v1/sessions", STR("{\"agent\":\"main\"}"));
	case CHANNELS:
		return make(OWNER, "/v1/sessions",
			    arena_printf(&ARENA, "{\"id\":\"telegram:%d\",\"agent\":\"main\"}", n));
	case LOOKALIKE:
		return make(
			OWNER, "/v1/sessions",
			arena_printf(&ARENA, "{\"id\":\"telegramx:%d\",\"agent\":\"main\"}", n));
	case HANDED:
		if (WORLD.session)
			return WORLD.session;
		return make(OWNER, "/v1/sessions",
			    arena_printf(&ARENA, "{\"agent\":\"main\",\"environment_id\":\"%s\"}",
					 WORLD.environment));
	case ABSENT:
	case THING_COUNT: break;
	}
	return arena_printf(&ARENA, "sesn_absent%d", n).ptr;
}

/* ---- a lane: who is what to its session is that to it ---- */

static struct {
	const char *id, *session;
} LANE;

static void
make_lane(enum thing thing)
{
	static const char *const PLATFORMS[THING_COUNT] = {
		[CHANNELS] = "telegram", [LOOKALIKE] = "telegramx", [HANDED] = "irc"
	};
	int n = ++WORLD.made;
	struct rig_reply reply;
	struct str session;

	LANE.id = "lane_absent";
	LANE.session = "sesn_absent";
	if (thing == ABSENT)
		return;
	if (thing == THEIRS)
		reply = ask("POST", "/v1/sessions/resolve", CALLERS[USER].token,
			    arena_printf(&ARENA,
					 "{\"key\":{\"surface\":\"chat\","
					 "\"surface_id\":\"%d\"}}",
					 n)
				    .ptr);
	else
		reply = ask("POST", "/v1/sessions/resolve", REAL_OWNER_TOKEN,
			    arena_printf(&ARENA,
					 "{\"source\":{\"platform\":\"%s\","
					 "\"chat_id\":\"%d\"}}",
					 PLATFORMS[thing], n)
				    .ptr);
	rig_expect("a lane", &reply, 200, NULL);
	LANE.id = member(reply.body, "lane_id").ptr;
	assert_true(str_starts(reply.body, STR("{\"session\":{\"id\":\"")));
	str_cut(str_slice(reply.body, strlen("{\"session\":{\"id\":\""), reply.body.len), '"',
		&session, &reply.body);
	LANE.session = arena_str(&ARENA, session).ptr;
}

/* --- cells --- */

#define SCHEDULE_BODY \
	"{\"name\":\"s\",\"prompt\":\"say x\",\"rule\":{\"type\":\"every\",\"every_ms\":9999999}}"

/* What a request that may do it sends. */
static const struct {
	const char *method, *pattern, *body;
} BODIES[] = {
	{ "POST", "/v1/agents", "{\"name\":\"a\",\"model\":\"demo\"}" },
	{ "POST", "/agent/chat",
	  "{\"message\":\"say x\",\"surface\":\"chat\",\"surfaceId\":\"1\"}" },
	{ "POST", "/agent/chat/stream",
	  "{\"message\":\"say x\",\"surface\":\"chat\",\"surfaceId\":\"1\"}" },
	{ "POST", "/agent/reset", "{\"surface\":\"chat\",\"surfaceId\":\"1\"}" },
	{ "POST", "/v1/agents/{agent_id}", "{\"name\":\"b\"}" },
	{ "POST", "/v1/environments", "{\"name\":\"e\",\"config\":{\"type\":\"self_hosted\"}}" },
	{ "POST", "/v1/environments/{environment_id}", "{\"name\":\"f\"}" },
	{ "POST", "/v1/environments/{environment_id}/work/{work_id}",
	  "{\"metadata\":{\"a\":\"b\"}}" },
	{ "POST", "/v1/workspaces", "{\"name\":\"w\"}" },
	{ "POST", "/v1/workspaces/{workspace_id}", "{\"config\":{\"model\":\"demo\"}}" },
	{ "POST", "/v1/users", "{\"name\":\"u\"}" },
	{ "POST", "/v1/users/{user_id}", "{\"name\":\"v\"}" },
	{ "POST", "/v1/tokens", "{\"kind\":\"worker\"}" },
	{ "POST", "/v1/schedules", SCHEDULE_BODY },
	{ "POST", "/v1/schedules/{schedule_id}", "{\"name\":\"t\"}" },
	{ "POST", "/v1/sessions", "{\"agent\":\"main\"}" },
	{ "POST", "/v1/sessions/import", "{}" },
	{ "POST", "/v1/lanes/import", "{}" },
	{ "POST", "/v1/lanes/prune", "{\"max_age_days\":36500}" },
	{ "POST", "/v1/lanes/{lane_id}", "{\"display_name\":\"d\"}" },
	{ "POST", "/v1/sessions/resolve", "{\"key\":{\"surface\":\"chat\",\"surface_id\":\"1\"}}" },
	{ "POST", "/v1/sessions/{session_id}", "{\"title\":\"t\"}" },
	{ "POST", "/v1/sessions/{session_id}/events",
	  "{\"events\":[{\"type\":\"system.message\",\"content\":[{\"type\":\"text\",\"text\":"
	  "\"x\"}]}]}" },
	{ "POST", "/v1/sessions/{session_id}/messages", "{\"text\":\"x\",\"mode\":\"append\"}" },
	{ "POST", "/v1/sessions/{session_id}/queue/{message_id}", "{\"text\":\"x\"}" },
	{ "POST", "/v1/sessions/{session_id}/commands", "{\"text\":\"/whoami\"}" },
	{ "POST", "/v1/sessions/{session_id}/resources",
	  "{\"type\":\"github_repository\",\"url\":\"https://x/y\"}" },
	{ "POST", "/v1/sessions/{session_id}/resources/{resource_id}",
	  "{\"authorization_token\":\"x\"}" },
};

static bool
has(const struct api_route *row, const char *name)
{
	return strstr(row->route.pattern, name) != NULL;
}

static const char *
body_of(const struct api_route *row)
{
	if (has(row, "{lane_id}/switch")) /* to where it is */
		return arena_printf(&ARENA, "{\"session_id\":\"%s\"}", LANE.session).ptr;
	for (size_t i = 0; i < ARRAY_LEN(BODIES); i++)
		if (strcmp(BODIES[i].method, row->route.method) == 0 &&
		    strcmp(BODIES[i].pattern, row->route.pattern) == 0)
			return BODIES[i].body;
	if (row->body == ROUTE_JSON)
		fail_msg("%s %s: the matrix has no body for it", row->route.method,
			 row->route.pattern);
	return NULL;
}

/* What {name} stands for in this cell; ids of the session's own things go by its id. */
static const char *
fill_name(struct str name, enum thing thing, const char *session)
{
	bool absent = thing == ABSENT;

	if (str_eq(name, STR("session_id")))
		return session;
	if (str_eq(name, STR("lane_id")))
		return LANE.id;
	if (str_eq(name, STR("agent_id")))
		return absent ? "agent_absent"
			      : make(OWNER, "/v1/agents",
				     STR("{\"name\":\"a\",\"model\":\"demo\"}"));
	if (str_eq(name, STR("environment_id")))
		return absent            ? "env_absent"
		       : thing == HANDED ? WORLD.environment
					 : make(OWNER, "/v1/environments", STR("{\"name\":\"e\"}"));
	if (str_eq(name, STR("work_id")))
		return thing == HANDED ? WORLD.work : "work_absent";
	if (str_eq(name, STR("workspace_id")))
		return absent ? "wksp_absent" : "main";
	if (str_eq(name, STR("user_id")))
		return absent ? "user_absent" : make(OWNER, "/v1/users", STR("{\"name\":\"u\"}"));
	if (str_eq(name, STR("token_id")))
		return absent ? "token_absent"
			      : make(OWNER, "/v1/tokens", STR("{\"kind\":\"worker\"}"));
	if (str_eq(name, STR("schedule_id")))
		return absent ? "sched_absent" : make(OWNER, "/v1/schedules", STR(SCHEDULE_BODY));
	if (str_eq(name, STR("thread_id"))) {
		struct rig_reply reply;
		struct str data;
		size_t at;

		if (absent)
			return "sthr_absent";
		reply = ask("GET", arena_printf(&ARENA, "/v1/sessions/%s/threads", session).ptr,
			    REAL_OWNER_TOKEN, NULL);
		rig_expect("threads", &reply, 200, "\"id\":\"");
		assert_true(str_find(reply.body, STR("\"id\":\""), 0, &at));
		str_cut(str_slice(reply.body, at + 6, reply.body.len), '"', &data, &reply.body);
		return arena_str(&ARENA, data).ptr;
	}
	if (str_eq(name, STR("message_id"))) { /* there, but not waiting: 409 for who may know */
		struct rig_reply reply;

		if (absent)
			return "m_absent";
		reply = ask("POST", arena_printf(&ARENA, "/v1/sessions/%s/messages", session).ptr,
			    REAL_OWNER_TOKEN,
			    "{\"text\":\"x\",\"mode\":\"append\",\"message_id\":\"m1\"}");
		rig_expect("message", &reply, 200, "\"m1\"");
		return "m1";
	}
	if (str_eq(name, STR("resource_id")))
		return absent ? "res_absent"
			      : make(OWNER,
				     arena_printf(&ARENA, "/v1/sessions/%s/resources", session).ptr,
				     STR("{\"type\":\"github_repository\",\"url\":\"https://x/"
					 "y\"}"));
	fail_msg("the matrix does not know what {" STR_FMT "} is", STR_ARG(name));
	return NULL;
}

static const char *
target_of(const struct api_route *row, enum thing thing, const char *session)
{
	struct str rest = str_of(row->route.pattern), name;
	struct buf out;
	const char *target;
	size_t at, end;

	buf_init(&out, 4096);
	while (str_find(rest, STR("{"), 0, &at) && str_find(rest, STR("}"), at, &end)) {
		name = str_slice(rest, at + 1, end);
		buf_put_str(&out, str_slice(rest, 0, at));
		buf_puts(&out, fill_name(name, thing, session));
		rest = str_slice(rest, end + 1, rest.len);
	}
	buf_put_str(&out, rest);
	if (strcmp(row->route.pattern, "/v1/search") == 0)
		buf_puts(&out, "?q=x");
	target = arena_str(&ARENA, buf_str(&out)).ptr;
	buf_release(&out);
	return target;
}

/* A list of what is the caller's own: nobody is refused, everybody sees their part. */
static bool
is_narrowed(const struct api_route *row)
{
	return row->verb == ACCESS_SESSION_READ && !has(row, "{session_id}") &&
	       !has(row, "{lane_id}");
}

/* Nobody archives the main thread, and there is no other: who sees it is told so. */
static enum access_verb
verb_of(const struct api_route *row)
{
	return strstr(row->route.pattern, "{thread_id}/archive") ? ACCESS_SESSION_READ : row->verb;
}

/* The status that the policy asks for; 0: anything that is no denial. */
static int
expected(const struct api_route *row, enum who who, enum thing thing, const char *session)
{
	struct access_target t = {
		.session_id = str_of(session),
		.takes_part = who == USER && thing == THEIRS,
		.handed_over = who >= ENVIRONMENT && thing == HANDED && !has(row, "{lane_id}"),
		.level = row->verb == ACCESS_AGENT_USE ? WORLD.level : ACCESS_PUBLIC,
		.environment_id = !has(row, "{environment_id}") ? STR("")
				  : thing == HANDED             ? str_of(WORLD.environment)
								: STR("env_other"),
		.work_id = !has(row, "{work_id}") ? STR("")
			   : thing == HANDED      ? str_of(WORLD.work)
						  : STR("work_absent"),
	};
	struct access_decision d;

	if (row->auth == ROUTE_OPEN)
		return 200;
	if (who == NOBODY || who == UNKNOWN)
		return 401;
	if (row->answer == ROUTE_SOCKET)
		return 426; /* any token may; what it may ask there is asked there */
	if (is_narrowed(row))
		return 200;
	d = access_policy_decide(&CALLERS[who].is, verb_of(row), &t);
	switch (d.answer) {
	case ACCESS_NOT_FOUND: return 404;
	case ACCESS_FORBIDDEN: return 403;
	case ACCESS_CONFLICT: return 409;
	case ACCESS_ALLOW: break;
	}
	if (has(row, "{work_id}") && thing != HANDED)
		return 404;
	return thing == ABSENT && has(row, "{") ? 404 : 0;
}

typedef struct rig_reply ask_fn(const struct api_route *row, enum who who, const char *target);

static struct rig_reply
ask_http(const struct api_route *row, enum who who, const char *target)
{
	/* A stream would never end: its head is all that counts. */
	return ask(row->answer == ROUTE_EVENTS ? "HEAD" : row->route.method, target,
		   CALLERS[who].token, body_of(row));
}

/* False: the socket was closed first, as those of one whose lease is lost are within a second. */
static bool
say_once(enum who who, const char *message, struct str *answer)
{
	struct socket_client c;
	struct str text;
	bool answered;

	socket_client_open(&c, &RIG, CALLERS[who].token, NULL);
	socket_client_say(&c, message);
	answered = socket_client_await(&c, &text);
	if (answered)
		*answer = arena_str(&ARENA, text);
	else if (who != FORMER || c.code != 4401)
		fail_msg("no message; closed %d with %d", c.closed, c.code);
	socket_client_close(&c);
	return answered;
}

/* The same as a message; a stream that is subscribed to is a 200. */
static struct rig_reply
ask_socket(const struct api_route *row, enum who who, const char *target)
{
	struct rig_reply reply = { .status = 200 };
	const char *body = body_of(row);
	const char *message = arena_printf(&ARENA,
					   "{\"id\":1,\"method\":\"%s\",\"path\":\"%s\","
					   "\"body\":%s}",
					   row->route.method, target, body ? body : "null")
				      .ptr;
	size_t at;

	while (!say_once(who, message, &reply.body))
		;
	if (str_find(reply.body, STR("\"status\":"), 0, &at))
		reply.status = (int)strtol(reply.body.ptr + at + 9, NULL, 10);
	return reply;
}

static void
check_cell(const struct api_route *row, enum who who, enum thing thing, ask_fn *ask_it)
{
	const char *session, *target;
	struct rig_reply reply;
	int want;

	if (who >= ITEM && (thing == CHANNELS || thing == LOOKALIKE))
		return; /* somebody's, like any other; an item costs a turn */
	make_environment();
	WORLD.session = WORLD.work = NULL;
	if (who >= ITEM || (has(row, "{work_id}") && thing == HANDED))
		make_item();
	make_lane(has(row, "{lane_id}") ? thing : ABSENT);
	session = has(row, "{session_id}") ? make_session(thing)
		  : has(row, "{lane_id}")  ? LANE.session
					   : "";
	target = target_of(row, thing, session);
	want = expected(row, who, thing, session);
	reply = ask_it(row, who, target);
	if (want == 0 ? reply.status >= 500 || reply.status == 401 || reply.status == 403 ||
				reply.status == 404
		      : reply.status != want)
		fail_msg("%s, %s: %s %s: wanted %d, got %d: " STR_FMT, WHO[who], THING[thing],
			 row->route.method, target, want, reply.status, STR_ARG(reply.body));
	arena_reset(&ARENA);
}

static void
P2_every_cell_of_a_route(void **state)
{
	const struct api_route *row = *state;

	for (enum who who = NOBODY; who < WHO_COUNT; who++)
		for (enum thing thing = THEIRS; thing < THING_COUNT; thing++)
			check_cell(row, who, thing, ask_http);
}

static bool
fits_a_message(const struct api_route *row)
{
	return (row->answer == ROUTE_REPLY || row->answer == ROUTE_EVENTS) &&
	       row->body != ROUTE_BYTES;
}

/* Those without a token do not get so far (api/socket). */
static void
P2_every_cell_over_a_websocket(void **state)
{
	const struct api_route *row = *state;

	for (enum who who = OWNER; who < WHO_COUNT; who++)
		for (enum thing thing = THEIRS; thing < THING_COUNT; thing++)
			check_cell(row, who, thing, ask_socket);
}

/* --- the table itself --- */

static void
A14_every_row_is_complete(void **state)
{
	(void)state;
	for (size_t i = 0; i < API_ROUTE_COUNT; i++) {
		const struct api_route *row = &API_ROUTES[i];

		if (!row->handle || !row->tag || !row->summary || !row->summary[0])
			fail_msg("%s %s: without handler, tag or summary", row->route.method,
				 row->route.pattern);
		assert_int_equal(row->auth == ROUTE_OPEN, row->verb == ACCESS_VERB_COUNT);
		assert_int_equal(row->mutates, strcmp(row->route.method, "GET") != 0);
		assert_true(row->body != ROUTE_JSON || row->request);
	}
}

/* The error as far as it does not name the request, with the session's id blanked. */
static struct str
blanked(struct str body, const char *id)
{
	struct str text = arena_str(&ARENA, body);
	size_t at;

	assert_true(str_find(text, STR(",\"request_id\""), 0, &at));
	text.len = at;
	while (str_find(text, str_of(id), 0, &at))
		memset((char *)(uintptr_t)text.ptr + at, '?', strlen(id));
	return text;
}

/* Word for word: a stranger cannot tell what is there from what is not. */
static void
P2_hidden_reads_like_absent(void **state)
{
	const char *hidden = make_session(THEIRS);
	char *absent = (char *)(uintptr_t)arena_str(&ARENA, str_of(hidden)).ptr;
	struct rig_reply reply;
	struct str first;

	(void)state;
	absent[strlen(absent) - 1] ^= 1;
	reply = ask("GET", arena_printf(&ARENA, "/v1/sessions/%s", hidden).ptr,
		    CALLERS[STRANGER].token, NULL);
	assert_int_equal(reply.status, 404);
	first = blanked(reply.body, hidden);
	reply = ask("GET", arena_printf(&ARENA, "/v1/sessions/%s", absent).ptr,
		    CALLERS[STRANGER].token, NULL);
	check_str("absent", blanked(reply.body, absent), first);
}

/* Lists show exactly what the policy lets each caller read. */
static void
P2_lists_are_narrowed(void **state)
{
	const char *sessions[ABSENT];

	(void)state;
	make_environment();
	for (enum thing thing = THEIRS; thing < ABSENT; thing++)
		sessions[thing] = make_session(thing);
	WORLD.session = NULL;
	for (enum who who = OWNER; who < ITEM; who++) {
		struct rig_reply reply =
			ask("GET", "/v1/sessions?limit=100", CALLERS[who].token, NULL);

		rig_expect(WHO[who], &reply, 200, NULL);
		for (enum thing thing = THEIRS; thing < ABSENT; thing++) {
			struct access_target t = {
				.session_id = str_of(sessions[thing]),
				.takes_part = who == USER && thing == THEIRS,
			};
			bool may = access_policy_decide(&CALLERS[who].is, ACCESS_SESSION_READ, &t)
					   .answer == ACCESS_ALLOW;

			if (str_contains(reply.body, str_of(sessions[thing])) != may)
				fail_msg("%s: %s is %s", WHO[who], THING[thing],
					 may ? "missing" : "shown");
		}
	}
}

int
main(void)
{
	enum { NAME_MAX = 160 };
	struct suite s = { 0 };
	int failed;

	arena_init(&ARENA);
	arena_init(&KEEP);
	api_rig_init(&RIG);
	api_rig_start(&RIG);
	make_world();
	SUITE_TEST(&s, A14_every_row_is_complete);
	SUITE_TEST(&s, P2_hidden_reads_like_absent);
	SUITE_TEST(&s, P2_lists_are_narrowed);
	for (size_t i = 0; i < API_ROUTE_COUNT; i++) {
		char *name = arena_alloc(&KEEP, NAME_MAX);

		snprintf(name, NAME_MAX, "P2 matrix: %s %s", API_ROUTES[i].route.method,
			 API_ROUTES[i].route.pattern);
		suite_add(&s, name, P2_every_cell_of_a_route, &API_ROUTES[i]);
		if (!fits_a_message(&API_ROUTES[i]))
			continue;
		name = arena_alloc(&KEEP, NAME_MAX);
		snprintf(name, NAME_MAX, "P2 A16 matrix over a WebSocket: %s %s",
			 API_ROUTES[i].route.method, API_ROUTES[i].route.pattern);
		suite_add(&s, name, P2_every_cell_over_a_websocket, &API_ROUTES[i]);
	}
	failed = suite_run(&s, "api/routes");
	api_rig_stop(&RIG);
	arena_release(&ARENA);
	arena_release(&KEEP);
	return failed;
}
