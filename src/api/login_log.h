/* login_log - is a refused login worth a line in the log? The first few of an address in a minute are;
 * the rest are counted, so that whoever guesses tokens cannot fill the disk. Bounded: addresses that
 * share a slot share its lines. Pure: time is a parameter. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/str.h"

enum { LOGIN_LOG_SLOTS = 32, LOGIN_LOG_LINES = 5, LOGIN_LOG_WINDOW_MS = 60 * 1000 };

struct login_log {
	struct login_slot {
		int64_t since_ms; /* 0: never used */
		uint32_t address; /* its hash: of the one that the lines are for */
		unsigned lines, unlogged;
	} slots[LOGIN_LOG_SLOTS]; /* zeroed */
};

/* True: write it, and that so many before it were not. */
bool login_log_admit(struct login_log *l, struct str address, int64_t now_ms, unsigned *unlogged);
