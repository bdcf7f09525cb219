#include "base/json_members.h"

static void
json_members_skip_blanks(struct json_members *m)
{
	while (m->at < m->stop && (m->text.ptr[m->at] == ' ' || m->text.ptr[m->at] == '\t' ||
				   m->text.ptr[m->at] == '\n' || m->text.ptr[m->at] == '\r'))
		m->at++;
}

static int
json_members_fail(const struct json_members *m, struct err *e, const char *wanted)
{
	if (m->at >= m->stop && m->stop < m->text.len)
		return err_set(e, ERR_INVALID,
			       "a member has more than %zu bytes (before offset %zu)",
			       m->member_max, m->stop);
	if (m->at >= m->stop)
		return err_set(e, ERR_INVALID, "the object ends too early (offset %zu)", m->stop);
	return err_set(e, ERR_INVALID, "%s is expected (offset %zu)", wanted, m->at);
}

static bool
json_members_take(struct json_members *m, char c)
{
	if (m->at >= m->stop || m->text.ptr[m->at] != c)
		return false;
	m->at++;
	return true;
}

/* From its quote on; false: it does not end. */
static bool
json_members_skip_string(struct json_members *m)
{
	for (m->at++; m->at < m->stop; m->at++) {
		char c = m->text.ptr[m->at];

		if (c == '"') {
			m->at++;
			return true;
		}
		if (c == '\\')
			m->at++;
	}
	return false;
}

/* Brackets of either kind count alike: json_parse sees whether they fit. */
static bool
json_members_skip_nested(struct json_members *m)
{
	size_t depth = 0;

	while (m->at < m->stop) {
		char c = m->text.ptr[m->at];

		if (c == '"') {
			if (!json_members_skip_string(m))
				return false;
			continue;
		}
		m->at++;
		if (c == '{' || c == '[')
			depth++;
		else if ((c == '}' || c == ']') && --depth == 0)
			return true;
	}
	return false;
}

static bool
json_members_skip_value(struct json_members *m)
{
	char c = m->at < m->stop ? m->text.ptr[m->at] : '\0';

	if (c == '"')
		return json_members_skip_string(m);
	if (c == '{' || c == '[')
		return json_members_skip_nested(m);
	for (; m->at < m->stop; m->at++) {
		c = m->text.ptr[m->at];
		if (c == ',' || c == '}' || c == ' ' || c == '\t' || c == '\n' || c == '\r')
			return true;
	}
	return false;
}

/* Behind the closing brace. */
static int
json_members_end(struct json_members *m, bool *found, struct err *e)
{
	json_members_skip_blanks(m);
	if (m->at < m->text.len)
		return json_members_fail(m, e, "the end of the text");
	m->over = true;
	*found = false;
	return 0;
}

void
json_members_init(struct json_members *m, struct str text, size_t member_max)
{
	*m = (struct json_members){ .text = text, .member_max = member_max };
}

int
json_members_next(struct json_members *m, struct json_member *out, bool *found, struct err *e)
{
	struct json_member member;
	size_t from;

	*found = !m->over;
	if (m->over)
		return 0;
	m->stop = m->text.len - m->at > m->member_max ? m->at + m->member_max : m->text.len;
	json_members_skip_blanks(m);
	if (!m->begun && !json_members_take(m, '{'))
		return json_members_fail(m, e, "an object");
	json_members_skip_blanks(m);
	if (json_members_take(m, '}'))
		return json_members_end(m, found, e);
	if (m->begun && !json_members_take(m, ','))
		return json_members_fail(m, e, "a comma or the end of the object");
	m->begun = true;
	json_members_skip_blanks(m);
	from = m->at;
	if (from >= m->stop || m->text.ptr[from] != '"' || !json_members_skip_string(m))
		return json_members_fail(m, e, "the name of a member");
	member.key = str_slice(m->text, from, m->at);
	json_members_skip_blanks(m);
	if (!json_members_take(m, ':'))
		return json_members_fail(m, e, "a colon");
	json_members_skip_blanks(m);
	member.offset = from = m->at;
	if (!json_members_skip_value(m))
		return json_members_fail(m, e, "a value");
	member.value = str_slice(m->text, from, m->at);
	*out = member;
	return 0;
}
