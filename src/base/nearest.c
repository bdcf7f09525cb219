#include "base/nearest.h"

enum { WORD_MAX = 40 }; /* longer ones are no slip of the finger */

/* How many single-character edits lead from a to b; SIZE_MAX for long texts. */
static size_t
edit_distance(struct str a, struct str b)
{
	size_t row[WORD_MAX + 1];

	if (a.len > WORD_MAX || b.len > WORD_MAX)
		return SIZE_MAX;
	for (size_t j = 0; j <= b.len; j++)
		row[j] = j;
	for (size_t i = 1; i <= a.len; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= b.len; j++) {
			size_t best = diagonal + (a.ptr[i - 1] != b.ptr[j - 1]);

			diagonal = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[b.len];
}

struct nearest
nearest_of(struct str written)
{
	return (struct nearest){ .written = written, .best = written.len / 3 + 1 };
}

void
nearest_offer(struct nearest *n, struct str known)
{
	size_t distance = edit_distance(n->written, known);

	if (distance < n->best || (distance == n->best && !n->found.ptr)) {
		n->best = distance;
		n->found = known;
	}
}
