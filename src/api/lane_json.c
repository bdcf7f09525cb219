#include "api/lane_json.h"

void
lane_json_write(struct jw *w, struct str id, const struct lane_entry *entry)
{
	jw_object(w);
	jw_field_str(w, "id", id);
	jw_field_str(w, "type", STR("lane"));
	lane_entry_write_members(entry, w);
	jw_end_object(w);
}

bool
lane_json_read(struct str body, struct arena *a, struct lane_entry *out)
{
	struct json_doc *doc = ARENA_NEW(a, struct json_doc);

	return json_parse(a, arena_str(a, body), &JSON_LIMITS_DEFAULT, doc, NULL) == 0 &&
	       lane_entry_read(json_root(doc), a, out, NULL) == 0;
}
