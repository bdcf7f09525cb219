#include "tool/local/tool_docs.h"

#define OBJECT(required, members)                                                         \
	STR("{\"type\":\"object\",\"additionalProperties\":false,\"required\":[" required \
	    "],\"properties\":{" members "}}")
#define TEXT(name, words)   "\"" name "\":{\"type\":\"string\",\"description\":\"" words "\"}"
#define NUMBER(name, words) "\"" name "\":{\"type\":\"integer\",\"description\":\"" words "\"}"
#define SWITCH(name, words) "\"" name "\":{\"type\":\"boolean\",\"description\":\"" words "\"}"
#define FILE_PATH           TEXT("file_path", "the file, below the working directory")

const struct tool_doc TOOL_DOCS[LOCAL_TOOLS] = {
	[LOCAL_BASH] = {
		.name = STR("bash"),
		.description = STR(
			"Runs a shell command in the working directory and returns its output "
			"(stdout and stderr together) and its exit code. Each call is a process "
			"of its own: variables and the current directory do not carry over. "
			"Everything it starts ends with it; for what must go on use background, "
			"which returns a process id at once, then process_output, process_list "
			"and process_kill. /tmp is private and gone after the call."),
		.input_schema = OBJECT("\"command\"",
			TEXT("command", "what to run") ","
			NUMBER("timeout_ms", "ends it after that long; at most the tool timeout") ","
			SWITCH("background", "leave it running and return its process id") ","
			TEXT("description", "what it does, in a few words, for people")),
	},
	[LOCAL_READ] = {
		.name = STR("read"),
		.description = STR("Returns the lines of a text file, at most 2000 unless limit "
				   "says otherwise. What does not fit is said, with the offset to "
				   "go on with."),
		.input_schema = OBJECT("\"file_path\"",
			FILE_PATH ","
			NUMBER("offset", "the first line; 1 is the file's first") ","
			NUMBER("limit", "how many lines")),
		.read_only = true,
		.idempotent = true,
	},
	[LOCAL_WRITE] = {
		.name = STR("write"),
		.description = STR("Makes a file with this content, or replaces it whole. Missing "
				   "folders are made."),
		.input_schema = OBJECT("\"file_path\",\"content\"",
			FILE_PATH "," TEXT("content", "the whole file")),
		.idempotent = true,
	},
	[LOCAL_EDIT] = {
		.name = STR("edit"),
		.description = STR("Replaces a text in a file. old_string must occur exactly once, "
				   "blanks and line ends included, unless replace_all is true."),
		.input_schema = OBJECT("\"file_path\",\"old_string\",\"new_string\"",
			FILE_PATH ","
			TEXT("old_string", "what is there") ","
			TEXT("new_string", "what shall be there") ","
			SWITCH("replace_all", "every occurrence, not only one")),
	},
	[LOCAL_GLOB] = {
		.name = STR("glob"),
		.description = STR("Lists files by a pattern such as **/*.c or src/{a,b}*.h, in "
				   "the order of their names. Names that begin with a dot match "
				   "only a pattern that says the dot."),
		.input_schema = OBJECT("\"pattern\"",
			TEXT("pattern", "* ? [a-z] {a,b} and ** for any folders") ","
			TEXT("path", "the folder to look in; the working directory when left out")),
		.read_only = true,
		.idempotent = true,
	},
	[LOCAL_GREP] = {
		.name = STR("grep"),
		.description = STR("Searches files for a POSIX extended regular expression (also "
				   "\\d, \\w, \\s, \\b). Binary files and hidden folders are left "
				   "out."),
		.input_schema = OBJECT("\"pattern\"",
			TEXT("pattern", "what to look for in each line") ","
			TEXT("path", "a file or folder; the working directory when left out") ","
			TEXT("glob", "only files whose name matches, such as *.c") ","
			"\"output_mode\":{\"type\":\"string\",\"enum\":[\"content\","
			"\"files_with_matches\",\"count\"],\"description\":\"lines with file and "
			"number (the default), file names, or how often in each\"},"
			SWITCH("case_insensitive", "upper and lower case are the same") ","
			NUMBER("limit", "how many lines of answer; 200 when left out")),
		.read_only = true,
		.idempotent = true,
	},
	[LOCAL_PROCESS_LIST] = {
		.name = STR("process_list"),
		.description = STR("Lists this session's background processes, also those that "
				   "have ended lately."),
		.input_schema = OBJECT("", ""),
		.read_only = true,
		.idempotent = true,
	},
	[LOCAL_PROCESS_OUTPUT] = {
		.name = STR("process_output"),
		.description = STR("Returns what a background process has said: the last 64 KiB, "
				   "or what came after a cursor that an earlier answer named."),
		.input_schema = OBJECT("\"process_id\"",
			TEXT("process_id", "from bash or process_list") ","
			NUMBER("cursor", "only what came after it")),
		.read_only = true,
		.idempotent = true,
	},
	[LOCAL_PROCESS_KILL] = {
		.name = STR("process_kill"),
		.description = STR("Ends a background process and everything it started."),
		.input_schema = OBJECT("\"process_id\"",
			TEXT("process_id", "from bash or process_list")),
		.idempotent = true,
	},
};
