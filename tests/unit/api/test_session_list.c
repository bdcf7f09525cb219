#include <stdlib.h>
#include <unistd.h>

#include "live_ask.h"
#include "sqlite_dir.h"

static struct api_rig rig;

/* The ids of a page, in its order. */
static void
ids_of(struct str body, char *out, size_t size)
{
	size_t at = 0, len = 0;

	out[0] = '\0';
	while (str_find(body, STR("{\"id\":\""), at, &at)) {
		struct str rest = str_slice(body, at + 7, body.len), id;

		at++;
		str_cut(rest, '"', &id, &rest);
		if (str_starts(rest, STR(",\"type\":\"session\"")))
			len += (size_t)snprintf(out + len, size - len, "%s" STR_FMT, len ? " " : "",
						STR_ARG(id));
	}
}

static void
open_one(const char *token, const char *members)
{
	char body[512];
	struct rig_reply reply;

	snprintf(body, sizeof body, "{\"agent\":\"main\",\"environment_id\":\"local-default\",%s}",
		 members);
	reply = live_post(&rig, token, "/v1/sessions", body);
	rig_expect("open", &reply, 200, NULL);
}

/* Seven sessions, from the oldest activity to the newest. */
static void
fill(void)
{
	struct rig_reply reply;
	char id[256];

	api_rig_init(&rig);
	api_rig_start(&rig);
	open_one("owner", "\"id\":\"cli:a\",\"source\":{\"kind\":\"cli\"}");
	open_one("owner",
		 "\"id\":\"cli:b\",\"source\":{\"kind\":\"cli\"},\"metadata\":{\"k\":\"v\"}");
	open_one("owner",
		 "\"id\":\"tg:c\",\"source\":{\"kind\":\"channel\",\"platform\":\"telegram\"},"
		 "\"metadata\":{\"k\":\"w\",\"l\":\"x\"}");
	open_one("user",
		 "\"id\":\"web:d\",\"source\":{\"kind\":\"web\"},\"title\":\"Zebra crossing\"");
	open_one("owner", "\"id\":\"api:e\",\"source\":{\"kind\":\"api\"}");
	open_one("owner", "\"id\":\"api:f\",\"source\":{\"kind\":\"api\"}");
	open_one("owner", "\"id\":\"api:g\",\"source\":{\"kind\":\"api\"}");
	reply = live_post(&rig, "owner", "/v1/sessions/api:e/archive", NULL);
	rig_expect("archive", &reply, 200, NULL);
	live_ask(&rig, "api:f", "what about the okapi?", id);
	live_run(&rig, "api:f", "t1", id);
	live_write(
		&rig, "api:g", NULL,
		"{\"type\":\"session.updated\",\"lifecycle\":\"inactive\",\"reason\":\"stale\"}");
}

static const struct listed {
	const char *name, *token, *query;
	const char *ids; /* in any order that equal instants leave open: sorted */
} LISTED[] = {
	{ "A9 what is put away is hidden", "owner", "", "api:f cli:a cli:b tg:c web:d" },
	{ "A9 archived ones on request", "owner", "?include_archived=true",
	  "api:e api:f cli:a cli:b tg:c web:d" },
	{ "A9 inactive ones on request", "owner", "?include_inactive=true",
	  "api:f api:g cli:a cli:b tg:c web:d" },
	{ "A9 by lifecycle", "owner", "?statuses[]=inactive", "api:g" },
	{ "A9 by lifecycles", "owner", "?statuses[]=inactive&statuses[]=archived", "api:e api:g" },
	{ "A9 by the wire's status", "owner", "?statuses[]=rescheduling", "api:f" },
	{ "A9 idle", "owner", "?statuses[]=idle", "cli:a cli:b tg:c web:d" },
	{ "A9 by channel prefix", "owner", "?channel=cli:", "cli:a cli:b" },
	{ "A9 by metadata", "owner", "?metadata.k=v", "cli:b" },
	{ "A9 by two of them", "owner", "?metadata.k=w&metadata.l=x", "tg:c" },
	{ "A9 by metadata nobody has", "owner", "?metadata.k=w&metadata.l=y", "" },
	{ "A9 by agent", "owner", "?agent_id=main", "api:f cli:a cli:b tg:c web:d" },
	{ "A9 by an agent nobody uses", "owner", "?agent_id=other", "" },
	{ "A9 by activity", "owner", "?active_minutes=5", "api:f cli:a cli:b tg:c web:d" },
	{ "A9 by kind", "owner", "?kind=cli", "cli:a cli:b" },
	{ "A9 by platform", "owner", "?platform=telegram", "tg:c" },
	{ "A9 interactive ones", "owner", "?interactive=true", "cli:a cli:b tg:c web:d" },
	{ "A9 not interactive ones", "owner", "?interactive=false", "api:f" },
	{ "A9 by title", "owner", "?text=zebra", "web:d" },
	{ "A9 by the last message", "owner", "?text=OKAPI", "api:f" },
	{ "A9 by participant", "owner", "?participant=usr_1", "web:d" },
	{ "A9 by version", "owner", "?agent_version=2", "" },
	{ "A9 created long ago", "owner", "?created_at[lt]=2020-01-01T00:00:00Z", "" },
	{ "P2 a user sees their own", "user", "", "web:d" },
	{ "P2 a user cannot ask for another's", "user", "?participant=usr_2", "" },
	{ "P2 a stranger sees nothing", "other", "?include_archived=true&include_inactive=true",
	  "" },
	{ "A9 by deployment", "owner", "?deployment_id=d", "" },
};

static int
compare_words(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void
sort_words(char *text)
{
	char copy[512], *words[32], *at = copy;
	size_t n = 0, len = 0;

	snprintf(copy, sizeof copy, "%s", text);
	for (char *word; (word = strsep(&at, " ")) && *word;)
		words[n++] = word;
	qsort(words, n, sizeof *words, compare_words);
	text[0] = '\0';
	for (size_t i = 0; i < n; i++)
		len += (size_t)snprintf(text + len, sizeof copy - len, "%s%s", i ? " " : "",
					words[i]);
}

static void
list_holds(void **state)
{
	const struct listed *row = *state;
	char target[256], ids[512];
	struct rig_reply reply;

	fill();
	snprintf(target, sizeof target, "/v1/sessions%s", row->query);
	reply = live_get(&rig, row->token, target);
	rig_expect(row->name, &reply, 200, "\"next_page\":null,\"prev_page\":null}");
	ids_of(reply.body, ids, sizeof ids);
	sort_words(ids);
	assert_string_equal(ids, row->ids);
	api_rig_stop(&rig);
}

/* Forwards to the end and backwards to the beginning gives the same pages. */
static void
walk(const char *order)
{
	char target[1024], page[256], forward[8][512];
	struct rig_reply reply;
	int n = 0;

	snprintf(target, sizeof target, "/v1/sessions?limit=2&order=%s&include_total=true", order);
	for (;; n++) {
		reply = live_get(&rig, "owner", target);
		rig_expect("page", &reply, 200, ",\"total\":5}");
		ids_of(reply.body, forward[n], sizeof forward[n]);
		if (n == 0)
			rig_expect("the first", &reply, 200, "\"prev_page\":null");
		if (str_contains(reply.body, STR("\"next_page\":null")))
			break;
		live_member(reply.body, "next_page", 0, page);
		snprintf(target, sizeof target,
			 "/v1/sessions?limit=2&order=%s&include_total=true&page=%s", order, page);
	}
	assert_int_equal(n, 2);
	while (n-- > 0) {
		char ids[512];

		live_member(reply.body, "prev_page", 0, page);
		snprintf(target, sizeof target,
			 "/v1/sessions?limit=2&order=%s&include_total=true&page=%s", order, page);
		reply = live_get(&rig, "owner", target);
		ids_of(reply.body, ids, sizeof ids);
		assert_string_equal(ids, forward[n]);
		rig_expect("goes on", &reply, 200, "\"next_page\":\"");
	}
	rig_expect("the first again", &reply, 200, "\"prev_page\":null");
}

static void
A9_pages_go_both_ways(void **state)
{
	(void)state;
	fill();
	walk("desc");
	walk("asc");
	api_rig_stop(&rig);
}

static void
A9_pages_go_both_ways_on_sqlite(void **state)
{
	struct sqlite_dir dir;

	(void)state;
	sqlite_dir_init(&dir);
	LIVE.sqlite_dir = dir.path;
	fill();
	walk("desc");
	walk("asc");
	api_rig_stop(&rig);
	LIVE.sqlite_dir = NULL;
	sqlite_dir_release(&dir);
}

static void
A9_newest_activity_first(void **state)
{
	struct rig_reply reply;
	char ids[512];

	(void)state;
	fill();
	usleep(2000); /* of two of one millisecond none is the newer */
	live_say(&rig, "cli:a", "awake");
	reply = live_get(&rig, "owner", "/v1/sessions?limit=1");
	ids_of(reply.body, ids, sizeof ids);
	assert_string_equal(ids, "cli:a");
	api_rig_stop(&rig);
}

static const struct refused {
	const char *name, *query, *part;
} REFUSED[] = {
	{ "A9 limit 0", "?limit=0", "limit" },
	{ "A9 limit 201", "?limit=201", "limit" },
	{ "A9 a cursor that is none", "?page=x", "page" },
	{ "A9 an unknown status", "?statuses[]=busy", "statuses" },
	{ "A9 an unknown order", "?order=up", "order" },
	{ "A9 a flag that is none", "?include_archived=1", "include_archived" },
	{ "A9 an unknown filter", "?colour=red", "colour" },
	{ "A9 minutes that are none", "?active_minutes=soon", "active_minutes" },
};

static void
is_refused(void **state)
{
	const struct refused *row = *state;
	struct rig_reply reply;
	char target[256];

	api_rig_init(&rig);
	api_rig_start(&rig);
	snprintf(target, sizeof target, "/v1/sessions%s", row->query);
	reply = live_get(&rig, "owner", target);
	rig_expect(row->name, &reply, 400, row->part);
	api_rig_stop(&rig);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, LISTED, list_holds);
	SUITE_TEST(&s, A9_pages_go_both_ways);
	SUITE_TEST(&s, A9_pages_go_both_ways_on_sqlite);
	SUITE_TEST(&s, A9_newest_activity_first);
	SUITE_ROWS(&s, REFUSED, is_refused);
	return suite_run(&s, "api/session_list");
}
