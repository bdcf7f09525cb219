#include "app/config_folder.h"

#include <stdlib.h>
#include <unistd.h>

/* By the XDG rules a relative one does not count. */
static const char *
absolute_env(const char *name)
{
	const char *value = getenv(name);

	return value && value[0] == '/' ? value : NULL;
}

/* The folder that variable names, else the usual one at home; empty without either. */
static struct str
xdg_folder(struct arena *a, const char *variable, const char *usual)
{
	const char *said = absolute_env(variable), *home = absolute_env("HOME");

	if (said)
		return arena_printf(a, "%s/perdure", said);
	if (home)
		return arena_printf(a, "%s/%s/perdure", home, usual);
	return (struct str){ 0 };
}

const char *
config_folder_find_file(const char *given, struct arena *a)
{
	const char *said = getenv("PERDURE_CONFIG");
	struct str folder, file;

	if (given)
		return given;
	if (said && said[0] != '\0')
		return said;
	folder = xdg_folder(a, "XDG_CONFIG_HOME", ".config");
	if (folder.len == 0)
		return NULL;
	file = arena_printf(a, STR_FMT "/config.yaml", STR_ARG(folder));
	return access(file.ptr, F_OK) == 0 ? file.ptr : NULL;
}

struct str
config_folder_data(struct arena *a)
{
	return xdg_folder(a, "XDG_STATE_HOME", ".local/state");
}

struct str
config_folder_of(struct str file)
{
	size_t end = file.len;

	while (end > 0 && file.ptr[end - 1] != '/')
		end--;
	while (end > 1 && file.ptr[end - 1] == '/')
		end--;
	return str_slice(file, 0, end);
}
