#include "cli/schedule_words.h"

static const int64_t DURATION_MAX_MS = 366 * INT64_C(86400000);

int
schedule_words_duration(const char *option, const char *text, int64_t *out_ms, struct err *e)
{
	static const struct {
		char letter;
		int64_t ms;
	} UNITS[] = { { 's', 1000 }, { 'm', 60000 }, { 'h', 3600000 }, { 'd', 86400000 } };
	struct str digits = str_of(text);
	int64_t count;

	for (size_t i = 0; digits.len > 1 && i < ARRAY_LEN(UNITS); i++) {
		if (digits.ptr[digits.len - 1] != UNITS[i].letter)
			continue;
		if (!str_to_int(str_slice(digits, 0, digits.len - 1), &count) || count < 1 ||
		    count > DURATION_MAX_MS / UNITS[i].ms)
			break;
		*out_ms = count * UNITS[i].ms;
		return 0;
	}
	return err_set(e, ERR_USAGE, "%s: '%s' is not a time like 90s, 15m, 2h or 7d", option,
		       text);
}

static void
begin(struct jw *w, const char *member, const char *type)
{
	jw_field_object(w, member);
	jw_field_str(w, "type", str_of(type));
}

static int
write_rule(const struct args *args, struct jw *w, struct err *e)
{
	const char *cron = args_value(args, "--cron"), *zone = args_value(args, "--zone");
	const char *at = args_value(args, "--at"), *every = args_value(args, "--every");
	int64_t ms = 0;
	int rc = 0;

	if (!!cron + !!at + !!every > 1)
		return err_set(e, ERR_USAGE, "give one of --cron, --at and --every, not several");
	if (zone && !cron)
		return err_set(e, ERR_USAGE, "--zone goes with --cron");
	if (every)
		rc = schedule_words_duration("--every", every, &ms, e);
	if (rc != 0 || (!cron && !at && !every))
		return rc;
	begin(w, "rule", cron ? "cron" : at ? "at" : "every");
	if (cron)
		jw_field_str(w, "expression", str_of(cron));
	if (zone)
		jw_field_str(w, "time_zone", str_of(zone));
	if (at)
		jw_field_str(w, "at", str_of(at));
	if (every)
		jw_field_int(w, "every_ms", ms);
	jw_end_object(w);
	return 0;
}

static int
write_missed(const char *text, struct jw *w, struct err *e)
{
	struct str word, rest;
	int64_t limit = 0;
	bool counted = str_cut(str_of(text), ':', &word, &rest);

	if (counted && (!str_eq(word, STR("all")) || !str_to_int(rest, &limit)))
		return err_set(e, ERR_USAGE, "--missed: '%s' is not skip, latest or all:N", text);
	jw_field_object(w, "missed");
	jw_field_str(w, "type", word);
	if (counted)
		jw_field_int(w, "limit", limit);
	jw_end_object(w);
	return 0;
}

/* The words behind the first, by the names that belong to it. */
static int
write_delivery(const char *text, struct jw *w, struct err *e)
{
	static const struct {
		const char *type;
		const char *names[3];
		size_t least;
	} WAYS[] = {
		{ "silent", { NULL }, 0 },
		{ "origin", { NULL }, 0 },
		{ "session", { "session_id" }, 1 },
		{ "home", { "platform" }, 1 },
		{ "target", { "platform", "chat_id", "thread_id" }, 2 },
	};
	struct str word, rest = str_of(text);
	bool more = str_cut(rest, ':', &word, &rest);

	for (size_t i = 0; i < ARRAY_LEN(WAYS); i++) {
		size_t count = 0;

		if (!str_eq(word, str_of(WAYS[i].type)))
			continue;
		begin(w, "delivery", WAYS[i].type);
		for (; more && count < ARRAY_LEN(WAYS[i].names) && WAYS[i].names[count]; count++) {
			struct str part = rest;

			/* ids of sessions have colons of their own: the last name takes the rest */
			more = WAYS[i].least > 1 && count + 1 < ARRAY_LEN(WAYS[i].names) &&
			       str_cut(rest, ':', &part, &rest);
			jw_field_str(w, WAYS[i].names[count], part);
		}
		jw_end_object(w);
		if (!more && count >= WAYS[i].least)
			return 0;
		break;
	}
	return err_set(e, ERR_USAGE,
		       "--to: '%s' is not silent, origin, session:ID, home:PLATFORM or "
		       "target:PLATFORM:CHAT[:THREAD]",
		       text);
}

int
schedule_words_write(const struct args *args, struct jw *w, struct err *e)
{
	const char *missed = args_value(args, "--missed"), *to = args_value(args, "--to");
	const char *timeout = args_value(args, "--timeout");
	int64_t ms = 0;
	int rc = write_rule(args, w, e);

	if (rc == 0 && missed)
		rc = write_missed(missed, w, e);
	if (rc == 0 && timeout)
		rc = schedule_words_duration("--timeout", timeout, &ms, e);
	if (rc == 0 && timeout)
		jw_field_int(w, "timeout_ms", ms);
	if (rc == 0 && to)
		rc = write_delivery(to, w, e);
	return rc;
}
