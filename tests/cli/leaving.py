"""leaving - cases about turns that are left before they are over: what is said of them, and what is still sent."""
import contextlib
import time

from approval import QUESTION, leave
from fake_api import FakeApi
from rig import case, check

BUSY = (503, {"error": {"type": "overloaded_error", "message": "starting"}})
MESSAGES, EVENTS = "/v1/sessions/cli%3Afake/messages", "/v1/sessions/cli%3Afake/events"


@contextlib.contextmanager
def begun(rig, **more):
    """A chat whose first message was sent, and the server that it talks to."""
    api = FakeApi(held=True, **more)
    try:
        with rig.terminal("chat", env={"PERDURE_SERVER": api.url}) as t:
            t.expect("> ")
            t.type("first\r")
            rig.until(lambda: "first" in texts(api))
            yield api, t
    finally:
        api.close()


def texts(api):
    return [body["text"] for body in api.sent if "text" in body]


def interrupts(api):
    return [event for body in api.sent for event in body.get("events", []) if event["type"] == "user.interrupt"]


def leave_turn(rig, api, t):
    t.type("\x03")
    rig.until(lambda: interrupts(api))
    t.type("\x03")


@case("L1 a message that was left before the server took it is not sent beside the next one")
def not_taken(rig):
    answers = {MESSAGES: BUSY, EVENTS: BUSY}
    with begun(rig, answers=answers) as (api, t):
        leave_turn(rig, api, t)
        t.expect("the message may not have arrived")
        t.expect("\n> ")
        answers.clear()
        api.sent.clear()
        t.type("second\r")
        rig.until(lambda: "second" in texts(api))
        time.sleep(0.6)  # longer than until the next try
        api.ask()
        t.expect(QUESTION)
        t.type("n\r")
        t.expect("\nIt was deny.")
        leave(t)
        check(texts(api) == ["second"] and not interrupts(api), api.sent)


@case("L1 a turn that was left goes on when the server has its message")
def taken(rig):
    with begun(rig, answers={EVENTS: BUSY}) as (api, t):
        rig.until(lambda: api.events)
        leave_turn(rig, api, t)
        t.expect("left alone; the turn goes on")
        leave(t)
