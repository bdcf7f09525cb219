/* Any text as an answer, cut anywhere: the same bytes come out, and none of them is a control byte but
 * line ends, tabs and our own styles. The first byte says where it is cut. */
#include "base/buf.h"
#include "cli/markdown.h"
#include "cli/term_text.h"

enum { OUT_MAX = 64 * 1024 * 1024 };

static void
render(struct str text, size_t cut, struct buf *out)
{
	const struct terminal term = { true, true, 20 };
	struct markdown m;

	markdown_init(&m, &term);
	markdown_feed(&m, str_slice(text, 0, cut), out);
	markdown_feed(&m, str_slice(text, cut, text.len), out);
	markdown_end(&m, out);
	markdown_release(&m);
}

/* "\033[36m": nothing else may follow an escape. */
static size_t
skip_style(struct str s, size_t at)
{
	if (++at >= s.len || s.ptr[at] != '[')
		__builtin_trap();
	while (++at < s.len && s.ptr[at] >= '0' && s.ptr[at] <= '9')
		;
	if (at >= s.len || s.ptr[at] != 'm')
		__builtin_trap();
	return at;
}

static void
check_bytes(struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		unsigned char c = (unsigned char)s.ptr[i];

		if (c == '\033')
			i = skip_style(s, i);
		else if (c == 0x7f || (c < 0x20 && c != '\n' && c != '\t'))
			__builtin_trap();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = { (const char *)data + 1, size - 1 };
	struct buf whole, cut;

	if (size == 0)
		return 0;
	term_text_init();
	buf_init(&whole, OUT_MAX);
	buf_init(&cut, OUT_MAX);
	render(text, 0, &whole);
	render(text, text.len * data[0] / 255, &cut);
	if (!str_eq(buf_str(&whole), buf_str(&cut)))
		__builtin_trap();
	check_bytes(buf_str(&whole));
	buf_release(&whole);
	buf_release(&cut);
	return 0;
}
