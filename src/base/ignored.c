#include "base/ignored.h"

#ifdef PERDURE_TEST_HOOKS
#include <stdlib.h>

#include "base/str.h"

/* Takes the word and the blank after it off the front of *rest. */
static bool
ignored_take(struct str *rest, const char *word)
{
	struct str want = str_of(word);

	if (want.len == 0)
		return true;
	if (!str_starts(*rest, want))
		return false;
	*rest = str_slice(*rest, want.len, rest->len);
	if (rest->len > 0 && rest->ptr[0] != ' ')
		return false;
	*rest = str_trim(*rest);
	return true;
}

bool
ignored_is(const char *kind, const char *where, const char *within, const char *name)
{
	struct str rest = str_of(getenv("PERDURE_IGNORE"));

	return rest.len > 0 && ignored_take(&rest, kind) && ignored_take(&rest, where) &&
	       ignored_take(&rest, within) && ignored_take(&rest, name) && rest.len == 0;
}
#else
typedef int ignored_none; /* an empty file is not C */
#endif
