/* turn_mutant - the deliberate faults of turns (base/mutant.h), in the core, the engine and the store
 * in memory; tests/sim must notice each of them. This is the whole list:
 *
 *   TERMINAL_TWICE        the terminal event of a turn is written twice
 *   FENCE_IGNORED         whoever has an old fence may write on
 *   INTENT_LATE           a tool starts before its call is in the log
 *   STEER_LOST            a steering message that its turn did not take is forgotten
 *   RESULT_MISPLACED      the outcome of one call is taken for that of another
 *   LEASE_KEPT            the lease of a process that died counts on
 *   WAITING_CLOSED        recovery closes calls that wait for people
 *   INTERRUPT_LINGERS     an interrupt that hits nothing hits the next turn
 *   INTERRUPT_QUEUES      a message that interrupts waits behind the older ones
 *   WAKE_LOST             whoever releases a lease does not look again */
#pragma once
#include "base/mutant.h"
