/* dialect - one way of talking to a model over HTTP: what a request looks like, and what an answer
 * says. Pure: bytes travel in provider/http_model. */
#pragma once
#include "base/buf.h"
#include "base/json.h"
#include "base/json_write.h"
#include "provider/answer.h"
#include "provider/provider.h"

struct dialect_target {
	struct str from; /* "acme/model" */
	/* OpenAI's own service: takes members that servers which only speak like it refuse. */
	bool openai;
};

struct dialect {
	struct str path;                    /* behind the base URL */
	struct str key_header, key_prefix;  /* "authorization", "Bearer " */
	struct str version_header, version; /* or empty */
	void (*write)(const struct dialect_target *t, const struct provider_request *q,
		      struct buf *out);
	/* One event of the stream. */
	void (*take)(struct answer *a, struct json event);
	/* The whole answer, of a peer that does not stream: the answer is complete or failed then. */
	void (*take_whole)(struct answer *a, struct json body);
	/* The stream came to its end: what only now is known to be kept. Or NULL. */
	void (*end)(struct answer *a);
	bool may_just_end; /* after the reason for the stop the end marker may be missing */
};

/* The member, absent when v has none or it is null. */
struct json dialect_find(struct json v, const char *name);
/* Its text, for as long as the event; empty when it is none. */
struct str dialect_text(struct answer *a, struct json v, const char *name);
bool dialect_is(struct json v, const char *name, struct str word);
/* Written only when the member is a number above or equal 0. */
void dialect_count(struct json v, const char *name, int64_t *out);
/* Prompt tokens that include those read from the cache, as OpenAI counts. */
void dialect_openai_usage(struct usage *u, int64_t prompt, int64_t cached);

/* The arguments as a JSON object, whatever the model wrote. */
struct str dialect_arguments(struct str arguments, struct arena *a);
/* The name of a call as it can go back, in max bytes: models make names up, and one that breaks the
 * rules would have the request refused for as long as the call is remembered. */
struct str dialect_tool_name(struct str name, size_t max, struct arena *a);
struct str dialect_schema(struct str schema);
/* Where the image is: its URL, or a data: URL with its bytes. */
struct str dialect_image_url(const struct message_image *image, struct arena *a);
bool dialect_is_blank(struct str text);
/* The nearest level that OpenAI has. */
struct str dialect_openai_effort(struct str effort);
