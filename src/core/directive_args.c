#include "core/directive_args.h"

/* The policy has the last word; what is beyond it here must only fit. */
enum { SECONDS_MAX = INT32_MAX };

static int
read_wake(struct json v, struct arena *a, struct directive_wake *out, struct err *e)
{
	struct json delay = { 0 }, reason = { 0 }, note = { 0 };
	const struct json_field fields[] = {
		{ "delay_seconds", JSON_WANT_NUMBER, true, &delay },
		{ "reason", JSON_WANT_STRING, true, &reason },
		{ "note", JSON_WANT_STRING | JSON_WANT_NULL, false, &note },
	};
	int rc = json_fields(v, fields, ARRAY_LEN(fields), e);

	if (rc == 0)
		rc = json_take_int(delay, -SECONDS_MAX, SECONDS_MAX, &out->delay_s, e);
	if (rc == 0)
		rc = json_take_str(reason, a, &out->reason, e);
	if (rc == 0)
		rc = json_take_str(note, a, &out->note, e);
	return rc;
}

static int
read_learning(struct json v, struct arena *a, struct directive_learning *out, struct err *e)
{
	struct json title = { 0 }, detail = { 0 };
	const struct json_field fields[] = {
		{ "title", JSON_WANT_STRING, true, &title },
		{ "detail", JSON_WANT_STRING | JSON_WANT_NULL, false, &detail },
	};
	int rc = json_fields(v, fields, ARRAY_LEN(fields), e);

	if (rc == 0)
		rc = json_take_str(title, a, &out->title, e);
	if (rc == 0)
		rc = json_take_str(detail, a, &out->detail, e);
	return rc;
}

static int
read_wakes(struct json v, struct arena *a, struct directive *out, struct err *e)
{
	struct directive_wake *wakes = ARENA_ARRAY(a, json_count(v) + 1, struct directive_wake);
	struct json_iter it = json_iter(v);
	int rc = 0;

	while (rc == 0 && json_next(&it))
		rc = read_wake(it.value, a, &wakes[out->wake_count++], e);
	out->wakes = wakes;
	return rc;
}

static int
read_learnings(struct json v, struct arena *a, struct directive *out, struct err *e)
{
	struct directive_learning *all =
		ARENA_ARRAY(a, json_count(v) + 1, struct directive_learning);
	struct json_iter it = json_iter(v);
	int rc = 0;

	while (rc == 0 && json_next(&it))
		rc = read_learning(it.value, a, &all[out->learning_count++], e);
	out->learnings = all;
	return rc;
}

int
directive_args_read(struct json args, struct arena *a, struct directive *out, struct err *e)
{
	static const char *const OUTCOMES[] = { "sleep", "continue" };
	struct json outcome = { 0 }, follow_up = { 0 }, wakes = { 0 }, learnings = { 0 };
	const struct json_field fields[] = {
		{ "outcome", JSON_WANT_STRING, true, &outcome },
		{ "follow_up_seconds", JSON_WANT_NUMBER | JSON_WANT_NULL, false, &follow_up },
		{ "wakes", JSON_WANT_ARRAY | JSON_WANT_NULL, false, &wakes },
		{ "learnings", JSON_WANT_ARRAY | JSON_WANT_NULL, false, &learnings },
	};
	struct directive d = { .has_follow_up = false };
	size_t which = 0;
	int rc = json_fields(args, fields, ARRAY_LEN(fields), e);

	d.has_follow_up = json_is_set(follow_up);
	if (rc == 0)
		rc = json_take_word(outcome, OUTCOMES, ARRAY_LEN(OUTCOMES), &which, e);
	if (rc == 0)
		rc = json_take_int(follow_up, -SECONDS_MAX, SECONDS_MAX, &d.follow_up_s, e);
	if (rc == 0 && json_is_set(wakes))
		rc = read_wakes(wakes, a, &d, e);
	if (rc == 0 && json_is_set(learnings))
		rc = read_learnings(learnings, a, &d, e);
	d.outcome = which == 1 ? DIRECTIVE_CONTINUE : DIRECTIVE_SLEEP;
	if (rc == 0)
		rc = directive_policy_check(&d, e);
	if (rc == 0)
		*out = d;
	return rc;
}
