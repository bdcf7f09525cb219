/* bench_store [results.json] - the SQLite store beside what the disk and bare SQLite allow. Its files
 * are made beside the results, on the filesystem that is measured, and removed afterwards. */
#include <ftw.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bare_sqlite.h"
#include "base/clock.h"
#include "base/xalloc.h"
#include "bench.h"
#include "raw_append.h"
#include "store/migrate.h"
#include "store_load.h"
#include "store_pages.h"

enum { BYTES_MESSAGES = 40000, LISTED_SESSIONS = 1000000, LOADED_EVENTS = 10000 };

struct world {
	char dir[4000];
	struct raw_append raw;
	struct bare_sqlite bare;
	struct store_load *load;
	struct store *listed, *loaded;
	double bytes_per_message;
};

static double
store_1(void *w)
{
	bench_await_quiet();
	return store_load_per_second(((struct world *)w)->load, 1);
}

static double
store_burst_100(void *w)
{
	bench_await_quiet();
	return store_load_bursts_per_second(((struct world *)w)->load, 100);
}

static double
store_256(void *w)
{
	bench_await_quiet();
	return store_load_per_second(((struct world *)w)->load, 256);
}

static double
raw(void *w)
{
	bench_await_quiet();
	return raw_append_per_second(&((struct world *)w)->raw);
}

static double
bare_100(void *w)
{
	bench_await_quiet();
	return bare_sqlite_per_second(&((struct world *)w)->bare, 100);
}

static double
bare_256(void *w)
{
	bench_await_quiet();
	return bare_sqlite_per_second(&((struct world *)w)->bare, 256);
}

static double
list_ms(void *w)
{
	return store_pages_list_ms(((struct world *)w)->listed);
}

static double
load_ms(void *w)
{
	return store_pages_load_ms(((struct world *)w)->loaded);
}

static double
bytes_per_message(void *w)
{
	return ((struct world *)w)->bytes_per_message;
}

static const char *
below(const struct world *w, const char *name, char path[4096])
{
	snprintf(path, 4096, "%s/%s", w->dir, name);
	if (mkdir(path, 0700) != 0) {
		perror(path);
		abort();
	}
	return path;
}

static off_t counted_bytes; /* nftw hands no context to its callback */

static int
count_bytes(const char *path, const struct stat *st, int flag, struct FTW *at)
{
	(void)path;
	(void)at;
	counted_bytes += flag == FTW_F ? st->st_size : 0;
	return 0;
}

/* Everything the directory holds after a close, indexes and sessions included. */
static double
measure_bytes(const struct world *w)
{
	char path[4096];
	struct store_load *l = store_load_new(below(w, "bytes", path));

	store_load_send(l, BYTES_MESSAGES);
	store_pages_await_index(store_load_store(l));
	store_load_free(&l);
	counted_bytes = 0;
	nftw(path, count_bytes, 16, FTW_PHYS);
	return (double)counted_bytes / BYTES_MESSAGES;
}

static void
set_up(struct world *w, const char *results)
{
	char path[4096], *copy = xstrdup(results ? results : "./results.json");

	snprintf(w->dir, sizeof w->dir, "%s/bench-store-XXXXXX", dirname(copy));
	free(copy);
	if (!mkdtemp(w->dir)) {
		perror(w->dir);
		abort();
	}
	raw_append_init(&w->raw, w->dir);
	bare_sqlite_init(&w->bare, w->dir, MIGRATE_SQLITE);
	w->bytes_per_message = measure_bytes(w);
	w->listed = store_pages_open_listed(below(w, "listed", path), LISTED_SESSIONS);
	w->loaded = store_pages_open_loaded(below(w, "loaded", path), LOADED_EVENTS);
	w->load = store_load_new(below(w, "load", path));
}

static int
remove_one(const char *path, const struct stat *st, int flag, struct FTW *at)
{
	(void)st;
	(void)flag;
	(void)at;
	return remove(path);
}

static void
tear_down(struct world *w)
{
	store_load_free(&w->load);
	store_free(&w->listed);
	store_free(&w->loaded);
	bare_sqlite_release(&w->bare);
	raw_append_release(&w->raw);
	nftw(w->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

int
main(int argc, char **argv)
{
	static const char RAW[] = "append 600 bytes to a file and fdatasync, one after the other",
			  BARE[] =
				  "a loop on one thread that writes the same rows with bare SQLite "
				  "(same schema, indexes, pragmas and checkpoints) in transactions "
				  "of the same size";
	static struct world w;
	const char *results = argc > 1 ? argv[1] : NULL;
	int status;

	set_up(&w, results);
	const struct bench benches[] = {
		{ "store.append.1", "/s", store_1, raw, &w, BENCH_AT_LEAST, 0.5, RAW },
		{ "store.append.group100", "/s", store_burst_100, bare_100, &w, BENCH_AT_LEAST,
		  0.75, BARE },
		{ "store.append.256", "/s", store_256, bare_256, &w, BENCH_AT_LEAST, 0.75, BARE },
		{ "store.append.256.raw", "/s", store_256, raw, &w, BENCH_AT_LEAST, 3, RAW },
		{ "store.list.1m", "ms", list_ms, NULL, &w, BENCH_AT_MOST, 1, NULL },
		{ "store.load.10k", "ms", load_ms, NULL, &w, BENCH_AT_MOST, 30, NULL },
		{ "store.bytes_per_message", "bytes", bytes_per_message, NULL, &w, BENCH_AT_MOST,
		  1300, NULL },
	};
	status = bench_run(benches, ARRAY_LEN(benches), results);
	tear_down(&w);
	return status;
}
