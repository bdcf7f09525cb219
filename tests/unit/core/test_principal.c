#include "core/principal.h"

#include "harness.h"

static const struct owns_row {
	const char *name;
	enum token_kind kind;
	const char *namespace, *id;
	bool want;
} owns_rows[] = {
	{ "P3 channel token owns its namespace", TOKEN_CHANNEL, "telegram", "telegram:1", true },
	{ "P3 even an empty rest", TOKEN_CHANNEL, "telegram", "telegram:", true },
	{ "P3 another namespace", TOKEN_CHANNEL, "telegram", "slack:1", false },
	{ "P3 a beginning of the namespace is not it", TOKEN_CHANNEL, "tele", "telegram:1", false },
	{ "P3 the bare namespace", TOKEN_CHANNEL, "telegram", "telegram", false },
	{ "P3 an id without a colon", TOKEN_CHANNEL, "telegram", "telegram_1", false },
	{ "P3 the namespace is case-sensitive", TOKEN_CHANNEL, "telegram", "Telegram:1", false },
	{ "P3 an empty namespace owns nothing", TOKEN_CHANNEL, "", ":1", false },
	{ "P3 only channel tokens have a namespace", TOKEN_USER, "telegram", "telegram:1", false },
};

static void
check_owns(void **state)
{
	const struct owns_row *row = *state;
	struct principal p = { .kind = row->kind, .namespace = str_of(row->namespace) };

	assert_int_equal(principal_owns_id(&p, str_of(row->id)), row->want);
}

static void
P3_the_colon_must_be_part_of_the_id(void **state)
{
	struct principal p = { .kind = TOKEN_CHANNEL, .namespace = STR("telegram") };

	(void)state;
	assert_false(principal_owns_id(&p, str_slice(STR("telegram:1"), 0, 8)));
}

static const struct sender_row {
	const char *name;
	enum token_kind kind;
	const char *namespace, *sender;
	bool want;
} sender_rows[] = {
	{ "P3 a sender of the channel", TOKEN_CHANNEL, "telegram", "telegram", true },
	{ "P3 a sender of another channel", TOKEN_CHANNEL, "telegram", "slack", false },
	{ "P3 no sender named", TOKEN_CHANNEL, "telegram", "", true },
	{ "P3 the rule binds channel tokens only", TOKEN_OWNER, "", "slack", true },
};

static void
check_sender(void **state)
{
	const struct sender_row *row = *state;
	struct principal p = { .kind = row->kind,
			       .namespace = str_of(row->namespace),
			       .sender_channel = str_of(row->sender) };

	assert_int_equal(principal_speaks_for_sender(&p), row->want);
}

static const struct owner_row {
	const char *name;
	struct principal p;
	bool want;
} owner_rows[] = {
	{ "P2 owner token", { .kind = TOKEN_OWNER }, true },
	{ "P2 owner by role", { .kind = TOKEN_USER, .role = ROLE_OWNER }, true },
	{ "P2 a user is none", { .kind = TOKEN_USER, .role = ROLE_USER }, false },
	{ "P3 a channel is none even for an owner",
	  { .kind = TOKEN_CHANNEL, .role = ROLE_OWNER },
	  false },
	{ "P3 a worker is none", { .kind = TOKEN_WORKER, .role = ROLE_OWNER }, false },
	{ "P3 an environment is none", { .kind = TOKEN_ENVIRONMENT, .role = ROLE_OWNER }, false },
};

static void
check_owner(void **state)
{
	const struct owner_row *row = *state;

	assert_int_equal(principal_is_owner(&row->p), row->want);
}

static void
P3_words_read_back(void **state)
{
	enum role role;
	enum token_kind kind;

	(void)state;
	for (enum role r = ROLE_GUEST; r <= ROLE_OWNER; r++) {
		assert_true(role_parse(str_of(role_name(r)), &role));
		assert_int_equal(role, r);
	}
	assert_string_equal(role_name(ROLE_NONE), "none");
	assert_false(role_parse(STR("none"), &role));
	assert_false(role_parse(STR("Owner"), &role));
	for (enum token_kind k = TOKEN_OWNER; k <= TOKEN_ENVIRONMENT; k++) {
		assert_true(token_kind_parse(str_of(token_kind_name(k)), &kind));
		assert_int_equal(kind, k);
	}
	assert_false(token_kind_parse(STR("admin"), &kind));
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, owns_rows, check_owns);
	SUITE_TEST(&s, P3_the_colon_must_be_part_of_the_id);
	SUITE_ROWS(&s, sender_rows, check_sender);
	SUITE_ROWS(&s, owner_rows, check_owner);
	SUITE_TEST(&s, P3_words_read_back);
	return suite_run(&s, "principal");
}
