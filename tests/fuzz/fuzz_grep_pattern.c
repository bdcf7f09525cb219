/* Any pattern: refused with a sentence, or an expression within its ceiling that ends with NUL. The
 * sets in it are whole: regcomp has nothing to say about brackets, ranges or the end of a set. */
#include <locale.h>
#include <regex.h>
#include <string.h>

#include "tool/local/grep_pattern.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

enum {
	PATTERN_BYTES = 64, /* more only makes regcomp slow */
	WIDE_BYTES = 4 * GREP_PATTERN_WIDE,
	BYTES_MAX = GREP_PATTERN_GROWTH * PATTERN_BYTES + WIDE_BYTES + 1,
};

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	if (!setlocale(LC_CTYPE, "C.UTF-8")) /* as grep_match has it */
		__builtin_trap();
	return 0;
}

static void
check_expression(const char *text)
{
	regex_t regex;
	int rc;

	if (strpbrk(text, "{*+?")) /* repeats of repeats take regcomp's time and memory */
		return;
	rc = regcomp(&regex, text, REG_EXTENDED);
	if (rc == REG_EBRACK || rc == REG_ERANGE)
		__builtin_trap();
	if (rc == 0)
		regfree(&regex);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str pattern = { (const char *)data, size < PATTERN_BYTES ? size : PATTERN_BYTES };
	struct buf out;
	struct err e;

	buf_init(&out, BYTES_MAX);
	if (grep_pattern_put(pattern, &out, &e) == 0) {
		if (out.overflow || out.len > GREP_PATTERN_GROWTH * pattern.len + WIDE_BYTES + 1 ||
		    out.ptr[out.len - 1] != '\0')
			__builtin_trap();
		if (pattern.len == 0 || !memchr(pattern.ptr, '\0', pattern.len))
			check_expression(out.ptr);
	}
	buf_release(&out);
	return 0;
}
