#include "explain_rows.h"

static const struct explain_row rows[] = {
	{ "P5 explain silence: plain", "silence", "{\"text\":\"hello\"}",
	  "{\"text\":\"hello\",\"deliver\":true}" },
	{ "P5 explain silence: marker alone", "silence", "{\"text\":\"<NO_REPLY>\"}",
	  "{\"text\":\"\",\"deliver\":false}" },
	{ "P5 explain silence: legacy marker beside text", "silence",
	  "{\"text\":\"hi <EMPTY_RESPONSE>\"}", "{\"text\":\"hi\",\"deliver\":true}" },
	{ "P5 explain silence: nested", "silence", "{\"text\":\"<NO_<NO_REPLY>REPLY>\"}",
	  "{\"text\":\"\",\"deliver\":false}" },
	{ "P5 explain silence: case-sensitive", "silence", "{\"text\":\"<No_Reply>\"}",
	  "{\"text\":\"<No_Reply>\",\"deliver\":true}" },
	{ "P5 explain silence: escaped marker", "silence", "{\"text\":\"\\u003cNO_REPLY\\u003e\"}",
	  "{\"text\":\"\",\"deliver\":false}" },
	{ "P5 explain silence: white space", "silence", "{\"text\":\" \\n\"}",
	  "{\"text\":\" \\n\",\"deliver\":false}" },
	{ "P5 explain silence: empty", "silence", "{\"text\":\"\"}",
	  "{\"text\":\"\",\"deliver\":false}" },
	{ "P5 explain silence: text is required", "silence", "{}", "error: text" },
	{ "P5 explain silence: text is a string", "silence", "{\"text\":null}", "error: text" },
	{ "P5 explain silence: an unknown fact", "silence", "{\"text\":\"\",\"deliver\":true}",
	  "error: deliver" },
};

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, rows, explain_row_check);
	return suite_run(&s, "explain_silence");
}
