#include "sim_table.h"

#include <stddef.h>

static const char *const STATES[SIM_STATES] = {
	[SIM_IDLE] = "idle",         [SIM_QUEUED] = "queued",
	[SIM_LOOKING] = "looking",   [SIM_LISTING] = "listing",
	[SIM_OPENING] = "opening",   [SIM_CONTEXT] = "context",
	[SIM_ASKED] = "asked",       [SIM_STREAMING] = "streaming",
	[SIM_TOOLS] = "tools",       [SIM_COMMITTING] = "committing",
	[SIM_BACKOFF] = "backoff",   [SIM_PARKED] = "parked",
	[SIM_RESUMING] = "resuming", [SIM_LEFT] = "left",
};
static const char *const FAULTS[SIM_FAULTS] = {
	[SIM_CRASH] = "crash",          [SIM_TAKEOVER] = "takeover",
	[SIM_DRAIN] = "drain",          [SIM_JUMP] = "jump",
	[SIM_STALL] = "stall",          [SIM_INTERRUPT] = "interrupt",
	[SIM_STEER] = "steer",          [SIM_MESSAGE] = "message",
	[SIM_STRAY_ANSWER] = "stray",   [SIM_INPUT_FAILS] = "input!",
	[SIM_COMMIT_FAILS] = "commit!", [SIM_COMMIT_UNKNOWN] = "commit?",
	[SIM_COMMIT_LATE] = "late",     [SIM_READ_FAILS] = "read!",
	[SIM_MODEL_FAILS] = "model!",   [SIM_MODEL_SILENT] = "silent",
	[SIM_LISTING_FAILS] = "list!",  [SIM_TOOL_FAILS] = "tool!",
	[SIM_TOOL_SILENT] = "hangs",
};

static const char *const SCENES[SIM_SCENES] = {
	[SIM_SCENE_ENDED] = "ended by itself",
	[SIM_SCENE_PARKED] = "parked",
	[SIM_SCENE_RESUMED] = "resumed",
	[SIM_SCENE_PARTIAL] = "partly answered",
	[SIM_SCENE_STEERED] = "steered",
	[SIM_SCENE_WENT_AHEAD] = "went ahead of an older one",
	[SIM_SCENE_INTERRUPTED] = "interrupted",
	[SIM_SCENE_STOPPED_PARKED] = "interrupted while parked",
	[SIM_SCENE_RACED] = "interrupt raced the terminal",
	[SIM_SCENE_CONTINUED] = "continued after a death",
	[SIM_SCENE_PUT_OFF] = "put off by a drain",
	[SIM_SCENE_HELD] = "held after too many crashes",
	[SIM_SCENE_GIVEN_UP] = "given up",
	[SIM_SCENE_CUT_SHORT] = "partial text kept",
	[SIM_SCENE_BACKED_OFF] = "backed off",
	[SIM_SCENE_EXHAUSTED] = "retries exhausted",
	[SIM_SCENE_REFUSED] = "model refused",
	[SIM_SCENE_LIMITED] = "limit reached",
	[SIM_SCENE_FENCED] = "old holder refused",
	[SIM_SCENE_TIMED_OUT] = "tool timed out",
	[SIM_SCENE_DENIED] = "denied",
	[SIM_SCENE_LOST_CALL] = "call interrupted",
	[SIM_SCENE_RUN_AGAIN] = "harmless call run again",
	[SIM_SCENE_SETTLED] = "question settled itself",
	[SIM_SCENE_BY_WORKER] = "result from a worker",
	[SIM_SCENE_WOKEN] = "woken",
	[SIM_SCENE_REPEATED] = "sent again, stored once",
};

const char *
sim_table_unreachable(enum sim_state s, enum sim_fault f)
{
	bool commits = s == SIM_OPENING || s == SIM_COMMITTING || s == SIM_RESUMING;
	bool model = s == SIM_ASKED || s == SIM_STREAMING;

	switch (f) {
	case SIM_COMMIT_FAILS:
	case SIM_COMMIT_UNKNOWN:
	case SIM_COMMIT_LATE:
		return commits ? NULL : "no commit of a turn is on its way in this state";
	case SIM_READ_FAILS:
		if (s == SIM_IDLE || s == SIM_QUEUED)
			return "whoever reads for a session at rest is looking";
		return NULL;
	case SIM_MODEL_FAILS:
	case SIM_MODEL_SILENT: return model ? NULL : "no model is asked in this state";
	case SIM_LISTING_FAILS: return s == SIM_LISTING ? NULL : "nobody is asked for tools";
	case SIM_TOOL_FAILS:
	case SIM_TOOL_SILENT: return s == SIM_TOOLS ? NULL : "no tool runs in this state";
	case SIM_CRASH:
	case SIM_TAKEOVER:
	case SIM_DRAIN:
	case SIM_JUMP:
	case SIM_STALL:
	case SIM_INTERRUPT:
	case SIM_STEER:
	case SIM_MESSAGE:
	case SIM_STRAY_ANSWER:
	case SIM_INPUT_FAILS:
	case SIM_FAULTS: break;
	}
	return NULL;
}

/* Why cells of that column cannot be reached: one sentence holds for all of them. */
static void
print_reason(FILE *out, enum sim_fault f)
{
	for (int s = 0; s < SIM_STATES; s++) {
		const char *why = sim_table_unreachable((enum sim_state)s, f);

		if (!why)
			continue;
		fprintf(out, "- %s: %s\n", FAULTS[f], why);
		return;
	}
}

void
sim_table_print(const struct sim_table *t, FILE *out)
{
	fprintf(out, "%-11s", "");
	for (int f = 0; f < SIM_FAULTS; f++)
		fprintf(out, "%10s", FAULTS[f]);
	fprintf(out, "\n");
	for (int s = 0; s < SIM_STATES; s++) {
		fprintf(out, "%-11s", STATES[s]);
		for (int f = 0; f < SIM_FAULTS; f++) {
			if (sim_table_unreachable((enum sim_state)s, (enum sim_fault)f))
				fprintf(out, "%10s", "-");
			else
				fprintf(out, "%10llu", (unsigned long long)t->hits[s][f]);
		}
		fprintf(out, "\n");
	}
	for (int f = 0; f < SIM_FAULTS; f++)
		print_reason(out, (enum sim_fault)f);
	for (int i = 0; i < SIM_SCENES; i++)
		fprintf(out, "%-30s%10llu\n", SCENES[i], (unsigned long long)t->scenes[i]);
}

size_t
sim_table_holes(const struct sim_table *t, FILE *out)
{
	size_t holes = 0;

	for (int s = 0; s < SIM_STATES; s++)
		for (int f = 0; f < SIM_FAULTS; f++) {
			if (t->hits[s][f] > 0 ||
			    sim_table_unreachable((enum sim_state)s, (enum sim_fault)f))
				continue;
			fprintf(out, "%s never met %s\n", STATES[s], FAULTS[f]);
			holes++;
		}
	for (int i = 0; i < SIM_SCENES; i++) {
		if (t->scenes[i] > 0)
			continue;
		fprintf(out, "never seen: %s\n", SCENES[i]);
		holes++;
	}
	return holes;
}
