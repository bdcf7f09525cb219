#include "contract_http.h"

#include "contract_provider.h"

enum { SLOW_MS = 150, IDLE_MS = 10000 };

static struct fake_model fake;
static const struct fake_dialect *dialect;

static struct host *
begin(void)
{
	fake_model_init(&fake);
	return fake.host;
}

static void
pass(int64_t ms)
{
	fake_model_run(&fake, ms);
}

static void
await(const size_t *ends, int64_t ms)
{
	(void)ms;
	fake_model_await(&fake, ends, 1);
}

static void
end(void)
{
	fake_model_release(&fake);
}

static struct provider *
open_dialect(struct host *host)
{
	(void)host;
	return fake_model_open(&fake, dialect, IDLE_MS);
}

static void
prepare(struct provider *p, enum provider_case which)
{
	const struct fake_dialect *d = dialect;
	const char *const cases[][5] = {
		[CASE_ANSWER] = { d->begin, d->think_hm, d->say_hello, d->say_more, d->end },
		[CASE_CALL] = { d->begin, d->say_a, d->call, d->end_calls, "" },
		[CASE_FAIL] = { d->begin, d->say_a, d->overloaded, "", "" },
		[CASE_SLOW] = { d->begin, d->say_a, FAKE_PAUSE, d->say_b, d->end },
	};

	(void)p;
	fake.answer.pause_ms = SLOW_MS;
	fake_model_say(&fake, cases[which], 5);
}

int
contract_http_run(const char *name, const struct fake_dialect *d)
{
	static const struct contract_clock LOOP = { begin, pass, await, end };

	dialect = d;
	return contract_provider_run(&(struct contract_provider){ .name = name,
								  .clock = &LOOP,
								  .slow_ms = SLOW_MS,
								  .open = open_dialect,
								  .prepare = prepare });
}
