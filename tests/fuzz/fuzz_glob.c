/* Any pattern against any path (a line each): refused, or an answer; a path matches itself when it is
 * escaped, and `**` finds it unless something in it hides. */
#include "base/buf.h"
#include "tool/local/glob_match.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool
is_plain(struct str path)
{
	if (path.len == 0 || path.ptr[0] == '.' || path.ptr[0] == '/' ||
	    path.ptr[path.len - 1] == '/' || str_contains(path, STR("//")) ||
	    str_contains(path, STR("/.")))
		return false;
	return true;
}

static void
check_itself(struct arena *a, struct str path)
{
	struct glob_pattern p;
	struct buf escaped;
	struct err e;

	buf_init(&escaped, 4096);
	for (size_t i = 0; i < path.len; i++) {
		if (path.ptr[i] != '/' && (unsigned char)path.ptr[i] < 0x80)
			buf_putc(&escaped, '\\');
		buf_putc(&escaped, path.ptr[i]);
	}
	if (!escaped.overflow) {
		if (glob_pattern_parse(a, buf_str(&escaped), &p, &e) != 0 || !glob_match(&p, path))
			__builtin_trap();
		if (glob_pattern_parse(a, STR("**"), &p, &e) != 0 || !glob_match(&p, path))
			__builtin_trap();
	}
	buf_release(&escaped);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = { (const char *)data, size }, pattern, path;
	struct glob_pattern p;
	struct arena a;
	struct err e;

	str_cut(text, '\n', &pattern, &path);
	arena_init(&a);
	if (glob_pattern_parse(&a, pattern, &p, &e) == 0) {
		if (p.count > GLOB_ALTERNATIVES_MAX)
			__builtin_trap();
		glob_match(&p, path);
	}
	if (is_plain(path))
		check_itself(&a, path);
	arena_release(&a);
	return 0;
}
