#include "provider/answer_stream.h"

static const struct json_limits LIMITS = { ANSWER_BYTES_MAX, 64, 1000000 };

static bool
parse(struct answer *a, struct str text, struct json_doc *doc)
{
	struct err e;

	arena_reset(&a->scratch);
	if (json_parse(&a->scratch, text, &LIMITS, doc, &e) != 0)
		answer_fail(a, FAILURE_MALFORMED, "the answer makes no sense: %s", e.text);
	else if (json_type(json_root(doc)) != JSON_OBJECT)
		answer_fail(a, FAILURE_MALFORMED, "the answer makes no sense: it is no object");
	return !a->failed;
}

static void
end(struct answer_stream *s, bool accepted)
{
	struct answer *a = s->answer;

	if (answer_is_over(a))
		return;
	if (!accepted)
		answer_fail(a, FAILURE_NETWORK, "the answer ended in the middle");
	else if (s->dialect->end)
		s->dialect->end(a);
	if (!answer_is_over(a))
		a->complete = true;
}

static bool
on_event(void *context, const struct sse_event *event)
{
	struct answer_stream *s = context;
	struct json_doc doc;

	if (str_eq(event->data, STR("[DONE]")))
		end(s, s->answer->stopped);
	else if (event->data.len > 0 && parse(s->answer, event->data, &doc))
		s->dialect->take(s->answer, json_root(&doc));
	return !answer_is_over(s->answer);
}

void
answer_stream_init(struct answer_stream *s, const struct dialect *dialect, struct answer *answer)
{
	s->dialect = dialect;
	s->answer = answer;
	sse_decode_init(&s->sse, ANSWER_BYTES_MAX, on_event, s);
}

void
answer_stream_release(struct answer_stream *s)
{
	sse_decode_release(&s->sse);
}

void
answer_stream_feed(struct answer_stream *s, struct str bytes)
{
	struct err e;

	if (sse_decode_feed(&s->sse, bytes, &e) != 0)
		answer_fail(s->answer, FAILURE_MALFORMED, "%s", e.text);
}

void
answer_stream_end(struct answer_stream *s)
{
	end(s, s->dialect->may_just_end && s->answer->stopped);
}

void
answer_stream_whole(struct answer_stream *s, struct str body)
{
	struct json_doc doc;

	if (parse(s->answer, body, &doc))
		s->dialect->take_whole(s->answer, json_root(&doc));
}
