#include "explain_rows.h"

static const struct explain_row ROWS[] = {
	{ "C1 explain plain text", "tokens", "{\"text\":\"hello world!\"}",
	  "{\"tokens\":3,\"kind\":\"text\"}" },
	{ "C1 explain JSON", "tokens", "{\"text\":\"{\\\"a\\\":[1,2]}\"}",
	  "{\"tokens\":4,\"kind\":\"json\"}" },
	{ "C1 explain code", "tokens", "{\"text\":\"```\\nint x;\\n```\"}",
	  "{\"tokens\":5,\"kind\":\"code\"}" },
	{ "C1 explain JSON with a fence inside", "tokens", "{\"text\":\"[\\\"```\\\"]\"}",
	  "{\"tokens\":3,\"kind\":\"json\"}" },
	{ "C1 explain wide characters", "tokens", "{\"text\":\"\\u65e5\\u672c ok\"}",
	  "{\"tokens\":3,\"kind\":\"text\"}" },
	{ "C1 explain a character beyond the basic plane", "tokens",
	  "{\"text\":\"\\ud83d\\ude00\"}", "{\"tokens\":1,\"kind\":\"text\"}" },
	{ "C1 explain empty text", "tokens", "{\"text\":\"\"}",
	  "{\"tokens\":0,\"kind\":\"text\"}" },
	{ "C1 explain refuses no text", "tokens", "{}", "error: text" },
	{ "C1 explain refuses null", "tokens", "{\"text\":null}", "error: text" },
	{ "C1 explain refuses a number", "tokens", "{\"text\":42}", "error: text" },
	{ "C1 explain refuses unknown fields", "tokens", "{\"text\":\"\",\"model\":\"x\"}",
	  "error: model" },
};

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, explain_row_check);
	return suite_run(&s, "cli/explain_tokens");
}
