/* openai_chat - the chat completions of OpenAI, at {base_url}/chat/completions; many servers speak
 * them (vLLM, llama.cpp, Ollama and others), each a little differently. */
#pragma once
#include "provider/dialect.h"
#include "provider/http_model.h"

extern const struct dialect DIALECT_OPENAI_CHAT;

struct provider *provider_openai_chat_new(const struct http_model_config *config);
