/* attr - the compiler attributes the whole tree uses: must-check results, cleanup, moves. */
#pragma once
#include <stddef.h>

/* The result must be looked at; a deliberate drop is IGNORE(f()) with its reason beside it. */
#define NODISCARD __attribute__((warn_unused_result))
#define IGNORE(call)                           \
	do {                                   \
		__auto_type ignored_ = (call); \
		(void)ignored_;                \
	} while (0)

/* AUTO(x_free) struct x *p = NULL;  runs x_free(&p) when p leaves its scope. */
#define AUTO(fn) __attribute__((cleanup(fn)))
/* Moves ownership out of p: yields its value and leaves NULL behind. */
#define TAKE(p)                           \
	({                                \
		__auto_type taken_ = (p); \
		(p) = NULL;               \
		taken_;                   \
	})

/* A local that is written before it is read, exempt from the clearing that the build gives to all
 * others. For large ones (a struct err has half a kilobyte) on paths that every request takes. */
#define UNSET                        __attribute__((uninitialized))

#define PRINTF_LIKE(fmt_at, args_at) __attribute__((format(printf, fmt_at, args_at)))
#define NORETURN                     __attribute__((noreturn))
#define COLD                         __attribute__((cold, noinline))
#define LIKELY(x)                    __builtin_expect(!!(x), 1)
#define UNLIKELY(x)                  __builtin_expect(!!(x), 0)
#define ARRAY_LEN(a)                 (sizeof(a) / sizeof *(a))
