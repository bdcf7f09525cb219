/* log_file - where do lines of the log go: standard error, or the file of log.file?
 * The file is appended to and opened anew at every reload, so that a rotated one is left alone. */
#pragma once
#include "app/config.h"
#include "base/err.h"

struct log_file {
	int fd; /* of the file; -1: standard error */
};

/* Standard error, until log_file_use. */
void log_file_init(struct log_file *f);
/* Opens what config names and lets all lines go there, in its level and form. On error everything stays
 * as it was: the old file, too. */
NODISCARD int log_file_use(struct log_file *f, const struct config *config, struct err *e);
/* Back to standard error. */
void log_file_release(struct log_file *f);
