#include "core/prune_policy.h"

#include "base/utf8.h"
#include "core/token_estimate.h"

enum {
	TRIM_PERCENT = 30,
	CLEAR_PERCENT = 50,
	CLEAR_FROM_CHARS = 50000, /* in total: clearing less frees too little for what it loses */
	TRIM_OVER_CHARS = 4000,   /* each: above what trimming leaves, so trimming always shrinks */
	TRIM_HEAD_CHARS = 1500,
	TRIM_TAIL_CHARS = 1500,
	CLEAR_OVER_CHARS = 48, /* each: the longest notice, so clearing always shrinks */
	PROTECTED_ASSISTANTS = 3,
};

struct thresholds {
	int trim_percent, clear_percent;
	size_t clear_from_chars;
};

static struct thresholds
thresholds_of(bool aggressive)
{
	if (aggressive)
		return (struct thresholds){ 0 };
	return (struct thresholds){ TRIM_PERCENT, CLEAR_PERCENT, CLEAR_FROM_CHARS };
}

/* Byte offset of the character with that index; text.len past the end. */
static size_t
char_offset(struct str text, size_t index)
{
	size_t at = 0;

	while (at < text.len && index-- > 0)
		utf8_next(text, &at);
	return at;
}

static struct str
trimmed_text(struct str content, struct arena *a)
{
	size_t chars = utf8_count(content);
	size_t head_end = char_offset(content, TRIM_HEAD_CHARS);
	size_t tail_at = char_offset(content, chars - TRIM_TAIL_CHARS);

	return arena_printf(a, STR_FMT "\n[... %zu characters removed ...]\n" STR_FMT,
			    STR_ARG(str_slice(content, 0, head_end)),
			    chars - TRIM_HEAD_CHARS - TRIM_TAIL_CHARS,
			    STR_ARG(str_slice(content, tail_at, content.len)));
}

static struct str
cleared_text(const struct message *m, struct arena *a)
{
	if (m->images > 0)
		return arena_printf(a, "[%zu characters and %zu images removed]",
				    utf8_count(m->content), m->images);
	return arena_printf(a, "[%zu characters removed]", utf8_count(m->content));
}

static bool
may_trim(const struct message *m)
{
	return utf8_count(m->content) > TRIM_OVER_CHARS;
}

static bool
may_clear(const struct message *m)
{
	return m->images > 0 || utf8_count(m->content) > CLEAR_OVER_CHARS;
}

struct message
prune_policy_view(const struct message *m, enum prune_action action, struct arena *a)
{
	struct message view = *m;

	if (action == PRUNE_TRIM && may_trim(m)) {
		view.content = trimmed_text(m->content, a);
	} else if (action == PRUNE_CLEAR && may_clear(m)) {
		view.content = cleared_text(m, a);
		view.images = 0;
	} else {
		return view;
	}
	view.tokens = token_estimate_content(&view, a);
	return view;
}

/* Index of the third-last assistant message; 0, an empty range, when there are fewer. */
static size_t
candidates_end(const struct prune_facts *f)
{
	size_t seen = 0;

	for (size_t i = f->count; i-- > 0;)
		if (f->messages[i].role == MESSAGE_ASSISTANT && ++seen == PROTECTED_ASSISTANTS)
			return i;
	return 0;
}

static size_t
candidates_begin(const struct prune_facts *f)
{
	size_t at = 0;

	while (at < f->count && f->messages[at].role != MESSAGE_USER)
		at++;
	return at;
}

static bool
is_candidate(const struct message *m)
{
	return m->role == MESSAGE_TOOL && !str_eq(m->name, STR("skill"));
}

/* The view being shrunk: the range of candidates, what each has become, what it all holds. */
struct view {
	const struct prune_facts *facts;
	struct message *messages;
	enum prune_action *actions;
	struct arena *scratch;
	size_t begin, end;
	int64_t tokens;
};

static void
shrink(struct view *v, size_t at, enum prune_action action)
{
	struct message smaller = prune_policy_view(&v->facts->messages[at], action, v->scratch);

	v->tokens += smaller.tokens - v->messages[at].tokens;
	v->messages[at] = smaller;
	v->actions[at] = action;
}

/* Oldest first, and no further than needed. */
static void
shrink_oldest(struct view *v, enum prune_action action, int down_to_percent,
	      bool (*may)(const struct message *))
{
	for (size_t i = v->begin; i < v->end; i++) {
		if (!token_estimate_fills(v->tokens, v->facts->window_tokens, down_to_percent))
			return;
		if (is_candidate(&v->messages[i]) && may(&v->messages[i]))
			shrink(v, i, action);
	}
}

static size_t
candidate_chars(const struct view *v)
{
	size_t chars = 0;

	for (size_t i = v->begin; i < v->end; i++)
		if (is_candidate(&v->messages[i]))
			chars += utf8_count(v->messages[i].content);
	return chars;
}

void
prune_policy_decide(const struct prune_facts *f, struct arena *scratch, enum prune_action *actions)
{
	const struct thresholds limit = thresholds_of(f->aggressive);
	struct view v = {
		.facts = f,
		.messages = ARENA_ARRAY(scratch, f->count, struct message),
		.actions = actions,
		.scratch = scratch,
		.begin = candidates_begin(f),
		.end = candidates_end(f),
		.tokens = token_estimate_total(f->messages, f->count),
	};

	for (size_t i = 0; i < f->count; i++) {
		v.messages[i] = f->messages[i];
		actions[i] = PRUNE_KEEP;
	}
	shrink_oldest(&v, PRUNE_TRIM, limit.trim_percent, may_trim);
	if (candidate_chars(&v) >= limit.clear_from_chars)
		shrink_oldest(&v, PRUNE_CLEAR, limit.clear_percent, may_clear);
}
