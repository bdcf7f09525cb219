#include "base/id.h"
#include "harness.h"

static const int64_t NOW_MS = INT64_C(1774746123456);

static uint64_t
time_of(const struct uuid *u)
{
	uint64_t ms = 0;

	for (int i = 0; i < 6; i++)
		ms = ms << 8 | u->bytes[i];
	return ms;
}

static void
has_version_variant_and_time(void **state)
{
	struct rand r;
	struct id_gen g;

	(void)state;
	rand_init_seed(&r, 1);
	id_gen_init(&g, &r);
	for (int i = 0; i < 1000; i++) {
		struct uuid u = id_uuid7(&g, NOW_MS + i);
		assert_int_equal(u.bytes[6] >> 4, 7);
		assert_int_equal(u.bytes[8] >> 6, 2);
		assert_true(time_of(&u) == (uint64_t)(NOW_MS + i));
	}
}

/* A clock that stands still, jumps ahead and steps back; 1e5 ids, each above the one before. */
static const struct clock_row {
	const char *name;
	int64_t step_ms; /* per id */
	int64_t jump_ms; /* every 1000 ids */
} clock_rows[] = {
	{ "ids increase while the clock stands still", 0, 0 },
	{ "ids increase while the clock runs", 1, 0 },
	{ "ids increase while the clock runs back", -1, 0 },
	{ "ids increase when the clock steps back", 1, -5000 },
	{ "ids increase when the clock jumps ahead", 0, 3600000 },
};

static void
ids_increase(void **state)
{
	const struct clock_row *row = *state;
	struct uuid last = { { 0 } }, u;
	int64_t now_ms = NOW_MS;
	struct id_gen g;
	struct rand r;

	rand_init_seed(&r, 2);
	id_gen_init(&g, &r);
	for (int i = 0; i < 100000; i++) {
		u = id_uuid7(&g, now_ms);
		if (memcmp(last.bytes, u.bytes, sizeof u.bytes) >= 0)
			fail_msg("id %d is not above the one before", i);
		last = u;
		now_ms += row->step_ms + (i % 1000 == 999 ? row->jump_ms : 0);
	}
}

/* 18 bits of counter last for at least 2^17 ids; then the next millisecond is borrowed. */
static void
a_full_counter_borrows_time(void **state)
{
	struct uuid last = { { 0 } }, u;
	struct id_gen g;
	struct rand r;

	(void)state;
	rand_init_seed(&r, 3);
	id_gen_init(&g, &r);
	for (int i = 0; i < 600000; i++) {
		u = id_uuid7(&g, NOW_MS);
		if (memcmp(last.bytes, u.bytes, sizeof u.bytes) >= 0)
			fail_msg("id %d is not above the one before", i);
		last = u;
	}
	assert_in_range(time_of(&last), (uint64_t)NOW_MS + 1, (uint64_t)NOW_MS + 3);
}

static void
times_before_the_epoch_are_harmless(void **state)
{
	struct id_gen g;
	struct rand r;
	struct uuid a, b;

	(void)state;
	rand_init_seed(&r, 4);
	id_gen_init(&g, &r);
	a = id_uuid7(&g, -5);
	b = id_uuid7(&g, INT64_MIN);
	assert_true(memcmp(a.bytes, b.bytes, 16) < 0);
	assert_int_equal(time_of(&b), 0);
}

static void
text_is_prefix_and_hex(void **state)
{
	char out[ID_TEXT_MAX];
	struct id_gen g;
	struct rand r;
	struct str id;

	(void)state;
	rand_init_seed(&r, 5);
	id_gen_init(&g, &r);
	id = id_make(&g, NOW_MS, "sesn", out);
	assert_int_equal(id.len, 4 + 1 + 32);
	assert_int_equal(out[id.len], '\0');
	assert_true(str_starts(id, STR("sesn_019d371cbcc07"))); /* time, then version 7 */
	assert_int_equal(strspn(out + 5, "0123456789abcdef"), 32);
	id = id_make(&g, NOW_MS, "exactly15_bytes", out);
	assert_int_equal(id.len, ID_TEXT_MAX - 1);
}

static void
text_is_the_bytes_of_the_uuid(void **state)
{
	char out[ID_TEXT_MAX], want[3];
	struct id_gen made, drawn;
	struct rand a, b;

	(void)state;
	rand_init_seed(&a, 6);
	rand_init_seed(&b, 6);
	id_gen_init(&made, &a);
	id_gen_init(&drawn, &b);
	for (int i = 0; i < 1000; i++) {
		struct uuid u = id_uuid7(&drawn, NOW_MS + i);

		id_make(&made, NOW_MS + i, "x", out);
		for (size_t at = 0; at < sizeof u.bytes; at++) {
			snprintf(want, sizeof want, "%02x", u.bytes[at]);
			assert_memory_equal(out + 2 + 2 * at, want, 2);
		}
	}
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, has_version_variant_and_time);
	SUITE_ROWS(&s, clock_rows, ids_increase);
	SUITE_TEST(&s, a_full_counter_borrows_time);
	SUITE_TEST(&s, times_before_the_epoch_are_harmless);
	SUITE_TEST(&s, text_is_prefix_and_hex);
	SUITE_TEST(&s, text_is_the_bytes_of_the_uuid);
	return suite_run(&s, "id");
}
