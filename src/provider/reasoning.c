#include "provider/reasoning.h"

#include "base/json.h"
#include "base/json_write.h"

void
reasoning_add(struct buf *list, size_t at, struct str item)
{
	struct jw w;

	if (list->len > 0)
		buf_putc(list, ',');
	jw_init(&w, list);
	jw_object(&w);
	jw_field_int(&w, "at", (int64_t)at);
	jw_field_raw(&w, "item", item);
	jw_end_object(&w);
}

void
reasoning_write(struct buf *out, struct str from, struct str list)
{
	buf_puts(out, "{\"from\":\"");
	json_escape(out, from);
	buf_puts(out, "\",\"items\":[");
	buf_put_str(out, list);
	buf_puts(out, "]}");
}

static bool
is_from(struct json root, struct str from)
{
	struct json who;

	return json_find(root, STR("from"), &who) && json_str_eq(who, from);
}

size_t
reasoning_read(const struct message *m, struct str from, struct arena *a,
	       struct reasoning_item **out)
{
	struct json_doc *doc = ARENA_NEW(a, struct json_doc);
	struct json items, at, item;
	size_t count = 0;
	int64_t place;

	*out = NULL;
	if (m->reasoning.len == 0 ||
	    json_parse(a, m->reasoning, &JSON_LIMITS_DEFAULT, doc, NULL) != 0 ||
	    !is_from(json_root(doc), from) || !json_find(json_root(doc), STR("items"), &items))
		return 0;
	*out = ARENA_ARRAY(a, json_count(items) + 1, struct reasoning_item);
	for (struct json_iter it = json_iter(items); json_next(&it);) {
		if (!json_find(it.value, STR("at"), &at) || !json_int(at, &place) || place < 0 ||
		    !json_find(it.value, STR("item"), &item) || json_type(item) != JSON_OBJECT)
			continue;
		if ((size_t)place > m->tool_call_count ||
		    (m->tool_call_count == 0 && str_trim(m->content).len == 0))
			continue;
		(*out)[count++] = (struct reasoning_item){ (size_t)place, json_raw(item) };
	}
	return count;
}
