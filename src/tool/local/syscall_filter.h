/* syscall_filter - which system calls may what runs in the sandbox not make?
 * Everything but a list: new namespaces and mounts, other processes' memory, the kernel's keys,
 * programs, rings and clocks, odd kinds of sockets, faked terminal input, and files with set-uid or
 * set-gid bits: those would be the server's own on the host. */
#pragma once
#include <stdbool.h>
#include "base/err.h"

/* From now on, for this process and everything it starts, for good. trusted: our own code, which
 * may call openat2; others are told that the kernel has none, because its mode cannot be looked at. */
NODISCARD int syscall_filter_load(bool trusted, struct err *e);
