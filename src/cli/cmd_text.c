/* cmd_text - `perdure version|man|completion`: what needs nobody else. */
#include "cli/commands.h"
#include "cli/completion.h"
#include "cli/man_page.h"

enum { TEXT_MAX = 1024 * 1024 };

int
cmd_text_version(struct cli_call *call, struct err *e)
{
	(void)call;
	(void)e;
	call_print(STR("perdure " PERDURE_VERSION "\n"));
	return 0;
}

int
cmd_text_man(struct cli_call *call, struct err *e)
{
	struct buf out;

	(void)e;
	buf_init(&out, TEXT_MAX);
	man_page(call->table, &out);
	call_print(buf_str(&out));
	buf_release(&out);
	return 0;
}

int
cmd_text_completion(struct cli_call *call, struct err *e)
{
	const char *shell = args_word(&call->args, 0);
	struct buf out;

	if (!str_eq(str_of(shell), STR("bash")))
		return err_set(e, ERR_USAGE, "there is a completion for bash, not for %.40s",
			       shell);
	buf_init(&out, TEXT_MAX);
	completion_bash(call->table, &out);
	call_print(buf_str(&out));
	buf_release(&out);
	return 0;
}
