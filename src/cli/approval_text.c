#include "cli/approval_text.h"

#include "base/utf8.h"
#include "cli/event_line.h"
#include "cli/term_text.h"

/* A line end becomes nine bytes at most, any other character eight. */
enum { GROWTH_MAX = 16, WORDS_MAX = 1024, TAIL_BYTES = APPROVAL_TEXT_VALUE_MAX / 4 };
enum { HANG = 6 }; /* columns of NEXT_LINE */

#define NEXT_LINE "\n    │ "
#define LEFT_OUT  "\n    ┆ "

/* Takes no column, or reorders what stands around it: text would read as another. */
static bool
is_hidden(uint32_t c)
{
	return term_text_columns(c) < 0 || c == 0xad || c == 0x61c || c == 0x180e ||
	       (c >= 0x200b && c <= 0x200f) || c == 0x2028 || c == 0x2029 ||
	       (c >= 0x2060 && c <= 0x206f) || c == 0xfeff || (c >= 0xe0000 && c <= 0xe007f);
}

static void
put_char(struct buf *out, uint32_t c)
{
	char bytes[4];

	if (c == '\t') {
		buf_puts(out, "    ");
		return;
	}
	if (c < 0x20)
		c += 0x2400; /* the picture of that control character */
	else if (c == 0x7f)
		c = 0x2421;
	if (is_hidden(c))
		buf_printf(out, "<U+%04X>", (unsigned)c);
	else
		buf_put(out, bytes, utf8_encode(c, bytes));
}

static void
put_word(struct buf *out, struct str text)
{
	for (size_t at = 0; at < text.len;)
		put_char(out, utf8_next(text, &at));
}

static void
put_lines(struct buf *out, struct str text)
{
	for (size_t at = 0; at < text.len;) {
		uint32_t c = utf8_next(text, &at);

		if (c == '\n')
			buf_puts(out, NEXT_LINE);
		else
			put_char(out, c);
	}
}

static void
put_value(struct buf *out, struct json value, struct arena *a)
{
	struct str text = json_type(value) == JSON_STRING ? json_str(value, a) : json_raw(value);
	size_t head, tail;

	if (text.len <= APPROVAL_TEXT_VALUE_MAX) {
		put_lines(out, text);
		return;
	}
	head = utf8_floor(text, APPROVAL_TEXT_VALUE_MAX - TAIL_BYTES);
	tail = utf8_floor(text, text.len - TAIL_BYTES);
	put_lines(out, str_slice(text, 0, head));
	buf_printf(out, LEFT_OUT "%zu of %zu bytes are not shown here" NEXT_LINE, tail - head,
		   text.len);
	put_lines(out, str_slice(text, tail, text.len));
}

/* A command and nothing else says it all in one line. */
static bool
is_command(struct json input, struct json *command)
{
	return json_type(input) == JSON_OBJECT && json_count(input) == 1 &&
	       json_find(input, STR("command"), command) && json_type(*command) == JSON_STRING;
}

static void
put_input(struct buf *out, struct json input, struct arena *a)
{
	struct json_iter it = json_iter(input);
	struct json command;

	if (is_command(input, &command) || json_type(input) != JSON_OBJECT) {
		buf_puts(out, ": ");
		put_value(out, json_type(input) == JSON_OBJECT ? command : input, a);
		return;
	}
	while (json_next(&it)) {
		buf_puts(out, "\n  ");
		put_word(out, json_str(it.key, a));
		buf_puts(out, ": ");
		put_value(out, it.value, a);
	}
}

struct str
approval_text(struct json event, struct arena *a)
{
	struct str server = event_line_field(event, "mcp_server_name", a), text;
	struct json input;
	struct buf out;

	buf_init(&out, json_raw(event).len * GROWTH_MAX + WORDS_MAX);
	put_word(&out, event_line_field(event, "name", a));
	if (server.len > 0) {
		buf_puts(&out, " of ");
		put_word(&out, server);
	}
	if (json_find(event, STR("input"), &input))
		put_input(&out, input, a);
	text = arena_str(a, buf_str(&out));
	buf_release(&out);
	return text;
}

/* At any character: were it at blanks only, a person could not tell how many there are. */
void
approval_text_wrap(struct buf *out, struct str text, const struct approval_text_frame *f)
{
	size_t column = f->first;

	for (size_t at = 0, from = 0; at < text.len; from = at) {
		uint32_t c = utf8_next(text, &at);
		int columns = term_text_columns(c);
		size_t more = columns > 0 ? (size_t)columns : 0;

		if (c == '\n') {
			buf_printf(out, "\n%*s", (int)f->indent, "");
			column = f->indent;
			continue;
		}
		if (column + more > f->columns) {
			column = f->indent + HANG;
			buf_printf(out, "\n%*s", (int)column, "");
		}
		buf_put_str(out, str_slice(text, from, at));
		column += more;
	}
}
