/* json_members - the members of an object that is too large to be parsed at once, one after the other.
 *
 * Finds where each begins and ends; that a value is JSON is for json_parse to say, which its caller gives
 * the value to. Then a text that is read to its end without an error is an object that json_parse would
 * take, but for what only the whole can show: members of the same name, and the limits. */
#pragma once
#include <stdbool.h>
#include "base/err.h"
#include "base/str.h"

struct json_members {
	struct str text;
	size_t member_max; /* bytes, with the blanks around it: no call looks at more */
	size_t at;         /* read up to here */
	size_t stop;       /* of this call */
	bool begun, over;
};
struct json_member {
	struct str key; /* as it stands there, quotes included */
	struct str value;
	size_t offset; /* of the value in the text */
};

/* text must stay. */
void json_members_init(struct json_members *m, struct str text, size_t member_max);
/* The next member; *found is false behind the last. ERR_INVALID says where the text is no object. */
NODISCARD int
json_members_next(struct json_members *m, struct json_member *out, bool *found, struct err *e);
