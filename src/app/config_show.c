#include "app/config_show.h"

#include "app/config_private.h"
#include "base/json_write.h"

enum { VALUE_WIDTH_MAX = 40, VALUE_MAX = 4 * 1024 * 1024 };

static void
format_from(const struct config *c, const struct config_setting *s, struct buf *out)
{
	if (s->at.line == CONFIG_ON_COMMAND_LINE)
		buf_puts(out, "command line");
	else if (s->at.line == 0)
		buf_puts(out, "default");
	else
		buf_printf(out, STR_FMT ":%d", STR_ARG(c->file), s->at.line);
}

/* The file's own keys always; of providers, platforms and so on what has a value. */
static bool
is_shown(const struct config_setting *s)
{
	return s->object->path.len == 0 || !config_value_is_absent(s->key, s->object->base);
}

struct widths {
	size_t path, value;
};

static struct widths
measure(const struct config *c, struct arena *a)
{
	const struct config_object *object = NULL;
	struct config_setting s;
	struct widths w = { 0 };
	struct buf value;

	buf_init(&value, VALUE_MAX);
	for (size_t at = 0; config_next(c, &object, &at, &s);) {
		size_t len = config_setting_path(&s, a).len;
		if (!is_shown(&s))
			continue;
		buf_clear(&value);
		config_value_format(s.key, s.object->base, &value);
		w.path = len > w.path ? len : w.path;
		if (value.len > w.value && value.len <= VALUE_WIDTH_MAX)
			w.value = value.len;
	}
	buf_release(&value);
	return w;
}

static void
show_text(const struct config *c, struct arena *a, struct buf *out)
{
	const struct config_object *object = NULL;
	struct config_setting s;
	struct widths w = measure(c, a);

	for (size_t at = 0; config_next(c, &object, &at, &s);) {
		struct str path = config_setting_path(&s, a);
		size_t start;
		if (!is_shown(&s))
			continue;
		buf_printf(out, "%-*.*s  ", (int)w.path, STR_ARG(path));
		start = out->len;
		config_value_format(s.key, s.object->base, out);
		do
			buf_putc(out, ' ');
		while (out->len < start + w.value + 2 && !out->overflow);
		format_from(c, &s, out);
		buf_putc(out, '\n');
	}
}

static void
show_json(const struct config *c, struct arena *a, struct buf *out)
{
	const struct config_object *object = NULL;
	struct config_setting s;
	struct jw w;

	jw_init(&w, out);
	jw_object(&w);
	jw_field_opt(&w, "file", c->file.len > 0 ? c->file : (struct str){ 0 });
	jw_field_array(&w, "settings");
	for (size_t at = 0; config_next(c, &object, &at, &s);) {
		jw_object(&w);
		jw_field_str(&w, "key", config_setting_path(&s, a));
		jw_key(&w, STR("value"));
		config_value_json(s.key, s.object->base, &w);
		jw_field_str(&w, "from",
			     s.at.line == 0  ? STR("default")
			     : s.at.line > 0 ? STR("file")
					     : STR("command line"));
		if (s.at.line > 0)
			jw_field_int(&w, "line", s.at.line);
		jw_end_object(&w);
	}
	jw_end_array(&w);
	jw_end_object(&w);
	buf_putc(out, '\n');
}

void
config_show(const struct config *c, bool json, struct buf *out)
{
	struct arena a;

	arena_init(&a);
	if (json)
		show_json(c, &a, out);
	else
		show_text(c, &a, out);
	arena_release(&a);
}

static void
show_default(const struct config_key *key, struct buf *out)
{
	if (key->value)
		buf_printf(out, "`%s`", key->value);
	else if (key->inherit)
		buf_printf(out, "as `%s`", key->inherit);
	else
		buf_puts(out, key->shown ? key->shown : key->required ? "required" : "none");
}

void
config_show_keys(struct buf *out)
{
	buf_puts(out, "| key | value | default | meaning |\n|---|---|---|---|\n");
	for (size_t i = 0; i < CONFIG_KEY_COUNT; i++) {
		const struct config_key *key = &CONFIG_KEYS[i];
		buf_printf(out, "| `%s` | ", key->path);
		config_value_expected(key, out);
		buf_puts(out, " | ");
		show_default(key, out);
		buf_printf(out, " | %s |\n", key->doc);
	}
}
