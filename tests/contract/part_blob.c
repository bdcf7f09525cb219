/* Payloads: the bytes received are the bytes read, wherever the store keeps them.
 *
 * PostgreSQL: payload is bytea, never jsonb, so blanks, key order and number forms survive; blobs are
 * chunks in a table that all nodes share. */
#include "base/xalloc.h"
#include "compare.h"
#include "rig.h"

static const char HEAD[] = "{\"type\":\"user.message\",\"content\":[{\"type\":\"text\",\"text\":\"";
static const char TAIL[] = "\"}]}";

/* A message whose payload has exactly so many bytes; seed makes two of one size differ. */
static struct event
message_of(struct rig *r, const char *id, size_t bytes, unsigned seed)
{
	char *text = arena_alloc_raw(&r->arena, bytes);
	size_t head = sizeof HEAD - 1, tail = sizeof TAIL - 1;

	assert_true(bytes > head + tail);
	memcpy(text, HEAD, head);
	for (size_t i = head; i < bytes - tail; i++)
		text[i] = (char)('a' + (i * 7 + i / 251 + seed) % 26);
	memcpy(text + bytes - tail, TAIL, tail);
	return (struct event){
		.id = str_of(id),
		.kind = EVENT_USER_MESSAGE,
		.author = AUTHOR_USER,
		.created_at_ms = 2000,
		.meta = STR("{\"class\":\"trigger\"}"),
		.payload = { text, bytes },
	};
}

static const struct size_row {
	const char *name;
	size_t bytes;
} SIZES[] = {
	{ "M14 a small payload", 100 },
	{ "M14 the last inline payload", STORE_INLINE_MAX },
	{ "M14 the first blob", STORE_INLINE_MAX + 1 },
	{ "M14 a chunk of 256 KiB", 256 * 1024 },
	{ "M14 a byte more than a chunk", 256 * 1024 + 1 },
	{ "M14 five MiB", 5 * 1024 * 1024 },
};

static void
test_size(void **state)
{
	const struct size_row *row = *state;
	struct rig *r = rig_new();
	struct event ev;

	rig_do(r, "s", "msg before");
	ev = message_of(r, "big", row->bytes, 0);
	rig_expect(r, row->name, rig_item_of(r, "s", &ev), 0);
	rig_do(r, "s", "run t1 before; end t1 end_turn; run t2 big");
	compare_session(r, STR("s"), row->name); /* events and transcript, byte by byte */
	rig_restart(r);
	compare_session(r, STR("s"), row->name);
	rig_free(&r);
}

/* Content-addressed: what is kept once must not be mixed up, nor vanish with one of its users. */
static void
test_same_content(void **state)
{
	struct rig *r = rig_new();
	size_t bytes = STORE_INLINE_MAX + 100;
	struct event a = message_of(r, "a", bytes, 0), b = message_of(r, "b", bytes, 0),
		     c = message_of(r, "c", bytes, 1);

	(void)state;
	rig_do(r, "s", "");
	rig_do(r, "other", "");
	rig_expect(r, "first", rig_item_of(r, "s", &a), 0);
	rig_expect(r, "again", rig_item_of(r, "s", &b), 0);
	rig_expect(r, "again elsewhere", rig_item_of(r, "other", &a), 0);
	rig_expect(r, "of that size", rig_item_of(r, "other", &c), 0);
	compare_session(r, STR("s"), "same content");
	compare_session(r, STR("other"), "same content");
	rig_free(&r);
}

static void
test_bytes_as_received(void **state)
{
	static const char *const PAYLOADS[] = {
		"{ \"content\" : [ { \"text\":\"a\\u0062\\/c\" , \"type\":\"text\" } ] ,\n"
		"\t\"type\":\"user.message\" }",
		"{\"type\":\"user.message\",\"content\":[{\"type\":\"text\",\"text\":"
		"\"\xf0\x9f\x8c\x8d"
		" \xc3\xa9 \xe2\x80\xa8\"}]}",
	};
	struct rig *r = rig_new();

	(void)state;
	rig_do(r, "s", "");
	for (size_t i = 0; i < ARRAY_LEN(PAYLOADS); i++) {
		struct event ev = message_of(r, i ? "b" : "a", 100, 0);

		ev.payload = str_of(PAYLOADS[i]);
		rig_expect(r, "as received", rig_item_of(r, "s", &ev), 0);
	}
	compare_session(r, STR("s"), "bytes as received");
	rig_free(&r);
}

/* A refused blob leaves nothing that a later one could trip over. */
static void
test_refused_blob(void **state)
{
	struct rig *r = rig_new();
	struct event ev = message_of(r, "a", STORE_INLINE_MAX + 1, 3);
	struct store_item *item;

	(void)state;
	rig_do(r, "s", "msg x");
	item = rig_item_of(r, "s", &ev);
	item->require.idle = true;
	rig_expect(r, "refused", item, ERR_CONFLICT);
	rig_expect(r, "accepted", rig_item_of(r, "s", &ev), 0);
	compare_session(r, STR("s"), "refused blob");
	rig_free(&r);
}

void
contract_blob(struct suite *s)
{
	SUITE_ROWS(s, SIZES, test_size);
	suite_add(s, "M14 one content, many events", test_same_content, NULL);
	suite_add(s, "M14 the bytes as received", test_bytes_as_received, NULL);
	suite_add(s, "M14 a refused blob", test_refused_blob, NULL);
}
