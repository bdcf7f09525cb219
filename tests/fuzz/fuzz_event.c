/* fuzz_event - any bytes as an event's payload or meta: refused with a sentence, or well-formed for
 * the kind named; and a replay that gets it never crashes. */
#include <assert.h>
#include <stdint.h>

#include "core/event.h"
#include "core/input.h"
#include "core/replay.h"

static const char CREATED[] = "{\"type\":\"session.created\",\"format\":1,\"agent_id\":\"main\","
			      "\"agent_version\":1,\"environment_id\":\"e\",\"source\":{},"
			      "\"session_type\":\"direct\"}";

static void
replay_it(struct str payload, struct str meta, enum event_kind kind)
{
	struct replay *r = replay_new();
	struct err e;
	struct event ev = {
		.seq = 1, .id = STR("a"), .payload = str_of(CREATED), .kind = EVENT_SESSION_CREATED
	};

	assert(replay_apply(r, &ev, &e) == 0);
	ev = (struct event){
		.seq = 2, .id = STR("b"), .payload = payload, .meta = meta, .kind = kind
	};
	IGNORE(replay_apply(r, &ev, &e)); /* any verdict is fine, a crash is not */
	replay_free(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a;
	struct str text = { (const char *)data, size }, payload, meta;
	struct json_doc doc;
	struct input_meta m;
	enum event_kind kind, client_kind;
	struct err e = { 0 };

	arena_init(&a);
	str_cut(text, '\n', &payload, &meta); /* the first line is the payload, the rest its meta */
	if (json_parse(&a, payload, &JSON_LIMITS_DEFAULT, &doc, &e) == 0) {
		if (event_check(json_root(&doc), &kind, &e) == 0)
			replay_it(payload, meta, kind);
		else
			assert(e.code == ERR_INVALID && e.text[0] != '\0');
		if (event_check_client(json_root(&doc), &client_kind, &e) == 0)
			assert(client_kind == kind);
	}
	if (json_parse(&a, meta, &JSON_LIMITS_DEFAULT, &doc, &e) == 0)
		IGNORE(input_meta_read(json_root(&doc), &a, &m, &e)); /* must only not crash */
	arena_release(&a);
	return 0;
}
