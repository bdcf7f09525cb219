/* main - one binary, one entry: the command table decides. */
#include "app/check.h"
#include "app/config_command.h"
#include "app/doctor.h"
#include "app/serve.h"
#include "cli/cli.h"

/* What looks at the machine instead of talking to a server; everything else is the cli's. */
static const struct cli_command OWN[] = {
	{ "serve", "run the server", serve_run },
	{ "check", "verify a data directory that no server holds", check_run },
	{ "config", "check the configuration file, or show what is in force", config_command_run },
	{ "doctor", "is this machine fit to run the server, and what is to be done?", doctor_run },
};

int
main(int argc, char **argv)
{
	return cli_run(argc, argv, OWN, ARRAY_LEN(OWN));
}
