/* config_rows - configurations as text: what they are refused for, and what they mean. */
#pragma once
#include "app/config.h"
#include "harness.h"

/* The file's name in every message. */
#define CONFIG_ROWS_FILE "c.yaml"

struct config_row {
	const char *name, *text;
	const char *want; /* all problems, a line each, without the last line end */
};
/* Fails unless the text is refused with exactly that. */
void config_row_refused(void **state);

/* The configuration of a text that must be fine; free it. */
struct config *config_rows_load(const char *text);
/* The configuration of a file, or of none: NULL. */
int config_rows_read(const char *path, struct config **out, struct err *e);
/* A fresh folder under TMPDIR; remove it with config_rows_rmdir once its files are gone. */
void config_rows_mkdir(char path[64]);
/* Writes a file of mode 0600 and gives its path in out. */
void config_rows_write(const char *folder, const char *name, const char *text, char out[128]);
