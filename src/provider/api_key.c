#include "provider/api_key.h"

#include <stdlib.h>

#include "base/file.h"

enum { KEY_FILE_MAX = 64 * 1024 };

/* Anything else would not survive as a header. */
static bool
is_plain(struct str key)
{
	for (size_t i = 0; i < key.len; i++)
		if (key.ptr[i] <= ' ' || key.ptr[i] > '~')
			return false;
	return true;
}

static int
check(const struct api_key_source *from, const char *what, struct str key, struct err *e)
{
	struct str where = from->env.len > 0 ? from->env : from->file;

	if (key.len == 0)
		return err_set(e, ERR_AUTH,
			       "provider " STR_FMT " has no key: the %s " STR_FMT " is empty",
			       STR_ARG(from->provider), what, STR_ARG(where));
	if (!is_plain(key))
		return err_set(e, ERR_AUTH,
			       "provider " STR_FMT " has no usable key: the %s " STR_FMT
			       " holds blanks or characters that no key has",
			       STR_ARG(from->provider), what, STR_ARG(where));
	return 0;
}

static int
read_env(const struct api_key_source *from, struct arena *a, struct str *out, struct err *e)
{
	const char *value = getenv(from->env.ptr);
	struct str key = str_trim(str_of(value));
	int rc;

	if (!value)
		return err_set(e, ERR_AUTH,
			       "provider " STR_FMT " has no key: the environment variable " STR_FMT
			       " is not set where the server was started",
			       STR_ARG(from->provider), STR_ARG(from->env));
	rc = check(from, "environment variable", key, e);
	if (rc == 0)
		*out = arena_str(a, key);
	return rc;
}

static int
read_file(const struct api_key_source *from, struct arena *a, struct str *out, struct err *e)
{
	struct str text;
	int rc;

	if (file_read(from->file.ptr, KEY_FILE_MAX, a, &text, e) != 0)
		return err_prefix(e, ERR_AUTH,
				  "provider " STR_FMT " has no key: ", STR_ARG(from->provider));
	rc = check(from, "file", str_trim(text), e);
	if (rc == 0)
		*out = str_trim(text);
	return rc;
}

int
api_key_read(const struct api_key_source *from, struct arena *a, struct str *out, struct err *e)
{
	return from->env.len > 0 ? read_env(from, a, out, e) : read_file(from, a, out, e);
}
