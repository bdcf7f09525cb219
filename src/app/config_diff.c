/* config_diff - what changed between two configurations, and can a running server take it over? */
#include "app/config_private.h"
#include "base/map.h"
#include "base/vec.h"

struct comparison {
	struct arena *a;
	struct map values; /* of the one compared with: path to its value as text */
	VEC(struct config_change) found;
};

static struct str
value_of(const struct config_setting *s, struct arena *a)
{
	struct buf text;
	struct str kept;

	buf_init(&text, CONFIG_YAML_BYTES_MAX * 2);
	config_value_format(s->key, s->object->base, &text);
	kept = arena_str(a, buf_str(&text));
	buf_release(&text);
	return kept;
}

static void
gather(struct comparison *x, const struct config *c)
{
	const struct config_object *object = NULL;
	struct config_setting s;

	map_release(&x->values);
	map_init(&x->values, 1); /* the operator's own words: nobody chooses collisions */
	for (size_t at = 0; config_next(c, &object, &at, &s);) {
		struct str *value = ARENA_NEW(x->a, struct str);
		*value = value_of(&s, x->a);
		IGNORE(map_put(&x->values, config_setting_path(&s, x->a), value)); /* new */
	}
}

/* What c has and the gathered one has not; with values, also what it has otherwise. */
static void
compare(struct comparison *x, const struct config *c, bool values)
{
	const struct config_object *object = NULL;
	struct config_setting s;

	for (size_t at = 0; config_next(c, &object, &at, &s);) {
		struct str path = config_setting_path(&s, x->a);
		const struct str *other = map_find(&x->values, path);
		bool same = other ? !values || str_eq(*other, value_of(&s, x->a))
				  : config_value_is_absent(s.key, s.object->base);
		if (!same)
			*vec_push(&x->found) = (struct config_change){ path, s.key->restart };
	}
}

bool
config_reloadable(const struct config *old, const struct config *now, struct arena *a,
		  struct config_changes *changes)
{
	struct comparison x = { .a = a };
	struct config_change *kept;
	bool good = true;

	map_init(&x.values, 1);
	gather(&x, old);
	compare(&x, now, true);
	gather(&x, now);
	compare(&x, old, false);
	kept = ARENA_ARRAY(a, x.found.len, struct config_change);
	for (size_t i = 0; i < x.found.len; i++) {
		kept[i] = x.found.ptr[i];
		good &= !kept[i].needs_restart;
	}
	*changes = (struct config_changes){ kept, x.found.len };
	vec_release(&x.found);
	map_release(&x.values);
	return good;
}
