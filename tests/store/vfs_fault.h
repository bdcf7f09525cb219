/* vfs_fault - a SQLite VFS that counts I/O calls and, at a chosen one, fails or cuts the power.
 * It wraps the default VFS and keeps a model of what is durable (vfs_disk), so that a test can run
 * to a cut, rewrite the files to what a disk would hold, and open them again. Syncs are modelled and
 * never reach the disk: a sweep over thousands of runs stays fast. One plan for the process; calls
 * may come from any thread. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "vfs_disk.h"

#define VFS_FAULT_NAME "fault"

enum vfs_op {
	VFS_OPEN, /* of a file that may be created */
	VFS_READ,
	VFS_WRITE,
	VFS_TRUNCATE,
	VFS_SYNC,
	VFS_DELETE,
	VFS_SHM_MAP, /* that may make the shared memory grow */
};
enum { VFS_OPS = VFS_SHM_MAP + 1 };

#define VFS_BIT(op) (1u << (op))
/* Everything that changes what is on the disk. */
#define VFS_CHANGES                                                                           \
	(VFS_BIT(VFS_OPEN) | VFS_BIT(VFS_WRITE) | VFS_BIT(VFS_TRUNCATE) | VFS_BIT(VFS_SYNC) | \
	 VFS_BIT(VFS_DELETE) | VFS_BIT(VFS_SHM_MAP))

enum vfs_fault {
	VFS_NO_FAULT,
	VFS_EIO,        /* the call does nothing and fails */
	VFS_ENOSPC,     /* the disk is full; what needs no space works */
	VFS_SHORT,      /* half of a write, then the disk is full */
	VFS_TORN,       /* a write ends at a sector border, then an I/O error */
	VFS_SYNC_ERROR, /* a sync fails and what it should have written is lost; later ones succeed */
	VFS_CUT,        /* the power goes: this call and all that follow fail */
};

struct vfs_plan {
	enum vfs_fault fault;
	unsigned ops;   /* bit set of VFS_BIT: the calls that count */
	uint64_t at;    /* which of them it hits, from 1 */
	uint64_t calls; /* how many in a row; 0: all, until vfs_fault_heal */
};

/* Once; then open databases with VFS_FAULT_NAME. */
void vfs_fault_register(void);
/* Forgets what was known of files and starts to count. No connection may be open. */
void vfs_fault_begin(const struct vfs_plan *plan);
/* From now on nothing fails any more (a cut stays a cut). */
void vfs_fault_heal(void);
/* The plan's call came. */
bool vfs_fault_hit(void);
uint64_t vfs_fault_calls(enum vfs_op op);
/* Cuts the power if it is on, then leaves on disk what survives. No connection may be open. */
void vfs_fault_power_cut(enum vfs_keep keep, uint64_t seed);
