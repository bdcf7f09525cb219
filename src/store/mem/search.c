/* search - which messages hold all these words? Compared whole and without case, for ASCII letters. */
#include "base/json.h"
#include "store/mem/mem_private.h"

static bool
is_word_byte(char c)
{
	unsigned char u = (unsigned char)c;

	return u >= 0x80 || (u >= '0' && u <= '9') || (u >= 'A' && u <= 'Z') ||
	       (u >= 'a' && u <= 'z');
}

/* The next word of rest, which moves behind it; empty at the end. */
static struct str
next_word(struct str *rest)
{
	size_t from = 0, to;
	struct str word;

	while (from < rest->len && !is_word_byte(rest->ptr[from]))
		from++;
	for (to = from; to < rest->len && is_word_byte(rest->ptr[to]);)
		to++;
	word = str_slice(*rest, from, to);
	*rest = str_slice(*rest, to, rest->len);
	return word;
}

static bool
has_word(struct str text, struct str word)
{
	for (struct str w = next_word(&text); w.len > 0; w = next_word(&text))
		if (str_eq_nocase(w, word))
			return true;
	return false;
}

/* In the text of a content block, or in a summary. */
static bool
is_in_payload(struct json payload, struct str word, struct arena *a)
{
	struct json summary, content, text;

	if (json_find(payload, STR("summary"), &summary) && has_word(json_str(summary, a), word))
		return true;
	if (!json_find(payload, STR("content"), &content))
		return false;
	for (struct json_iter it = json_iter(content); json_next(&it);)
		if (json_find(it.value, STR("text"), &text) && has_word(json_str(text, a), word))
			return true;
	return false;
}

static bool
has_all_words(const struct event *ev, struct str words, struct arena *a)
{
	struct json_doc doc;
	size_t count = 0;

	if (json_parse(a, ev->payload, &EVENT_PAYLOAD_LIMITS, &doc, NULL) != 0)
		return false;
	for (struct str w = next_word(&words); w.len > 0; w = next_word(&words), count++)
		if (!is_in_payload(json_root(&doc), w, a))
			return false;
	return count > 0;
}

static bool
is_searched(enum event_kind kind)
{
	return kind == EVENT_USER_MESSAGE || kind == EVENT_AGENT_MESSAGE ||
	       kind == EVENT_INPUT_EDITED || kind == EVENT_AGENT_CONTEXT_COMPACTED;
}

static bool
is_hit(const struct mem *m, const struct store_query *q, const struct mem_change *c,
       struct arena *a)
{
	const struct event *ev = &c->session->events.ptr[c->seq - 1].ev;

	return is_searched(ev->kind) && !replay_session(c->session->replay)->deleted &&
	       (q->kinds == 0 || (q->kinds >> ev->kind & 1)) &&
	       (q->session.len == 0 || str_eq(q->session, c->session->facts.id)) &&
	       mem_filter_matches(m, &q->filter, c->session) && has_all_words(ev, q->text, a);
}

void
mem_search(struct mem *m, struct mem_page *p)
{
	size_t n = m->changes.len;
	struct arena scratch;

	if (p->q->before > 0 && (size_t)p->q->before <= n)
		n = (size_t)p->q->before - 1;
	arena_init(&scratch);
	for (; n > 0; n--) {
		const struct mem_change *c = &m->changes.ptr[n - 1];

		arena_reset(&scratch);
		if (c->session && is_hit(m, p->q, c, &scratch) &&
		    !mem_page_give_event(p, c->session, c->seq))
			break;
	}
	arena_release(&scratch);
}
