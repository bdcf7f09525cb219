#include "core/reply_filter.h"

#include "base/utf8.h"

/* Neither contains '<' or '>' inside, so two markers never overlap and the order in which they
 * are taken out does not matter. */
static const struct str MARKERS[] = {
	{ "<NO_REPLY>", 10 },
	{ "<EMPTY_RESPONSE>", 16 },
};

/* Offset of the first character that is not white; text.len when there is none. */
static size_t
skip_white(struct str text, size_t at)
{
	while (at < text.len) {
		size_t next = at;

		if (!utf8_is_white(utf8_next(text, &next)))
			break;
		at = next;
	}
	return at;
}

/* End of the last character that is not white, 0 when there is none. */
static size_t
end_of_words(struct str text)
{
	size_t end = text.len;

	while (end > 0) {
		size_t start = utf8_floor(text, end - 1), next = start;

		if (!utf8_is_white(utf8_next(text, &next)))
			break;
		end = start;
	}
	return end;
}

static bool
drop_marker(struct buf *kept)
{
	for (size_t i = 0; i < ARRAY_LEN(MARKERS); i++) {
		if (str_ends(buf_str(kept), MARKERS[i])) {
			kept->len -= MARKERS[i].len;
			return true;
		}
	}
	return false;
}

static bool
feed(struct buf *kept, struct str piece)
{
	bool removed = false;

	for (size_t i = 0; i < piece.len; i++) {
		buf_putc(kept, piece.ptr[i]);
		if (piece.ptr[i] == '>')
			removed |= drop_marker(kept);
	}
	return removed;
}

static struct reply
finish(struct str kept, bool removed)
{
	size_t from = skip_white(kept, 0);
	struct reply reply = { .text = kept, .deliver = from < kept.len };

	if (removed)
		reply.text = str_slice(kept, from, end_of_words(kept));
	return reply;
}

struct reply
reply_filter_strip(struct str text, struct buf *out)
{
	bool removed = feed(out, text);

	return finish(removed ? buf_str(out) : text, removed);
}

void
reply_stream_init(struct reply_stream *s, size_t max)
{
	*s = (struct reply_stream){ 0 };
	buf_init(&s->kept, max);
}

void
reply_stream_release(struct reply_stream *s)
{
	buf_release(&s->kept);
}

static bool
begins_marker(struct str text)
{
	for (size_t i = 0; i < ARRAY_LEN(MARKERS); i++)
		if (text.len < MARKERS[i].len && str_starts(MARKERS[i], text))
			return true;
	return false;
}

/* Where the text's tail of unfinished markers begins. Several may stand in a row: the later ones
 * can complete and vanish, and then the first goes on. */
static size_t
unfinished_from(struct str text)
{
	size_t end = text.len;

	for (;;) {
		const char *open = end > 0 ? memrchr(text.ptr, '<', end) : NULL;
		size_t at = open ? (size_t)(open - text.ptr) : end;

		if (!open || !begins_marker(str_slice(text, at, end)))
			return end;
		end = at;
	}
}

/* What of the first len bytes was not shown, outer blanks aside. */
static struct str
show(struct reply_stream *s, size_t len)
{
	struct str kept = buf_str(&s->kept), fresh;
	size_t end = end_of_words(str_slice(kept, 0, len));

	if (end <= s->shown)
		return (struct str){ 0 };
	if (s->shown == 0)
		s->shown = skip_white(kept, 0);
	fresh = str_slice(kept, s->shown, end);
	s->shown = end;
	return fresh;
}

struct str
reply_stream_push(struct reply_stream *s, struct str piece)
{
	s->removed |= feed(&s->kept, piece);
	return show(s, unfinished_from(buf_str(&s->kept)));
}

struct reply
reply_stream_end(const struct reply_stream *s)
{
	return finish(buf_str(&s->kept), s->removed);
}

struct str
reply_stream_rest(struct reply_stream *s)
{
	return show(s, s->kept.len);
}
