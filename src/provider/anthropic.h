/* anthropic - the messages API of Anthropic, at {base_url}/v1/messages.
 * The prompt is marked for its cache behind the tools and the system prompt, and behind the last two
 * messages of the user's: what was read once is read from there the next time. */
#pragma once
#include "provider/dialect.h"
#include "provider/http_model.h"

extern const struct dialect DIALECT_ANTHROPIC;

struct provider *provider_anthropic_new(const struct http_model_config *config);
