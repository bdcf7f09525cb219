"""events - what may not be appended to a log, and messages that nobody can send."""
import json
import re

from case import Case
from server import ROOT

WRONG = frozenset({400, 404})
TEXT = [{"type": "text", "text": "x"}]
GOOD = {
    "user.message": {"content": TEXT},
    "user.tool_confirmation": {"tool_use_id": "sevt_none", "result": "allow"},
    "user.tool_result": {"tool_use_id": "sevt_none", "content": TEXT},
    "user.custom_tool_result": {"custom_tool_use_id": "sevt_none", "content": TEXT},
    "user.define_outcome": {"description": "d", "rubric": {"type": "text", "content": "c"}},
    "system.message": {"content": TEXT},
}
CONTENTS = [
    ("a text", "x"), ("null", None), ("a number", 1), ("an object", {}), ("nothing", []), ("a number in it", [1]),
    ("null in it", [None]), ("an array in it", [[]]), ("a block without a type", [{"text": "x"}]),
    ("a block of no kind", [{"type": "video"}]), ("a block whose type is a number", [{"type": 1}]),
    ("a text block without text", [{"type": "text"}]), ("a text block of a number", [{"type": "text", "text": 1}]),
    ("a text block with more", [{"type": "text", "text": "x", "zzz": 1}]),
    ("one wrong block behind a good one", [*TEXT, {"type": "text"}]),
]
MEDIA = [
    ("an image without a source", [{"type": "image"}]), ("an image of no source", [{"type": "image", "source": {}}]),
    ("an image whose source is a text", [{"type": "image", "source": "x"}]),
    ("an image of an unknown source", [{"type": "image", "source": {"type": "disk", "path": "/etc/passwd"}}]),
    ("an image without data", [{"type": "image", "source": {"type": "base64", "media_type": "image/png"}}]),
    ("a document without a source", [{"type": "document"}]),
    ("a document of no source", [{"type": "document", "source": {"type": "zzz"}}]),
]
MESSAGES = [
    ("text of blanks and nothing else to say", {"text": ""}), ("no text", {"mode": "append"}),
    ("11 attachments", {"text": "x", "attachments": [{"data": "eA==", "mime_type": "text/plain"}] * 11}),
    ("an attachment of nothing", {"text": "x", "attachments": [{}]}),
    ("an attachment that is no base64", {"text": "x", "attachments": [{"data": "***", "mime_type": "text/plain"}]}),
    ("a sender without a channel", {"text": "x", "sender": {"channel_user_id": "1"}}),
    ("a sender without an id", {"text": "x", "sender": {"channel": "c"}}),
    ("a sender with more", {"text": "x", "sender": {"channel": "c", "channel_user_id": "1", "zzz": 1}}),
    ("a sender of numbers", {"text": "x", "sender": {"channel": 1, "channel_user_id": 1}}),
    ("a wait of no time", {"text": "x", "mode": "wait", "timeout_ms": 0}),
    ("a wait of -1 ms", {"text": "x", "mode": "wait", "timeout_ms": -1}),
    ("a message_id of 300 bytes", {"text": "x", "message_id": "m" * 300}),
]


def kinds():
    page = (ROOT / "docs" / "EVENTS.md").read_text()
    return re.findall(r"^\| `([a-z]+\.[a-z_]+)` \|", page, re.M)


def batches():
    """(name, events)"""
    yield "no events", []
    for kind in kinds():
        if kind not in GOOD and kind != "user.interrupt":
            yield f"{kind} from a client", [{"type": kind, "content": TEXT}]
    yield "no type", [{"content": TEXT}]
    for value in ("", "user.message ", "USER.MESSAGE", "user", "user.", "user.nonsense", 1, None, [], {}):
        yield f"type {value!r}", [{"type": value, "content": TEXT}]
    for kind, fields in GOOD.items():
        good = {"type": kind, **fields}
        yield f"{kind} with an unknown field", [{**good, "zzz": 1}]
        for own in ("id", "seq", "processed_at", "created_at", "author", "turn_id", "hash", "meta"):
            yield f"{kind} with {own} of its own", [{**good, own: "x"}]
        for name in fields:
            yield f"{kind} without {name}", [{key: value for key, value in good.items() if key != name}]
            for what, value in (("a number", 1), ("true", True), ("null", None)):
                yield f"{kind}: {name} is {what}", [{**good, name: value}]
        if "content" in fields:
            for what, content in CONTENTS:
                yield f"{kind}: content is {what}", [{**good, "content": content}]
    for what, content in MEDIA:
        yield f"user.message: {what}", [{"type": "user.message", "content": content}]
        yield f"system.message: {what}", [{"type": "system.message", "content": content}]
    yield from together()


def together():
    note = {"type": "system.message", "content": TEXT}
    said = {"type": "user.message", "content": TEXT}
    yield "a good one, then a wrong one", [said, {"type": "user.message"}]
    yield "a wrong one, then a good one", [{"type": "user.message"}, said]
    yield "two system messages", [note, note]
    yield "a system message before another", [note, said]
    yield "a confirmation of neither yes nor no", [{**GOOD["user.tool_confirmation"], "type":
                                                    "user.tool_confirmation", "result": "maybe"}]
    yield "a reason to deny with allow", [{**GOOD["user.tool_confirmation"], "type": "user.tool_confirmation",
                                          "deny_message": "no"}]
    yield "an outcome in 0 rounds", [{**GOOD["user.define_outcome"], "type": "user.define_outcome",
                                     "max_iterations": 0}]
    yield "an outcome in 21 rounds", [{**GOOD["user.define_outcome"], "type": "user.define_outcome",
                                      "max_iterations": 21}]


def cases(make):
    sending = next(one for one in make.routes if one.name.endswith("POST /v1/sessions/{session_id}/events"))
    opening = next(one for one in make.routes if one.name == "POST /v1/sessions")
    posting = next(one for one in make.routes if one.name.endswith("POST /v1/sessions/{session_id}/messages"))
    for name, events in batches():
        if name in ("user.tool_result without content", "user.custom_tool_result without content"):
            continue  # a result may be empty; its id is unknown all the same
        body = json.dumps({"events": events}).encode()
        yield Case(sending, f"events: {name}", make.request(sending, body=body), WRONG | {409})
        if events:
            body = json.dumps({**opening.body, "initial_events": events}).encode()
            yield Case(opening, f"initial events: {name}", make.request(opening, body=body), WRONG)
    for name, body in MESSAGES:
        yield Case(posting, f"message: {name}", make.request(posting, body=json.dumps(body).encode()), WRONG)
