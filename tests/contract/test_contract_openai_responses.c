#include "contract_http.h"

int
main(void)
{
	return contract_http_run("contract/openai_responses", &FAKE_DIALECTS[FAKE_RESPONSES]);
}
