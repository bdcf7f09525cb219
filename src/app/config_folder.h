/* config_folder - where configuration and data are when nobody says: the XDG folders. */
#pragma once
#include "base/arena.h"
#include "base/str.h"

/* The file to read: given (of the command line) if not NULL, else $PERDURE_CONFIG, else
 * $XDG_CONFIG_HOME/perdure/config.yaml or ~/.config/perdure/config.yaml if that exists. NULL: none.
 * Texts live in a. */
const char *config_folder_find_file(const char *given, struct arena *a);
/* $XDG_STATE_HOME/perdure or ~/.local/state/perdure; empty when no home folder is known. */
struct str config_folder_data(struct arena *a);
/* The folder of a file, for the relative paths in it; empty: the working directory. */
struct str config_folder_of(struct str file);
