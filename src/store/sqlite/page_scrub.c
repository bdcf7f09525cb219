#include "store/sqlite/page_scrub.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

/* Of the file format, which does not change: sqlite.org/fileformat2.html. */
enum {
	FIRST_PAGE_HEADER = 100,
	INTERIOR_INDEX = 2,
	INTERIOR_TABLE = 5,
	LEAF_INDEX = 10,
	LEAF_TABLE = 13,
	PAGE_BYTES_MIN = 512,
};
/* Other pages begin with the number of another page, most significant byte first: below this that byte is
 * no type of a b-tree page. 128 GiB. */
static const sqlite3_int64 PAGES_MAX = INTERIOR_INDEX << 24;

static size_t
page_scrub_number(const unsigned char *at)
{
	return (size_t)at[0] << 8 | at[1];
}

void
page_scrub_clean(unsigned char *page, size_t bytes, sqlite3_int64 number)
{
	unsigned char *header = page + (number == 1 ? FIRST_PAGE_HEADER : 0);
	size_t from, to;

	switch (header[0]) {
	case INTERIOR_INDEX:
	case INTERIOR_TABLE: from = 12; break;
	case LEAF_INDEX:
	case LEAF_TABLE: from = 8; break;
	default: return;
	}
	from += (size_t)(header - page) + 2 * page_scrub_number(header + 3);
	to = page_scrub_number(header + 5);
	if (to == 0)
		to = PAGE_SCRUB_BYTES;
	if (number < PAGES_MAX && from < to && to <= bytes)
		memset(page + from, 0, to - from);
}

static int
page_scrub_on_write(sqlite3_file *file, const void *bytes, int len, sqlite3_int64 offset)
{
	struct page_scrub *s = (struct page_scrub *)(uintptr_t)file->pMethods;

	if (len < PAGE_BYTES_MIN || len > PAGE_SCRUB_BYTES || offset % len != 0)
		return s->real->xWrite(file, bytes, len, offset); /* no page */
	memcpy(s->page, bytes, (size_t)len);
	page_scrub_clean(s->page, (size_t)len, offset / len + 1);
	return s->real->xWrite(file, s->page, len, offset);
}

void
page_scrub_install(struct page_scrub *s, sqlite3_file *file)
{
	if (!s->page)
		s->page = xmalloc(PAGE_SCRUB_BYTES);
	s->real = file->pMethods;
	s->methods = *file->pMethods;
	s->methods.xWrite = page_scrub_on_write;
	file->pMethods = &s->methods;
}

void
page_scrub_release(struct page_scrub *s)
{
	free(s->page);
	s->page = NULL;
}
