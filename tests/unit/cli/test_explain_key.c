#include "explain_rows.h"

#define SOURCE(fields) "{\"source\":{" fields "}}"

static const struct explain_row rows[] = {
	{ "K2 explain key: DM with chat_id", "key",
	  SOURCE("\"platform\":\"telegram\",\"chat_id\":\"12345\""),
	  "{\"key\":\"agent:main:telegram:dm:12345\",\"shared\":false}" },
	{ "K2 explain key: DM with chat_id + thread", "key",
	  SOURCE("\"platform\":\"telegram\",\"chat_type\":\"dm\",\"chat_id\":\"12345\","
		 "\"thread_id\":\"thread_678\""),
	  "{\"key\":\"agent:main:telegram:dm:12345:thread_678\",\"shared\":false}" },
	{ "K2 explain key: DM without chat_id, with participant", "key",
	  SOURCE("\"platform\":\"signal\",\"user_id\":\"user_abc\""),
	  "{\"key\":\"agent:main:signal:dm:user_abc\",\"shared\":false}" },
	{ "K2 explain key: DM without any id is private", "key",
	  SOURCE("\"platform\":\"telegram\",\"chat_id\":null,\"user_id\":\"\""),
	  "{\"key\":\"agent:main:telegram:dm\",\"shared\":false}" },
	{ "K3 explain key: group is isolated by default", "key",
	  SOURCE("\"platform\":\"telegram\",\"chat_type\":\"group\",\"chat_id\":\"-10012345\","
		 "\"user_id\":\"user_abc\""),
	  "{\"key\":\"agent:main:telegram:group:-10012345:user_abc\",\"shared\":false}" },
	{ "K3 explain key: group shared by setting", "key",
	  "{\"source\":{\"platform\":\"telegram\",\"chat_type\":\"group\",\"chat_id\":\"-"
	  "10012345\","
	  "\"user_id\":\"user_abc\"},\"group_sessions_per_user\":false}",
	  "{\"key\":\"agent:main:telegram:group:-10012345\",\"shared\":true}" },
	{ "K3 explain key: thread is shared by default", "key",
	  SOURCE("\"platform\":\"discord\",\"chat_type\":\"group\",\"chat_id\":\"12345\","
		 "\"thread_id\":\"thread_678\",\"user_id\":\"user_abc\""),
	  "{\"key\":\"agent:main:discord:group:12345:thread_678\",\"shared\":true}" },
	{ "K3 explain key: thread per user by setting", "key",
	  "{\"source\":{\"platform\":\"discord\",\"chat_type\":\"group\",\"chat_id\":\"12345\","
	  "\"thread_id\":\"thread_678\",\"user_id\":\"user_abc\"},"
	  "\"thread_sessions_per_user\":true}",
	  "{\"key\":\"agent:main:discord:group:12345:thread_678:user_abc\",\"shared\":false}" },
	{ "K3 explain key: channel without participant is shared", "key",
	  SOURCE("\"platform\":\"slack\",\"chat_type\":\"channel\",\"chat_id\":\"C12345\""),
	  "{\"key\":\"agent:main:slack:channel:C12345\",\"shared\":true}" },
	{ "K2 explain key: thread type without thread_id follows the group rule", "key",
	  SOURCE("\"platform\":\"slack\",\"chat_type\":\"thread\",\"chat_id\":\"C1\","
		 "\"user_id\":\"u\",\"thread_id\":\"\""),
	  "{\"key\":\"agent:main:slack:thread:C1:u\",\"shared\":false}" },
	{ "K4 explain key: aliases followed both ways, keys normalised", "key",
	  "{\"source\":{\"platform\":\"whatsapp\",\"chat_id\":\"491701234567@s.whatsapp.net\"},"
	  "\"aliases\":{\"+4917\\u0030 1234567\":[\"x\"],\"+491701234567:3@s.whatsapp.net\":"
	  "[\"83729:1@lid\",\"\",null],\"83729@lid\":[\"555\"]}}",
	  "{\"key\":\"agent:main:whatsapp:dm:555\",\"shared\":false}" },
	{ "K4 explain key: WhatsApp group loses its domain", "key",
	  SOURCE("\"platform\":\"whatsapp\",\"chat_type\":\"group\",\"chat_id\":\"120363@g.us\","
		 "\"user_id\":\"+49170:9@s.whatsapp.net\""),
	  "{\"key\":\"agent:main:whatsapp:group:120363:49170\",\"shared\":false}" },
	{ "K4 explain key: aliases are WhatsApp's", "key",
	  "{\"source\":{\"platform\":\"signal\",\"chat_id\":\"491\"},\"aliases\":{\"491\":[\"7\"]}"
	  "}",
	  "{\"key\":\"agent:main:signal:dm:491\",\"shared\":false}" },
	{ "K2 explain key: null options mean their defaults", "key",
	  "{\"source\":{\"platform\":\"x\",\"chat_type\":\"group\",\"user_id\":\"u\"},"
	  "\"group_sessions_per_user\":null,\"thread_sessions_per_user\":null,\"aliases\":null,"
	  "\"agent\":null}",
	  "{\"key\":\"agent:main:x:group:u\",\"shared\":false}" },
	{ "K4 explain key: a null alias list says nothing", "key",
	  "{\"source\":{\"platform\":\"whatsapp\",\"chat_id\":\"491\"},\"aliases\":{\"491\":null}}",
	  "{\"key\":\"agent:main:whatsapp:dm:491\",\"shared\":false}" },
	{ "K2 explain key: the second segment is the agent", "key",
	  "{\"source\":{\"platform\":\"x\",\"chat_id\":\"1\"},\"agent\":\"helper\"}",
	  "{\"key\":\"agent:helper:x:dm:1\",\"shared\":false}" },
	{ "K2 explain key: an agent is one segment", "key",
	  "{\"source\":{\"platform\":\"x\"},\"agent\":\"a:b\"}", "error: agent" },
	{ "K1 explain key: source is required", "key", "{}", "error: source" },
	{ "K1 explain key: source is an object", "key", "{\"source\":null}", "error: source" },
	{ "K1 explain key: platform is required", "key", "{\"source\":{\"chat_id\":\"1\"}}",
	  "error: source.platform" },
	{ "K1 explain key: an unknown source field", "key",
	  "{\"source\":{\"platform\":\"x\",\"chatid\":\"1\"}}", "error: source.chatid" },
	{ "K1 explain key: an unknown fact", "key", "{\"source\":{\"platform\":\"x\"},\"group\":1}",
	  "error: group" },
	{ "K1 explain key: a bad chat type", "key",
	  "{\"source\":{\"platform\":\"x\",\"chat_type\":\"Group\"}}", "error: source.chat_type" },
	{ "K3 explain key: a setting is a boolean", "key",
	  "{\"source\":{\"platform\":\"x\"},\"group_sessions_per_user\":\"no\"}",
	  "error: group_sessions_per_user" },
	{ "K4 explain key: aliases are lists", "key",
	  "{\"source\":{\"platform\":\"x\"},\"aliases\":{\"1\":\"2\"}}", "error: aliases.1" },
	{ "K4 explain key: aliases are strings", "key",
	  "{\"source\":{\"platform\":\"x\"},\"aliases\":{\"a\":[\"2\",3]}}",
	  "error: aliases.a[1]" },
};

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, rows, explain_row_check);
	return suite_run(&s, "explain_key");
}
