"""slow - peers that dribble, stop in the middle or go away. Needs a server with short timeouts."""
import threading
import time

from wire import Closed, Connection

LIMIT_S = 0.6
CONFIG = f"limits:\n  header_ms: {int(LIMIT_S * 1000)}\n  body_ms: {int(LIMIT_S * 1000)}\n"
GRACE_S = 1.0


def pieces(make, route):
    """(name, what is sent before the peer stops)"""
    body = route.good_body() or b"{}"
    whole = make.request(route, body=body)
    head_end = whole.index(b"\r\n\r\n") + 4
    yield "in the request line", whole[:6]
    yield "in the head", whole[:head_end // 2]
    yield "before the last newline of the head", whole[:head_end - 1]
    yield "before the body", whole[:head_end]
    yield "in the body", whole[:head_end + len(body) // 2]
    yield "before the last byte", whole[:-1]
    chunked = whole[:head_end].replace(b"Content-Length: %d" % len(body), b"Transfer-Encoding: chunked")
    yield "before a chunk", chunked
    yield "in a chunk", chunked + b"%x\r\n" % len(body) + body[:1]
    yield "before the last chunk", chunked + b"%x\r\n" % len(body) + body + b"\r\n"


def silence(port, data):
    """Sends, then waits to be told 408 and cut off."""
    connection = Connection(port)
    begun = time.monotonic()
    connection.send(data)
    try:
        answer = connection.answer()
    except Closed:
        return "was cut off without an answer"
    except TimeoutError:
        return "is still waited for"
    took = time.monotonic() - begun
    if answer.status != 408:
        return f"got {answer.status}, not 408"
    if took > LIMIT_S + GRACE_S:
        return f"was told after {took:.1f} s"
    return None if connection.is_closed_soon() else "stays connected after 408"


def dribble(port, data):
    """A byte now and then does not buy more time."""
    connection = Connection(port)
    begun = time.monotonic()
    for at in range(len(data)):
        if time.monotonic() - begun > LIMIT_S + GRACE_S:
            connection.close()
            return "may go on for ever, byte by byte"
        connection.send(data[at:at + 1])
        connection.socket.settimeout(0.05)
        try:
            connection.more()
        except TimeoutError:
            continue
        except Closed:
            return "was cut off without an answer"
        connection.socket.settimeout(5)
        status = connection.answer().status
        connection.close()
        return None if status == 408 else f"got {status}, not 408"
    return "was not stopped"


def leave(port, data):
    connection = Connection(port)
    connection.send(data)
    connection.close()


def play(make):
    """Yields (route, mutation, problem or None); all at once, because most of it is waiting."""
    results, threads = [], []

    def begin(route, name, play_one, data):
        def run():
            results.append((route, name, play_one(make.server.port, data)))
        threads.append(threading.Thread(target=run))

    for route in make.routes:
        if not route.takes_json() or route.body is None:
            continue
        for name, data in pieces(make, route):
            begin(route, f"falls silent {name}", silence, data)
            begin(route, f"leaves {name}", leave, data)
        whole = make.request(route, body=route.good_body())
        begin(route, "dribbles", dribble, whole)
    for at in range(0, len(threads), 60):  # under the limit of connections from one address
        for thread in threads[at:at + 60]:
            thread.start()
        for thread in threads[at:at + 60]:
            thread.join()
    return results
