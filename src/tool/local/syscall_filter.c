#include "tool/local/syscall_filter.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <seccomp.h>

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x00000080
#endif

static const char *const REFUSED[] = {
	/* other mounts, roots and namespaces */
	"mount",
	"umount",
	"umount2",
	"pivot_root",
	"chroot",
	"unshare",
	"setns",
	"open_tree",
	"move_mount",
	"fsopen",
	"fsconfig",
	"fsmount",
	"fspick",
	"mount_setattr",
	"open_by_handle_at",
	"name_to_handle_at",
	"fanotify_init",
	/* other processes */
	"ptrace",
	"process_vm_readv",
	"process_vm_writev",
	"process_madvise",
	"kcmp",
	"pidfd_getfd",
	/* large pieces of the kernel that no tool needs */
	"bpf",
	"userfaultfd",
	"perf_event_open",
	"io_uring_setup",
	"io_uring_enter",
	"io_uring_register",
	"keyctl",
	"add_key",
	"request_key",
	"lookup_dcookie",
	"vm86",
	"vm86old",
	"modify_ldt",
	"vmsplice",
	"move_pages",
	"migrate_pages",
	"mbind",
	"set_mempolicy",
	"quotactl",
	"quotactl_fd",
	"nfsservctl",
	"uselib",
	"remap_file_pages",
	/* the machine itself */
	"init_module",
	"finit_module",
	"delete_module",
	"create_module",
	"query_module",
	"get_kernel_syms",
	"kexec_load",
	"kexec_file_load",
	"reboot",
	"swapon",
	"swapoff",
	"sethostname",
	"setdomainname",
	"syslog",
	"acct",
	"iopl",
	"ioperm",
	"settimeofday",
	"stime",
	"clock_settime",
	"clock_settime64",
	"clock_adjtime",
	"clock_adjtime64",
	"adjtimex",
	"_sysctl",
	"sysfs",
	"ustat",
	"vhangup",
};

/* A call whose argument must not have these bits. */
static const struct {
	const char *call;
	unsigned argument;
	uint64_t bits;
} MASKED[] = {
	{ "clone", 0, CLONE_NEWNS },     { "clone", 0, CLONE_NEWUSER },
	{ "clone", 0, CLONE_NEWPID },    { "clone", 0, CLONE_NEWNET },
	{ "clone", 0, CLONE_NEWIPC },    { "clone", 0, CLONE_NEWUTS },
	{ "clone", 0, CLONE_NEWCGROUP }, { "clone", 0, CLONE_NEWTIME },
	{ "chmod", 1, S_ISUID },         { "chmod", 1, S_ISGID },
	{ "fchmod", 1, S_ISUID },        { "fchmod", 1, S_ISGID },
	{ "fchmodat", 2, S_ISUID },      { "fchmodat", 2, S_ISGID },
	{ "fchmodat2", 2, S_ISUID },     { "fchmodat2", 2, S_ISGID },
	{ "creat", 1, S_ISUID },         { "creat", 1, S_ISGID },
	{ "open", 2, S_ISUID },          { "open", 2, S_ISGID },
	{ "openat", 3, S_ISUID },        { "openat", 3, S_ISGID },
	{ "mkdir", 1, S_ISGID },         { "mkdirat", 2, S_ISGID },
	{ "mknod", 1, S_ISUID },         { "mknod", 1, S_ISGID },
	{ "mknodat", 2, S_ISUID },       { "mknodat", 2, S_ISGID },
};

/* Without the new call the C library uses the old one, whose flags can be looked at. */
static const char *const UNKNOWN[] = { "clone3", "openat2" };

static const int FAMILIES[] = { AF_UNIX, AF_INET, AF_INET6, AF_NETLINK };

static int
refuse(scmp_filter_ctx filter, int error, const char *call, unsigned count,
       const struct scmp_arg_cmp *when)
{
	int number = seccomp_syscall_resolve_name(call);
	int rc;

	if (number == __NR_SCMP_ERROR)
		return 0; /* younger than the library */
	rc = seccomp_rule_add_array(filter, SCMP_ACT_ERRNO((unsigned)error), number, count, when);
	return rc == -EDOM || rc == -EINVAL ? 0 : rc; /* another architecture's */
}

static int
refuse_calls(scmp_filter_ctx filter, bool trusted)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < ARRAY_LEN(REFUSED); i++)
		rc = refuse(filter, EPERM, REFUSED[i], 0, NULL);
	for (size_t i = 0; rc == 0 && i < ARRAY_LEN(MASKED); i++)
		rc = refuse(filter, EPERM, MASKED[i].call, 1,
			    &SCMP_CMP(MASKED[i].argument, SCMP_CMP_MASKED_EQ, MASKED[i].bits,
				      MASKED[i].bits));
	for (size_t i = 0; rc == 0 && i < ARRAY_LEN(UNKNOWN) - (trusted ? 1 : 0); i++)
		rc = refuse(filter, ENOSYS, UNKNOWN[i], 0, NULL);
	return rc;
}

/* Devices, and words put into the mouth of whoever sits at a terminal. */
static int
refuse_special(scmp_filter_ctx filter)
{
	int rc = 0;

	for (unsigned i = 0; rc == 0 && i < 4; i++)
		rc = refuse(filter, EPERM, i & 1 ? "mknodat" : "mknod", 1,
			    &SCMP_CMP(i & 1 ? 2 : 1, SCMP_CMP_MASKED_EQ, S_IFMT,
				      i & 2 ? S_IFBLK : S_IFCHR));
	if (rc == 0)
		rc = refuse(filter, EPERM, "ioctl", 1,
			    &SCMP_A1_64(SCMP_CMP_MASKED_EQ, UINT32_MAX, TIOCSTI));
	if (rc == 0)
		rc = refuse(filter, EPERM, "ioctl", 1,
			    &SCMP_A1_64(SCMP_CMP_MASKED_EQ, UINT32_MAX, TIOCLINUX));
	return rc;
}

/* Kinds of sockets that no network namespace holds (vsock), or that open rare code. */
static int
refuse_sockets(scmp_filter_ctx filter)
{
	int rc = 0;

	for (int family = 0; rc == 0 && family < AF_MAX + 16; family++) {
		bool allowed = false;

		for (size_t i = 0; i < ARRAY_LEN(FAMILIES); i++)
			allowed = allowed || FAMILIES[i] == family;
		if (!allowed)
			rc = refuse(filter, EAFNOSUPPORT, "socket", 1,
				    &SCMP_A0_64(SCMP_CMP_MASKED_EQ, UINT32_MAX, (uint64_t)family));
	}
	return rc;
}

int
syscall_filter_load(bool trusted, struct err *e)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
	int rc = filter ? 0 : -ENOMEM;

	/* A 32-bit program would have numbers of its own for all of these. */
	if (rc == 0)
		rc = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(ENOSYS));
	if (rc == 0)
		rc = refuse_calls(filter, trusted);
	if (rc == 0)
		rc = refuse_special(filter);
	if (rc == 0)
		rc = refuse_sockets(filter);
	if (rc == 0)
		rc = seccomp_load(filter);
	if (filter)
		seccomp_release(filter);
	if (rc != 0)
		return err_set(e, ERR_UNAVAILABLE, "the kernel takes no filter of system calls: %s",
			       strerror(-rc));
	return 0;
}
