"""waiting - cases about sessions that wait for somebody: nobody's script waits with them, and people are asked."""
import json
import shlex
import time

from approval import QUESTION, asker, leave
from fake_api import FakeApi
from rig import case, check

CALL = 'tool bash {"command":"echo done"}'
TOO_LONG_S = 8  # a refusal needs none of it


def adder(rig):
    """The id of an agent with a custom tool."""
    definition = rig.home / "sums.json"
    definition.write_text(json.dumps({"name": "Sums", "model": "demo", "tools": [
        {"type": "custom", "name": "add", "description": "adds", "input_schema": {"type": "object"}}]}))
    return rig.ok("agent", "create", "--file", str(definition)).strip()


def commands(done):
    """The command lines that a refusal offers, ready to be run."""
    return [shlex.split(line)[1:] for line in done.stderr.splitlines() if line.startswith("    perdure ")]


def refused(rig, *words):
    began = time.monotonic()
    done = rig.run(*words)
    check(done.returncode == 1 and time.monotonic() - began < TOO_LONG_S, done)
    return done


def messages(rig, session):
    return rig.ok("session", "events", session, "--limit", "0").count("user.message")


def settled(rig, session):
    rig.until(lambda: "stop reason: end_turn" in rig.ok("agent", "session", "status", "--session", session))


def ways(session):
    """Both ways in which a script says something and waits for the answer."""
    return (lambda text: ("chat", "--session", session, "-m", text),
            lambda text: ("agent", "session", "send", "--session", session, "--wait", "--message", text))


@case("L4l L1g a script is told which call waits and how to answer it, and sends nothing meanwhile")
def asks(rig):
    agent = asker(rig)
    for i in range(2):
        session = rig.ok("agent", "session", "create", "--name", agent).strip()
        say = ways(session)[i]
        first = refused(rig, *say(CALL))
        check("bash: echo done" in first.stderr and session in first.stderr, first)
        again = refused(rig, *say("say more"))
        check("nothing was sent" in again.stderr, again)
        check("nothing was sent" not in first.stderr and messages(rig, session) == 1, (first, again))
        check(commands(again) == commands(first), (first, again))
        allow, deny = commands(first)
        check(allow[:3] == deny[:3] == ["agent", "session", "confirm-tool"] and allow[-1] == "true" and
              deny[-1] == "false", first)
        rig.ok(*allow)
        settled(rig, session)
        check(rig.ok(*say("say more")) == "more\n", "it goes on")


@case("L4l L1h a script is told which custom tool waits and how to give its result")
def custom(rig):
    agent = adder(rig)
    for i in range(2):
        session = rig.ok("agent", "session", "create", "--name", agent).strip()
        say = ways(session)[i]
        first = refused(rig, *say('tool add {"a":1}'))
        again = refused(rig, *say("say more"))
        check("nothing was sent" in again.stderr and messages(rig, session) == 1, again)
        [result] = commands(again)
        check([result] == commands(first) and result[-2:] == ["--output", "TEXT"], (first, again))
        rig.ok(*result[:-1], "forty-two")
        settled(rig, session)
        check(rig.ok(*say("say more")) == "more\n", "it goes on")


@case("T8 a script whose message is behind a call that waits is told so")
def behind(rig):
    agent = asker(rig)
    for i in range(2):
        session = rig.ok("agent", "session", "create", "--name", agent).strip()
        rig.ok("agent", "session", "send", "--session", session, "--message", "wait 2\n" + CALL)
        rig.until(lambda: "status: running" in rig.ok("agent", "session", "status", "--session", session))
        done = refused(rig, *ways(session)[i]("say more"))
        check("the message is stored" in done.stderr and messages(rig, session) == 2, done)
        rig.ok(*commands(done)[1])
        rig.until(lambda: rig.ok("session", "events", session, "--limit", "0").count("end_turn") == 2)


@case("T8 an id that a shell would take apart is quoted in what is offered")
def quoted(rig):
    session = "cli:it's $HOME"
    first = refused(rig, "chat", "--session", session, "--agent", asker(rig), "-m", CALL)
    rig.ok(*commands(first)[0])
    settled(rig, session)


@case("L4k chat at a terminal asks about a call that waits before anything else is said")
def open_question(rig):
    session = rig.ok("agent", "session", "create", "--name", asker(rig)).strip()
    refused(rig, *ways(session)[0](CALL))
    with rig.terminal("chat", "--session", session, columns=120) as t:
        t.expect("? bash: echo done")
        t.expect(QUESTION)
        t.type("\x03")
        t.expect("\n> ")
        t.type("say later\r")
        t.expect(QUESTION)
        t.type("\x03")
        t.expect("nothing was sent")
        t.expect("\n> ")
        check(messages(rig, session) == 1, "sent")
        t.type("say later\r")
        t.expect(QUESTION)
        t.type("y\r")
        t.expect("bash: done\r\n")
        t.expect("later\r\n")
        leave(t)


@case("L3o L3p T8k T8o chat at a terminal shows what becomes of a call that a command answers")
def answered_by_command(rig):
    session = rig.ok("agent", "session", "create", "--name", asker(rig)).strip()
    with rig.terminal("chat", "--session", session, columns=120) as t:
        t.expect("> ")
        t.type(CALL + "\r")
        t.expect(QUESTION)
        t.type("\x03")
        t.expect("\r\n\x1b[33mthe agent waits for an answer")
        t.expect("/approve")
        t.expect("\n> ")
        t.type("/approve\r")
        t.expect("allowed 1 call")
        t.expect("bash: done\r\n")
        t.expect("> ")
        t.type(CALL + "\r")
        t.expect(QUESTION)
        t.type("\x03")
        t.expect("\n> ")
        t.type("/deny not today\r")
        t.expect("denied 1 call")
        t.expect("not today\r\n")
        t.expect("> ")
        t.type("\x04")
        check(t.wait() == 0, "left")


@case("L4j chat at a terminal asks about a call that is before the message")
def question_before(rig):
    session = rig.ok("agent", "session", "create", "--name", asker(rig)).strip()
    with rig.terminal("chat", "--session", session, columns=120) as t:
        t.expect("> ")
        rig.ok("agent", "session", "send", "--session", session, "--message", "wait 1\n" + CALL)
        t.type("say later\r")
        t.expect("? bash: echo done")
        t.expect(QUESTION)
        t.type("n\r")
        t.expect("later\r\n")
        leave(t)
        check(t.seen.count(QUESTION) == 1, repr(t.seen))


@case("T8 chat at a terminal goes on when somebody else answered first")
def answered_elsewhere(rig):
    session = rig.ok("agent", "session", "create", "--name", asker(rig)).strip()
    with rig.terminal("chat", "--session", session, columns=120) as t:
        t.expect("> ")
        t.type(CALL + "\r")
        t.expect(QUESTION)
        rig.ok("agent", "session", "confirm-tool", "--session", session, "--allowed", "true")
        t.type("n\r")
        t.expect("somebody else was faster")
        t.expect("bash: done\r\n")
        leave(t)


@case("T8 chat leaves its stream while a question is open and reads on afterwards")
def long_question(rig):
    api = FakeApi()
    try:
        with rig.terminal("chat", env={"PERDURE_SERVER": api.url}) as t:
            t.expect("> ")
            t.type("clean up\r")
            t.expect(QUESTION)
            t.type("y\r")
            t.expect("\nIt was allow.")
            leave(t)
            check(len(api.streams) == 2, "a stream that nobody reads would count as dead after a while")
    finally:
        api.close()
