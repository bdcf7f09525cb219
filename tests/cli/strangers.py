"""strangers - cases about text that a model or somebody else wrote: what of it reaches a terminal, and a pipe."""
import json
import sys

from fake_api import FakeApi
from rig import case, check

EVIL, HARMLESS = "a\x1b[2Kb\u009b1mc\u202ed", "a[2Kb1mcd"
SESSION = {"id": "x", "status": "idle", "title": EVIL, "head_seq": 0}
ANSWERS = {
    "/v1/sessions/x": (200, SESSION),
    "/v1/sessions/x/messages": (200, {"message_id": "m", "text": EVIL}),
    "/v1/sessions/x/wake": (400, {"error": {"type": "invalid", "message": EVIL}}),
}
SEND = ("agent", "session", "send", "--session", "x", "--message", "hi", "--wait")

MCP_SERVER = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    result = {"tools": [{"name": "e\\u009bv\\u202eil", "description": "d\\u009be", "inputSchema": {}}]}
    if asked["method"] == "initialize":
        result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"""


def shown(rig, url, *arguments, typed="", columns=120):
    with rig.terminal(*arguments, columns=columns, env={"PERDURE_SERVER": url}) as t:
        if typed:
            t.expect("> ")
            t.type(typed)
        t.wait()
        for one in ("\x1b[2K", "\u009b", "\u202e"):
            check(one not in t.seen, (arguments, t.seen))
        return t.seen


@case("a terminal gets no control characters of a model or a stranger")
def terminals(rig):
    api = FakeApi(answers=ANSWERS)
    try:
        check(HARMLESS in shown(rig, api.url, *SEND), "an answer")
        shown(rig, api.url, *SEND, "--json")
        check(f"- title: {HARMLESS}\r\n" in shown(rig, api.url, "agent", "session", "status", "--session", "x"), "a title")
        shown(rig, api.url, "agent", "session", "status", "--session", "x", "--json")
        check(HARMLESS in shown(rig, api.url, "agent", "wake", "--session", "x"), "a refusal")
    finally:
        api.close()


@case("L3 chat at a terminal: names of an agent and its model are shown without control characters")
def chat_head(rig):
    agent = {"id": EVIL, "model": {"id": EVIL}}
    api = FakeApi(answers={
        "/v1/sessions": (200, {"id": "x", "head_seq": 0, "agent": agent}),
        "/v1/sessions/x/commands": (200, {"text": "here", "command": "resume", "data": {"session_id": "y"}})})
    try:
        for typed, heads in (("\x04", 1), ("/resume y\r/quit\r", 2)):
            seen = shown(rig, api.url, "chat", typed=typed)
            check(seen.count(f"x, agent {HARMLESS} ({HARMLESS})") == heads, repr(seen))
    finally:
        api.close()


@case("T8 a status shows no line that a call's input made up")
def forged_lines(rig):
    columns = 60
    for pad in range(columns - 30, columns):
        value = "x" * pad + "- forged: line"
        api = FakeApi(answers={"/v1/sessions/x": (200, {**SESSION, "title": "t", "stop_reason": {
            "type": "requires_action", "event_ids": ["call_1"]}})}, call={"input": {"command": value, "b": value}})
        try:
            api.add(*api.calls)
            seen = shown(rig, api.url, "agent", "session", "status", "--session", "x", columns=columns)
            lines = seen[seen.index("- waits for: bash: x"):seen.index("\r\n    perdure agent")].split("\r\n")
            check(all(len(line) <= columns for line in lines), (pad, lines))
            check(lines[1] == "      bash" and all(line.startswith(" " * 8) for line in lines[2:]), (pad, lines))
            whole = "".join(lines[2:]).replace(" ", "")
            check(whole == f"command:{value}b:{value}".replace(" ", ""), (pad, lines))
        finally:
            api.close()


@case("a pipe gets what was written as it is")
def pipes(rig):
    api = FakeApi(answers=ANSWERS)
    try:
        env = {"PERDURE_SERVER": api.url}
        check(rig.ok(*SEND, env=env) == EVIL + "\n", "an answer")
        check(json.loads(rig.ok(*SEND, "--json", env=env))["text"] == EVIL, "as JSON")
        check(f"- title: {EVIL}\n" in rig.ok("agent", "session", "status", "--session", "x", env=env), "a title")
    finally:
        api.close()


@case("mcp probe shows a foreign server's names without control characters")
def probe(rig):
    server = rig.home / "server.py"
    server.write_text(MCP_SERVER)
    seen = shown(rig, rig.url, "mcp", "probe", "--", sys.executable, str(server))
    check("\n  e__v___il" + " " * 17 + "de\r\n" in seen, repr(seen))
    shown(rig, rig.url, "mcp", "probe", "--json", "--", sys.executable, str(server))
    check("tool\te__v___il\tde\n" in rig.ok("mcp", "probe", "--", sys.executable, str(server)), "in a pipe")
