#include "cli/client_refusal.h"

#include "base/buf.h"
#include "base/json.h"
#include "base/utf8.h"
#include "cli/term_text.h"

enum { SENTENCE_MAX = 400 };

int
client_refusal_of_failure(const struct server_place *place, int rc, struct err *e)
{
	struct err was = *e;
	const char *reason = strstr(was.text, ": ");

	if (!str_starts(str_of(was.text), STR("cannot connect")))
		return rc;
	return err_set(e, ERR_IO, "no server at " STR_FMT "%s. Start one: perdure serve",
		       STR_ARG(place->shown), reason ? reason : "");
}

static int
code_of_status(int status)
{
	static const struct {
		int status, code;
	} CODES[] = {
		{ 401, ERR_AUTH },     { 404, ERR_NOT_FOUND }, { 408, ERR_CONFLICT },
		{ 409, ERR_CONFLICT }, { 422, ERR_MISMATCH },  { 429, ERR_LIMIT },
		{ 503, ERR_CONFLICT }, { 504, ERR_CONFLICT },  { 507, ERR_NO_SPACE },
	};

	for (size_t i = 0; i < ARRAY_LEN(CODES); i++)
		if (CODES[i].status == status)
			return CODES[i].code;
	return status >= 500 ? ERR_IO : ERR_DENIED; /* the server said no: exit 1, not 2 */
}

/* False: it is no error of this API. */
static bool
read_sentence(struct str body, int code, struct err *e)
{
	struct json error, message;
	struct json_doc doc;
	struct arena a;
	struct buf sentence;
	bool found;

	arena_init(&a);
	buf_init(&sentence, SENTENCE_MAX * 3); /* an ill-formed byte becomes three */
	found = json_parse(&a, body, &JSON_LIMITS_DEFAULT, &doc, NULL) == 0 &&
		json_find(json_root(&doc), STR("error"), &error) &&
		json_find(error, STR("message"), &message);
	if (found) {
		struct str said = json_str(message, &a);

		/* it may quote what a model or a stranger wrote */
		term_text_clean(&sentence, str_slice(said, 0, utf8_floor(said, SENTENCE_MAX)));
		err_set(e, code, STR_FMT, STR_ARG(buf_str(&sentence)));
	}
	buf_release(&sentence);
	arena_release(&a);
	return found;
}

static void
explain_token(const struct server_place *place, struct err *e)
{
	struct err was = *e;

	if (place->token.len == 0)
		err_set(e, ERR_AUTH,
			"no token for " STR_FMT ": there is no owner.token in ./data or the state "
			"folder. Give one: --data DIR, --token-file FILE or $PERDURE_TOKEN",
			STR_ARG(place->shown));
	else
		err_set(e, ERR_AUTH,
			STR_FMT " refuses the token of " STR_FMT
				" (%.200s). Is it another server's? See --token-file and --data",
			STR_ARG(place->shown), STR_ARG(place->token_from), was.text);
}

int
client_refusal_of_answer(const struct server_place *place, int status, struct str body,
			 const char *request_id, struct err *e)
{
	int code = code_of_status(status);
	struct err was;

	if (!read_sentence(body, code, e))
		return err_set(e, code,
			       "what answers at " STR_FMT " is no Perdure server (HTTP status %d)",
			       STR_ARG(place->shown), status);
	if (code == ERR_AUTH)
		explain_token(place, e);
	was = *e;
	if (request_id[0] != '\0')
		err_set(e, code, "%.440s [%s]", was.text, request_id);
	return code;
}
