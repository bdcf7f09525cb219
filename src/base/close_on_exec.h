/* close_on_exec - keeps open files from the programs that this process starts.
 * Whoever started us may have left files open without the flag, and so do libraries. */
#pragma once

/* Every open descriptor from first on gets the flag. Cheap: one call of the kernel's (Linux 5.11), else
 * one for each that is open. */
void close_on_exec_from(int first);
/* The second way alone, by the list in /proc, or where there is none by trying the numbers. */
void close_on_exec_each(int first);
