#include "explain_rows.h"

#define ENTRY(suspended, pending) \
	"\"entry\":{\"suspended\":" suspended ",\"resume_pending\":" pending "}"
#define DUE                                                                 \
	",\"policy\":{\"mode\":\"both\",\"at_hour\":4,\"idle_minutes\":60}" \
	",\"now\":\"2026-06-10T05:00:00Z\",\"updated_at\":\"2026-06-09T05:00:00Z\""
#define DUE_DAILY                                                                   \
	",\"policy\":{\"mode\":\"daily\",\"at_hour\":2},\"zone\":\"Europe/Berlin\"" \
	",\"now\":\"2026-03-29T10:00:00Z\",\"updated_at\":\"2026-03-29T00:59:59Z\""

static const struct explain_row ROWS[] = {
	{ "K6 resolve: nothing there", "resolve", "{\"entry\":null}",
	  "{\"action\":\"create\",\"reason\":\"new\"}" },
	{ "K6 resolve: nothing there, policy due", "resolve", "{\"entry\":null" DUE "}",
	  "{\"action\":\"create\",\"reason\":\"new\"}" },
	{ "K6 resolve: no entry at all", "resolve", "{}",
	  "{\"action\":\"create\",\"reason\":\"new\"}" },
	{ "K6 resolve: forced", "resolve", "{" ENTRY("true", "true") ",\"force_new\":true}",
	  "{\"action\":\"create\",\"reason\":\"forced\"}" },
	{ "K6 resolve: not forced", "resolve", "{" ENTRY("false", "false") ",\"force_new\":false}",
	  "{\"action\":\"continue\",\"reason\":\"active\"}" },
	{ "K6 resolve: suspended", "resolve", "{" ENTRY("true", "false") "}",
	  "{\"action\":\"reset\",\"reason\":\"suspended\"}" },
	{ "K6 resolve: suspended over pending", "resolve", "{" ENTRY("true", "true") DUE "}",
	  "{\"action\":\"reset\",\"reason\":\"suspended\"}" },
	{ "K6 resolve: suspended while work is open", "resolve",
	  "{" ENTRY("true", "false") DUE ",\"work_open\":true}",
	  "{\"action\":\"reset\",\"reason\":\"suspended\"}" },
	{ "K6 resolve: pending over the policy", "resolve", "{" ENTRY("false", "true") DUE "}",
	  "{\"action\":\"resume\",\"reason\":\"resume_pending\"}" },
	{ "K6 resolve: idle", "resolve", "{" ENTRY("false", "false") DUE "}",
	  "{\"action\":\"reset\",\"reason\":\"idle\"}" },
	{ "K6 resolve: daily, in a gap of the zone", "resolve",
	  "{" ENTRY("false", "false") DUE_DAILY "}",
	  "{\"action\":\"reset\",\"reason\":\"daily\"}" },
	{ "K6 resolve: policy held by open work", "resolve",
	  "{" ENTRY("false", "false") DUE ",\"work_open\":true}",
	  "{\"action\":\"continue\",\"reason\":\"active\"}" },
	{ "K6 resolve: active", "resolve",
	  "{" ENTRY("false", "false") ",\"policy\":{\"mode\":\"idle\"},"
				      "\"now\":\"2026-06-10T05:00:00Z\","
				      "\"updated_at\":\"2026-06-10T04:59:00Z\"}",
	  "{\"action\":\"continue\",\"reason\":\"active\"}" },
	{ "K6 resolve: no policy is none", "resolve", "{" ENTRY("false", "false") "}",
	  "{\"action\":\"continue\",\"reason\":\"active\"}" },
	{ "K5 resolve: an entry with everything", "resolve",
	  "{\"entry\":{\"session_key\":\"agent:main:telegram:dm:1\",\"session_id\":\"x\","
	  "\"created_at\":\"2026-06-10T05:00:00Z\",\"updated_at\":\"2026-06-10T05:00:00Z\","
	  "\"origin\":{\"platform\":\"telegram\",\"chat_id\":\"1\"},\"display_name\":null,"
	  "\"platform\":\"telegram\",\"chat_type\":\"dm\",\"input_tokens\":1,\"output_tokens\":2,"
	  "\"cache_read_tokens\":3,\"cache_write_tokens\":4,\"total_tokens\":10,"
	  "\"estimated_cost_usd\":0.5,\"cost_status\":\"unknown\",\"last_prompt_tokens\":7,"
	  "\"was_auto_reset\":false,\"auto_reset_reason\":null,\"reset_had_activity\":false,"
	  "\"is_fresh_reset\":false,\"expiry_finalized\":false,\"suspended\":false,"
	  "\"resume_pending\":true,\"resume_reason\":\"restart_timeout\","
	  "\"last_resume_marked_at\":\"2026-06-10T05:00:00Z\"}}",
	  "{\"action\":\"resume\",\"reason\":\"resume_pending\"}" },

	{ "K6 resolve: a flag left out is false", "resolve",
	  "{\"entry\":{\"resume_pending\":true}}",
	  "{\"action\":\"resume\",\"reason\":\"resume_pending\"}" },
	{ "K6 resolve: both flags left out", "resolve", "{\"entry\":{}}",
	  "{\"action\":\"continue\",\"reason\":\"active\"}" },
	{ "K6 resolve: flag as text", "resolve", "{" ENTRY("\"no\"", "false") "}",
	  "error: entry.suspended" },
	{ "K5 resolve: unknown field of the entry", "resolve",
	  "{\"entry\":{\"suspended\":false,\"resume_pending\":false,\"pending\":1}}",
	  "error: entry.pending" },
	{ "K6 resolve: entry as text", "resolve", "{\"entry\":\"none\"}", "error: entry" },
	{ "K6 resolve: now is missed", "resolve",
	  "{" ENTRY("false", "false") ",\"policy\":{\"mode\":\"idle\"},"
				      "\"updated_at\":\"2026-06-10T04:59:00Z\"}",
	  "error: now: required" },
	{ "K6 resolve: updated_at is missed at the top", "resolve",
	  "{\"entry\":{\"suspended\":false,\"resume_pending\":false,"
	  "\"updated_at\":\"2026-06-10T04:59:00Z\"},\"policy\":{\"mode\":\"daily\"},"
	  "\"now\":\"2026-06-10T05:00:00Z\"}",
	  "error: updated_at: required" },
	{ "K6 resolve: bad instants are refused even unused", "resolve",
	  "{\"entry\":null,\"now\":\"soon\"}", "error: now: 'soon'" },
	{ "K6 resolve: bad updated_at", "resolve", "{\"entry\":null,\"updated_at\":\"soon\"}",
	  "error: updated_at: 'soon'" },
	{ "K6 resolve: bad zone", "resolve", "{\"entry\":null,\"zone\":\"Nowhere/Land\"}",
	  "error: zone: " },
	{ "K6 resolve: bad policy", "resolve",
	  "{\"entry\":null,\"policy\":{\"mode\":\"daily\",\"at_hour\":24}}",
	  "error: policy.at_hour" },
	{ "K6 resolve: force_new as text", "resolve", "{\"entry\":null,\"force_new\":1}",
	  "error: force_new" },
	{ "K6 resolve: work_open as text", "resolve", "{\"entry\":null,\"work_open\":1}",
	  "error: work_open" },
	{ "K6 resolve: unknown field", "resolve", "{\"entry\":null,\"suspended\":true}",
	  "error: suspended" },
};

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, explain_row_check);
	return suite_run(&s, "explain_resolve");
}
