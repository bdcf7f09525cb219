#include "cli/chat_session.h"

#include <ctype.h>
#include <limits.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/sha256.h"
#include "base/timestamp.h"
#include "cli/record.h"
#include "cli/url_text.h"

enum { NAME_MAX_BYTES = 40, HASH_BYTES = 4, URL_MAX = 8192, LOOK_AT = 10 };

/* ---- the place ---- */

static struct str
last_part(struct str path)
{
	size_t end = path.len, begin;

	while (end > 0 && path.ptr[end - 1] == '/')
		end--;
	begin = end;
	while (begin > 0 && path.ptr[begin - 1] != '/')
		begin--;
	return end > begin ? str_slice(path, begin, end) : STR("root");
}

struct str
chat_session_place(const struct chat_place *p, struct arena *a)
{
	struct str name = last_part(p->directory);
	char plain[NAME_MAX_BYTES + 1], hash[2 * HASH_BYTES + 1];
	struct sha256 digest;
	size_t len = 0;

	for (size_t i = 0; i < name.len && len < NAME_MAX_BYTES; i++) {
		bool ok = isalnum((unsigned char)name.ptr[i]) || name.ptr[i] == '_';

		plain[len++] = ok ? name.ptr[i] : '-';
	}
	plain[len] = '\0';
	digest = sha256_of(arena_printf(a, STR_FMT "\n%lld\n" STR_FMT "\n" STR_FMT,
					STR_ARG(p->host), (long long)p->user, STR_ARG(p->directory),
					STR_ARG(p->agent)));
	sha256_hex(&digest, HASH_BYTES, hash);
	return arena_printf(a, "cli:%s-%s", plain, hash);
}

bool
chat_session_is_of(struct str id, struct str place)
{
	return str_starts(id, place) && (id.len == place.len || id.ptr[place.len] == '.');
}

static struct str
place_of_process(struct cli_call *call, const char *agent)
{
	char host[HOST_NAME_MAX + 1] = "", directory[PATH_MAX];
	struct chat_place p = {
		.agent = agent ? str_of(agent) : STR("main"),
		.user = (int64_t)getuid(),
	};

	if (gethostname(host, sizeof host - 1) == 0)
		p.host = str_of(host);
	p.directory = getcwd(directory, sizeof directory) ? str_of(directory) : STR("/");
	return chat_session_place(&p, &call->a);
}

/* The id of one that begins now. */
static struct str
fresh_id(struct cli_call *call, struct str place)
{
	struct civil now = timestamp_to_civil(clock_now_ms());

	return arena_printf(&call->a, STR_FMT ".%04lld%02d%02d_%02d%02d%02d%03d", STR_ARG(place),
			    (long long)now.year, now.month, now.day, now.hour, now.minute,
			    now.second, now.ms);
}

/* ---- asking the server ---- */

static int
find_newest(struct cli_call *call, struct str place, struct str *out, struct err *e)
{
	struct json page, data;
	struct json_iter it;
	struct buf url;
	int rc;

	buf_init(&url, URL_MAX);
	buf_puts(&url, "/v1/sessions");
	url_text_query(&url, "channel", place);
	url_text_query_int(&url, "limit", LOOK_AT);
	rc = call_ask(call, "GET", buf_str(&url), (struct str){ 0 }, &page, e);
	buf_release(&url);
	*out = place;
	if (rc != 0 || !json_find(page, STR("data"), &data))
		return rc;
	it = json_iter(data);
	while (json_next(&it)) {
		struct str id = record_value(it.value, "id", &call->a);

		if (!chat_session_is_of(id, place))
			continue;
		*out = id;
		break;
	}
	return 0;
}

/* Opens it, or opens it again. */
static int
open_id(struct cli_call *call, struct str id, const char *agent, struct json *out, struct err *e)
{
	struct buf body;
	struct jw w;
	int rc;

	buf_init(&body, CALL_BODY_MAX);
	jw_init(&w, &body);
	jw_object(&w);
	jw_field_str(&w, "id", id);
	if (agent)
		jw_field_str(&w, "agent", str_of(agent));
	jw_field_object(&w, "source");
	jw_field_str(&w, "kind", STR("cli"));
	jw_field_bool(&w, "interactive", true);
	jw_end_object(&w);
	jw_end_object(&w);
	rc = call_ask(call, "POST", STR("/v1/sessions"), buf_str(&body), out, e);
	buf_release(&body);
	return rc;
}

static int
read_session(struct cli_call *call, struct json object, struct chat_session *out, struct err *e)
{
	struct chat_session s = {
		.id = arena_str(&call->a, record_value(object, "id", &call->a)), /* NUL behind it */
		.title = record_value(object, "title|description", &call->a),
		.agent = record_value(object, "agent.id", &call->a),
		.model = record_value(object, "agent.model.id", &call->a),
		.waits = str_eq(record_value(object, "activity", &call->a), STR("requires_action")),
	};

	if (s.id.len == 0 || !str_to_int(record_value(object, "head_seq", &call->a), &s.head_seq))
		return err_set(e, ERR_IO, "the server's answer is no session");
	IGNORE(str_to_int(record_value(object, "message_count", &call->a),
			  &s.messages)); /* only shown */
	*out = s;
	return 0;
}

int
chat_session_open(struct cli_call *call, const struct chat_choice *choice, struct chat_session *out,
		  struct err *e)
{
	struct str place = place_of_process(call, choice->agent), id = str_of(choice->id);
	struct json object;
	int rc = 0;

	if (choice->fresh && !choice->id)
		id = fresh_id(call, place);
	else if (!choice->id)
		rc = find_newest(call, place, &id, e);
	if (rc == 0)
		rc = open_id(call, id, choice->agent, &object, e);
	/* what was put away stays so: a conversation goes on in a new one */
	if (rc == 0 && !choice->id &&
	    str_eq(record_value(object, "lifecycle", &call->a), STR("archived")))
		rc = open_id(call, fresh_id(call, place), choice->agent, &object, e);
	if (rc == 0)
		rc = read_session(call, object, out, e);
	if (rc == 0 && choice->agent && !str_eq(out->agent, str_of(choice->agent)))
		rc = err_set(e, ERR_CONFLICT,
			     "session " STR_FMT " belongs to agent " STR_FMT
			     ": leave --agent out, or open another one",
			     STR_ARG(out->id), STR_ARG(out->agent));
	return rc;
}

/* ---- what it is ---- */

void
chat_session_print(const struct cli_call *call, const struct chat_session *s)
{
	call_print_foreign(call, s->id);
	call_print(STR(", agent "));
	call_print_foreign(call, s->agent);
	if (s->model.len > 0) {
		call_print(STR(" ("));
		call_print_foreign(call, s->model);
		call_print(STR(")"));
	}
}
