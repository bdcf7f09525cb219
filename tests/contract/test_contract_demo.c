#include "contract_provider.h"
#include "provider/demo.h"

static void
prepare(struct provider *p, enum provider_case which)
{
	(void)p, (void)which; /* it does what its message says */
}

int
main(void)
{
	return contract_provider_run(&(struct contract_provider){ .name = "contract/demo",
								  .clock = &CONTRACT_VIRTUAL,
								  .slow_ms = 5000,
								  .open = provider_demo_new,
								  .prepare = prepare });
}
