#include "core/source.h"

#include <stddef.h>

enum { SEGMENT_MAX = 64 };

static const char *const CHAT_TYPES[] = {
	[SOURCE_DM] = "dm",
	[SOURCE_GROUP] = "group",
	[SOURCE_CHANNEL] = "channel",
	[SOURCE_THREAD] = "thread",
};

/* The descriptor in the order it is written. */
static const struct source_field {
	const char *name;
	enum { FIELD_TEXT, FIELD_CHAT_TYPE, FIELD_FLAG } kind;
	size_t offset;
} FIELDS[] = {
	{ "platform", FIELD_TEXT, offsetof(struct source, platform) },
	{ "chat_id", FIELD_TEXT, offsetof(struct source, chat_id) },
	{ "chat_name", FIELD_TEXT, offsetof(struct source, chat_name) },
	{ "chat_type", FIELD_CHAT_TYPE, offsetof(struct source, chat_type) },
	{ "user_id", FIELD_TEXT, offsetof(struct source, user_id) },
	{ "user_name", FIELD_TEXT, offsetof(struct source, user_name) },
	{ "thread_id", FIELD_TEXT, offsetof(struct source, thread_id) },
	{ "chat_topic", FIELD_TEXT, offsetof(struct source, chat_topic) },
	{ "user_id_alt", FIELD_TEXT, offsetof(struct source, user_id_alt) },
	{ "chat_id_alt", FIELD_TEXT, offsetof(struct source, chat_id_alt) },
	{ "is_bot", FIELD_FLAG, offsetof(struct source, is_bot) },
	{ "guild_id", FIELD_TEXT, offsetof(struct source, guild_id) },
	{ "parent_chat_id", FIELD_TEXT, offsetof(struct source, parent_chat_id) },
	{ "message_id", FIELD_TEXT, offsetof(struct source, message_id) },
	{ "role_authorized", FIELD_FLAG, offsetof(struct source, role_authorized) },
};
enum { FIELD_COUNT = ARRAY_LEN(FIELDS) };

const char *
source_chat_type_name(enum source_chat_type type)
{
	return CHAT_TYPES[type];
}

bool
source_chat_type_parse(struct str word, enum source_chat_type *out)
{
	for (size_t i = 0; i < ARRAY_LEN(CHAT_TYPES); i++) {
		if (str_eq(word, str_of(CHAT_TYPES[i]))) {
			*out = (enum source_chat_type)i;
			return true;
		}
	}
	return false;
}

static bool
is_segment_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '.' || c == '_' || c == '-';
}

bool
source_is_chat_platform(struct str platform)
{
	static const char *const CHATS[] = { "telegram", "slack",  "discord", "whatsapp",
					     "signal",   "matrix", "irc",     "webhook" };

	for (size_t i = 0; i < ARRAY_LEN(CHATS); i++)
		if (str_eq(platform, str_of(CHATS[i])))
			return true;
	return false;
}

bool
source_segment_valid(struct str word)
{
	if (word.len == 0 || word.len > SEGMENT_MAX)
		return false;
	for (size_t i = 0; i < word.len; i++)
		if (!is_segment_char(word.ptr[i]))
			return false;
	return true;
}

static int
decode_field(const struct source_field *f, struct json v, struct arena *a, struct source *s,
	     struct err *e)
{
	char *member = (char *)s + f->offset;
	struct str text = { 0 };
	size_t word;
	int rc;

	if (f->kind == FIELD_FLAG)
		return json_take_bool(v, (bool *)member, e);
	rc = json_take_str(v, a, &text, e);
	if (rc != 0 || text.len == 0)
		return rc;
	if (f->kind == FIELD_TEXT) {
		*(struct str *)member = text;
		return 0;
	}
	rc = json_take_word(v, CHAT_TYPES, ARRAY_LEN(CHAT_TYPES), &word, e);
	if (rc == 0)
		*(enum source_chat_type *)member = (enum source_chat_type)word;
	return rc;
}

static int
check_platform(const struct source *s, struct json platform, struct err *e)
{
	if (source_segment_valid(s->platform))
		return 0;
	return json_fail(platform, e, "must be 1 to %d of A-Z a-z 0-9 . _ -", SEGMENT_MAX);
}

int
source_decode(struct json v, struct arena *a, struct source *out, struct err *e)
{
	struct json values[FIELD_COUNT] = { 0 };
	struct json_field fields[FIELD_COUNT];
	struct source s = { 0 };
	int rc;

	for (size_t i = 0; i < FIELD_COUNT; i++) {
		unsigned type = FIELDS[i].kind == FIELD_FLAG ? JSON_WANT_BOOL : JSON_WANT_STRING;

		fields[i] = (struct json_field){ FIELDS[i].name, type | JSON_WANT_NULL, false,
						 &values[i] };
	}
	fields[0].want = JSON_WANT_STRING; /* platform: the one field that must be there */
	fields[0].required = true;
	rc = json_fields(v, fields, FIELD_COUNT, e);
	for (size_t i = 0; rc == 0 && i < FIELD_COUNT; i++)
		rc = decode_field(&FIELDS[i], values[i], a, &s, e);
	if (rc == 0)
		rc = check_platform(&s, values[0], e);
	if (rc == 0)
		*out = s;
	return rc;
}

void
source_encode(const struct source *s, struct jw *out)
{
	jw_object(out);
	for (size_t i = 0; i < FIELD_COUNT; i++) {
		const char *member = (const char *)s + FIELDS[i].offset;
		const struct str *text = (const struct str *)member;

		switch (FIELDS[i].kind) {
		case FIELD_TEXT:
			if (text->len > 0)
				jw_field_str(out, FIELDS[i].name, *text);
			else
				jw_field_null(out, FIELDS[i].name);
			break;
		case FIELD_CHAT_TYPE:
			jw_field_str(out, FIELDS[i].name, str_of(CHAT_TYPES[s->chat_type]));
			break;
		case FIELD_FLAG: jw_field_bool(out, FIELDS[i].name, *(const bool *)member); break;
		}
	}
	jw_end_object(out);
}

static struct str
first_set(struct str a, struct str b, struct str otherwise)
{
	if (a.len > 0)
		return a;
	return b.len > 0 ? b : otherwise;
}

void
source_describe(const struct source *s, struct buf *out)
{
	struct str chat = first_set(s->chat_name, s->chat_id, STR("unknown"));
	struct str person = first_set(s->user_name, s->user_id, s->user_id_alt);

	switch (s->chat_type) {
	case SOURCE_DM:
		buf_puts(out, "DM with ");
		buf_put_str(out, first_set(person, s->chat_id, STR("user")));
		break;
	case SOURCE_GROUP:
	case SOURCE_CHANNEL:
		buf_printf(out, "%s: ", CHAT_TYPES[s->chat_type]);
		buf_put_str(out, chat);
		break;
	case SOURCE_THREAD: /* the suffix says "thread" when there is an id to say it with */
		buf_puts(out, s->thread_id.len > 0 ? "" : "thread: ");
		buf_put_str(out, chat);
		break;
	}
	if (s->thread_id.len > 0) {
		buf_puts(out, ", thread: ");
		buf_put_str(out, s->thread_id);
	}
}

enum source_admission
source_admit(const struct source *s, bool is_own, bool allow_bots)
{
	if (is_own)
		return SOURCE_DROP;
	return s->is_bot && !allow_bots ? SOURCE_STORE : SOURCE_ACCEPT;
}

enum role
source_role(const struct source *s, enum role known)
{
	return s->role_authorized && known < ROLE_USER ? ROLE_USER : known;
}
