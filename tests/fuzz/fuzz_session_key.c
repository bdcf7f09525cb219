/* Any bytes as the JSON of a source: its key is the same every time, parses back to its fixed
 * segments, and survives the source's own round trip. */
#include <stdint.h>
#include <stdlib.h>

#include "core/session_key.h"

static void
require(bool holds)
{
	if (!holds)
		abort();
}

static bool
decode(struct arena *a, struct str text, struct source *out)
{
	struct json_doc *doc = ARENA_NEW(a, struct json_doc);
	struct err e;

	return json_parse(a, text, &JSON_LIMITS_DEFAULT, doc, &e) == 0 &&
	       source_decode(json_root(doc), a, out, &e) == 0;
}

static struct str
encode(struct arena *a, const struct source *s)
{
	struct buf text;
	struct str kept;
	struct jw w;

	buf_init(&text, SIZE_MAX);
	jw_init(&w, &text);
	source_encode(s, &w);
	require(w.depth == 0);
	kept = arena_str(a, buf_str(&text));
	buf_release(&text);
	return kept;
}

static void
check_key(struct arena *a, const struct source *s, const struct source *back,
	  const struct session_key_policy *p)
{
	struct session_key one = session_key_decide(s, p, a);
	struct session_key two = session_key_decide(back, p, a);
	struct session_key_parts parts;
	struct sha256 id_one = session_key_identity(&one), id_two = session_key_identity(&two);

	require(str_eq(one.text, two.text) && one.shared == two.shared);
	require(memcmp(&id_one, &id_two, sizeof id_one) == 0);
	require(session_key_parse(one.text, &parts));
	require(str_eq(parts.platform, s->platform) && parts.chat_type == s->chat_type);
	require(str_starts(parts.ids, one.peer));
	require(one.in_room || !one.shared);
	require(!one.shared || one.participant.len == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct whatsapp_alias pair = { STR("+49170@s.whatsapp.net"), STR("7@lid") };
	struct whatsapp_aliases aliases;
	struct source s, back;
	struct arena a;

	arena_init(&a);
	if (decode(&a, (struct str){ (const char *)data, size }, &s)) {
		require(decode(&a, encode(&a, &s), &back) &&
			str_eq(encode(&a, &s), encode(&a, &back)));
		whatsapp_aliases_init(&aliases, &a, &pair, 1);
		for (unsigned i = 0; i < 8; i++) {
			struct session_key_policy p = { .group_per_user = i & 1,
							.thread_per_user = i & 2,
							.aliases = i & 4 ? &aliases : NULL };

			check_key(&a, &s, &back, &p);
		}
	}
	arena_release(&a);
	return 0;
}
