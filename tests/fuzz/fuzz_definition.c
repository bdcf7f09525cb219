/* fuzz_definition - any body makes a definition or is refused; what was made reads back, and the body
 * that changed it changes nothing when it comes again. Input: [kind, made, change]. */
#include <stdio.h>
#include <stdlib.h>

#include "core/agent_def.h"
#include "core/directive_args.h"
#include "core/environment_def.h"
#include "core/schedule_state.h"
#include "core/token_def.h"
#include "core/user_def.h"
#include "core/workspace_def.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "fuzz_definition: %s\n", what);
	abort();
}

static int
make(struct json kind, struct json current, struct json body, struct arena *a,
     struct definition_text *out)
{
	struct definition_facts f = { .id = STR("x_1"), .now_ms = 1, .current = current };
	struct agent_facts agent = { .id = f.id, .now_ms = 1, .current = current };

	if (json_str_eq(kind, STR("environment")))
		return environment_def_make(&f, body, a, out, NULL);
	if (json_str_eq(kind, STR("schedule")))
		return schedule_def_make(&f, body, a, out, NULL);
	if (json_str_eq(kind, STR("user")))
		return user_def_make(&f, body, a, out, NULL);
	if (json_str_eq(kind, STR("workspace")))
		return workspace_def_make(&f, body, a, out, NULL);
	if (agent_roster_read(body, f.id, a, &agent.roster, NULL) != 0)
		return ERR_INVALID;
	for (size_t i = 0; i < agent.roster.count; i++)
		agent.roster.refs[i].version = 5;
	return agent_def_make(&agent, body, a, out, NULL);
}

static struct json
read_back(struct str text, struct arena *a)
{
	struct json_doc *doc = ARENA_NEW(a, struct json_doc);

	check(json_parse(a, text, &JSON_LIMITS_DEFAULT, doc, NULL) == 0, "does not read back");
	return json_root(doc);
}

static void
check_token(struct json body, struct arena *a)
{
	struct token_def t, back;
	struct str text;

	if (token_def_decode(body, 1, a, &t, NULL) != 0)
		return;
	t.id = STR("tok");
	text = token_def_write(&t, a);
	check(token_def_read(read_back(text, a), a, &back, NULL) == 0, "a token is lost");
	check(str_eq(token_def_write(&back, a), text), "a token reads back another");
}

/* What is read keeps the limits: it would be queued as it is. */
static void
check_directive(struct json body, struct arena *a)
{
	struct directive d;

	if (!json_is_set(body) || directive_args_read(body, a, &d, NULL) != 0)
		return;
	check(directive_policy_check(&d, NULL) == 0, "a directive beyond its limits");
}

/* Whatever is stored can be read. */
static void
check_schedule_state(struct json body, struct arena *a)
{
	struct schedule_state state = schedule_state_read(body, a);
	struct str text = schedule_body_write(STR("{}"), &state, a);

	state = schedule_state_read(read_back(text, a), a);
	check(str_eq(schedule_body_write(STR("{}"), &state, a), text),
	      "a state reads back another");
}

static void
check_schedule(struct str made, struct arena *a)
{
	struct schedule_def def;

	check(schedule_def_read(read_back(made, a), a, &def, NULL) == 0, "a schedule is lost");
}

static void
check_made(struct json kind, struct json made, struct json change, struct arena *a)
{
	struct definition_text now, again;

	if (make(kind, (struct json){ 0 }, made, a, &now) != 0)
		return;
	if (json_str_eq(kind, STR("schedule")))
		check_schedule(now.text, a);
	if (make(kind, read_back(now.text, a), change, a, &now) != 0)
		return;
	check(make(kind, read_back(now.text, a), change, a, &again) == 0 ||
		      json_is_set(definition_find(change, "version")),
	      "a repeat is refused");
	if (!json_is_set(definition_find(change, "version")))
		check(!again.changed && str_eq(again.text, now.text), "a repeat changes it");
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct json parts[3] = { 0 };
	struct json_doc doc;
	struct arena a;

	arena_init(&a);
	if (json_parse(&a, (struct str){ (const char *)data, size }, &JSON_LIMITS_DEFAULT, &doc,
		       NULL) == 0) {
		for (struct json_iter it = json_iter(json_root(&doc));
		     json_next(&it) && it.index < ARRAY_LEN(parts);)
			parts[it.index] = it.value;
		check_token(parts[1], &a);
		check_directive(parts[1], &a);
		check_schedule_state(parts[1], &a);
		check_made(parts[0], parts[1], parts[2], &a);
	}
	arena_release(&a);
	return 0;
}
