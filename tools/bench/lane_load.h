/* lane_load - an engine of this process's own on SQLite: many lanes, and a clock that stands still until it
 * is told otherwise. Aborts when something is refused.
 *
 * A lane expires when nobody has used it for a day, and is forgotten after three months. */
#pragma once
#include <stdint.h>

struct lane_load;

/* A new store in the directory. synchronous NULL: as it ships; "OFF": filled faster. */
struct lane_load *lane_load_new(const char *directory, int64_t now_ms, const char *synchronous);
void lane_load_free(struct lane_load **l);

/* So many lanes more, each with a session; the clock moves by step_ms before each. */
void lane_load_open(struct lane_load *l, int count, int64_t step_ms);
/* Somebody sets the clock: nothing happens by that. */
void lane_load_set_clock(struct lane_load *l, int64_t now_ms);
/* A turn in each of the lanes that were opened last; none of them ends by itself. */
void lane_load_begin_turns(struct lane_load *l, int count);

/* What the thread that owns the engine worked, waiting not counted: in all, and the longest that it did
 * so without looking whether anything else is to be done. */
struct lane_load_work {
	double total_ms, slice_ms;
};
/* Time passes, and what is due by then is done. */
struct lane_load_work lane_load_pass(struct lane_load *l, int64_t ms);
