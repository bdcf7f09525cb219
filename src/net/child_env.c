#include "net/child_env.h"

#include <stdlib.h>

static const char *
entry(struct arena *a, const char *name, const char *otherwise)
{
	const char *value = getenv(name);

	return arena_printf(a, "%s=%s", name, value ? value : otherwise).ptr;
}

const char *
child_env_path(struct arena *a)
{
	return entry(a, "PATH", "/usr/local/bin:/usr/bin:/bin");
}

const char *
child_env_home(struct arena *a)
{
	return entry(a, "HOME", "/");
}
