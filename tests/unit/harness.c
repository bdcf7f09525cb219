#include "harness.h"

void
suite_add(struct suite *s, const char *name, CMUnitTestFunction fn, const void *state)
{
	*vec_push(&s->tests) = (struct CMUnitTest){
		.name = name,
		.test_func = fn,
		.initial_state = (void *)(uintptr_t)state,
	};
}

int
suite_run(struct suite *s, const char *name)
{
	int failed;

	cmocka_set_test_filter(getenv("PERDURE_TEST"));
	failed = _cmocka_run_group_tests(name, s->tests.ptr, s->tests.len, NULL, NULL);

	vec_release(&s->tests);
	return failed;
}

uint64_t
suite_seeds(uint64_t usual)
{
	uint64_t most = usual * 100;
	int64_t seeds;

	if (!str_to_int(str_of(getenv("PERDURE_SEEDS")), &seeds) || seeds <= 0)
		return usual;
	return (uint64_t)seeds < most ? (uint64_t)seeds : most;
}

void
check_str(const char *what, struct str got, struct str want)
{
	if (!str_eq(got, want))
		fail_msg("%s:\n  got  " STR_FMT "\n  want " STR_FMT, what, STR_ARG(got),
			 STR_ARG(want));
}
