#include "replay_log.h"

#define TURN(n, m) "msg " m "; run t" n " " m "; say s" n "; end t" n " end_turn; "

static const struct replay_row ROWS[] = {
	{ "C11 a rewind hides the target and all behind it",
	  TURN("1", "a") TURN("2", "b") "rewind b", "none active end_turn | a #4 (b) (#8) | |" },
	{ "C11 a rewind goes back several turns",
	  TURN("1", "a") TURN("2", "b") TURN("3", "c") "rewind a",
	  "none active end_turn | (a) (#4) (b) (#8) (c) (#12) | |" },
	{ "C11 what was rewound cannot be a target again", TURN("1", "a") "rewind a; rewind a",
	  "error: no user message in view" },
	{ "C11 an answer of the agent is no target", TURN("1", "a") "rewind s1",
	  "error: no user message in view" },
	{ "C11 no rewind while a turn is open", "msg a; run t a; rewind a",
	  "error: while a turn is open" },
	{ "C11 after a rewind the talk goes on",
	  TURN("1", "a") TURN("2", "b") "rewind b; " TURN("3", "c"),
	  "none active end_turn | a #4 (b) (#8) c #13 | |" },
	{ "C11 a rewind follows the place, not the seq",
	  "msg a; run t a; msg p class=passive; say x; end t end_turn; " TURN("2", "b") "rewind b",
	  "none active end_turn | a #5 p (b) (#9) | |" },
	{ "C11 passive messages placed behind the target go too", TURN("1", "a") "sys p; rewind a",
	  "none active end_turn | (a) (#4) (p) | |" },
	{ "C5 the summary stands before the kept part", TURN("1", "a") TURN("2", "b") "compact S b",
	  "none active end_turn | [a] [#4] S10 b #8 | |" },
	{ "C5 a second compaction folds the first summary in",
	  TURN("1", "a") TURN("2", "b") "compact S b; " TURN("3", "c") "compact T c",
	  "none active end_turn | [a] [#4] [S10] [b] [#8] S15 c #13 | |" },
	{ "C5 without a kept part everything is summarised",
	  TURN("1", "a") "compact S; " TURN("2", "b"),
	  "none active end_turn | [a] [#4] S6 b #9 | |" },
	{ "C5 compaction in mid-turn keeps the open turn",
	  TURN("1", "a") "msg b; run t2 b; compact S b; say x; end t2 end_turn",
	  "none active end_turn | [a] [#4] S8 b #9 | |" },
	{ "C5 an undone compaction restores the view",
	  TURN("1", "a") TURN("2", "b") "compact S b; uncompact S",
	  "none active end_turn | a #4 [S10] b #8 | |" },
	{ "C5 only the compaction in effect can be undone",
	  TURN("1", "a") TURN("2", "b") "compact S b; " TURN("3", "c") "compact T c; uncompact S",
	  "error: not in effect" },
	{ "C5 what never was cannot be undone", "uncompact zzz", "error: not in effect" },
	{ "C5 a compaction is undone once", TURN("1", "a") "compact S; uncompact S; uncompact S",
	  "error: not in effect" },
	{ "C5 what is kept must be in view",
	  TURN("1", "a") TURN("2", "b") "compact S b; compact T a", "error: not in view" },
	{ "C5 an archived message is no rewind target",
	  TURN("1", "a") TURN("2", "b") "compact S b; rewind a", "error: no user message in view" },
	{ "M11 thinking, calls and results are part of the transcript",
	  "msg a; run t a; think h; tool c; result c; say x; end t end_turn",
	  "none active end_turn | a #4 #5 #6 #7 | |" },
};

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, replay_row_check);
	return suite_run(&s, "replay_item");
}
