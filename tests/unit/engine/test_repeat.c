#include "engine/repeat.h"

#include "engine_rig.h"

struct heard {
	struct engine_rig *rig;
	bool done, first;
	int rc;
	struct str answer;
};

static void
on_found(void *ctx, int rc, const struct err *err, const struct str *first)
{
	struct heard *h = ctx;

	(void)err;
	h->done = true;
	h->rc = rc;
	h->first = first == NULL;
	if (first)
		h->answer = arena_str(&h->rig->arena, *first);
}

static struct heard
find(struct engine_rig *r, const struct engine_repeat *repeat)
{
	struct heard h = { .rig = r };

	repeat_find(r->en, repeat, on_found, &h);
	assert_false(h.done);
	engine_rig_await(r, &h.done);
	return h;
}

static void
on_remembered(void *ctx, const struct commit_result *result)
{
	assert_int_equal(result->store->rc, 0);
	*(bool *)ctx = true;
}

static void
A10_a_key_is_found_by_scope_name_and_body(void **state)
{
	struct engine_repeat repeat = { .scope = STR("ann POST /v1/x"),
					.key = STR("k"),
					.request = sha256_of(STR("body")) };
	struct engine_repeat other;
	struct engine_rig r;
	bool done = false;

	engine_rig_init(&r, *state != NULL);
	assert_true(find(&r, &repeat).first);
	repeat_remember(r.en, &repeat, STR("{\"id\":1}"), on_remembered, &done);
	engine_rig_await(&r, &done);
	check_str("answer", find(&r, &repeat).answer, STR("{\"id\":1}"));
	other = repeat;
	other.request = sha256_of(STR("another body"));
	assert_int_equal(find(&r, &other).rc, ERR_MISMATCH);
	other = repeat;
	other.scope = STR("bob POST /v1/x");
	assert_true(find(&r, &other).first);
	other = repeat;
	other.key = STR("l");
	assert_true(find(&r, &other).first);
	engine_rig_restart(&r);
	check_str("after a restart", find(&r, &repeat).answer, STR("{\"id\":1}"));
	engine_rig_release(&r);
}

static void
A10_no_key_is_no_repeat(void **state)
{
	(void)state;
	assert_false(repeat_is_keyed(NULL));
	assert_false(repeat_is_keyed(&(struct engine_repeat){ .scope = STR("s") }));
	assert_true(repeat_is_keyed(&(struct engine_repeat){ .key = STR("k") }));
}

int
main(void)
{
	struct suite s = { 0 };
	static const int SQLITE = 1;

	SUITE_TEST(&s, A10_a_key_is_found_by_scope_name_and_body);
	suite_add(&s, "A10 a key is found in sqlite", A10_a_key_is_found_by_scope_name_and_body,
		  &SQLITE);
	SUITE_TEST(&s, A10_no_key_is_no_repeat);
	return suite_run(&s, "engine/repeat");
}
