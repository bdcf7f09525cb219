"""idle - cases about people who take their time: at the prompt and at a question."""
import contextlib
import time

from approval import QUESTION, asker, leave
from rig import case, check

PAUSE_S = 11  # longer than a connection may take (10 s)


@case("L1 chat at a terminal: a line, a command and an answer sent after a long pause arrive")
def long_pause(rig):
    with contextlib.ExitStack() as stack:
        line, command = [stack.enter_context(rig.terminal("chat", "--new", columns=120)) for _ in range(2)]
        question = stack.enter_context(rig.terminal("chat", "--new", "--agent", asker(rig), columns=120))
        for t in (line, command, question):
            t.expect("> ")
        question.type('tool bash {"command":"echo waited"}\r')
        question.expect(QUESTION)
        time.sleep(PAUSE_S)
        line.type("say awake\r")
        line.expect("say awake\r\n")
        line.expect("awake\r\n")
        leave(line)
        command.type("/title Late\r")
        command.expect("now called Late")
        leave(command)
        question.type("y\r")
        question.expect("bash: waited\r\n")
        leave(question)
        for t in (line, command, question):
            check("no connection" not in t.seen, repr(t.seen))
