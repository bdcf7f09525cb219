#include "core/surface_key.h"

#include "base/json_write.h"

bool
surface_key_is_shared(const struct surface_key *k)
{
	return str_eq(k->surface, STR("group"));
}

static void
put_optional(struct jw *w, struct str value)
{
	if (value.len > 0)
		jw_str(w, value);
	else
		jw_null(w);
}

void
surface_key_format(const struct surface_key *k, struct buf *out)
{
	struct jw w;

	jw_init(&w, out);
	jw_array(&w);
	jw_str(&w, k->agent_id);
	put_optional(&w, k->workspace_id);
	jw_str(&w, k->surface);
	jw_str(&w, k->surface_id);
	put_optional(&w, surface_key_is_shared(k) ? (struct str){ 0 } : k->user_id);
	jw_end_array(&w);
}

void
surface_key_log_form(const struct surface_key *k, struct buf *out)
{
	buf_put_str(out, k->surface);
	buf_putc(out, ':');
	buf_put_str(out, k->surface_id);
}
