#include "core/wildcard.h"

/* On a mismatch only the last `*` can usefully take one more byte: no recursion is needed. */
static bool
match_whole(struct str pattern, struct str text)
{
	size_t p = 0, t = 0;
	size_t star = pattern.len; /* position of the last `*` passed; pattern.len: none yet */
	size_t resume = 0;         /* where the text goes on when that `*` takes one more byte */

	while (t < text.len) {
		if (p < pattern.len && pattern.ptr[p] == '*') {
			star = p++;
			resume = t;
		} else if (p < pattern.len && pattern.ptr[p] == text.ptr[t]) {
			p++;
			t++;
		} else if (star < pattern.len) {
			p = star + 1;
			t = ++resume;
		} else {
			return false;
		}
	}
	while (p < pattern.len && pattern.ptr[p] == '*')
		p++;
	return p == pattern.len;
}

bool
wildcard_match(struct str pattern, struct str text)
{
	if (match_whole(pattern, text))
		return true;
	return pattern.len > 2 && str_ends(pattern, STR(" *")) &&
	       match_whole(str_slice(pattern, 0, pattern.len - 2), text);
}
