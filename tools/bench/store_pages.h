/* store_pages - stores with much in them, and how long it takes to read a little or all of it. */
#pragma once
#include "store/store.h"

/* That many sessions, written below the store as no client could wait for them. */
struct store *store_pages_open_listed(const char *directory, int sessions);
/* One transcript of so many events, its rows between those of three others. */
struct store *store_pages_open_loaded(const char *directory, int events);

/* The newest 50 sessions. */
double store_pages_list_ms(struct store *s);
/* Every event of the transcript, in pages of 1,000. */
double store_pages_load_ms(struct store *s);
/* Returns when the search index has caught up with the log. */
void store_pages_await_index(struct store *s);
