#include <stdio.h>

#include "base/map.h"
#include "base/rand.h"
#include "harness.h"

static void
puts_finds_and_removes(void **state)
{
	struct map m;
	int one = 1, two = 2;

	(void)state;
	map_init(&m, 7);
	assert_null(map_find(&m, STR("a")));
	assert_null(map_remove(&m, STR("a")));
	assert_null(map_put(&m, STR("a"), &one));
	assert_null(map_put(&m, STR(""), &two));
	assert_ptr_equal(map_find(&m, STR("a")), &one);
	assert_ptr_equal(map_find(&m, STR("")), &two);
	assert_ptr_equal(map_put(&m, STR("a"), &two), &one);
	assert_int_equal(m.count, 2);
	assert_ptr_equal(map_remove(&m, STR("a")), &two);
	assert_null(map_find(&m, STR("a")));
	assert_int_equal(m.count, 1);
	map_release(&m);
	assert_null(map_find(&m, STR("")));
}

enum { KEYS = 200 };
static char key_bytes[KEYS][24];

static struct str
key(size_t i)
{
	return str_of(key_bytes[i]);
}

static void
check_against(const struct map *m, void *const *model, uint64_t seed)
{
	size_t count = 0, walked = 0;
	bool seen[KEYS] = { false };
	struct str name;
	void *value;

	for (size_t i = 0; i < KEYS; i++) {
		count += model[i] != NULL;
		if (map_find(m, key(i)) != model[i])
			fail_msg("seed %llu: key %zu", (unsigned long long)seed, i);
	}
	for (size_t at = 0; map_next(m, &at, &name, &value); walked++) {
		size_t i = (size_t)((char(*)[24])(uintptr_t)name.ptr - key_bytes);
		if (seen[i] || model[i] != value)
			fail_msg("seed %llu: walked key %zu", (unsigned long long)seed, i);
		seen[i] = true;
	}
	if (m->count != count || walked != count)
		fail_msg("seed %llu: %zu counted, %zu walked, %zu there", (unsigned long long)seed,
			 m->count, walked, count);
}

/* Random puts and removes, phases of growing and shrinking, against an array. */
static void
property_behaves_like_an_array(void **state)
{
	static int values[KEYS];

	(void)state;
	for (size_t i = 0; i < KEYS; i++)
		snprintf(key_bytes[i], sizeof key_bytes[i], "%s%zu", i % 3 ? "k" : "a longer key ",
			 i);
	for (uint64_t seed = 0; seed < suite_seeds(300); seed++) {
		void *model[KEYS] = { NULL };
		struct map m;
		struct rand r;

		rand_init_seed(&r, seed);
		map_init(&m, seed * 3);
		for (int step = 0; step < 1000; step++) {
			size_t i = rand_below(&r, KEYS);
			bool put = rand_below(&r, 10) < (step / 250 % 2 ? 2u : 7u);
			void *before =
				put ? map_put(&m, key(i), &values[i]) : map_remove(&m, key(i));
			if (before != model[i])
				fail_msg("seed %llu: step %d", (unsigned long long)seed, step);
			model[i] = put ? &values[i] : NULL;
		}
		check_against(&m, model, seed);
		map_release(&m);
	}
}

/* Joining and leaving for ever must not fill the table with removed slots, nor grow it. */
static void
coming_and_going_does_not_grow_it(void **state)
{
	struct map m;
	int value;

	(void)state;
	map_init(&m, 1);
	for (int i = 0; i < 10000; i++) {
		snprintf(key_bytes[0], sizeof key_bytes[0], "%d", i);
		map_put(&m, key(0), &value);
		assert_ptr_equal(map_remove(&m, key(0)), &value);
	}
	assert_int_equal(m.count, 0);
	assert_true(m.cap <= 16);
	map_release(&m);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, puts_finds_and_removes);
	SUITE_TEST(&s, property_behaves_like_an_array);
	SUITE_TEST(&s, coming_and_going_does_not_grow_it);
	return suite_run(&s, "map");
}
