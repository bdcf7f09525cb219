#include "base/vec.h"
#include "harness.h"

static void
grows_and_keeps_its_elements(void **state)
{
	VEC(uint32_t) v = { 0 };

	(void)state;
	for (uint32_t i = 0; i < 1000; i++)
		*vec_push(&v) = i * i;
	assert_int_equal(v.len, 1000);
	for (uint32_t i = 0; i < 1000; i++)
		assert_int_equal(v.ptr[i], i * i);
	assert_int_equal(vec_pop(&v), 999u * 999u);
	assert_int_equal(v.len, 999);
	vec_clear(&v);
	assert_int_equal(v.len, 0);
	*vec_push(&v) = 5;
	assert_int_equal(v.ptr[0], 5);
	vec_release(&v);
	assert_null(v.ptr);
	assert_int_equal(v.cap, 0);
}

static void
a_released_one_starts_again(void **state)
{
	VEC(struct { char bytes[33]; }) v = { 0 };

	(void)state;
	vec_release(&v);
	vec_push(&v)->bytes[32] = 'x';
	assert_int_equal(v.ptr[0].bytes[32], 'x');
	vec_release(&v);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, grows_and_keeps_its_elements);
	SUITE_TEST(&s, a_released_one_starts_again);
	return suite_run(&s, "vec");
}
