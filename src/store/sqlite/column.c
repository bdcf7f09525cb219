#include "store/sqlite/column.h"

int64_t
column_int(struct column *c)
{
	return sqlite3_column_int64(c->st, c->at++);
}

bool
column_bool(struct column *c)
{
	return column_enum(c, 2) == 1;
}

unsigned
column_enum(struct column *c, unsigned count)
{
	int64_t value = column_int(c);

	if (value >= 0 && value < (int64_t)count)
		return (unsigned)value;
	c->bad = true;
	return 0;
}

struct str
column_text(struct column *c)
{
	const unsigned char *text = sqlite3_column_text(c->st, c->at);
	size_t len = (size_t)sqlite3_column_bytes(c->st, c->at);

	c->at++;
	return (struct str){ (const char *)text, len };
}

struct str
column_bytes(struct column *c)
{
	const void *bytes = sqlite3_column_blob(c->st, c->at);
	size_t len = (size_t)sqlite3_column_bytes(c->st, c->at);

	c->at++;
	return (struct str){ bytes, len };
}

void
column_hash(struct column *c, struct sha256 *out)
{
	struct str bytes = column_bytes(c);

	if (bytes.len == sizeof out->bytes)
		memcpy(out->bytes, bytes.ptr, bytes.len);
	else
		c->bad = true;
}
