#include "app/zones.h"

#include <stdlib.h>

#include "base/file.h"
#include "base/map.h"
#include "base/xalloc.h"

struct zones {
	struct arena arena;
	struct map known; /* struct zone by name: the names of tzdata, so a few hundred at most */
};

struct zones *
zones_new(void)
{
	struct zones *z = xcalloc(1, sizeof *z);

	arena_init(&z->arena);
	map_init(&z->known, 0); /* only names that tzdata has get into it */
	return z;
}

void
zones_free(struct zones **z)
{
	if (!*z)
		return;
	map_release(&(*z)->known);
	arena_release(&(*z)->arena);
	free(TAKE(*z));
}

static int
load(struct zones *z, struct str name, const struct zone **out, struct err *e)
{
	struct zone *made;
	struct arena file;
	struct str tzif;
	int rc;

	arena_init(&file);
	rc = file_read_zoneinfo(name, &file, &tzif, e);
	made = ARENA_NEW(&z->arena, struct zone);
	if (rc == 0)
		rc = zone_parse(tzif, &z->arena, made, e);
	arena_release(&file);
	if (rc != 0)
		return rc;
	map_put(&z->known, arena_str(&z->arena, name), made);
	*out = made;
	return 0;
}

static int
find(void *ctx, struct str name, const struct zone **out, struct err *e)
{
	struct zones *z = ctx;
	const struct zone *known = map_find(&z->known, name);

	if (!known)
		return load(z, name, out, e);
	*out = known;
	return 0;
}

struct engine_zones
zones_port(struct zones *z)
{
	return (struct engine_zones){ find, z };
}
