/* Any bytes as an answer in the dialect: see dialect_fuzz.h. */
#include "dialect_fuzz.h"
#include "provider/anthropic.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	dialect_fuzz(&DIALECT_ANTHROPIC, (struct str){ (const char *)data, size });
	return 0;
}
