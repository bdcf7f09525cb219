/* Any bytes as the JSON of a lane's entry: what is read is written, read again and the same. And as a
 * request that names a conversation: what is read is within its bounds. */
#include <stdint.h>
#include <stdlib.h>

#include "core/lane_ask.h"
#include "core/lane_entry.h"

static bool
read_entry(struct arena *a, struct str text, struct lane_entry *out)
{
	struct json_doc *doc = ARENA_NEW(a, struct json_doc);
	struct err e;

	return json_parse(a, text, &JSON_LIMITS_DEFAULT, doc, &e) == 0 &&
	       lane_entry_read(json_root(doc), a, out, &e) == 0;
}

static struct str
write_entry(struct arena *a, const struct lane_entry *lane)
{
	struct buf text;
	struct str kept;
	struct jw w;

	buf_init(&text, SIZE_MAX);
	jw_init(&w, &text);
	lane_entry_write(lane, &w);
	kept = arena_str(a, buf_str(&text));
	buf_release(&text);
	return kept;
}

static void
read_ask(struct arena *a, struct str text)
{
	struct lane_ask ask;
	struct json_doc doc;
	struct err e;

	if (json_parse(a, text, &JSON_LIMITS_DEFAULT, &doc, &e) != 0 ||
	    lane_ask_read(json_root(&doc), a, &ask, &e) != 0)
		return;
	if (!source_segment_valid(ask.agent_id) || ask.key.surface_id.len > LANE_ASK_TEXT_MAX ||
	    ask.by_source == (ask.key.surface.len > 0))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct lane_entry lane, back;
	struct arena a;

	arena_init(&a);
	if (read_entry(&a, (struct str){ (const char *)data, size }, &lane)) {
		struct str text = write_entry(&a, &lane);

		if (!read_entry(&a, text, &back) || !str_eq(write_entry(&a, &back), text))
			abort();
	}
	read_ask(&a, (struct str){ (const char *)data, size });
	arena_release(&a);
	return 0;
}
