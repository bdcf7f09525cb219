/* host_loop - base/host on the program's loop. */
#pragma once
#include "base/host.h"
#include "net/loop.h"

struct host *host_loop_new(struct loop *loop);
/* After everything that has a timer of it. */
void host_loop_free(struct host **host);
