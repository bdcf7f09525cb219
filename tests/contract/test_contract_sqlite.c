/* The contract on store/sqlite, each store in a directory of its own. */
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "contract_store.h"
#include "store/sqlite/sqlite.h"

struct place {
	char directory[128];
	int incarnations;
};

static char all[64]; /* holds every directory of this run, so that a failed case leaves none */

static struct store *
open_at(struct place *p, struct store_owner owner)
{
	char incarnation[16];
	struct store_sqlite_config config = { .directory = p->directory };
	struct store *s = NULL;
	struct err e;

	snprintf(incarnation, sizeof incarnation, "%d", ++p->incarnations);
	config.incarnation = str_of(incarnation);
	if (store_sqlite_open(&s, &config, owner, &e) != 0)
		fail_msg("%s: %s", p->directory, e.text);
	return s;
}

static struct store *
open_sqlite(void **place, struct store_owner owner)
{
	struct place *p = xcalloc(1, sizeof *p);

	snprintf(p->directory, sizeof p->directory, "%s/XXXXXX", all);
	if (!mkdtemp(p->directory))
		fail_msg("no directory for the store");
	*place = p;
	return open_at(p, owner);
}

static struct store *
restart_sqlite(void *place, struct store *s, struct store_owner owner)
{
	store_free(&s);
	return open_at(place, owner);
}

static int
remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st, (void)kind, (void)at;
	return remove(path);
}

static void
remove_tree(const char *path)
{
	nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void
clear_sqlite(void *place)
{
	struct place *p = place;

	remove_tree(p->directory);
	free(p);
}

int
main(void)
{
	static const struct contract_adapter SQLITE = {
		.name = "store/sqlite",
		.open = open_sqlite,
		.restart = restart_sqlite,
		.clear = clear_sqlite,
	};
	int failed;

	/* What a sync is worth is proven elsewhere; here it would only take time. */
	snprintf(all, sizeof all, "%s/perdure-contract-XXXXXX",
		 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	if (!mkdtemp(all))
		return 1;
	failed = contract_store_run(&SQLITE);
	remove_tree(all);
	return failed;
}
