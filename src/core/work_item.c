#include "core/work_item.h"

#include "base/timestamp.h"
#include "core/definition.h"

enum { WRITTEN_MAX = 64 * 1024 };

static const char *const STATES[] = {
	[WORK_QUEUED] = "queued",     [WORK_STARTING] = "starting", [WORK_ACTIVE] = "active",
	[WORK_STOPPING] = "stopping", [WORK_STOPPED] = "stopped",
};

const char *
work_state_name(enum work_state s)
{
	return STATES[s];
}

/* ---- reading ---- */

static struct str
text_of(struct json v, const char *name, struct arena *a)
{
	return json_str(definition_find(v, name), a);
}

static int64_t
instant_of(struct json v, const char *name, struct arena *a)
{
	int64_t ms = 0;

	IGNORE(timestamp_parse(text_of(v, name, a), &ms)); /* null: not yet */
	return ms;
}

static int64_t
number_of(struct json v, const char *name)
{
	int64_t n = 0;

	IGNORE(json_int(definition_find(v, name), &n)); /* absent: 0 */
	return n;
}

static int
digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : 0;
}

/* No digest at all reads as zeroes, which no secret has. */
static struct sha256
digest_of(struct json v, const char *name, struct arena *a)
{
	struct str hex = text_of(v, name, a);
	struct sha256 out = { 0 };

	for (size_t i = 0; hex.len == SHA256_HEX && i < SHA256_BYTES; i++)
		out.bytes[i] =
			(unsigned char)(digit(hex.ptr[2 * i]) << 4 | digit(hex.ptr[2 * i + 1]));
	return out;
}

static bool
read_state(struct str word, enum work_state *out)
{
	for (size_t i = 0; i < ARRAY_LEN(STATES); i++)
		if (str_eq(word, str_of(STATES[i]))) {
			*out = (enum work_state)i;
			return true;
		}
	return false;
}

int
work_item_read(struct json v, struct arena *a, struct work_item *out, struct err *e)
{
	struct json lease = definition_find(v, "lease"), metadata = definition_find(v, "metadata");
	struct work_item item = {
		.id = text_of(v, "id", a),
		.environment_id = text_of(v, "environment_id", a),
		.session_id = text_of(definition_find(v, "data"), "id", a),
		.metadata = json_type(metadata) == JSON_OBJECT ? json_raw(metadata) : STR("{}"),
		.created_ms = instant_of(v, "created_at", a),
		.acknowledged_ms = instant_of(v, "acknowledged_at", a),
		.started_ms = instant_of(v, "started_at", a),
		.heartbeat_ms = instant_of(v, "latest_heartbeat_at", a),
		.stop_requested_ms = instant_of(v, "stop_requested_at", a),
		.stopped_ms = instant_of(v, "stopped_at", a),
		.not_before_ms = number_of(lease, "not_before_ms"),
		.handed_ms = number_of(lease, "handed_ms"),
		.claim = number_of(lease, "claim"),
		.ttl_ms = number_of(lease, "ttl_ms"),
		.worker = text_of(lease, "worker", a),
		.token = digest_of(lease, "token", a),
		.earlier = digest_of(lease, "earlier", a),
	};

	if (!read_state(text_of(v, "state", a), &item.state) || item.id.len == 0 ||
	    item.environment_id.len == 0 || item.session_id.len == 0)
		return err_set(e, ERR_CORRUPT, "a stored work item without id, state or session");
	*out = item;
	return 0;
}

/* ---- writing ---- */

static void
write_instant(struct jw *w, const char *name, int64_t ms)
{
	char text[TIMESTAMP_TEXT_MAX];

	if (ms == 0)
		jw_field_null(w, name);
	else
		jw_field_str(w, name, timestamp_format(ms, text));
}

/* The object is left open. */
static void
write_shown(const struct work_item *item, struct jw *w)
{
	jw_object(w);
	jw_field_str(w, "id", item->id);
	jw_field_str(w, "type", STR("work"));
	jw_field_str(w, "state", str_of(STATES[item->state]));
	jw_field_str(w, "environment_id", item->environment_id);
	jw_field_object(w, "data");
	jw_field_str(w, "type", STR("session"));
	jw_field_str(w, "id", item->session_id);
	jw_end_object(w);
	jw_field_raw(w, "metadata", item->metadata);
	write_instant(w, "created_at", item->created_ms);
	write_instant(w, "acknowledged_at", item->acknowledged_ms);
	write_instant(w, "started_at", item->started_ms);
	write_instant(w, "latest_heartbeat_at", item->heartbeat_ms);
	write_instant(w, "stop_requested_at", item->stop_requested_ms);
	write_instant(w, "stopped_at", item->stopped_ms);
}

void
work_item_show(const struct work_item *item, struct str secret, struct jw *w)
{
	write_shown(item, w);
	if (secret.len > 0)
		jw_field_str(w, "secret", secret);
	else
		jw_field_null(w, "secret");
	jw_end_object(w);
}

static void
write_digest(struct jw *w, const char *name, const struct sha256 *digest)
{
	char hex[SHA256_HEX + 1];

	sha256_hex(digest, SHA256_BYTES, hex);
	jw_field_str(w, name, str_of(hex));
}

struct str
work_item_write(const struct work_item *item, struct arena *a)
{
	struct buf out;
	struct str text;
	struct jw w;

	buf_init(&out, WRITTEN_MAX);
	jw_init(&w, &out);
	write_shown(item, &w);
	jw_field_object(&w, "lease");
	jw_field_int(&w, "not_before_ms", item->not_before_ms);
	jw_field_int(&w, "handed_ms", item->handed_ms);
	jw_field_int(&w, "claim", item->claim);
	jw_field_int(&w, "ttl_ms", item->ttl_ms);
	jw_field_str(&w, "worker", item->worker);
	if (item->claim > 0)
		write_digest(&w, "token", &item->token);
	if (item->claim > 1)
		write_digest(&w, "earlier", &item->earlier);
	jw_end_object(&w);
	jw_end_object(&w);
	text = arena_str(a, buf_str(&out));
	buf_release(&out);
	return text;
}

static void
write_lease(const struct work_item *item, struct jw *w)
{
	jw_field_str(w, "state", str_of(STATES[item->state]));
	jw_field_int(w, "ttl_seconds", item->ttl_ms / 1000);
}

void
work_item_show_heartbeat(const struct work_item *item, struct jw *w)
{
	char text[TIMESTAMP_TEXT_MAX];

	jw_object(w);
	jw_field_str(w, "type", STR("work_heartbeat"));
	jw_field_str(w, "last_heartbeat",
		     item->heartbeat_ms == 0 ? STR("")
					     : timestamp_format(item->heartbeat_ms, text));
	jw_field_bool(w, "lease_extended", item->state == WORK_ACTIVE);
	write_lease(item, w);
	jw_end_object(w);
}

void
work_item_show_lease(const struct work_item *item, struct jw *w)
{
	jw_object(w);
	write_instant(w, "last_heartbeat", item->heartbeat_ms);
	jw_field_bool(w, "lease_extended", false);
	write_lease(item, w);
	jw_end_object(w);
}
