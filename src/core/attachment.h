/* attachment - which files may a prompt carry, and how are they named?
 * A prompt carries at most ATTACHMENT_MAX; each stands for exactly one of: a file uploaded before
 * (file_id), a file in the workspace (path), or bytes in the request (data, base64, with its
 * mime_type). Whether the path may be read is the sandbox's decision. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "base/str.h"

enum { ATTACHMENT_MAX = 10, ATTACHMENT_NAME_MAX = 255 };

enum attachment_source { ATTACHMENT_FILE_ID, ATTACHMENT_PATH, ATTACHMENT_DATA };

struct attachment {
	enum attachment_source source;
	struct str value;     /* the id, the path, or the base64 text */
	struct str mime_type; /* empty when not given */
	struct str name;      /* empty when not given */
	size_t size_bytes;    /* of the decoded data; 0 for the other sources */
};

/* Decodes attachments: [{file_id | path | data + mime_type, mime_type?, name?}]. Errors name the
 * path; the 11th is refused by its index. *out and *count are written only on success. */
NODISCARD int attachment_decode(struct json array, struct arena *a, struct attachment **out,
				size_t *count, struct err *e);
/* Images become native parts of the prompt, everything else a line with its path. */
bool attachment_is_image(const struct attachment *at);
