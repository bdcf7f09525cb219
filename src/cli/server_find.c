#include "cli/server_find.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "net/http_url.h"

enum { TOKEN_FILE_MAX = 4096, FOLDERS_MAX = 4 };

struct server_facts
server_find_environment(void)
{
	return (struct server_facts){
		.env_server = getenv("PERDURE_SERVER"),
		.env_token = getenv("PERDURE_TOKEN"),
		.env_data = getenv("PERDURE_DATA"),
		.env_state = getenv("XDG_STATE_HOME"),
		.env_home = getenv("HOME"),
	};
}

static bool
is_given(const char *text)
{
	return text && text[0] != '\0';
}

struct str
server_find_state(const struct server_facts *f, struct arena *a)
{
	if (f->env_state && f->env_state[0] == '/')
		return arena_printf(a, "%s/perdure", f->env_state);
	if (f->env_home && f->env_home[0] == '/')
		return arena_printf(a, "%s/.local/state/perdure", f->env_home);
	return (struct str){ 0 };
}

/* Where a data directory may be; those that are named leave no choice. */
static size_t
list_folders(const struct server_facts *f, struct arena *a, struct str out[FOLDERS_MAX])
{
	size_t n = 0;

	if (is_given(f->data)) {
		out[n++] = str_of(f->data);
		return n;
	}
	if (is_given(f->env_data)) {
		out[n++] = str_of(f->env_data);
		return n;
	}
	out[n++] = STR("data");
	out[n] = server_find_state(f, a);
	return n + (out[n].len > 0);
}

/* ---- the server ---- */

static bool
find_socket(const struct server_facts *f, struct arena *a, struct str *out)
{
	struct str folders[FOLDERS_MAX];
	size_t count = list_folders(f, a, folders);

	for (size_t i = 0; i < count; i++) {
		struct str path = arena_printf(a, STR_FMT "/perdure.sock", STR_ARG(folders[i]));
		struct stat st;

		if (stat(path.ptr, &st) == 0 && S_ISSOCK(st.st_mode)) {
			*out = path;
			return true;
		}
	}
	return false;
}

static void
use_socket(struct server_place *out, struct arena *a, struct str path)
{
	out->unix_socket = arena_str(a, path);
	out->url = STR("http://localhost");
	out->shown = arena_printf(a, "unix:" STR_FMT, STR_ARG(path));
}

/* A token that nobody named may be shown to whom? */
static bool
is_this_machine(const struct server_place *p, const struct http_url *url)
{
	if (p->unix_socket.len > 0)
		return true;
	if (url->is_address)
		return net_address_kind(&url->address) == NET_ADDRESS_LOOPBACK;
	return str_eq(url->host, STR("localhost"));
}

static int
find_server(const struct server_facts *f, struct arena *a, struct server_place *out, bool *is_local,
	    struct err *e)
{
	const char *said = is_given(f->server) ? f->server : f->env_server;
	struct str path, text = STR(SERVER_FIND_DEFAULT);
	struct http_url url = { 0 };
	int rc;

	if (!is_given(said) && find_socket(f, a, &path)) {
		use_socket(out, a, path);
	} else if (is_given(said) && str_starts(str_of(said), STR("unix:"))) {
		use_socket(out, a, str_of(said + strlen("unix:")));
	} else {
		if (is_given(said))
			text = str_of(said);
		if (!str_contains(text, STR("://")))
			text = arena_printf(a, "http://" STR_FMT, STR_ARG(text));
		while (str_ends(text, STR("/")))
			text.len--;
		rc = http_url_parse(a, text, &url, e);
		if (rc != 0)
			return err_prefix(e, ERR_USAGE, "%s: ",
					  is_given(f->server) ? "--server" : "$PERDURE_SERVER");
		out->url = out->shown = arena_str(a, text);
	}
	*is_local = is_this_machine(out, &url);
	return 0;
}

/* ---- the token ---- */

static int
check_token(struct str token, const char *from, struct err *e)
{
	for (size_t i = 0; i < token.len; i++)
		if (token.ptr[i] <= ' ' || token.ptr[i] > '~')
			return err_set(e, ERR_USAGE, "%s: holds no token", from);
	return token.len > 0 ? 0 : err_set(e, ERR_USAGE, "%s: is empty", from);
}

static int
read_token(const char *path, struct arena *a, struct server_place *out, struct err *e)
{
	struct str text;
	int rc = file_read(path, TOKEN_FILE_MAX, a, &text, e);

	if (rc != 0)
		return rc;
	text = str_trim(text);
	rc = check_token(text, path, e);
	if (rc != 0)
		return rc;
	out->token = text;
	out->token_from = arena_str(a, str_of(path));
	return 0;
}

static int
look_for_token(const struct server_facts *f, struct arena *a, struct server_place *out,
	       struct err *e)
{
	struct str folders[FOLDERS_MAX];
	size_t count = list_folders(f, a, folders);

	for (size_t i = 0; i < count; i++) {
		struct str path = arena_printf(a, STR_FMT "/owner.token", STR_ARG(folders[i]));

		if (access(path.ptr, F_OK) == 0)
			return read_token(path.ptr, a, out, e);
	}
	if (is_given(f->data))
		return err_set(e, ERR_NOT_FOUND,
			       "%s has no owner.token: is it a server's data directory?", f->data);
	return 0;
}

int
server_find(const struct server_facts *f, struct arena *a, struct server_place *out, struct err *e)
{
	struct server_place p = { 0 };
	bool is_local = false;
	int rc = find_server(f, a, &p, &is_local, e);

	if (rc != 0)
		return rc;
	if (is_given(f->token_file)) {
		rc = read_token(f->token_file, a, &p, e);
	} else if (is_given(f->env_token)) {
		p.token = str_trim(str_of(f->env_token));
		p.token_from = STR("$PERDURE_TOKEN");
		rc = check_token(p.token, "$PERDURE_TOKEN", e);
	} else if (is_local || is_given(f->data)) {
		rc = look_for_token(f, a, &p, e);
	}
	if (rc == 0)
		*out = p;
	return rc;
}
