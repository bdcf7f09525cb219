#include "core/attachment.h"
#include "harness.h"
#include "json_of.h"

#define P "{\"path\":\"p\"}"

/* want: source=value mime name size of each; or the refusal. */
static const struct attachment_row {
	const char *name, *json, *want;
} ROWS[] = {
	{ "M11 an uploaded file", "[{\"file_id\":\"file_1\",\"name\":\"a b.txt\"}]",
	  "0=file_1||a b.txt|0" },
	{ "M11 a file of the workspace", "[{\"path\":\"src/a.c\",\"mime_type\":\"text/x-c; q=1\"}]",
	  "1=src/a.c|text/x-c; q=1||0" },
	{ "M11 bytes in the request", "[{\"data\":\"aGVsbG8=\",\"mime_type\":\"image/png\"}]",
	  "2=aGVsbG8=|image/png||5 image" },
	{ "M11 bytes without padding to spare", "[{\"data\":\"aGVs\",\"mime_type\":\"a/b\"}]",
	  "2=aGVs|a/b||3" },
	{ "M11 bytes with two signs of padding", "[{\"data\":\"aA==\",\"mime_type\":\"a/b\"}]",
	  "2=aA==|a/b||1" },
	{ "M11 an image by any case", "[{\"path\":\"p\",\"mime_type\":\"Image/PNG\"}]",
	  "1=p|Image/PNG||0 image" },
	{ "M11 an image type cut short is none", "[{\"path\":\"p\",\"mime_type\":\"imag/e\"}]",
	  "1=p|imag/e||0" },
	{ "M11 none", "[]", "" },
	{ "M11 ten are accepted", "[" P "," P "," P "," P "," P "," P "," P "," P "," P "," P "]",
	  "1=p|||0 1=p|||0 1=p|||0 1=p|||0 1=p|||0 1=p|||0 1=p|||0 1=p|||0 1=p|||0 1=p|||0" },
	{ "M11 the 11th is refused",
	  "[" P "," P "," P "," P "," P "," P "," P "," P "," P "," P "," P "]", "error: [10]: " },
	{ "M11 not an array", "{}", "error: must be an array" },
	{ "M11 not an object", "[\"p\"]", "error: [0]: must be an object" },
	{ "M11 no source", "[{\"name\":\"n\"}]", "error: [0]: must have exactly one" },
	{ "M11 two sources", "[{\"path\":\"p\",\"file_id\":\"f\"}]",
	  "error: [0]: must have exactly one" },
	{ "M11 an empty source", "[{\"path\":\"\"}]", "error: [0].path" },
	{ "M11 an unknown field", "[{\"path\":\"p\",\"url\":\"u\"}]", "error: [0].url" },
	{ "M11 data without a type", "[{\"data\":\"aGVs\"}]", "error: [0]: mime_type" },
	{ "M11 data of a broken length", "[{\"data\":\"aGV\",\"mime_type\":\"a/b\"}]",
	  "error: [0].data" },
	{ "M11 data of other signs", "[{\"data\":\"aG-_\",\"mime_type\":\"a/b\"}]",
	  "error: [0].data" },
	{ "M11 data with padding inside", "[{\"data\":\"a=b=\",\"mime_type\":\"a/b\"}]",
	  "error: [0].data" },
	{ "M11 data of padding only", "[{\"data\":\"====\",\"mime_type\":\"a/b\"}]",
	  "error: [0].data" },
	{ "M11 a type without a slash", "[{\"path\":\"p\",\"mime_type\":\"png\"}]",
	  "error: [0].mime_type" },
	{ "M11 a type without a subtype", "[{\"path\":\"p\",\"mime_type\":\"image/\"}]",
	  "error: [0].mime_type" },
	{ "M11 a type with two slashes", "[{\"path\":\"p\",\"mime_type\":\"a/b/c\"}]",
	  "error: [0].mime_type" },
	{ "M11 a type with a blank", "[{\"path\":\"p\",\"mime_type\":\"a b/c\"}]",
	  "error: [0].mime_type" },
	{ "M11 a type beyond ASCII", "[{\"path\":\"p\",\"mime_type\":\"a/\xc3\xa9\"}]",
	  "error: [0].mime_type" },
	{ "M11 a name that leads away", "[{\"path\":\"p\",\"name\":\"../x\"}]", "error: [0].name" },
	{ "M11 a name with a backslash", "[{\"path\":\"p\",\"name\":\"a\\\\b\"}]",
	  "error: [0].name" },
	{ "M11 a name that is the parent", "[{\"path\":\"p\",\"name\":\"..\"}]",
	  "error: [0].name" },
	{ "M11 a name that is the folder", "[{\"path\":\"p\",\"name\":\".\"}]", "error: [0].name" },
	{ "M11 an empty name", "[{\"path\":\"p\",\"name\":\"\"}]", "error: [0].name" },
	{ "M11 a name with a control character", "[{\"path\":\"p\",\"name\":\"a\\nb\"}]",
	  "error: [0].name" },
	{ "M11 a name with DEL", "[{\"path\":\"p\",\"name\":\"a\x7f\"}]", "error: [0].name" },
	{ "M11 a name beyond ASCII", "[{\"path\":\"p\",\"name\":\"\xc3\xa9.txt\"}]",
	  "1=p||\xc3\xa9.txt|0" },
};

static void
attachment_row(void **state)
{
	const struct attachment_row *row = *state;
	struct arena a;
	struct attachment *list = NULL;
	struct err e = { 0 };
	struct buf got;
	size_t count = 0;

	arena_init(&a);
	buf_init(&got, 4096);
	if (attachment_decode(json_of(row->json, &a), &a, &list, &count, &e) != 0) {
		buf_printf(&got, "error: %s", e.text);
		if (!str_starts(buf_str(&got), str_of(row->want)))
			check_str(row->name, buf_str(&got), str_of(row->want));
	} else {
		for (size_t i = 0; i < count; i++)
			buf_printf(&got, "%s%d=" STR_FMT "|" STR_FMT "|" STR_FMT "|%zu%s",
				   i > 0 ? " " : "", (int)list[i].source, STR_ARG(list[i].value),
				   STR_ARG(list[i].mime_type), STR_ARG(list[i].name),
				   list[i].size_bytes,
				   attachment_is_image(&list[i]) ? " image" : "");
		check_str(row->name, buf_str(&got), str_of(row->want));
	}
	buf_release(&got);
	arena_release(&a);
}

static void
M11_a_name_has_at_most_255_bytes(void **state)
{
	struct arena a;
	struct attachment *list;
	char json[400], name[257];
	size_t count;

	(void)state;
	arena_init(&a);
	memset(name, 'n', sizeof name);
	snprintf(json, sizeof json, "[{\"path\":\"p\",\"name\":\"%.255s\"}]", name);
	assert_int_equal(attachment_decode(json_of(json, &a), &a, &list, &count, NULL), 0);
	snprintf(json, sizeof json, "[{\"path\":\"p\",\"name\":\"%.256s\"}]", name);
	assert_int_equal(attachment_decode(json_of(json, &a), &a, &list, &count, NULL),
			 ERR_INVALID);
	arena_release(&a);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, attachment_row);
	SUITE_TEST(&s, M11_a_name_has_at_most_255_bytes);
	return suite_run(&s, "core/attachment");
}
