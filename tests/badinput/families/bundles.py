"""bundles - exported sessions that somebody changed on the way."""
import json

from case import Case
from families.ids import RAW
from urllib.parse import unquote

WRONG = frozenset({400, 409, 413, 415, 422})


def changed(lines):
    """(name, text)"""
    head, events = json.loads(lines[0]), [json.loads(line) for line in lines[1:]]

    def text(new_head=None, new_events=None):
        return "\n".join(json.dumps(one, separators=(",", ":")) for one in
                         [new_head or head, *(events if new_events is None else new_events)]) + "\n"

    whole = "\n".join(lines) + "\n"
    for name, value in (("nothing", ""), ("blanks", "\n\n\n"), ("no JSON", "x\n"), ("an array", "[]\n"), ("NUL", "\0\n"),
                        ("no header", "\n".join(lines[1:]) + "\n"), ("the header twice", lines[0] + "\n" + whole),
                        ("a line of text more", whole + "x\n"), ("an object more", whole + "{}\n"),
                        ("the last event twice", whole + lines[-1] + "\n")):
        yield name, value
    for tenth in range(1, 10):
        yield f"cut at {tenth}/10", whole[:len(whole) * tenth // 10]
    for field, values in (("format", ["x", 1, None]), ("version", [0, 2, "1", -1]), ("event_format", [0, 99, "x"]),
                          ("head_seq", [0, -1, 99, "1", 1.5]), ("head_hash", ["", "00", "0" * 64, "z" * 64, 1])):
        for value in values:
            yield f"header {field} {value!r}", text({**head, field: value})
        yield f"header without {field}", text({key: value for key, value in head.items() if key != field})
    for field, values in (("seq", [0, 2, -1, "1", 1.5]), ("type", ["session.zzz", "user.message", "", 1]),
                          ("created_at_ms", ["x", -1, 1.5]), ("hash", ["", "0" * 64, 1]), ("author", ["zzz", 1]),
                          ("payload", [{}, [], "x", 1, None]), ("id", ["", "../x", 1])):
        for value in values:
            yield f"event {field} {value!r}", text(new_events=[{**events[0], field: value}, *events[1:]])
        yield f"event without {field}", text(new_events=[{key: value for key, value in events[0].items()
                                                          if key != field}, *events[1:]])
    yield "an unknown member of an event", text(new_events=[{**events[0], "zzz": 1}, *events[1:]])
    yield "events turned round", text(new_events=events[::-1])
    yield "the first event left out", text(new_events=events[1:])
    yield "the last event left out", text(new_events=events[:-1])
    for wrong in RAW[:20]:
        name = unquote(wrong, errors="replace")
        if ".." in name or "/" in name or "\\" in name or any(ord(c) < 32 for c in name):
            yield f"for the id {wrong}", text({**head, "id": name})


def cases(make):
    route = next(one for one in make.routes if one.takes_bundle)
    session = route.ids["session_id"]
    note = {"type": "system.message", "content": [{"type": "text", "text": "x"}]}
    for _ in range(2):
        make.server.ask("POST", f"/v1/sessions/{session}/events", {"events": [note]})
    lines = make.server.ask("GET", f"/v1/sessions/{session}/export").splitlines()
    for name, text in changed(lines):
        yield Case(route, f"bundle: {name}", make.request(
            route, body=text.encode(errors="surrogatepass"), content_type="application/jsonl"), WRONG)
