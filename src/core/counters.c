#include "core/counters.h"

static int64_t
usage_count(struct json usage, const char *name)
{
	struct json v;
	int64_t count = 0;

	if (json_find(usage, str_of(name), &v))
		json_int(v, &count);
	return count;
}

static void
add(int64_t *sum, int64_t more)
{
	if (__builtin_add_overflow(*sum, more, sum))
		*sum = INT64_MAX;
}

void
counters_add_request(struct session_counters *c, struct json payload)
{
	struct json usage, cost;
	struct usage u;
	int64_t prompt = 0;

	if (!json_find(payload, STR("model_usage"), &usage))
		return;
	u = (struct usage){
		.input = usage_count(usage, "input_tokens"),
		.output = usage_count(usage, "output_tokens"),
		.reasoning = usage_count(usage, "reasoning_tokens"),
		.cache_read = usage_count(usage, "cache_read_input_tokens"),
		.cache_write = usage_count(usage, "cache_creation_input_tokens"),
	};
	add(&prompt, u.input);
	add(&prompt, u.cache_read);
	add(&prompt, u.cache_write);
	add(&c->usage.input, u.input);
	add(&c->usage.output, u.output);
	add(&c->usage.reasoning, u.reasoning);
	add(&c->usage.cache_read, u.cache_read);
	add(&c->usage.cache_write, u.cache_write);
	add(&c->total_tokens, prompt);
	add(&c->total_tokens, u.output);
	if (prompt > 0)
		c->last_prompt_tokens = prompt;
	add(&c->cost_picodollars, usage_count(usage, "cost_picodollars"));
	if (json_find(usage, STR("cost_picodollars"), &cost))
		c->priced_requests++;
	else
		c->unpriced_requests++;
}
