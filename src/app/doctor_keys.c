/* doctor_keys - is every provider's key where the configuration says? Only names are shown. */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "app/doctor_private.h"
#include "base/file.h"

enum { KEY_FILE_MAX = 64 * 1024 };

void
doctor_private_mode(struct doctor_report *r, const char *check, const char *what, const char *path)
{
	struct stat st;

	if (stat(path, &st) != 0 || (st.st_mode & 077) == 0)
		return;
	doctor_report_add(r, DOCTOR_WARN, check, arena_printf(&r->a, "chmod 600 %s", path).ptr,
			  "%s is open to other users (mode %03o)", what,
			  (unsigned)(st.st_mode & 0777));
}

static void
check_env(struct doctor_report *r, const struct config_provider *p)
{
	const char *value = getenv(p->api_key_env.ptr);
	const char *advice = "set it where the server starts (here it may be right to be unset)";

	if (value && value[0] != '\0')
		doctor_report_ok(r, "keys", STR_FMT ": $" STR_FMT " is set", STR_ARG(p->name),
				 STR_ARG(p->api_key_env));
	else
		doctor_report_add(r, DOCTOR_WARN, "keys", advice, STR_FMT ": $" STR_FMT " is %s",
				  STR_ARG(p->name), STR_ARG(p->api_key_env),
				  value ? "empty" : "not set");
}

static void
check_file(struct doctor_report *r, const struct config_provider *p)
{
	struct arena a;
	struct str key = { 0 };
	struct err e;

	arena_init(&a);
	if (file_read(p->api_key_file.ptr, KEY_FILE_MAX, &a, &key, &e) != 0) {
		doctor_report_add(r, DOCTOR_FAIL, "keys",
				  "put the key into that file, readable by the server's user",
				  STR_FMT ": %s", STR_ARG(p->name), e.text);
	} else if (str_trim(key).len == 0) {
		doctor_report_add(r, DOCTOR_FAIL, "keys", "put the key into that file",
				  STR_FMT ": its api_key_file is empty", STR_ARG(p->name));
	} else {
		doctor_report_ok(r, "keys", STR_FMT ": its api_key_file is readable",
				 STR_ARG(p->name));
		doctor_private_mode(r, "keys", "an api_key_file", p->api_key_file.ptr);
	}
	if (key.len > 0)
		explicit_bzero((void *)(uintptr_t)key.ptr, key.len);
	arena_release(&a);
}

void
doctor_keys(struct doctor_report *r, const struct config *c)
{
	for (size_t i = 0; i < c->providers.len; i++) {
		const struct config_provider *p = &c->providers.ptr[i];
		if (p->api_key_env.len > 0)
			check_env(r, p);
		else
			check_file(r, p);
	}
}
