/* restart - the server ends in good order and begins anew: who may ask for that, would the next start come
 * up, and what is told. How a process does it is the port's (struct engine_process).
 * Commands of engine.h: engine_restart, engine_self. */
#pragma once
#include "engine/engine_private.h"
