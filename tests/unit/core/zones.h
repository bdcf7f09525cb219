/* zones - for tests about time: installed zones by name, instants by text. */
#pragma once
#include "base/file.h"
#include "base/timestamp.h"
#include "core/zone.h"
#include "harness.h"

/* Zones with something special about them, and some without. */
static const char *const ZONE_NAMES[] = {
	"UTC",
	"Etc/GMT+12",
	"Europe/Berlin",
	"Europe/London",
	"Europe/Dublin",
	"Europe/Lisbon",
	"Europe/Istanbul",
	"Europe/Moscow",
	"Europe/Volgograd",
	"Africa/Casablanca",
	"Africa/El_Aaiun",
	"Africa/Cairo",
	"Africa/Monrovia",
	"Africa/Windhoek",
	"America/New_York",
	"America/Los_Angeles",
	"America/Sao_Paulo",
	"America/Santiago",
	"America/Asuncion",
	"America/Havana",
	"America/Nuuk",
	"America/Scoresbysund",
	"America/St_Johns",
	"America/Caracas",
	"America/Juneau",
	"Antarctica/Troll",
	"Antarctica/Casey",
	"Asia/Kolkata",
	"Asia/Kathmandu",
	"Asia/Tehran",
	"Asia/Gaza",
	"Asia/Jerusalem",
	"Asia/Amman",
	"Asia/Beirut",
	"Asia/Pyongyang",
	"Asia/Manila",
	"Australia/Lord_Howe",
	"Australia/Sydney",
	"Australia/Eucla",
	"Pacific/Apia",
	"Pacific/Kiritimati",
	"Pacific/Kwajalein",
	"Pacific/Chatham",
	"Pacific/Easter",
	"Pacific/Norfolk",
};

/* The zone's bytes and tables stay in a. */
static inline struct zone
zone_named(const char *name, struct arena *a)
{
	struct zone zone = { 0 };
	struct str tzif;
	struct err e = { 0 };

	if (file_read_zoneinfo(str_of(name), a, &tzif, &e) != 0 ||
	    zone_parse(tzif, a, &zone, &e) != 0)
		fail_msg("%s: %s", name, e.text);
	return zone;
}

static inline int64_t
instant(const char *text)
{
	int64_t ms = 0;

	if (!timestamp_parse(str_of(text), &ms))
		fail_msg("'%s' is not an instant", text);
	return ms;
}

static inline void
check_instant(const char *what, int64_t got_ms, int64_t want_ms)
{
	char got[TIMESTAMP_TEXT_MAX], want[TIMESTAMP_TEXT_MAX];

	check_str(what, timestamp_format(got_ms, got), timestamp_format(want_ms, want));
}
