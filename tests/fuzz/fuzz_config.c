/* fuzz_config - any bytes as a configuration: refused with sentences that have a place in the text, or
 * in range and shown as valid JSON; loading it again changes nothing. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

#include "app/config.h"
#include "app/config_show.h"
#include "base/json.h"
#include "base/utf8.h"

static void
check_problems(const struct config_problems *p)
{
	assert(p->count > 0);
	for (size_t i = 0; i < p->count && i < CONFIG_PROBLEMS_MAX; i++) {
		const struct config_problem *one = &p->list[i];
		assert(one->text[0] != '\0' && !strchr(one->text, '\n'));
		assert(utf8_valid(str_of(one->text)));
		assert(one->at.line >= 0 && one->at.column >= 0);
	}
}

static void
check_config(const struct config *c, const struct config_source *from)
{
	struct config *again = NULL;
	struct config_changes changes;
	struct config_problems p;
	struct json_doc doc;
	struct arena a;
	struct buf shown;
	struct err e;

	assert(c->listen.len > 0 && c->data.len > 0 && c->model.len > 0);
	assert(c->queue.depth >= 1 && c->queue.depth <= 1000);
	for (size_t i = 0; i < c->providers.len; i++)
		assert((c->providers.ptr[i].api_key_env.len > 0) !=
		       (c->providers.ptr[i].api_key_file.len > 0));
	arena_init(&a);
	buf_init(&shown, 64 << 20);
	config_show(c, false, &shown);
	buf_clear(&shown);
	config_show(c, true, &shown);
	assert(json_parse(&a, buf_str(&shown), &JSON_LIMITS_DEFAULT, &doc, &e) == 0);
	assert(config_load_with(from, &again, &p, &e) == 0);
	assert(config_reloadable(c, again, &a, &changes) && changes.len == 0);
	config_free(&again);
	buf_release(&shown);
	arena_release(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct config_source from = {
		.file = "c.yaml",
		.text = { size > 0 ? (const char *)data : "", size },
	};
	struct config *c = NULL;
	struct config_problems p;
	struct err e;

	setenv("HOME", "/h", 1);
	if (config_load_with(&from, &c, &p, &e) == 0)
		check_config(c, &from);
	else
		check_problems(&p);
	config_free(&c);
	return 0;
}
