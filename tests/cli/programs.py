"""programs - cases about tool calls that a program answers: a worker of the environment, or whoever has a custom tool."""
import json
import threading
import time

from approval import QUESTION, asked, decisions, leave
from fake_api import FakeApi
from rig import WAIT_S, case, check

WORKERS = {"executor": "client", "evaluated_permission": "allow"}
CUSTOM = {"type": "agent.custom_tool_use", "name": "add", "evaluated_permission": "allow"}


def followed(rig, **more):
    """What a chat shows that meets such calls and stays until the turn is over."""
    api = FakeApi(**more)
    try:
        with rig.terminal("chat", env={"PERDURE_SERVER": api.url}, columns=120) as t:
            t.expect("> ")
            t.type("clean up\r")
            t.expect("⚙ ")
            time.sleep(0.3)  # it would have asked, or left
            api.go_on("done")
            t.expect("It was done.\r\n")
            leave(t)
            check(QUESTION not in t.seen and "waits for somebody" not in t.seen, repr(t.seen))
            return t.seen
    finally:
        api.close()


def followed_by_script(rig, **more):
    api = FakeApi(**more)
    try:
        threading.Timer(0.5, api.go_on, ["done"]).start()
        done = rig.run("chat", "-m", "clean up", env={"PERDURE_SERVER": api.url})
        check((done.returncode, done.stdout) == (0, "It was done.\n"), done)
    finally:
        api.close()


@case("T11 chat waits for a worker's result and asks nobody")
def workers_call(rig):
    followed(rig, call=WORKERS)
    followed(rig, call=WORKERS, count=2)


@case("T11 chat in a script waits for a worker's result")
def workers_call_in_script(rig):
    followed_by_script(rig, call=WORKERS)


@case("T11 a worker that answers at once keeps nobody from following the turn")
def workers_quick_answer(rig):
    followed(rig, call=WORKERS, at_once=True)
    followed_by_script(rig, call=WORKERS, at_once=True)


@case("T11 chat asks before a worker runs a call, and then waits for it")
def workers_call_asks(rig):
    with asked(rig, call={"executor": "client"}, again=True) as (api, t):
        t.type("y\r")
        t.expect("\nIt was allow.")
        leave(t)
        check(t.seen.count(QUESTION) == 1, repr(t.seen))


@case("T8 chat stays with a turn whose custom call is answered by a program")
def custom_call(rig):
    check("perdure agent session status --session cli:fake" in followed(rig, call=CUSTOM), "who has to answer")


@case("T8 chat in a script says that a custom call waits")
def custom_call_in_script(rig):
    api = FakeApi(call=CUSTOM)
    try:
        done = rig.run("chat", "-m", "clean up", env={"PERDURE_SERVER": api.url})
        check(done.returncode == 1 and "waits for: add" in done.stderr and
              "perdure agent session custom-tool-result --session cli:fake --request call_1" in done.stderr, done)
    finally:
        api.close()


@case("T8 a custom call beside one that asks keeps nobody from following the turn")
def custom_beside(rig):
    for meanwhile in (True, False):
        with asked(rig, calls=[CUSTOM, {}]) as (api, t):
            if meanwhile:
                api.wait("call_2")
            t.type("y\r")
            rig.until(lambda: decisions(api))
            if not meanwhile:
                api.wait("call_1")
            time.sleep(0.3)  # it would have left
            api.go_on("done")
            t.expect("It was done.\r\n")
            leave(t)
            check("the turn ended" not in t.seen and t.seen.count(QUESTION) == 1, repr(t.seen))


# ---- the real server ----

def make_session(rig):
    """A session whose built-in tools are a worker's."""
    definition = rig.home / "remote.json"
    definition.write_text(json.dumps({"name": "Remote", "model": "demo", "tools": [
        {"type": "agent_toolset_20260401",
         "default_config": {"enabled": True, "permission_policy": {"type": "always_allow"}}}]}))
    agent = rig.ok("agent", "create", "--file", str(definition)).strip()
    place = rig.api("POST", "/v1/environments", {"name": "far", "config": {"type": "self_hosted"}})["id"]
    return rig.ok("agent", "session", "create", "--name", agent, "--environment", place).strip()


def status(rig, session):
    return rig.ok("agent", "session", "status", "--session", session)


def give_result(rig, session, text):
    """As the worker would, once the session waits for it."""
    rig.until(lambda: "waits for: bash: date" in status(rig, session))
    events = json.loads(rig.ok("agent", "session", "events", "--session", session, "--json"))["data"]
    call = [event["id"] for event in events if event["type"] == "agent.tool_use"][-1]
    rig.api("POST", f"/v1/sessions/{session}/events", {"events": [
        {"type": "user.tool_result", "tool_use_id": call, "content": [{"type": "text", "text": text}]}]})


@case("L1b H6c a worker's call of the real server: no question, no command that answers it")
def real_worker(rig):
    session = make_session(rig)
    with rig.terminal("chat", "--session", session, columns=120) as t:
        t.expect("> ")
        t.type('tool bash {"command":"date"}\r')
        rig.until(lambda: "waits for: bash: date" in status(rig, session))
        said = status(rig, session)
        check("a worker of the environment runs it" in said and "confirm-tool" not in said, said)
        done = rig.run("agent", "session", "confirm-tool", "--session", session, "--allowed", "true")
        check(done.returncode == 1 and "waits for no decision" in done.stderr, done)
        give_result(rig, session, "noon")
        t.expect("noon")
        leave(t)
        check(QUESTION not in t.seen, repr(t.seen))
    with rig.background("chat", "--session", session, "-m", 'tool bash {"command":"date"}') as running:
        give_result(rig, session, "midnight")
        out, _ = running.communicate(timeout=WAIT_S)
        check(running.returncode == 0 and "midnight" in out, (running.returncode, out))
