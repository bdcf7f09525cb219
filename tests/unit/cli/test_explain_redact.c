#include "explain_rows.h"

static const struct explain_row rows[] = {
	{ "K9 explain redact: user and prefixed chat", "redact",
	  "{\"platform\":\"telegram\",\"user_id\":\"abc\",\"chat_id\":\"group:abc\",\"enabled\":"
	  "true}",
	  "{\"user\":\"user_ba7816bf8f01\",\"chat\":\"group:ba7816bf8f01\"}" },
	{ "K9 explain redact: chat without prefix", "redact",
	  "{\"platform\":\"signal\",\"chat_id\":\"abc\",\"enabled\":true}",
	  "{\"user\":null,\"chat\":\"ba7816bf8f01\"}" },
	{ "K9 explain redact: the raw WhatsApp id is hashed", "redact",
	  "{\"platform\":\"whatsapp\",\"user_id\":\"+491701234567\",\"enabled\":true}",
	  "{\"user\":\"user_b4267a2234e2\",\"chat\":null}" },
	{ "K9 explain redact: off", "redact",
	  "{\"platform\":\"telegram\",\"user_id\":\"abc\",\"chat_id\":\"x:1\",\"enabled\":false}",
	  "{\"user\":\"abc\",\"chat\":\"x:1\"}" },
	{ "K9 explain redact: discord keeps raw ids", "redact",
	  "{\"platform\":\"discord\",\"user_id\":\"abc\",\"enabled\":true}",
	  "{\"user\":\"abc\",\"chat\":null}" },
	{ "K9 explain redact: a platform marked pii_safe", "redact",
	  "{\"platform\":\"plugin\",\"user_id\":\"abc\",\"enabled\":true,\"pii_safe\":true}",
	  "{\"user\":\"user_ba7816bf8f01\",\"chat\":null}" },
	{ "K9 explain redact: null and empty ids are absent", "redact",
	  "{\"platform\":\"telegram\",\"user_id\":null,\"chat_id\":\"\",\"enabled\":true}",
	  "{\"user\":null,\"chat\":null}" },
	{ "K9 explain redact: platform is required", "redact", "{\"enabled\":true}",
	  "error: platform" },
	{ "K9 explain redact: platform is not empty", "redact",
	  "{\"platform\":\"\",\"enabled\":true}", "error: platform" },
	{ "K9 explain redact: enabled is required", "redact", "{\"platform\":\"telegram\"}",
	  "error: enabled" },
	{ "K9 explain redact: enabled is a boolean", "redact",
	  "{\"platform\":\"telegram\",\"enabled\":\"yes\"}", "error: enabled" },
	{ "K9 explain redact: an id is a string", "redact",
	  "{\"platform\":\"telegram\",\"user_id\":7,\"enabled\":true}", "error: user_id" },
	{ "K9 explain redact: an unknown fact", "redact",
	  "{\"platform\":\"telegram\",\"user\":\"7\",\"enabled\":true}", "error: user" },
};

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, rows, explain_row_check);
	return suite_run(&s, "explain_redact");
}
