/* fuzz_shell_split - any bytes: no crash, and what comes out is inside its promises. */
#include <stdint.h>
#include <stdlib.h>

#include "core/shell_runner.h"
#include "core/shell_split.h"

static void
check_command(const struct shell_command *c)
{
	struct str inner[SHELL_INNER_MAX];
	size_t words = 0;

	for (size_t i = 0; i < c->word_count; i++) {
		if (c->words[i].ptr < c->text.ptr ||
		    c->words[i].ptr + c->words[i].len > c->text.ptr + c->text.len)
			abort();
		words += c->words[i].len + (i > 0);
	}
	if (words != c->text.len || c->text.len > SHELL_LINE_MAX_BYTES)
		abort();
	if (shell_runner_inner(c, inner) > SHELL_INNER_MAX)
		abort();
	(void)shell_runner_hides(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str line = { (const char *)data, size };
	struct shell_line out = { 0 };
	struct err e = { 0 };
	struct arena a;

	arena_init(&a);
	if (shell_split(line, &a, &out, &e) == 0) {
		for (size_t i = 0; i < out.count; i++)
			check_command(&out.commands[i]);
	} else if (out.count != 0 || e.code != ERR_INVALID) {
		abort();
	}
	arena_release(&a);
	return 0;
}
