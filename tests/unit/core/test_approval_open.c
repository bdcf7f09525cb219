#include "core/approval_open.h"

#include "harness.h"

enum { ASKED = 1000000, NOW = ASKED + 60000 };

static const struct approval_rule GIT[] = {
	{ .tool = STR("bash"),
	  .pattern = STR("git status *"),
	  .action = APPROVAL_ALLOW,
	  .layer = APPROVAL_SESSION },
};
static const struct approval_rule DENY[] = {
	{ .tool = STR("*"), .action = APPROVAL_DENY, .layer = APPROVAL_OPERATOR },
};

#define RULES(r)                  \
	{                         \
		(r), ARRAY_LEN(r) \
	}
#define LS     STR("{\"command\":\"ls\"}")
#define STATUS STR("{\"command\":\"git status -s\"}")

static const struct row {
	const char *name;
	struct approval_open_facts f;
	struct str arguments;
	enum approval_action want;
	int64_t due_ms;
	const char *message;
} ROWS[] = {
	{ "T8 a question waits", { .interactive = true, .now_ms = NOW }, LS, APPROVAL_ASK },
	{ "T8 a rule made meanwhile allows it",
	  { .rules = RULES(GIT), .interactive = true, .now_ms = NOW },
	  STATUS,
	  APPROVAL_ALLOW },
	{ "T8 a rule for something else does not",
	  { .rules = RULES(GIT), .interactive = true, .now_ms = NOW },
	  LS,
	  APPROVAL_ASK },
	{ "T8 a rule made meanwhile denies it",
	  { .rules = RULES(DENY), .interactive = true, .now_ms = NOW },
	  LS,
	  APPROVAL_DENY,
	  0,
	  "a rule of the operator (*) denies it" },
	{ "T8 a rule that denies comes before the setting that allows",
	  { .rules = RULES(DENY), .settings.unattended = APPROVAL_ALLOW, .now_ms = NOW },
	  LS,
	  APPROVAL_DENY,
	  0,
	  "a rule of the operator (*) denies it" },
	{ "T8 nobody is there: denied by default",
	  { .settings.unattended = APPROVAL_DENY, .now_ms = NOW },
	  LS,
	  APPROVAL_DENY,
	  0,
	  "nobody is there who could be asked" },
	{ "T8 nobody is there: allowed by setting",
	  { .settings.unattended = APPROVAL_ALLOW, .now_ms = NOW },
	  LS,
	  APPROVAL_ALLOW },
	{ "T8 a rule comes before the setting",
	  { .rules = RULES(GIT), .settings.unattended = APPROVAL_DENY, .now_ms = NOW },
	  STATUS,
	  APPROVAL_ALLOW },
	{ "T8 it expires later",
	  { .interactive = true, .settings.expire_after_ms = 60001, .now_ms = NOW },
	  LS,
	  APPROVAL_ASK,
	  ASKED + 60001 },
	{ "T8 it expires now",
	  { .interactive = true,
	    .settings = { .expire_after_ms = 60000, .expired = APPROVAL_DENY },
	    .now_ms = NOW },
	  LS,
	  APPROVAL_DENY,
	  0,
	  "nobody answered in time" },
	{ "T8 an expired one may be allowed",
	  { .interactive = true,
	    .settings = { .expire_after_ms = 1, .expired = APPROVAL_ALLOW },
	    .now_ms = NOW },
	  LS,
	  APPROVAL_ALLOW },
	{ "T8 arguments that cannot be read wait for a person",
	  { .rules = RULES(GIT), .interactive = true, .now_ms = NOW },
	  STR("{"),
	  APPROVAL_ASK },
};

static void
row(void **state)
{
	const struct row *t = *state;
	struct approval_verdict v;
	struct arena a;

	arena_init(&a);
	v = approval_open_decide(
		&t->f,
		&(struct approval_question){
			{ STR("bash") }, t->arguments, APPROVAL_ALWAYS_ASK, ASKED },
		&a);
	assert_int_equal(v.action, t->want);
	assert_int_equal(v.due_ms, t->due_ms);
	check_str("message", v.deny_message, str_of(t->message ? t->message : ""));
	arena_release(&a);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, row);
	return suite_run(&s, "core/approval_open");
}
