/* live_ask - the usual requests to an api_rig, one line each. */
#pragma once
#include "live_engine.h"

struct rig_reply live_get(struct api_rig *r, const char *token, const char *target);
struct rig_reply
live_post(struct api_rig *r, const char *token, const char *target, const char *body);
/* The text of the nth member of that name, from 0; fails when there are fewer. */
void live_member(struct str json, const char *name, int nth, char out[256]);
/* How often part stands in text. */
int live_count(struct str text, const char *part);
/* A passive event of that text in session. */
void live_say(struct api_rig *r, const char *session, const char *text);
/* A message that waits; its event's id. */
void live_ask(struct api_rig *r, const char *session, const char *text, char id[256]);
/* A turn, step by step: consumes is the id of the message it is for. */
void live_run(struct api_rig *r, const char *session, const char *turn, const char *consumes);
void live_reply(struct api_rig *r, const char *session, const char *turn, const char *text);
void live_idle(struct api_rig *r, const char *session, const char *turn);
