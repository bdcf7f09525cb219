#include "tool/local/tool_frame.h"

#include "base/json.h"
#include "base/json_write.h"

static const char *const ENDS[] = {
	[TOOL_END_EXITED] = "exited",   [TOOL_END_TIMEOUT] = "timeout",
	[TOOL_END_CROWD] = "crowd",     [TOOL_END_FULL] = "full",
	[TOOL_END_STOPPED] = "stopped", [TOOL_END_REFUSED] = "refused",
};

void
tool_frame_put(struct buf *out, enum tool_frame kind, struct str payload)
{
	buf_putc(out, (char)kind);
	for (int shift = 24; shift >= 0; shift -= 8)
		buf_putc(out, (char)(payload.len >> shift & 0xff));
	buf_put_str(out, payload);
}

void
tool_frame_put_report(struct buf *out, const struct tool_report *report)
{
	struct buf text;
	struct jw w;

	buf_init(&text, TOOL_FRAME_BYTES);
	jw_init(&w, &text);
	jw_object(&w);
	jw_field_str(&w, "end", str_of(ENDS[report->end]));
	jw_field_int(&w, "code", report->code);
	jw_field_str(&w, "text", str_slice(report->text, 0, TOOL_FRAME_BYTES / 8));
	jw_end_object(&w);
	tool_frame_put(out, TOOL_FRAME_REPORT, buf_str(&text));
	buf_release(&text);
}

void
tool_frames_init(struct tool_frames *f)
{
	*f = (struct tool_frames){ 0 };
	buf_init(&f->part, TOOL_FRAME_HEAD + TOOL_FRAME_BYTES);
}

void
tool_frames_release(struct tool_frames *f)
{
	buf_release(&f->part);
}

/* The frame's whole length, once its head is there; 0: it is none. */
static size_t
whole_length(const char *head)
{
	const unsigned char *h = (const unsigned char *)head;
	size_t len = (size_t)h[1] << 24 | (size_t)h[2] << 16 | (size_t)h[3] << 8 | h[4];

	if (!memchr("SODR", *head, 4) || len > TOOL_FRAME_BYTES)
		return 0;
	return TOOL_FRAME_HEAD + len;
}

/* Moves bytes until part holds `want`; false: they did not suffice. */
static bool
gather(struct tool_frames *f, struct str *bytes, size_t want)
{
	size_t take = want > f->part.len ? want - f->part.len : 0;

	if (take > bytes->len)
		take = bytes->len;
	buf_put(&f->part, bytes->ptr, take);
	*bytes = str_slice(*bytes, take, bytes->len);
	return f->part.len >= want;
}

int
tool_frames_feed(struct tool_frames *f, struct str bytes,
		 void (*fn)(void *ctx, enum tool_frame kind, struct str payload), void *ctx,
		 struct err *e)
{
	while (!f->broken && bytes.len > 0) {
		size_t want;

		if (!gather(f, &bytes, TOOL_FRAME_HEAD))
			return 0;
		want = whole_length(f->part.ptr);
		if (want == 0) {
			f->broken = true;
			break;
		}
		if (!gather(f, &bytes, want))
			return 0;
		fn(ctx, (enum tool_frame)f->part.ptr[0],
		   str_slice(buf_str(&f->part), TOOL_FRAME_HEAD, want));
		buf_clear(&f->part);
	}
	return f->broken ? err_set(e, ERR_CORRUPT, "the tool's helper said something unexpected")
			 : 0;
}

int
tool_report_parse(struct arena *a, struct str payload, struct tool_report *out, struct err *e)
{
	struct json end = { 0 }, code = { 0 }, text = { 0 };
	const struct json_field fields[] = {
		{ "end", JSON_WANT_STRING, true, &end },
		{ "code", JSON_WANT_NUMBER, true, &code },
		{ "text", JSON_WANT_STRING, true, &text },
	};
	struct json_doc *doc = ARENA_NEW(a, struct json_doc);
	struct tool_report report = { 0 };
	size_t word = 0;
	int rc = json_parse(a, payload, &JSON_LIMITS_DEFAULT, doc, e);

	if (rc == 0)
		rc = json_fields(json_root(doc), fields, ARRAY_LEN(fields), e);
	if (rc == 0)
		rc = json_take_word(end, ENDS, ARRAY_LEN(ENDS), &word, e);
	if (rc == 0)
		rc = json_take_int(code, 0, 255 + 128, &report.code, e);
	if (rc == 0)
		rc = json_take_str(text, a, &report.text, e);
	if (rc != 0)
		return rc;
	report.end = (enum tool_end)word;
	*out = report;
	return 0;
}
