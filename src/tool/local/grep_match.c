#include "tool/local/grep_match.h"

#include "base/buf.h"
#include "base/utf8.h"
#include "tool/local/grep_pattern.h"
#include "tool/local/tool_args.h"

static int
compile(regex_t *out, const char *text, int flags, struct err *e)
{
	char why[128];
	int rc = regcomp(out, text, flags);

	if (rc == 0)
		return 0;
	regerror(rc, out, why, sizeof why);
	return err_set(e, ERR_INVALID,
		       "pattern: %s; it is a POSIX extended regular expression (no look-around, no "
		       "(?:...), no lazy repeats)",
		       why);
}

static int
compile_chars(struct grep_match *m, const char *text, int flags, struct err *e)
{
	locale_t before = uselocale(m->utf8);
	int rc = compile(&m->chars, text, flags, e);

	uselocale(before);
	return rc;
}

static int
compile_both(struct grep_match *m, const char *text, int flags, struct err *e)
{
	int rc = compile(&m->bytes, text, flags, e);

	if (rc != 0)
		return rc;
	m->utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	if (m->utf8)
		rc = compile_chars(m, text, flags, e);
	if (rc != 0) {
		regfree(&m->bytes);
		freelocale(m->utf8);
	}
	return rc;
}

int
grep_match_init(struct grep_match *m, struct str pattern, bool ignore_case, struct err *e)
{
	struct buf text;
	int rc;

	*m = (struct grep_match){ .ascii = utf8_count_wide(pattern) == 0 };
	buf_init(&text, GREP_PATTERN_GROWTH * TOOL_PATTERN_BYTES + 4 * GREP_PATTERN_WIDE + 1);
	rc = grep_pattern_put(pattern, &text, e);
	if (rc == 0)
		rc = compile_both(m, text.ptr,
				  REG_EXTENDED | REG_NOSUB | (ignore_case ? REG_ICASE : 0), e);
	buf_release(&text);
	return rc;
}

void
grep_match_release(struct grep_match *m)
{
	regfree(&m->bytes);
	if (!m->utf8)
		return;
	regfree(&m->chars);
	freelocale(m->utf8);
}

/* Characters take regexec several times as long: most patterns and lines have none but ASCII's, where
 * both find the same. And where bytes are no characters, a line is rather found than missed. */
static bool
is_by_chars(const struct grep_match *m, struct str line)
{
	return m->utf8 && (!m->ascii || utf8_count_wide(line) > 0) && utf8_valid(line);
}

static bool
finds(const regex_t *regex, struct str line)
{
	regmatch_t range = { .rm_so = 0, .rm_eo = (regoff_t)line.len };

	return regexec(regex, line.ptr, 1, &range, REG_STARTEND) == 0;
}

bool
grep_match_line(const struct grep_match *m, struct str line)
{
	locale_t before;
	bool found;

	if (!is_by_chars(m, line))
		return finds(&m->bytes, line);
	before = uselocale(m->utf8);
	found = finds(&m->chars, line);
	uselocale(before);
	return found;
}
