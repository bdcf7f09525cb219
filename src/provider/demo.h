/* demo - the built-in model: deterministic, needs no key and no network.
 *
 * Lines of what the user wrote are carried out in order:
 *   say TEXT              streamed in small pieces
 *   think TEXT            thinking
 *   wait SECONDS          decimals; a request that waits can be cancelled
 *   tool NAME {json}      ends the request with this call; once its result is in the transcript a
 *                         message with the output follows, and then the remaining lines
 *   fail KIND             overloaded, rate_limit, disconnect, malformed or context_length
 * Any other text gets an answer that shows what the session knows and how to set up a real model.
 *
 * What the user wrote: everything since the model last came to an end by itself, so that messages
 * which share a turn, and those that steer one, all count. */
#pragma once
#include "base/host.h"
#include "provider/provider.h"

enum { DEMO_CONTEXT_TOKENS = 32000 };

struct provider *provider_demo_new(struct host *host);
