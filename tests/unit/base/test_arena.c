#include "base/arena.h"
#include "harness.h"

static void
allocations_are_zeroed_aligned_and_apart(void **state)
{
	struct arena a;
	unsigned char *last = NULL;

	(void)state;
	arena_init(&a);
	for (size_t size = 0; size < 5000; size += 7) {
		unsigned char *p = arena_alloc(&a, size);

		assert_int_equal((uintptr_t)p % 16, 0);
		assert_ptr_not_equal(p, last);
		for (size_t i = 0; i < size; i++)
			assert_int_equal(p[i], 0);
		if (size > 0)
			memset(p, 0xff, size);
		last = p;
	}
	arena_release(&a);
}

static void
reset_reuses_memory_and_zeroes_it_again(void **state)
{
	struct arena a;
	unsigned char *first, *again;

	(void)state;
	arena_init(&a);
	assert_int_equal(arena_held_bytes(&a), 0);
	first = arena_alloc(&a, 100);
	assert_in_range(arena_held_bytes(&a), 100, 1100);
	memset(first, 0xff, 100);
	arena_reset(&a);
	assert_int_equal(a.used_bytes, 0);
	again = arena_alloc(&a, 100);
	assert_ptr_equal(again, first);
	assert_int_equal(again[99], 0);
	arena_release(&a);
}

static void
text_is_copied_with_a_terminator(void **state)
{
	struct arena a;
	struct str_list both;
	struct str s;

	(void)state;
	arena_init(&a);
	s = arena_str(&a, STR("abc"));
	assert_string_equal(s.ptr, "abc");
	s = arena_printf(&a, "%d-%s", 7, "x");
	check_str("printf", s, STR("7-x"));
	assert_string_equal(arena_str(&a, (struct str){ 0 }).ptr, "");
	assert_string_equal(arena_lower(&a, STR("@AbZ[9\xc3\x84")).ptr, "@abz[9\xc3\x84");
	both = arena_str_list(&a, (struct str_list){ (struct str[]){ s, STR("y") }, 2 });
	assert_int_equal(both.len, 2);
	assert_true(both.ptr[0].ptr != s.ptr);
	check_str("first", both.ptr[0], s);
	check_str("second", both.ptr[1], STR("y"));
	arena_release(&a);
}

static void
the_newest_allocation_is_resized_in_place(void **state)
{
	struct arena a;
	char *first, *other, *moved;

	(void)state;
	arena_init(&a);
	first = arena_alloc_raw(&a, 100);
	memset(first, 'x', 100);
	assert_ptr_equal(arena_resize(&a, first, 100, 200), first);
	assert_int_equal(a.used_bytes, 208);
	assert_ptr_equal(arena_resize(&a, first, 200, 10), first);
	assert_int_equal(a.used_bytes, 16);
	other = arena_alloc_raw(&a, 10);
	assert_ptr_equal(other, first + 16);
	assert_ptr_equal(arena_resize(&a, first, 10, 5), first); /* no longer the newest */
	moved = arena_resize(&a, first, 10, 50);
	assert_ptr_equal(moved, other + 16);
	assert_memory_equal(moved, "xxxxxxxxxx", 10);
	arena_release(&a);
}

static void
resizing_beyond_the_block_moves(void **state)
{
	struct arena a;
	unsigned char *p;
	size_t size = 1;

	(void)state;
	arena_init(&a);
	p = arena_alloc_raw(&a, size);
	p[0] = 7;
	for (; size < 3 * 1024 * 1024; size *= 2) {
		p = arena_resize(&a, p, size, size * 2);
		memset(p + size, 7, size);
	}
	for (size_t i = 0; i < size; i++)
		assert_int_equal(p[i], 7);
	arena_release(&a);
}

static void
a_pool_hands_blocks_on(void **state)
{
	struct arena_pool pool;
	struct arena a, b;
	unsigned char *first, *again;

	(void)state;
	arena_pool_init(&pool, 992, 1);
	arena_init_in(&a, &pool);
	first = arena_alloc(&a, 100);
	memset(first, 0xff, 100);
	arena_release(&a);
	assert_int_equal(pool.spare_count, 1);
	arena_init_in(&b, &pool);
	again = arena_alloc(&b, 100);
	assert_ptr_equal(again, first);
	assert_int_equal(again[99], 0);
	assert_int_equal(pool.spare_count, 0);
	assert_ptr_not_equal(arena_alloc(&a, 16), again); /* a released arena works on */
	arena_release(&a);
	arena_release(&b); /* one is kept already: this one goes */
	assert_int_equal(pool.spare_count, 1);
	arena_pool_release(&pool);
	assert_int_equal(pool.spare_count, 0);
}

static void
a_pool_keeps_only_blocks_of_its_size(void **state)
{
	struct arena_pool pool;
	struct arena a;

	(void)state;
	arena_pool_init(&pool, 992, 8);
	arena_init_in(&a, &pool);
	arena_alloc(&a, 5000); /* too large for the first block */
	arena_alloc(&a, 16);
	assert_int_equal(pool.spare_count, 0);
	arena_release(&a);
	assert_int_equal(pool.spare_count, 0);
	arena_alloc(&a, 900);
	arena_alloc(&a, 900); /* a second block, larger than the first */
	arena_release(&a);
	assert_int_equal(pool.spare_count, 1);
	arena_pool_release(&pool);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, allocations_are_zeroed_aligned_and_apart);
	SUITE_TEST(&s, reset_reuses_memory_and_zeroes_it_again);
	SUITE_TEST(&s, text_is_copied_with_a_terminator);
	SUITE_TEST(&s, the_newest_allocation_is_resized_in_place);
	SUITE_TEST(&s, resizing_beyond_the_block_moves);
	SUITE_TEST(&s, a_pool_hands_blocks_on);
	SUITE_TEST(&s, a_pool_keeps_only_blocks_of_its_size);
	return suite_run(&s, "arena");
}
