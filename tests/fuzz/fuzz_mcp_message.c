/* Any bytes as what an MCP peer says: read, and taken for the results that a client asks for. What is
 * made of it is bounded and valid text, and reading it twice gives the same. */
#include "base/buf.h"
#include "base/utf8.h"
#include "tool/mcp/ask_back.h"
#include "tool/mcp/catalog.h"
#include "tool/mcp/message.h"
#include "tool/mcp/result.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check(bool fine)
{
	if (!fine)
		__builtin_trap();
}

static void
check_result(struct json result)
{
	struct buf out;

	buf_init(&out, 2 * RESULT_BYTES_MAX);
	check(result_read(result, &out) <= OUTCOME_ERROR);
	check(!out.overflow && utf8_valid(buf_str(&out)));
	buf_release(&out);
}

static void
check_tools(struct json page, bool over_http)
{
	struct str cursor = { 0 };
	struct catalog c;
	struct err e;

	catalog_init(&c);
	if (catalog_add(&c, STR("s"), page, over_http, &cursor, &e) != 0)
		check(utf8_valid(str_of(e.text)));
	for (size_t i = 0; i < c.count; i++) {
		check(c.tools[i].doc.name.len > 0 && utf8_valid(c.tools[i].doc.name));
		check(utf8_valid(c.tools[i].doc.description));
		check(catalog_find(&c, c.tools[i].doc.name) == &c.tools[i]);
	}
	catalog_release(&c);
}

static void
check_answer(const struct message_in *m)
{
	struct arena a;
	struct json_doc doc;
	struct buf out;
	struct err e;
	struct jw w;

	buf_init(&out, 4 * MESSAGE_BYTES_MAX);
	jw_init(&w, &out);
	arena_init(&a);
	if (ask_back_answer(m->method, m->params, true, &w, &e) == 0)
		check(json_parse(&a, buf_str(&out), &JSON_LIMITS_DEFAULT, &doc, NULL) == 0);
	else
		check(utf8_valid(str_of(e.text)));
	arena_release(&a);
	buf_release(&out);
}

static void
check_message(const struct message_in *m)
{
	switch (m->kind) {
	case MESSAGE_RESULT:
		check_result(m->result);
		check_tools(m->result, false);
		check_tools(m->result, true);
		break;
	case MESSAGE_ERROR: check(utf8_valid(m->text)); break;
	case MESSAGE_REQUEST:
		check(m->raw_id.len > 0);
		check_answer(m);
		break;
	case MESSAGE_NOTIFICATION: check(utf8_valid(m->method)); break;
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct message_in *messages;
	struct arena a;
	struct err e;
	size_t count;

	arena_init(&a);
	if (message_read(&a, (struct str){ (const char *)data, size }, &messages, &count, &e) == 0)
		for (size_t i = 0; i < count; i++)
			check_message(&messages[i]);
	else
		check(e.text[0] != '\0' && utf8_valid(str_of(e.text)));
	arena_release(&a);
	return 0;
}
