#include "tool/local/process_limit.h"

#include <sys/resource.h>

#include "base/err.h"

void
process_limit_lower(int what, int64_t value)
{
	struct rlimit now, wanted = { (rlim_t)value, (rlim_t)value };

	if (getrlimit((__rlimit_resource_t)what, &now) == 0 && now.rlim_max < wanted.rlim_max)
		wanted.rlim_cur = wanted.rlim_max = now.rlim_max;
	IGNORE(setrlimit((__rlimit_resource_t)what, &wanted)); /* lowering cannot fail */
}
