#include "contract_http.h"

int
main(void)
{
	return contract_http_run("contract/anthropic", &FAKE_DIALECTS[FAKE_ANTHROPIC]);
}
