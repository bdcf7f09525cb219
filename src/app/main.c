/* main - one binary, one entry: the command table decides. */
#include "cli/cli.h"

int
main(int argc, char **argv)
{
	return cli_run(argc, argv, NULL, 0);
}
