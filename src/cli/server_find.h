/* server_find - where is the server, and which token does it want? Asked in this order:
 *   server  --server, $PERDURE_SERVER, perdure.sock in the data directory, http://127.0.0.1:7340
 *   token   --token-file, $PERDURE_TOKEN, owner.token in the data directory
 * The data directory is --data, $PERDURE_DATA, ./data or the state folder: the first that has the file.
 * A token that was only found lying there is for this machine: no other one is shown it. */
#pragma once
#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

#define SERVER_FIND_DEFAULT "http://127.0.0.1:7340"

struct server_facts { /* NULL: not given */
	const char *server, *token_file, *data;
	const char *env_server, *env_token, *env_data, *env_state, *env_home;
};

struct server_place {
	struct str url;         /* "http://127.0.0.1:7340": what paths are appended to */
	struct str unix_socket; /* its path; empty: TCP */
	struct str shown;       /* for people */
	struct str token;       /* empty: none was found */
	struct str token_from;  /* for people: "data/owner.token" */
};

/* The environment's part of the facts. */
struct server_facts server_find_environment(void);
/* Texts live in a. A file that was named and cannot be read is an error; one that is only looked for
 * is not. */
NODISCARD int
server_find(const struct server_facts *f, struct arena *a, struct server_place *out, struct err *e);
/* $XDG_STATE_HOME/perdure or ~/.local/state/perdure; empty when no home folder is known. */
struct str server_find_state(const struct server_facts *f, struct arena *a);
