/* lane_json - a lane as the wire shows it: its id, then the entry's members. */
#pragma once
#include "base/json_write.h"
#include "core/lane_entry.h"

/* {"id","type":"lane", …} */
void lane_json_write(struct jw *w, struct str id, const struct lane_entry *entry);
/* A record's body; texts in a. False: it is damaged. */
bool lane_json_read(struct str body, struct arena *a, struct lane_entry *out);
