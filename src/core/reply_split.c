#include "core/reply_split.h"

#include "base/utf8.h"

enum {
	SMALLEST_LIMIT = 4,
	REPAIR_LIMIT = 64,   /* below it a repaired fence would leave no room for text */
	FENCE_LINE_MAX = 20, /* bytes of an opening line worth repeating */
	FENCE_MARK_MIN = 3
};

static size_t
cost_of(uint32_t code_point, size_t bytes, enum split_unit unit)
{
	switch (unit) {
	case SPLIT_BYTES: return bytes;
	case SPLIT_CHARACTERS: return 1;
	case SPLIT_UTF16: return code_point > 0xffff ? 2 : 1;
	}
	return bytes;
}

static size_t
cost(struct str text, enum split_unit unit)
{
	size_t sum = 0;

	for (size_t at = 0; at < text.len;) {
		size_t from = at;
		uint32_t code_point = utf8_next(text, &at);

		sum += cost_of(code_point, at - from, unit);
	}
	return sum;
}

/* Bytes of the longest beginning whose cost is within the budget; whole characters. */
static size_t
fitting(struct str text, size_t budget, enum split_unit unit)
{
	size_t at = 0;

	while (at < text.len) {
		size_t next = at;
		uint32_t code_point = utf8_next(text, &next);
		size_t price = cost_of(code_point, next - at, unit);

		if (price > budget)
			break;
		budget -= price;
		at = next;
	}
	return at;
}

/* The run of ` or ~ that makes a line a fence; empty when it is none. */
static struct str
fence_mark(struct str line)
{
	struct str text = str_trim(line);
	size_t run = 0;

	if (text.len == 0 || (text.ptr[0] != '`' && text.ptr[0] != '~'))
		return (struct str){ 0 };
	while (run < text.len && text.ptr[run] == text.ptr[0])
		run++;
	return run >= FENCE_MARK_MIN ? str_slice(text, 0, run) : (struct str){ 0 };
}

/* A fence is closed by a bare run of the same sign, at least as long. */
static bool
closes(struct str line, struct str open_line)
{
	struct str mark = fence_mark(line), open = fence_mark(open_line);

	return mark.len >= open.len && mark.ptr[0] == open.ptr[0] && str_trim(line).len == mark.len;
}

/* The fence that is open behind text, given the one open before it. */
static struct str
fence_after(struct str text, struct str open)
{
	bool more = text.len > 0;

	while (more) {
		struct str line;

		more = str_cut(text, '\n', &line, &text);
		if (open.len == 0 && fence_mark(line).len > 0)
			open = str_trim(line);
		else if (open.len > 0 && closes(line, open))
			open = (struct str){ 0 };
	}
	return open;
}

/* The last needle that begins within [1, upto] and not before least. */
static bool
last_of(struct str text, struct str needle, size_t least, size_t upto, size_t *at)
{
	for (size_t i = upto; i >= 1 && i >= least; i--) {
		if (str_starts(str_slice(text, i, text.len), needle)) {
			*at = i;
			return true;
		}
	}
	return false;
}

/* Where to cut when only the first `window` bytes fit. Paragraphs and lines only count in the
 * second half: many tiny messages are worse than a cut sentence. */
static size_t
cut_at(struct str text, size_t window)
{
	size_t at = window, half = window / 2;

	if (!last_of(text, STR("\n\n"), half, window, &at) &&
	    !last_of(text, STR("\n"), half, window, &at) &&
	    !last_of(text, STR(" "), 1, window, &at))
		IGNORE(last_of(text, STR("\n"), 1, window, &at)); /* else between characters */
	return at;
}

static struct str
skip_breaks(struct str text, bool in_code)
{
	if (in_code) /* only the line end of the cut: indentation is content */
		return str_starts(text, STR("\n")) ? str_slice(text, 1, text.len) : text;
	while (text.len > 0 && (text.ptr[0] == '\n' || text.ptr[0] == ' ' || text.ptr[0] == '\r'))
		text = str_slice(text, 1, text.len);
	return text;
}

struct reply_split
reply_split(struct str text, size_t limit, enum split_unit unit)
{
	return (struct reply_split){
		.rest = text,
		.limit = limit < SMALLEST_LIMIT ? SMALLEST_LIMIT : limit,
		.unit = unit,
	};
}

/* Can this fence be closed and opened again without eating the room for text? */
static bool
repairs(const struct reply_split *s, struct str fence)
{
	return s->limit >= REPAIR_LIMIT && fence.len > 0 && fence.len <= FENCE_LINE_MAX;
}

/* A part that ends with the line that opens a fence would show an empty block: that line goes to
 * the next part. */
static size_t
before_opening_line(struct str text, size_t cut, struct str fence)
{
	struct str head = str_slice(text, 0, cut);
	const char *end = cut > 0 ? memrchr(head.ptr, '\n', cut) : NULL;
	size_t line_end = end ? (size_t)(end - head.ptr) : 0;

	if (line_end == 0 || fence_after(str_slice(head, 0, line_end), fence).len > 0)
		return cut;
	return line_end;
}

struct cut {
	size_t len;       /* bytes of rest that go into this part */
	struct str fence; /* open behind them */
};

/* Cuts so that the part fits together with the line that closes its open fence. */
static struct cut
decide_cut(const struct reply_split *s, size_t budget)
{
	size_t reserve = 0;

	for (;;) {
		struct cut cut = { .len = fitting(s->rest, budget - reserve, s->unit) };
		size_t closing;

		if (cut.len == s->rest.len && reserve == 0)
			return cut; /* all of it: its fences are the author's */
		cut.len = cut_at(s->rest, cut.len);
		if (fence_after(str_slice(s->rest, 0, cut.len), s->fence).len > 0)
			cut.len = before_opening_line(s->rest, cut.len, s->fence);
		cut.fence = fence_after(str_slice(s->rest, 0, cut.len), s->fence);
		closing = repairs(s, cut.fence) ? fence_mark(cut.fence).len + 1 : 0;
		if (closing <= reserve)
			return cut;
		reserve = closing;
	}
}

/* Closes what the cut left open; the author's own closing line is then not needed any more. */
static void
close_fence(struct reply_split *s, struct buf *part)
{
	struct str line, after;

	buf_putc(part, '\n');
	buf_put_str(part, fence_mark(s->fence));
	str_cut(skip_breaks(s->rest, false), '\n', &line, &after);
	if (closes(line, s->fence)) {
		s->rest = after;
		s->fence = (struct str){ 0 };
	}
}

bool
reply_split_next(struct reply_split *s, struct buf *part)
{
	size_t budget = s->limit;
	struct cut cut;

	buf_clear(part);
	if (str_trim(s->rest).len == 0)
		return false;
	if (repairs(s, s->fence)) {
		buf_put_str(part, s->fence);
		buf_putc(part, '\n');
		budget -= cost(buf_str(part), s->unit);
	}
	cut = decide_cut(s, budget);
	buf_put_str(part, str_slice(s->rest, 0, cut.len));
	s->rest = str_slice(s->rest, cut.len, s->rest.len);
	if (s->rest.len == 0)
		return true;
	s->fence = cut.fence;
	s->rest = skip_breaks(s->rest, cut.fence.len > 0);
	if (repairs(s, s->fence))
		close_fence(s, part);
	return true;
}
