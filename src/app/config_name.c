#include "app/config_name.h"

#include "app/config_problem.h"
#include "base/file.h"
#include "core/source.h"
#include "core/zone.h"

bool
config_name_is_segment(struct str name)
{
	return source_segment_valid(name);
}

bool
config_name_is_chat_type(struct str name)
{
	enum source_chat_type unused;

	return source_chat_type_parse(name, &unused);
}

int
config_name_check_provider(struct str name, struct err *e)
{
	char shown[CONFIG_SHOWN_MAX];

	if (str_eq(name, STR("demo")) || str_eq(name, STR("scripted")))
		return err_set(e, ERR_INVALID, "'" STR_FMT "' is built in; choose another name",
			       STR_ARG(name));
	if (!source_segment_valid(name))
		return err_set(e, ERR_INVALID, "must be 1 to 64 of A-Z a-z 0-9 . _ -, not '%s'",
			       config_problem_quote(name, shown));
	return 0;
}

int
config_name_check_model(struct str name, struct err *e)
{
	for (size_t i = 0; i < name.len; i++) {
		unsigned char c = (unsigned char)name.ptr[i];
		if (c <= 0x20 || c >= 0x7f || c == '*')
			return err_set(e, ERR_INVALID,
				       "must be a model's name without blanks or '*'");
	}
	return 0;
}

int
config_name_check_zone(struct str name, struct err *e)
{
	char shown[CONFIG_SHOWN_MAX];
	struct str tzif;
	struct zone zone;
	struct arena a;
	int rc = 0;

	arena_init(&a);
	if (!str_eq(name, STR("UTC"))) /* needs no rules, so none need be installed */
		rc = file_read_zoneinfo(name, &a, &tzif, e);
	if (rc == 0 && !str_eq(name, STR("UTC")))
		rc = zone_parse(tzif, &a, &zone, e);
	arena_release(&a);
	return rc == 0 ? 0
		       : err_set(e, ERR_INVALID,
				 "'%s' is no time zone that is known here; names are like "
				 "Europe/Berlin",
				 config_problem_quote(name, shown));
}

int
config_name_check_env(struct str name, struct err *e)
{
	bool good = name.len > 0 && !(name.ptr[0] >= '0' && name.ptr[0] <= '9');

	for (size_t i = 0; good && i < name.len; i++) {
		char c = name.ptr[i];
		good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		       c == '_';
	}
	if (good)
		return 0;
	return err_set(e, ERR_INVALID,
		       "must be the name of an environment variable (letters, digits, _), "
		       "never the key itself");
}
