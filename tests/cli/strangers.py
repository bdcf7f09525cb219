"""strangers - cases about text that a model or somebody else wrote: what of it reaches a terminal, and a pipe."""
import json
import sys

from fake_api import FakeApi
from rig import case, check

EVIL, HARMLESS = "a\x1b[2Kb\u009b1mc\u202ed", "a[2Kb1mcd"
SESSION = {"id": "x", "status": "idle", "title": EVIL}
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


def shown(rig, url, *arguments):
    with rig.terminal(*arguments, columns=120, env={"PERDURE_SERVER": url}) as t:
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
