/* page_scrub - the writer's way to the database file: what a page does not use is written as zeros.
 *
 * secure_delete overwrites rows where they are, but when SQLite moves rows from one page to another it
 * leaves what it moved in the unused middle of the first one, where no later delete finds it
 * (docs/decisions/0042). Every page passes here on its way from the write-ahead log into the database. */
#pragma once
#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>

struct page_scrub {
	sqlite3_io_methods methods; /* first: a file's methods lead back here */
	const sqlite3_io_methods *real;
	unsigned char *page; /* PAGE_SCRUB_BYTES, freed by release */
};
enum { PAGE_SCRUB_BYTES = 65536 };

/* Stands in front of an open database file of one connection; s must stay until it is closed. */
void page_scrub_install(struct page_scrub *s, sqlite3_file *file);
void page_scrub_release(struct page_scrub *s);
/* Zeroes what lies between a b-tree page's cell pointers and its cells; leaves any other page alone.
 * number counts from 1. */
void page_scrub_clean(unsigned char *page, size_t bytes, sqlite3_int64 number);
