/* directive_args - what does a model ask for with session_directive? Reads the call's arguments; the
 * limits are core/directive_policy's. */
#pragma once
#include "base/arena.h"
#include "base/json.h"
#include "core/directive_policy.h"

/* JSON Schema of the arguments, for the model. */
#define DIRECTIVE_ARGS_SCHEMA                                                                      \
	"{\"type\":\"object\",\"properties\":{"                                                    \
	"\"outcome\":{\"type\":\"string\",\"enum\":[\"sleep\",\"continue\"],\"description\":"      \
	"\"sleep: wait until somebody writes or a wake is due; continue: go on by yourself after " \
	"follow_up_seconds\"},"                                                                    \
	"\"follow_up_seconds\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":86400},"            \
	"\"wakes\":{\"type\":\"array\",\"maxItems\":3,\"items\":{\"type\":\"object\","             \
	"\"properties\":{\"delay_seconds\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":86400}" \
	","                                                                                        \
	"\"reason\":{\"type\":\"string\",\"maxLength\":120},"                                      \
	"\"note\":{\"type\":\"string\",\"maxLength\":400}},"                                       \
	"\"required\":[\"delay_seconds\",\"reason\"]}},"                                           \
	"\"learnings\":{\"type\":\"array\",\"maxItems\":3,\"items\":{\"type\":\"object\","         \
	"\"properties\":{\"title\":{\"type\":\"string\",\"maxLength\":120},"                       \
	"\"detail\":{\"type\":\"string\",\"maxLength\":400}},"                                     \
	"\"required\":[\"title\"]}}},"                                                             \
	"\"required\":[\"outcome\"]}"

/* Read and checked; the error names the field, for the model to correct it. Texts live in a. */
NODISCARD int
directive_args_read(struct json args, struct arena *a, struct directive *out, struct err *e);
