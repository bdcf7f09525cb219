#include "contract_store.h"

#include "rig.h"

int
contract_store_run(const struct contract_adapter *a)
{
	struct suite s = { 0 };

	rig_use(a);
	contract_log(&s);
	contract_require(&s);
	contract_join(&s);
	contract_key(&s);
	contract_lease(&s);
	contract_record(&s);
	contract_blob(&s);
	contract_read(&s);
	contract_list(&s);
	contract_life(&s);
	contract_projection(&s);
	contract_fork(&s);
	contract_purge(&s);
	return suite_run(&s, a->name);
}
