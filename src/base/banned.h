/* banned - libc calls that overflow, truncate silently, hide state or read a global clock do not
 * compile. The build includes this before every file; the comment says what to use instead. */
#pragma once
/* Declared by the system first: only calls are banned, and a header read later must not trip. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#define BANNED(name) banned_function_##name /* not declared: an error that names the call */

/* struct buf, arena_str, memcpy */
#undef strcpy
#define strcpy(...) BANNED(strcpy)
#undef strcat
#define strcat(...) BANNED(strcat)
#undef strncpy
#define strncpy(...) BANNED(strncpy)
#undef strncat
#define strncat(...) BANNED(strncat)
#undef stpcpy
#define stpcpy(...) BANNED(stpcpy)
/* buf_printf, arena_printf, snprintf */
#undef sprintf
#define sprintf(...) BANNED(sprintf)
#undef vsprintf
#define vsprintf(...) BANNED(vsprintf)
/* str_cut */
#define strtok(...)   BANNED(strtok)
#define strtok_r(...) BANNED(strtok_r)
/* str_to_int, json_int */
#define atoi(...)  BANNED(atoi)
#define atol(...)  BANNED(atol)
#define atoll(...) BANNED(atoll)
#define atof(...)  BANNED(atof)
/* core/zone, base/timestamp */
#define localtime(...)   BANNED(localtime)
#define localtime_r(...) BANNED(localtime_r)
#define mktime(...)      BANNED(mktime)
#define timegm(...)      BANNED(timegm)
#define gmtime(...)      BANNED(gmtime)
#define ctime(...)       BANNED(ctime)
#define asctime(...)     BANNED(asctime)
#define tzset(...)       BANNED(tzset)
/* base/rand */
#define rand(...)    BANNED(rand)
#define srand(...)   BANNED(srand)
#define random(...)  BANNED(random)
#define srandom(...) BANNED(srandom)
/* mkstemp */
#define mktemp(...) BANNED(mktemp)
#define tmpnam(...) BANNED(tmpnam)
/* struct arena */
#undef alloca
#define alloca(...) BANNED(alloca)
