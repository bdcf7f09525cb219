/* token_corpus - what sessions are made of, to weigh token_estimate against a model of a tokenizer.
 *
 * There is no tokenizer in this build. model_tokens cuts a text into the pieces byte-pair
 * tokenizers cut before they merge, and charges each at what published vocabularies need: a word
 * with the blank before it 1 token per started 6 letters, digits 1 per started 3, a run of other
 * signs 1 per started 2, a run of blanks or line ends 1, a character beyond ASCII 1. It reproduces
 * the counts providers publish as examples within a token or two; it is not a measurement. */
#pragma once
#include <ctype.h>
#include <stdint.h>
#include "base/str.h"
#include "base/utf8.h"

enum piece { PIECE_WORD, PIECE_DIGITS, PIECE_BLANK, PIECE_SIGNS, PIECE_WIDE };

static enum piece
piece_of(char c)
{
	if ((unsigned char)c >= 0x80)
		return PIECE_WIDE;
	if (isalpha((unsigned char)c))
		return PIECE_WORD;
	if (isdigit((unsigned char)c))
		return PIECE_DIGITS;
	return isspace((unsigned char)c) ? PIECE_BLANK : PIECE_SIGNS;
}

static int64_t
model_tokens(struct str text)
{
	static const size_t per_token[] = {
		[PIECE_WORD] = 6, [PIECE_DIGITS] = 3, [PIECE_SIGNS] = 2
	};
	int64_t tokens = (int64_t)utf8_count_wide(text);
	size_t at = 0;

	while (at < text.len) {
		enum piece kind = piece_of(text.ptr[at]);
		size_t begin = at;

		while (at < text.len && piece_of(text.ptr[at]) == kind)
			at++;
		if (kind == PIECE_BLANK) /* a single blank belongs to the word behind it */
			tokens += at - begin > 1 || at == text.len ||
				  piece_of(text.ptr[at]) == PIECE_DIGITS;
		else if (kind != PIECE_WIDE)
			tokens += (int64_t)((at - begin + per_token[kind] - 1) / per_token[kind]);
	}
	return tokens;
}

static const struct corpus_row {
	const char *name, *text;
	int least_percent; /* of the model; 100 and more over-estimates */
} CORPUS[] = {
	{ "C1 corpus: a question",
	  "Could you look at why the nightly import keeps failing? It worked until last Thursday, "
	  "and I have not changed anything since then except the password of the database user.",
	  100 },
	{ "C1 corpus: an answer",
	  "The import stops because the connection pool still uses the previous password. I found "
	  "the old value in the deployment settings, replaced it and started the import again; it "
	  "finished without errors after about fourteen minutes. Nothing else depends on that "
	  "setting, so there is no further work to do, but rotating both together next time would "
	  "avoid the interruption altogether.",
	  100 },
	{ "C1 corpus: technical prose",
	  "A checkpoint replaces everything before it in the model's view, while the log keeps "
	  "every "
	  "message. Compaction therefore never changes history: it appends one event that says "
	  "which "
	  "messages the summary stands for, and undoing it removes nothing but that event from the "
	  "projection. Readers that understand the older format simply see a longer conversation.",
	  100 },
	{ "C1 corpus: an instruction with a list",
	  "Please follow these rules:\n- answer in complete sentences\n- quote the file you "
	  "changed\n"
	  "- never delete anything without asking first\n- stop after three failed attempts\n",
	  100 },
	{ "C1 corpus: a JSON tool result",
	  "{\"status\":\"completed\",\"description\":\"Quarterly revenue report for the northern "
	  "region\",\"owner\":\"Margaret Hamilton\",\"comments\":[\"Approved after the second "
	  "review\",\"Figures confirmed by accounting\"],\"department\":\"Finance\"}",
	  100 },
	{ "C1 corpus: tool arguments",
	  "{\"command\":\"grep --recursive --line-number connection_timeout configuration/\"}",
	  100 },
	{ "C1 corpus: fenced code",
	  "The fix:\n```c\nstatic bool\nconnection_expired(const struct connection *connection, "
	  "int64_t now)\n{\n\treturn connection->deadline != 0 && now >= connection->deadline;\n}\n"
	  "```\n",
	  100 },
	{ "C1 corpus: German",
	  "Die Sitzung wird nach einer Stunde ohne Nachricht geschlossen; die Übersicht bleibt "
	  "danach vollständig lesbar und lässt sich jederzeit wiederherstellen.",
	  100 },
	{ "C1 corpus: Russian", "Сессия закрывается через час после последнего сообщения.", 100 },
	{ "C1 corpus: Japanese", "セッションは最後のメッセージから一時間後に終了します。", 100 },
	/* The known weakness of counting characters: text that is nearly all digits and signs. It
	 * is why the provider's figure wins whenever there is one. Recorded so that nobody is
	 * surprised, and so that a change shows. */
	{ "C1 corpus: log lines are under-counted",
	  "2025-03-04T05:06:07.891Z INFO [worker-3] GET /v1/sessions/4f2a/events 200 12ms\n"
	  "2025-03-04T05:06:08.104Z WARN [worker-1] POST /v1/sessions/9c01/messages 429 1ms\n",
	  45 },
	{ "C1 corpus: JSON of ids and numbers is under-counted",
	  "{\"id\":\"018f3c2a-77b1-7d20-9c41-5be0a1d9f3aa\",\"xs\":[12,7,930,41,5,18,2.5]}", 45 },
};
