/* real_engine - for api_rig: the engine on a store in memory, with the demo model. */
#pragma once
#include "api_rig.h"

/* The operator's token. */
#define REAL_OWNER_TOKEN "pdr_00000000000000000000000000000000000000000000000000000000000000aa"
