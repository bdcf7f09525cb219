#include "app/session_folder.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "core/session.h"

enum { PATH_MAX_BYTES = 4000 };

void
session_folder_path(const struct session_folder *f, struct buf *out)
{
	buf_printf(out, STR_FMT "/agents/", STR_ARG(f->data));
	session_id_file_name(out, f->agent);
	if (f->session.len > 0)
		buf_puts(out, "/sessions/");
	session_id_file_name(out, f->session);
	buf_putc(out, '/');
	buf_put_str(out, f->part);
}

/* The last part is usually there already: one call then. */
static int
make_parts(char *path, size_t from)
{
	int rc = mkdir(path, 0700);

	if (rc == 0 || errno != ENOENT)
		return rc;
	for (char *at = path + from; (at = strchr(at + 1, '/'));) {
		*at = '\0';
		rc = mkdir(path, 0700);
		*at = '/';
		if (rc != 0 && errno != EEXIST)
			return rc;
	}
	return mkdir(path, 0700);
}

int
session_folder_make(const struct session_folder *f, struct arena *a, struct str *out, struct err *e)
{
	char text[PATH_MAX_BYTES + 1] = "";
	struct buf b;
	int rc;

	buf_init(&b, PATH_MAX_BYTES);
	session_folder_path(f, &b);
	rc = buf_check(&b, "the path of the session's folder", e);
	if (rc == 0)
		memcpy(text, b.ptr, b.len);
	buf_release(&b);
	if (rc != 0)
		return rc;
	if (make_parts(text, f->data.len) != 0 && errno != EEXIST)
		return err_set(e, errno == ENOSPC ? ERR_NO_SPACE : ERR_IO,
			       "cannot make the folder %s: %s", text, strerror(errno));
	*out = arena_str(a, str_of(text));
	return 0;
}
