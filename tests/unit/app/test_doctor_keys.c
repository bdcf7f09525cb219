#include <sys/stat.h>
#include <unistd.h>

#include "doctor_rows.h"

static void
P8_variables_are_looked_at_and_not_shown(void **state)
{
	struct config *c = config_rows_load(
		"providers:\n"
		"  - {name: a, kind: anthropic, api_key_env: PERDURE_TEST_SET}\n"
		"  - {name: b, kind: anthropic, api_key_env: PERDURE_TEST_EMPTY}\n"
		"  - {name: c, kind: anthropic, api_key_env: PERDURE_TEST_UNSET}\n");
	struct doctor_report r;

	(void)state;
	setenv("PERDURE_TEST_SET", "sk-secret", 1);
	setenv("PERDURE_TEST_EMPTY", "", 1);
	unsetenv("PERDURE_TEST_UNSET");
	doctor_report_init(&r);
	doctor_keys(&r, c);
	doctor_rows_check("variables", &r,
			  "ok keys: a: $PERDURE_TEST_SET is set\n"
			  "warn keys: b: $PERDURE_TEST_EMPTY is empty\n"
			  "warn keys: c: $PERDURE_TEST_UNSET is not set");
	doctor_report_release(&r);
	config_free(&c);
}

static void
P8_files_are_looked_at_and_not_shown(void **state)
{
	char folder[64], key[128], text[300], want[300];
	struct doctor_report r;
	struct config *c;

	(void)state;
	config_rows_mkdir(folder);
	config_rows_write(folder, "key", "sk-secret\n", key);
	snprintf(text, sizeof text,
		 "providers: [{name: a, kind: anthropic, api_key_file: \"%s\"}]\n", key);
	c = config_rows_load(text);
	doctor_report_init(&r);
	doctor_keys(&r, c);
	doctor_rows_check("fine", &r, "ok keys: a: its api_key_file is readable");
	assert_int_equal(chmod(key, 0644), 0);
	doctor_keys(&r, c);
	doctor_rows_check("open", &r,
			  "ok keys: a: its api_key_file is readable\n"
			  "warn keys: an api_key_file is open to other users (mode 644)");
	config_rows_write(folder, "key", " \n", key);
	doctor_keys(&r, c);
	doctor_rows_check("empty", &r, "fail keys: a: its api_key_file is empty");
	unlink(key);
	doctor_keys(&r, c);
	snprintf(want, sizeof want, "fail keys: a: %s: No such file or directory", key);
	doctor_rows_check("absent", &r, want);
	doctor_report_release(&r);
	config_free(&c);
	rmdir(folder);
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, P8_variables_are_looked_at_and_not_shown);
	SUITE_TEST(&s, P8_files_are_looked_at_and_not_shown);
	return suite_run(&s, "app/doctor_keys");
}
