#include "contract_provider.h"
#include "provider/scripted.h"

enum { STEPS_MAX = 5 };

static const struct scripted_step CASES[][STEPS_MAX] = {
	[CASE_ANSWER] = { { SCRIPTED_THINKING, STR("hm") },
			  { SCRIPTED_TEXT, STR("héllo wörld,") },
			  { SCRIPTED_TEXT, STR(" again and again") },
			  { SCRIPTED_DONE } },
	[CASE_CALL] = { { SCRIPTED_TEXT, STR("a") },
			{ SCRIPTED_CALL, .call = { STR("c"), STR("look"), STR("{\"x\":1}") } },
			{ SCRIPTED_DONE, .stop = PROVIDER_STOP_TOOLS } },
	[CASE_FAIL] = { { SCRIPTED_TEXT, STR("a") },
			{ SCRIPTED_FAIL, STR("overloaded"), .failure = FAILURE_OVERLOADED } },
	[CASE_SLOW] = { { SCRIPTED_TEXT, STR("a") },
			{ SCRIPTED_WAIT, .wait_ms = 5000 },
			{ SCRIPTED_TEXT, STR("b") },
			{ SCRIPTED_DONE } },
};

static void
prepare(struct provider *p, enum provider_case which)
{
	provider_scripted_play(p, CASES[which], STEPS_MAX);
}

int
main(void)
{
	return contract_provider_run(&(struct contract_provider){ .name = "contract/scripted",
								  .clock = &CONTRACT_VIRTUAL,
								  .slow_ms = 5000,
								  .open = provider_scripted_new,
								  .prepare = prepare });
}
