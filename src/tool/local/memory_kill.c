#include "tool/local/memory_kill.h"

#include "base/arena.h"
#include "base/err.h"
#include "base/file.h"

enum { FILE_BYTES = 256 * 1024 };

int64_t
memory_kill_parse(struct str counters)
{
	struct str line, name, number;
	int64_t count;

	while (counters.len > 0) {
		str_cut(counters, '\n', &line, &counters);
		str_cut(line, ' ', &name, &number);
		if (str_eq(name, STR("oom_kill")) && str_to_int(number, &count) && count >= 0)
			return count;
	}
	return -1;
}

static int64_t
count_in(const char *path)
{
	struct str counters;
	struct arena a;
	struct err e;
	int64_t count = -1;

	arena_init(&a);
	if (file_read(path, FILE_BYTES, &a, &counters, &e) == 0)
		count = memory_kill_parse(counters);
	arena_release(&a);
	return count;
}

int64_t
memory_kill_machine(void)
{
	return count_in("/proc/vmstat");
}

int64_t
memory_kill_group(const char *path)
{
	struct arena a;
	int64_t count;

	if (!path)
		return -1;
	arena_init(&a);
	count = count_in(arena_printf(&a, "%s/memory.events", path).ptr);
	arena_release(&a);
	return count;
}
