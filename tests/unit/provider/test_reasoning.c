#include "provider/reasoning.h"

#include "harness.h"

static const struct tool_call CALLS[2];

static const struct row {
	const char *name, *data;
	const char *content;
	size_t calls;
	const char *want; /* at:item ... */
} ROWS[] = {
	{ "T3 its own, in order",
	  "{'from':'a/m','items':[{'at':0,'item':{}},{'at':2,'item':{'x':1}}]}", "t", 2,
	  "0:{} 2:{'x':1} " },
	{ "T3 another model's", "{'from':'a/n','items':[{'at':0,'item':{}}]}", "t", 0, "" },
	{ "T3 of nobody", "{'items':[{'at':0,'item':{}}]}", "t", 0, "" },
	{ "T3 what it led to is gone", "{'from':'a/m','items':[{'at':1,'item':{}}]}", "t", 0, "" },
	{ "T3 and all of the answer", "{'from':'a/m','items':[{'at':0,'item':{}}]}", " ", 0, "" },
	{ "T3 before a call without text", "{'from':'a/m','items':[{'at':0,'item':{}}]}", "", 1,
	  "0:{} " },
	{ "T3 nonsense",
	  "{'from':'a/m','items':[1,{'at':-1,'item':{}},{'at':0},{'at':0,'item':7}]}", "t", 0, "" },
	{ "T3 no JSON", "{", "t", 0, "" },
	{ "T3 nothing", "", "t", 0, "" },
};

static struct str
quoted(struct arena *a, const char *text)
{
	struct str copy = arena_str(a, str_of(text));

	for (char *p = (char *)(uintptr_t)copy.ptr; *p; p++)
		*p = *p == '\'' ? '"' : *p;
	return copy;
}

static void
check_row(void **state)
{
	const struct row *row = *state;
	struct reasoning_item *items;
	struct message m = { .tool_calls = CALLS, .tool_call_count = row->calls };
	struct arena a;
	struct buf out;
	size_t count;

	arena_init(&a);
	buf_init(&out, 1000);
	m.content = str_of(row->content);
	m.reasoning = quoted(&a, row->data);
	count = reasoning_read(&m, STR("a/m"), &a, &items);
	for (size_t i = 0; i < count; i++)
		buf_printf(&out, "%zu:" STR_FMT " ", items[i].at, STR_ARG(items[i].item));
	check_str(row->name, buf_str(&out), quoted(&a, row->want));
	buf_release(&out);
	arena_release(&a);
}

static void
T3_what_is_written_reads_back(void **state)
{
	struct message m = { .content = { "t", 1 }, .tool_calls = CALLS, .tool_call_count = 1 };
	struct reasoning_item *items;
	struct buf list, out;
	struct arena a;

	(void)state;
	arena_init(&a);
	buf_init(&list, 1000);
	buf_init(&out, 1000);
	reasoning_add(&list, 0, STR("{\"a\":1}"));
	reasoning_add(&list, 1, STR("{\"b\":2}"));
	reasoning_write(&out, STR("we\"ird/m"), buf_str(&list));
	m.reasoning = buf_str(&out);
	assert_int_equal(reasoning_read(&m, STR("we\"ird/m"), &a, &items), 2);
	check_str("second", items[1].item, STR("{\"b\":2}"));
	assert_int_equal(items[1].at, 1);
	buf_release(&list);
	buf_release(&out);
	arena_release(&a);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, check_row);
	SUITE_TEST(&s, T3_what_is_written_reads_back);
	return suite_run(&s, "provider/reasoning");
}
