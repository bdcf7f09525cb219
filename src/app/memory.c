#include "app/memory.h"

#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

#include "base/str.h"

void
memory_init(void)
{
	/* Said, it no longer grows to 32 MiB with the first large block that is freed. */
	mallopt(M_MMAP_THRESHOLD, MEMORY_LARGE_BYTES);
	mallopt(M_TRIM_THRESHOLD, 2 * MEMORY_LARGE_BYTES);
}

/* Resident and not of a file. */
static size_t
resident_bytes(void)
{
	char text[128];
	struct str rest, part;
	int64_t pages[3] = { 0 }; /* size, resident, shared */
	int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	ssize_t len = fd >= 0 ? read(fd, text, sizeof text) : -1;

	if (fd >= 0)
		close(fd);
	rest = (struct str){ text, len > 0 ? (size_t)len : 0 };
	for (size_t i = 0; i < 3; i++) {
		str_cut(rest, ' ', &part, &rest);
		if (!str_to_int(part, &pages[i]))
			return 0;
	}
	return pages[1] > pages[2] ? (size_t)(pages[1] - pages[2]) * (size_t)sysconf(_SC_PAGESIZE)
				   : 0;
}

static size_t
waste_bytes(void)
{
	struct mallinfo2 info = mallinfo2();
	size_t resident = resident_bytes(), used = info.uordblks + info.hblkhd;

	return resident > used ? resident - used : 0;
}

bool
memory_is_wasted(const struct memory *m, size_t waste_bytes)
{
	return waste_bytes > m->kept_bytes + MEMORY_WASTE_BYTES;
}

void
memory_give_back(struct memory *m)
{
	size_t waste = waste_bytes();

	if (waste < m->kept_bytes)
		m->kept_bytes = waste; /* it found a use */
	if (!memory_is_wasted(m, waste))
		return;
	malloc_trim(0);
	m->kept_bytes = waste_bytes();
}
