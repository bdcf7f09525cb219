/* The contract on store/mem. */
#include "contract_store.h"
#include "store/mem/mem.h"

static struct store *
open_mem(void **place, struct store_owner owner)
{
	*place = NULL;
	return store_mem_new(owner, "one");
}

static struct store *
restart_mem(void *place, struct store *s, struct store_owner owner)
{
	(void)place;
	store_mem_restart(s, owner, "another");
	return s;
}

static void
clear_mem(void *place)
{
	(void)place;
}

int
main(void)
{
	static const struct contract_adapter MEM = {
		.name = "store/mem",
		.open = open_mem,
		.restart = restart_mem,
		.clear = clear_mem,
	};

	return contract_store_run(&MEM);
}
