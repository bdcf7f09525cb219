"""verify - what must be true of a log, whatever happened to the server that wrote it."""
from collections import Counter

TERMINALS = ("session.status_idle", "session.status_terminated")


def text_of(event):
    return "".join(part.get("text", "") for part in event.get("content", []))


def is_terminal(event):
    return event["type"] in TERMINALS and \
        (event.get("stop_reason") or {}).get("type") != "requires_action"


def log_problems(log):
    """Gaps, doubles, inputs consumed twice or never, turns without exactly one end."""
    if [event["seq"] for event in log] != list(range(1, len(log) + 1)):
        yield "the seqs are not dense from 1"
    for event_id, count in Counter(event["id"] for event in log).items():
        if count > 1:
            yield f"{event_id} stands in the log {count} times"
    consumed = Counter(name for event in log for name in event.get("consumes", []))
    for name, count in consumed.items():
        if count > 1:
            yield f"{name} was consumed {count} times"
    for event in log:
        if event["type"] == "user.message" and consumed[event["id"]] != 1:
            yield f"the message at {event['seq']} was consumed by {consumed[event['id']]} turns"
        if event["processed_at"] is None:
            yield f"{event['type']} at {event['seq']} is still pending"
    yield from turn_problems(log)


def turn_problems(log):
    begun = {event["turn_id"] for event in log if event["type"] == "session.status_running"}
    ended = Counter(event["turn_id"] for event in log if is_terminal(event) and event.get("turn_id"))
    for turn in sorted(begun):
        if ended[turn] != 1:
            yield f"{turn} has {ended[turn]} ends"
    for turn in sorted(set(ended) - begun):
        yield f"{turn} ends without a beginning"
    last = {}
    for event in log:
        turn = event.get("turn_id")
        if turn and last.get(turn):
            yield f"{event['type']} at {event['seq']} comes after the end of {turn}"
        if turn and is_terminal(event):
            last[turn] = True
