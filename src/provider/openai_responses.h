/* openai_responses - the responses API of OpenAI, at {base_url}/responses.
 * The provider keeps nothing (store: false): the whole transcript is sent, with the reasoning it
 * handed out as a cipher. */
#pragma once
#include "provider/dialect.h"
#include "provider/http_model.h"

extern const struct dialect DIALECT_OPENAI_RESPONSES;

struct provider *provider_openai_responses_new(const struct http_model_config *config);
