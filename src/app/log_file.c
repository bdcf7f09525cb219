#include "app/log_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"

enum { MODE = 0640 }; /* who rotates may be of the group */

/* Without waiting for a reader, if it is a pipe: the loop would wait with it. */
static int
open_file(const char *path, int *out, struct err *e)
{
	int fd =
		open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, MODE);
	struct stat st;

	if (fd < 0 && errno != ENXIO)
		return err_set(e, ERR_IO, "log.file %s: cannot be opened: %s", path,
			       strerror(errno));
	if (fd < 0 || fstat(fd, &st) != 0 || (!S_ISREG(st.st_mode) && !S_ISCHR(st.st_mode))) {
		if (fd >= 0)
			close(fd);
		return err_set(e, ERR_INVALID, "log.file %s: is not a regular file", path);
	}
	*out = fd;
	return 0;
}

void
log_file_init(struct log_file *f)
{
	f->fd = -1;
}

/* A line is written under the lock that log_init takes: none is on its way to the old one. */
static void
swap(struct log_file *f, int fd, const struct config *config)
{
	int old = f->fd;

	log_init(fd >= 0 ? fd : STDERR_FILENO, config->log.level);
	log_use_form(config->log.format == CONFIG_LOG_TEXT ? LOG_FORM_TEXT : LOG_FORM_JSON);
	f->fd = fd;
	if (old >= 0)
		close(old);
}

int
log_file_use(struct log_file *f, const struct config *config, struct err *e)
{
	int fd = -1, rc = 0;

	if (config->log.file.len > 0)
		rc = open_file(config->log.file.ptr, &fd, e);
	if (rc == 0)
		swap(f, fd, config);
	return rc;
}

void
log_file_release(struct log_file *f)
{
	if (f->fd < 0)
		return;
	log_init(STDERR_FILENO, LOG_INFO);
	close(f->fd);
	f->fd = -1;
}
