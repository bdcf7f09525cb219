/* Any text as a command: refused with a sentence, or what it asks for fits the row it names. */
#include "core/chat_command.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_line(const struct chat_line *line, size_t size)
{
	const struct chat_command *c = line->command;

	if (line->text.len > size || line->question.len > size || line->count < 0)
		__builtin_trap();
	if (line->flag && !c->flag)
		__builtin_trap();
	if (line->count > 0 && c->takes != CHAT_TAKES_COUNT)
		__builtin_trap();
	if (c->takes == CHAT_TAKES_TEXT && line->text.len == 0)
		__builtin_trap();
	if (line->question.len > 0 && c->takes != CHAT_TAKES_QUESTION)
		__builtin_trap();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = { (const char *)data, size };
	struct chat_line line;
	struct arena a;
	struct err e = { 0 };
	int rc;

	arena_init(&a);
	rc = chat_command_parse(text, &a, &line, &e);
	if (rc == 0)
		check_line(&line, size);
	else if (rc != ERR_INVALID || e.text[0] == '\0')
		__builtin_trap();
	if (rc == 0 && !chat_command_is(text))
		__builtin_trap();
	arena_release(&a);
	return 0;
}
