"""mcp_peer - an MCP server that does as it is told, for the tests of our client.

  mcp_peer.py stdio [WORD...]
  mcp_peer.py http [WORD...]       prints its port; serves until its standard input ends

It speaks 2025-11-25, or with the word `stateless` 2026-07-28. What it was asked is a line of JSON in
the file $MCP_PEER_LOG, if that is set (or given as log=PATH).

Words: stateless  pages  no-tools  nonsense  long-line  die-at-start  silent  chatter  changes
  stay (when it is told to leave)
  once, when the tools are listed again: busy (refused)  stuck (not answered)
  vanish (asks, when they are listed again)  mismatch (of headers, once, when echo is called)
  http alone: json  auth  forget (the session, once, when a tool is called)
    forget-echo (when that tool is)  forget-list (when they are listed again)
    break-off (streams, before the answer)  resume=STATUS (what going on then is refused with)  get
    throttle (429, once, when the tools are listed again)  pings (and never takes the answers)
    short-get (ends after a moment, without a word)
Tools: echo {text}, env, slow {ms}, progress {ms, steps}, die, hang, grow (one more tool from then on),
  asks {ms}, asks-model, big {bytes}, binary
"""
import http.server
import json
import os
import sys
import threading
import time

MODE, WORDS = sys.argv[1], sys.argv[2:]
LOG = next((word[4:] for word in WORDS if word.startswith("log=")), None)
RESUME = next((int(word[7:]) for word in WORDS if word.startswith("resume=")), 200)
GROWN = []
CANCELLED = set()
LOCK = threading.Lock()
FILTER = threading.Lock()
SEEN = {"forgot": False, "mismatch": False, "broke": set(), "sessions": 0, "lists": 0}
TOOLS = ["echo", "env", "slow", "progress", "die", "hang", "grow", "asks", "asks-model", "big", "binary"]


def log(entry):
    if LOG:
        with LOCK, open(LOG, "a") as out:
            out.write(json.dumps(entry) + "\n")


def tool(name):
    return {"name": name, "description": f"does {name}", "inputSchema": {"type": "object"},
            "annotations": {"readOnlyHint": name == "echo"}}


def tools(params):
    names = [name for name in TOOLS + GROWN if name != "asks" or "vanish" not in WORDS or SEEN["lists"] < 2]
    known = [] if "no-tools" in WORDS else [tool(name) for name in names]
    if "pages" not in WORDS:
        return {"tools": known}
    at = int(params.get("cursor", "0"))
    page = {"tools": known[at:at + 4]}
    if at + 4 < len(known):
        page["nextCursor"] = str(at + 4)
    return page


def text(words, **more):
    return {"content": [{"type": "text", "text": words}], **more}


def sleep_unless_cancelled(ms, request):
    until = time.monotonic() + ms / 1000
    while time.monotonic() < until:
        if request in CANCELLED:
            return False
        time.sleep(0.005)
    return True


def call(params, request, say):
    """The result; None: there is no answer any more."""
    name, given = params["name"], params.get("arguments", {})
    if name == "echo":
        return text(given.get("text", ""))
    if name == "env":
        return text(json.dumps({"env": dict(os.environ), "cwd": os.getcwd()}))
    if name == "slow":
        return text("done") if sleep_unless_cancelled(given["ms"], request) else None
    if name == "progress":
        for step in range(given["steps"]):
            time.sleep(given["ms"] / 1000)
            say({"jsonrpc": "2.0", "method": "notifications/progress", "params": {
                "progressToken": params["_meta"]["progressToken"], "progress": step}})
        return text("done")
    if name == "die":
        print("going down", file=sys.stderr, flush=True)
        os._exit(3)
    if name == "hang":
        return None
    if name == "grow":
        GROWN.append(f"grown{len(GROWN)}")
        say({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
        return text("grown")
    if name in ("asks", "asks-model"):
        time.sleep(given.get("ms", 0) / 1000)
        return asks(params, name)
    if name == "big":
        return text("x" * given["bytes"])
    if name == "binary":
        return text("a\0b\ud83d")
    return text("no such tool", isError=True)


def listed_again():
    """Whether it is the second time."""
    SEEN["lists"] += 1
    return SEEN["lists"] == 2


def forgets(method, params):
    """Whether the session is over with this message."""
    if method == "tools/call":
        return "forget" in WORDS or f"forget-{params['name']}" in WORDS
    return method == "tools/list" and "forget-list" in WORDS and SEEN["lists"] > 0


def asks(params, name):
    if "inputResponses" in params:
        return text(json.dumps([params["inputResponses"], params.get("requestState")]))
    method = "elicitation/create" if name == "asks" else "sampling/createMessage"
    return {"resultType": "input_required", "requestState": "s t",
            "inputRequests": {"q": {"method": method, "params": {"message": "?"}}}}


def mismatch(params):
    if "mismatch" not in WORDS or params["name"] != "echo" or SEEN["mismatch"]:
        return False
    SEEN["mismatch"] = True
    return True


def answer(message, say):
    """What is said to a message; None: nothing."""
    method, params, request = message.get("method"), message.get("params", {}), message.get("id")
    log(message)
    if method == "notifications/cancelled":
        CANCELLED.add(params["requestId"])
    if request is None or method is None:
        return None
    stateless = "stateless" in WORDS
    info = {"name": "peer", "version": "9"}
    capabilities = {"tools": {"listChanged": "changes" in WORDS}}
    if method == "server/discover" and stateless:
        result = {"supportedVersions": ["2026-07-28"], "capabilities": capabilities,
                  "_meta": {"io.modelcontextprotocol/serverInfo": info}}
    elif method == "initialize" and not stateless:
        result = {"protocolVersion": params["protocolVersion"], "capabilities": capabilities,
                  "serverInfo": info}
    elif method == "tools/list":
        again = listed_again()
        if again and "busy" in WORDS:
            return {"jsonrpc": "2.0", "id": request, "error": {"code": -32603, "message": "busy"}}
        result = None if again and "stuck" in WORDS else tools(params)
    elif method == "tools/call" and mismatch(params):
        return {"jsonrpc": "2.0", "id": request, "error": {"code": -32020, "message": "headers"}}
    elif method == "tools/call":
        result = call(params, request, say)
    else:
        return {"jsonrpc": "2.0", "id": request, "error": {"code": -32601, "message": "no such method"}}
    return result and {"jsonrpc": "2.0", "id": request, "result": result}


# ---- stdio ----

def put(message):
    with FILTER:
        sys.stdout.write(json.dumps(message) + "\n")
        sys.stdout.flush()


def serve_line(line):
    said = answer(json.loads(line), put)
    if said:
        put(said)


def serve_stdio():
    if "die-at-start" in WORDS:
        sys.exit("it has no time")
    if "chatter" in WORDS:
        print("Server is running on stdio\n\n", flush=True)
    if "nonsense" in WORDS:
        print('{"jsonrpc":"2.0","id":', flush=True)
    if "long-line" in WORDS:
        sys.stdout.write("{" + "x" * (9 << 20))
        sys.stdout.flush()
    for line in sys.stdin:
        if "silent" not in WORDS:
            threading.Thread(target=serve_line, args=[line], daemon=True).start()
    log({"end": "stdin"})
    if "stay" in WORDS:
        time.sleep(600)


# ---- HTTP ----

class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    streams = []

    def head(self, status, kind, length=None, session=None):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        if session:
            self.send_header("Mcp-Session-Id", session)
        if length is None:
            self.send_header("Transfer-Encoding", "chunked")
        else:
            self.send_header("Content-Length", str(length))
        self.end_headers()

    def whole(self, status, body=b"", kind="application/json", session=None):
        self.head(status, kind, len(body), session)
        self.wfile.write(body)

    def event(self, message, number):
        data = f"id: {number}\ndata: {json.dumps(message) if message else ''}\n\n".encode()
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def refused(self):
        session = self.headers.get("Mcp-Session-Id")
        if "auth" in WORDS:
            self.whole(401)
        elif "stateless" not in WORDS and session and session != str(SEEN["sessions"]):
            self.whole(404)
        else:
            return False
        return True

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        log({"headers": {name.lower(): value for name, value in self.headers.items()}})
        method = message.get("method")
        if method == "initialize":
            SEEN["sessions"] += 1
        elif not SEEN["forgot"] and forgets(method, message.get("params", {})):
            SEEN["forgot"] = True
            SEEN["sessions"] += 1
        if self.refused():
            return
        session = None if "stateless" in WORDS else str(SEEN["sessions"])
        if method is None and "pings" in WORDS:
            log({"answer": message["id"]})
            time.sleep(600)
        elif method == "tools/list" and "throttle" in WORDS and SEEN["lists"] == 1:
            listed_again()
            log(message)
            self.whole(429)
        elif message.get("id") is None or method is None:
            answer(message, None)
            self.whole(202)
        elif "json" in WORDS:
            said = answer(message, lambda _: None)
            self.whole(200, json.dumps(said).encode(), session=session)
        else:
            self.stream(message, session)

    def stream(self, message, session):
        self.head(200, "text/event-stream", session=session)
        self.event(None, 1)
        number = [1]

        def say(more):
            number[0] += 1
            self.event(more, number[0])

        try:
            if "pings" in WORDS and message["method"] == "tools/call":
                for ping in range(200):
                    say({"jsonrpc": "2.0", "id": ping, "method": "ping"})
            said = answer(message, say)
            if "break-off" in WORDS and message["method"] == "tools/call":
                SEEN["held"] = said
            elif said:
                say(said)
            else:
                self.watch(message["id"])
            self.wfile.write(b"0\r\n\r\n")
        except OSError:
            log({"gone": message["id"]})
            self.close_connection = True

    def watch(self, request):
        """Until the client hangs up."""
        while True:
            time.sleep(0.01)
            self.event(None, 0)

    def do_GET(self):
        log({"get": self.headers.get("Last-Event-ID")})
        if self.refused():
            return
        if RESUME != 200 and self.headers.get("Last-Event-ID"):
            self.whole(RESUME, json.dumps({"jsonrpc": "2.0", "id": None, "error": {
                "code": -32000, "message": "no such session"}}).encode())
            return
        if "break-off" not in WORDS and "get" not in WORDS and "short-get" not in WORDS:
            self.whole(405)
            return
        self.head(200, "text/event-stream")
        if "short-get" in WORDS:
            time.sleep(0.05)
            self.wfile.write(b"b\r\nretry: 10\n\n\r\n")
        if "held" in SEEN:
            self.event(SEEN.pop("held"), 7)
        if "get" in WORDS:
            self.event({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}, 1)
            time.sleep(0.3)
        self.wfile.write(b"0\r\n\r\n")

    def do_DELETE(self):
        log({"delete": self.headers.get("Mcp-Session-Id")})
        self.whole(200)

    def log_message(self, *_):
        pass


def serve_http():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    print(server.server_address[1], flush=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdin.read()


if __name__ == "__main__":
    serve_stdio() if MODE == "stdio" else serve_http()
    os._exit(0)
