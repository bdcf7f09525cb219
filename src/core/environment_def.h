/* environment_def - an environment's definition: what an API body makes of it, as the wire's object.
 *
 * Members: id, type, name, description, metadata, config, archived_at, created_at, updated_at.
 * config is one of
 *   {"type":"local","working_directory","sandbox":{"mode","workspace_access","network"},
 *    "mcp_servers":[],"env":{NAME:{"secret":…}}}     tools run on this machine
 *   {"type":"self_hosted"}                            a worker of the caller's runs them
 *   {"type":"cloud","networking","packages"}          kept as given, treated as self_hosted
 * and cloud when a body gives none, as on the wire. Within a type what a body does not give is
 * kept. A working directory of null: each session has a folder of its own below the data directory.
 * Values of environment variables are never stored: only which secret holds them. */
#pragma once
#include "core/definition.h"

enum {
	ENVIRONMENT_DESCRIPTION_MAX = 2048,
	ENVIRONMENT_PATH_MAX = 4096, /* bytes */
	ENVIRONMENT_VARIABLES_MAX = 64,
	ENVIRONMENT_ENTRIES_MAX = 256, /* hosts, packages of one manager */
};

NODISCARD int environment_def_make(const struct definition_facts *f, struct json body,
				   struct arena *a, struct definition_text *out, struct err *e);
