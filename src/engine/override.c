#include "engine/override.h"

#include "core/agent_override.h"
#include "core/definition.h"
#include "engine/admission.h"

enum { OFFER_MAX = 2048 };

bool
override_is_owners(const struct override *o)
{
	struct err e;

	return admission_check(o->en, o->caller, ACCESS_AGENT_OVERRIDE, o->agent, &e) == 0;
}

static const struct agent_rights *
rights_of(const struct override *o)
{
	return admission_rights(o->en->admission, o->agent);
}

/* ---- models ---- */

int
override_check_model(const struct override *o, struct str model, struct err *e)
{
	const struct agent_rights *rights = rights_of(o);
	struct buf offer;
	int rc;

	if (model.len == 0 || agent_rights_has_model(rights, model) || override_is_owners(o))
		return 0;
	if (rights->models.len == 0)
		return err_set(e, ERR_DENIED,
			       "model: only an owner chooses one for the agent " STR_FMT,
			       STR_ARG(o->agent));
	buf_init(&offer, OFFER_MAX);
	for (size_t i = 0; i < rights->models.len; i++)
		buf_printf(&offer, "%s" STR_FMT, i > 0 ? ", " : "", STR_ARG(rights->models.ptr[i]));
	rc = err_set(e, ERR_DENIED,
		     "model: the agent " STR_FMT " offers " STR_FMT "; only an owner chooses "
		     "another",
		     STR_ARG(o->agent), STR_ARG(buf_str(&offer)));
	buf_release(&offer);
	return rc;
}

/* ---- the agent ---- */

static int
check_members(const struct override *o, const struct override_agent *with, struct arena *a,
	      struct err *e)
{
	struct json_doc base, made;
	const char *member;
	int rc = json_parse(a, with->base, &JSON_LIMITS_DEFAULT, &base, e);

	if (rc == 0)
		rc = json_parse(a, with->made, &JSON_LIMITS_DEFAULT, &made, e);
	if (rc != 0)
		return rc;
	member = agent_override_of_owners(json_root(&base), json_root(&made), a);
	if (!member)
		return 0;
	return err_set(e, ERR_DENIED,
		       "%s: only an owner gives the agent " STR_FMT
		       " others; you may leave some out, and add custom tools",
		       member, STR_ARG(o->agent));
}

int
override_check_agent(const struct override *o, const struct override_agent *with, struct arena *a,
		     struct err *e)
{
	struct json id = with->model;
	int rc = 0;

	if (override_is_owners(o))
		return 0;
	if (json_type(with->model) == JSON_OBJECT)
		id = definition_find(with->model, "id");
	if (json_is_set(id))
		rc = override_check_model(o, json_str(id, a), e);
	if (rc == 0 && with->made.len > 0)
		rc = check_members(o, with, a, e);
	return rc == 0 ? 0 : err_prefix(e, rc, "agent.");
}

/* ---- environments ---- */

int
override_environment(const struct override *o, struct str named, struct arena *a,
		     struct str *environment, struct err *e)
{
	const struct agent_rights *rights = rights_of(o);

	if (named.len == 0) {
		*environment = arena_str(a, agent_rights_environment(rights));
		return 0;
	}
	if (!agent_rights_has_environment(rights, named) && !override_is_owners(o))
		return err_set(e, ERR_NOT_FOUND, "there is no environment " STR_FMT,
			       STR_ARG(named));
	*environment = named;
	return 0;
}

int
override_check_sandbox(const struct override *o, struct str environment, bool unconfined,
		       struct err *e)
{
	if (!unconfined || override_is_owners(o))
		return 0;
	return err_set(e, ERR_DENIED,
		       "the sandbox of environment " STR_FMT
		       " is off: only an owner opens sessions there",
		       STR_ARG(environment));
}
