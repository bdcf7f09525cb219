#include "core/prune_policy.h"
#include "harness.h"
#include "transcript_random.h"

/* want: one letter per message, K kept, T trimmed, C cleared. A kept part of the transcript costs
 * 1 token per plain message, 2 per calling one, a quarter of its length per result. */
static const struct prune_row {
	const char *name;
	const char *line;
	int64_t window;
	bool aggressive;
	const char *want;
} ROWS[] = {
	{ "C2 trims at exactly 30 %", "u a:1 t1*5000 3#a", 4186, false, "KKTKKK" },
	{ "C2 keeps one token below 30 %", "u a:1 t1*5000 3#a", 4187, false, "KKKKKK" },
	{ "C2 a result of 4,000 characters is not large", "u a:1 t1*4000 3#a", 100, false,
	  "KKKKKK" },
	{ "C2 a result of 4,001 characters is", "u a:1 t1*4001 3#a", 100, false, "KKTKKK" },
	{ "C2 trims the oldest first and stops below 30 %", "u a:1,2,3 3#t*8000 3#a", 16000, false,
	  "KKTKKKKK" },
	{ "C2 trims as many as it takes", "u a:1,2,3 3#t*8000 3#a", 9000, false, "KKTTTKKK" },
	{ "C2 skips what is not large on the way", "u a:1,2 t1*3000 t2*9000 3#a", 5000, false,
	  "KKKTKKK" },
	{ "C2 the third-last assistant ends the candidates", "u a a:1 t1*9000 2#a", 100, false,
	  "KKKKKK" },
	{ "C2 a result just before it is a candidate", "u a:1 t1*9000 a:2 t2*9000 2#a", 100, false,
	  "KKTKKKK" },
	{ "C2 fewer than 3 assistants: nothing", "u a:1 t1*90000 a u", 100, false, "KKKKK" },
	{ "C2 fewer than 3 assistants: nothing in aggressive mode", "u a:1 t1*90000 a u", 100, true,
	  "KKKKK" },
	{ "C2 nothing before the first user message", "a:1 t1*9000 u a:2 t2*9000 3#a", 100, false,
	  "KKKKTKKK" },
	{ "C2 without a user message: nothing", "a:1 t1*9000 3#a", 100, true, "KKKKK" },
	{ "C2 a skill result is exempt", "u a:k1,2 tk1*9000 t2*9000 3#a", 100, false, "KKKTKKK" },
	{ "C2 a skill result is exempt in aggressive mode", "u a:k1,2 tk1*9000 t2*9000 3#a", 100,
	  true, "KKKCKKK" },
	{ "C2 only tool results are candidates", "u*9000 s*9000 a*9000 3#a", 100, true, "KKKKKK" },
	{ "C2 clears at exactly 50 % and 50,000 characters", "u a:1 12#t*4000 t*2000 3#a", 25012,
	  false, "KKCKKKKKKKKKKKKKKK" },
	{ "C2 does not clear one token below 50 %", "u a:1 12#t*4000 t*2000 3#a", 25013, false,
	  "KKKKKKKKKKKKKKKKKK" },
	{ "C2 does not clear under 50,000 characters", "u a:1 12#t*4000 t*1999 3#a", 1000, false,
	  "KKKKKKKKKKKKKKKKKK" },
	{ "C2 skill results do not count to the 50,000", "u a:k1,2 tk1*9000 11#t*4000 3#a", 1000,
	  false, "KKKKKKKKKKKKKKKKK" },
	{ "C2 clears as many as it takes", "u a:1 13#t*4000 3#a", 20000, false,
	  "KKCCCCKKKKKKKKKKKK" },
	{ "C2 the 50 % test comes after trimming", "u a:1 20#t*10000 3#a", 100000, false,
	  "KKTTTTTTTTTTTTKKKKKKKKKKK" },
	{ "C2 the 50,000 are what trimming left", "u a:1 5#t*20000 3#a", 5000, false,
	  "KKTTTTTKKK" },
	{ "C2 clears trimmed results too", "u a:1 20#t*10000 3#a", 28000, false,
	  "KKCCTTTTTTTTTTTTTTTTTTKKK" },
	{ "C2 aggressive clears every candidate", "u a:1,2,3 t1*49 t2*4001 t3*50000 3#a", 1000000,
	  true, "KKCCCKKK" },
	{ "C2 aggressive spares what is no longer than a notice", "u a:1,2 t1*48 t2*49 3#a", 1000,
	  true, "KKKCKKK" },
	{ "C2 no messages", "", 1000, true, "" },
};

static void
decide_row(void **state)
{
	const struct prune_row *row = *state;
	struct arena a;
	enum prune_action actions[64];
	char got[64];
	struct prune_facts f = { .window_tokens = row->window, .aggressive = row->aggressive };

	arena_init(&a);
	f.messages = transcript(row->line, &a, &f.count);
	prune_policy_decide(&f, &a, actions);
	for (size_t i = 0; i < f.count; i++)
		got[i] = "KTC"[actions[i]];
	check_str(row->name, (struct str){ got, f.count }, str_of(row->want));
	arena_release(&a);
}

/* A text of `len` characters, each a two-byte one, but for its ends. */
static struct str
wide_text(struct arena *a, size_t len)
{
	char *text = arena_alloc(a, 2 * len);
	size_t at = 0;

	for (size_t i = 0; i < len; i++) {
		bool edge = i < 1499 || i >= len - 1499;

		memcpy(text + at, edge ? "x" : "\xc3\xa9", edge ? 1 : 2);
		at += edge ? 1 : 2;
	}
	return (struct str){ text, at };
}

static void
C2_trimmed_view_keeps_1500_characters_at_each_end(void **state)
{
	struct arena a;
	struct message m = { .role = MESSAGE_TOOL, .images = 1 }, view;
	struct buf want;

	(void)state;
	arena_init(&a);
	buf_init(&want, 10000);
	m.content = wide_text(&a, 5000);
	view = prune_policy_view(&m, PRUNE_TRIM, &a);
	buf_put_str(&want, str_slice(m.content, 0, 1501));
	buf_puts(&want, "\n[... 2000 characters removed ...]\n");
	buf_put_str(&want, str_slice(m.content, m.content.len - 1501, m.content.len));
	check_str("trimmed", view.content, buf_str(&want));
	assert_int_equal(view.images, 1);
	/* 2998 + 35 ASCII characters in quarters, 2 wide ones, the image */
	assert_int_equal(view.tokens, 759 + 2 + TOKEN_IMAGE);
	buf_release(&want);
	arena_release(&a);
}

static void
C2_cleared_view_is_a_notice(void **state)
{
	struct arena a;
	struct message m = { .role = MESSAGE_TOOL, .images = 2 }, view;

	(void)state;
	arena_init(&a);
	m.content = wide_text(&a, 5000);
	view = prune_policy_view(&m, PRUNE_CLEAR, &a);
	check_str("with images", view.content, STR("[5000 characters and 2 images removed]"));
	assert_int_equal(view.images, 0);
	assert_int_equal(view.tokens, 10);
	m.images = 0;
	view = prune_policy_view(&m, PRUNE_CLEAR, &a);
	check_str("without", view.content, STR("[5000 characters removed]"));
	m.tokens = 77;
	view = prune_policy_view(&m, PRUNE_KEEP, &a);
	check_str("kept", view.content, m.content);
	assert_int_equal(view.tokens, 77);
	arena_release(&a);
}

static void
C2_aggressive_clears_an_image_beside_a_short_text(void **state)
{
	struct arena a;
	struct prune_facts f = { .window_tokens = 1000000, .aggressive = true };
	struct message *messages;
	enum prune_action actions[8];

	(void)state;
	arena_init(&a);
	f.messages = messages = transcript("u a:1,2 t1*0 t2*0 3#a", &a, &f.count);
	messages[2].images = 1;
	prune_policy_decide(&f, &a, actions);
	assert_int_equal(actions[2], PRUNE_CLEAR);
	assert_int_equal(actions[3], PRUNE_KEEP);
	arena_release(&a);
}

static void
check_exempt(const struct prune_facts *f, const enum prune_action *actions, uint64_t seed)
{
	size_t assistants = 0;
	bool user_seen = false;

	for (size_t i = 0; i < f->count; i++)
		assistants += f->messages[i].role == MESSAGE_ASSISTANT;
	for (size_t i = 0; i < f->count; i++) {
		const struct message *m = &f->messages[i];

		user_seen |= m->role == MESSAGE_USER;
		if (actions[i] != PRUNE_KEEP &&
		    (m->role != MESSAGE_TOOL || str_eq(m->name, STR("skill")) || !user_seen ||
		     assistants < 3))
			fail_msg("seed %llu: message %zu", (unsigned long long)seed, i);
		assistants -= m->role == MESSAGE_ASSISTANT;
	}
}

static void
C2_property_exemptions_idempotence_and_order(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < suite_seeds(1000); seed++) {
		struct arena a;
		struct rand r;
		struct prune_facts f = { 0 };
		struct message *view;
		enum prune_action actions[256], again[256];

		arena_init(&a);
		rand_init_seed(&r, seed);
		f.messages = transcript_random(&r, &a, &f.count);
		f.window_tokens = 1 + (int64_t)rand_below(&r, 200000);
		f.aggressive = rand_below(&r, 4) == 0;
		prune_policy_decide(&f, &a, actions);
		check_exempt(&f, actions, seed);
		view = ARENA_ARRAY(&a, f.count, struct message);
		for (size_t i = 0; i < f.count; i++) {
			view[i] = prune_policy_view(&f.messages[i], actions[i], &a);
			if ((actions[i] != PRUNE_KEEP) != (view[i].tokens < f.messages[i].tokens))
				fail_msg("seed %llu: message %zu did not shrink",
					 (unsigned long long)seed, i);
		}
		f.messages = view;
		prune_policy_decide(&f, &a, again);
		for (size_t i = 0; i < f.count; i++)
			if (again[i] != PRUNE_KEEP)
				fail_msg("seed %llu: message %zu shrunk twice",
					 (unsigned long long)seed, i);
		arena_release(&a);
	}
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, decide_row);
	SUITE_TEST(&s, C2_trimmed_view_keeps_1500_characters_at_each_end);
	SUITE_TEST(&s, C2_cleared_view_is_a_notice);
	SUITE_TEST(&s, C2_aggressive_clears_an_image_beside_a_short_text);
	SUITE_TEST(&s, C2_property_exemptions_idempotence_and_order);
	return suite_run(&s, "core/prune_policy");
}
