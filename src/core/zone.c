#include "core/zone.h"

#include "base/timestamp.h"

const struct zone ZONE_UTC = { 0 };

static const int64_t DAY_MS = 86400000, HOUR_MS = 3600000;
enum { HEADER_BYTES = 44, TYPE_BYTES = 6 };

/* The counts of a TZif header, in the order of the file, and what follows from the version. */
struct header {
	size_t utc_flags, std_flags, leaps, changes, types, name_bytes;
	size_t time_bytes; /* 4 in the first block, 8 in the second */
	char version;
};

/* The tables of one data block; lengths are checked. */
struct block {
	const unsigned char *times, *type_of, *types, *leaps;
	size_t bytes;
};

static int64_t
read_int(const unsigned char *p, size_t bytes)
{
	uint64_t value = p[0] & 0x80 ? UINT64_MAX : 0;

	for (size_t i = 0; i < bytes; i++)
		value = value << 8 | p[i];
	return (int64_t)value;
}

static size_t
read_count(const unsigned char *p)
{
	return (size_t)p[0] << 24 | (size_t)p[1] << 16 | (size_t)p[2] << 8 | p[3];
}

static int
header_parse(struct str in, size_t time_bytes, struct header *out, struct err *e)
{
	const unsigned char *p = (const unsigned char *)in.ptr;

	if (in.len < HEADER_BYTES || memcmp(p, "TZif", 4) != 0)
		return err_set(e, ERR_INVALID, "not a TZif file");
	*out = (struct header){
		.version = (char)p[4],
		.time_bytes = time_bytes,
		.utc_flags = read_count(p + 20),
		.std_flags = read_count(p + 24),
		.leaps = read_count(p + 28),
		.changes = read_count(p + 32),
		.types = read_count(p + 36),
		.name_bytes = read_count(p + 40),
	};
	if (out->types == 0 || out->types > 256)
		return err_set(e, ERR_INVALID, "TZif: %zu local time types, not 1..256",
			       out->types);
	return 0;
}

/* Counts are 32 bits wide, so the sum cannot overflow. */
static int
block_locate(struct str in, const struct header *h, struct block *out, struct err *e)
{
	const unsigned char *p = (const unsigned char *)in.ptr + HEADER_BYTES;
	size_t leap_bytes = h->leaps * (h->time_bytes + 4);
	size_t bytes = h->changes * (h->time_bytes + 1) + h->types * TYPE_BYTES + h->name_bytes +
		       leap_bytes + h->std_flags + h->utc_flags;

	if (in.len - HEADER_BYTES < bytes)
		return err_set(e, ERR_INVALID, "TZif: cut short");
	out->times = p;
	out->type_of = out->times + h->changes * h->time_bytes;
	out->types = out->type_of + h->changes;
	out->leaps = out->types + h->types * TYPE_BYTES + h->name_bytes;
	out->bytes = bytes;
	return 0;
}

static int
read_offset(const struct header *h, const struct block *b, size_t type, int32_t *out, struct err *e)
{
	int64_t offset_s;

	if (type >= h->types)
		return err_set(e, ERR_INVALID, "TZif: local time type %zu of %zu", type, h->types);
	offset_s = read_int(b->types + type * TYPE_BYTES, 4);
	if (offset_s < ZONE_OFFSET_MIN_S || offset_s > ZONE_OFFSET_MAX_S)
		return err_set(e, ERR_INVALID, "TZif: offset of %lld s", (long long)offset_s);
	*out = (int32_t)offset_s;
	return 0;
}

/* The leap seconds counted in an instant of the file; *at only moves forward. */
static int64_t
leap_seconds(const struct header *h, const struct block *b, int64_t at_s, size_t *at)
{
	size_t entry_bytes = h->time_bytes + 4;

	while (*at < h->leaps && read_int(b->leaps + *at * entry_bytes, h->time_bytes) <= at_s)
		(*at)++;
	return *at == 0 ? 0 : read_int(b->leaps + *at * entry_bytes - 4, 4);
}

/* Years no one can name come in as far away: what follows adds to instants without a check. */
static int64_t
clamp_s(int64_t s)
{
	const int64_t far_s = INT64_MAX / 1000 - 1;

	return s > far_s ? far_s : s < -far_s ? -far_s : s;
}

static int
read_changes(const struct header *h, const struct block *b, struct arena *a, struct zone *out,
	     struct err *e)
{
	struct zone_change *changes = ARENA_ARRAY(a, h->changes, struct zone_change);
	size_t leap = 0;
	int rc = read_offset(h, b, 0, &out->first_offset_s, e);

	for (size_t i = 0; rc == 0 && i < h->changes; i++) {
		int64_t at_s = clamp_s(read_int(b->times + i * h->time_bytes, h->time_bytes));

		changes[i].at_s = clamp_s(at_s - leap_seconds(h, b, at_s, &leap));
		if (i > 0 && changes[i].at_s < changes[i - 1].at_s)
			return err_set(e, ERR_INVALID, "TZif: change %zu is out of order", i);
		rc = read_offset(h, b, b->type_of[i], &changes[i].offset_s, e);
	}
	out->changes = changes;
	out->change_count = h->changes;
	return rc;
}

/* The rule stands between two line ends behind the second block; it may be empty. */
static int
read_footer(struct str in, struct zone *out, struct err *e)
{
	struct str rule, rest;

	if (in.len == 0 || in.ptr[0] != '\n' ||
	    !str_cut(str_slice(in, 1, in.len), '\n', &rule, &rest))
		return err_set(e, ERR_INVALID, "TZif: no footer");
	out->has_rule = rule.len > 0;
	return out->has_rule ? zone_rule_parse(rule, &out->rule, e) : 0;
}

int
zone_parse(struct str tzif, struct arena *a, struct zone *out, struct err *e)
{
	struct zone zone = { 0 };
	struct header h;
	struct block b;
	int rc = header_parse(tzif, 4, &h, e);

	if (rc == 0)
		rc = block_locate(tzif, &h, &b, e);
	if (rc == 0 && h.version >= '2') {
		tzif = str_slice(tzif, HEADER_BYTES + b.bytes, tzif.len);
		rc = header_parse(tzif, 8, &h, e);
		if (rc == 0)
			rc = block_locate(tzif, &h, &b, e);
		if (rc == 0)
			rc = read_footer(str_slice(tzif, HEADER_BYTES + b.bytes, tzif.len), &zone,
					 e);
	}
	if (rc == 0)
		rc = read_changes(&h, &b, a, &zone, e);
	if (rc == 0)
		*out = zone;
	return rc;
}

static int64_t
floor_div(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

/* One more change of the rule: is it the last one up to t_s, or the first one after it? Where one
 * year's daylight time ends as the next begins, it never ends. */
static void
rule_change(struct zone_span *span, int64_t t_s, int64_t at_s, int32_t offset_s)
{
	int64_t at_ms = at_s * 1000;

	if (at_s > t_s) {
		if (at_ms < span->end_ms)
			span->end_ms = at_ms;
	} else if (at_ms >= span->start_ms) {
		span->start_ms = at_ms;
		span->offset_ms = offset_s * INT64_C(1000);
	}
}

/* A change may stand a week outside its year (times of up to 167 hours), hence the years around. */
static struct zone_span
rule_span(const struct zone_rule *r, int64_t t_s)
{
	struct zone_span span = { INT64_MIN, INT64_MAX, r->standard_s * INT64_C(1000) };
	int64_t year;

	if (!r->has_daylight)
		return span;
	year = timestamp_to_civil(t_s * 1000).year;
	for (int64_t y = year - 2; y <= year + 2; y++) {
		struct zone_year changes = zone_rule_year(r, y);

		if (changes.daylight_begin_s < changes.daylight_end_s)
			rule_change(&span, t_s, changes.daylight_begin_s, r->daylight_s);
		rule_change(&span, t_s, changes.daylight_end_s, r->standard_s);
		if (changes.daylight_begin_s >= changes.daylight_end_s)
			rule_change(&span, t_s, changes.daylight_begin_s, r->daylight_s);
	}
	return span;
}

/* How many changes are not after t_s. */
static size_t
changes_until(const struct zone *z, int64_t t_s)
{
	size_t low = 0, high = z->change_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (z->changes[middle].at_s <= t_s)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct zone_span
zone_span(const struct zone *z, int64_t ms)
{
	int64_t t_s = floor_div(ms, 1000);
	size_t n = changes_until(z, t_s);
	struct zone_span span = { INT64_MIN, INT64_MAX, z->first_offset_s * INT64_C(1000) };

	if (n > 0) {
		span.start_ms = z->changes[n - 1].at_s * 1000;
		span.offset_ms = z->changes[n - 1].offset_s * INT64_C(1000);
	}
	if (n < z->change_count) {
		span.end_ms = z->changes[n].at_s * 1000;
	} else if (z->has_rule) {
		int64_t recorded_until = span.start_ms;

		span = rule_span(&z->rule, t_s);
		if (span.start_ms < recorded_until)
			span.start_ms = recorded_until;
	}
	return span;
}

int64_t
zone_local_ms(const struct zone *z, int64_t ms)
{
	return ms + zone_span(z, ms).offset_ms;
}

/* Walks the stretches from the first that can show local_ms; each one's clock runs forward. */
struct zone_instants
zone_instants(const struct zone *z, int64_t local_ms)
{
	struct zone_instants found = { .fit = ZONE_ONCE };
	struct zone_span span = zone_span(z, local_ms - ZONE_OFFSET_MAX_S * INT64_C(1000));

	while (span.end_ms <= local_ms - span.offset_ms)
		span = zone_span(z, span.end_ms);
	found.first_ms = found.last_ms = local_ms - span.offset_ms;
	if (found.first_ms < span.start_ms) {
		found.fit = ZONE_GAP;
		found.first_ms = found.last_ms = span.start_ms;
		return found;
	}
	while (span.end_ms <= local_ms - ZONE_OFFSET_MIN_S * INT64_C(1000)) {
		int64_t again_ms;

		span = zone_span(z, span.end_ms);
		again_ms = local_ms - span.offset_ms;
		if (again_ms >= span.start_ms && again_ms < span.end_ms) {
			found.fit = ZONE_TWICE;
			found.last_ms = again_ms;
		}
	}
	return found;
}

int64_t
zone_last_hour(const struct zone *z, int hour, int64_t now_ms)
{
	/* A clock put back by a day or more shows a date older than dates already begun. */
	int64_t day = floor_div(zone_local_ms(z, now_ms), DAY_MS) + 2;
	int64_t begins_ms;

	do
		begins_ms = zone_instants(z, day-- * DAY_MS + hour * HOUR_MS).first_ms;
	while (begins_ms > now_ms);
	return begins_ms;
}
