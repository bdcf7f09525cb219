"""sizes - heads and bodies over their limits, and shapes that cost more to read than to send."""
from case import Case

HEAD, BODY, IMPORT = 16 * 1024, 8 << 20, 256 << 20
WRONG = frozenset({400})


def heads(make):
    many = [*make.auth, *((f"X-{i}", "1") for i in range(120))]
    for route in make.routes:
        if route.streams or route.takes_bundle:
            continue
        body = route.good_body()
        for name, request in (
                ("a header of 16 KiB", make.request(route, body=body, headers=[*make.auth, ("X-Long", "x" * HEAD)])),
                ("a header name of 16 KiB", make.request(route, body=body, headers=[*make.auth, ("x" * HEAD, "x")])),
                ("120 headers", make.request(route, body=body, headers=many)),
                ("a query of 16 KiB", make.request(route, f"{route.target}?a={'x' * HEAD}", body))):
            yield Case(route, name, request, frozenset({400, 414, 431}), lives=None)


def bodies(make):
    for route in make.routes:
        if route.method == "GET":
            continue
        limit = IMPORT if route.takes_bundle or route.name == "POST /v1/lanes/import" else BODY
        wanted = frozenset({413} if route.method == "POST" else {400, 413})  # others take none at all
        good = make.request(route, body=b"").replace(b"Content-Length: 0\r\n\r\n", b"")
        for size in (limit + 1, limit * 100, 2**63 - 1):
            head = good + b"Content-Length: %d\r\n" % size
            yield Case(route, f"a body of {size} bytes declared", head + b"\r\n", wanted, lives=None)
            yield Case(route, f"a body of {size} bytes asked about", head + b"Expect: 100-continue\r\n\r\n",
                       wanted | {417}, lives=None)
        yield Case(route, "an expectation that nobody knows", good + b"Content-Length: 2\r\nExpect: tea\r\n\r\n{}",
                   frozenset({400, 417}), lives=None)
        if route.schema is not None:
            head = good + b"Transfer-Encoding: chunked\r\n\r\n"
            chunk = b"%x\r\n" % (1 << 20) + b" " * (1 << 20) + b"\r\n"
            body = route.good_body()
            for name, size in (("endless extensions of a chunk", b"%x;" % len(body) + b"a" * (1 << 20)),
                               ("endless zeros in a chunk's size", b"0" * (1 << 20) + b"%x" % len(body)),
                               ("endless extensions of many chunks", (b"1;" + b"a" * 4000 + b"\r\n \r\n") * 300 + b"%x" % len(body))):
                yield Case(route, name, head + size + b"\r\n" + body + b"\r\n0\r\n\r\n", frozenset({400}),
                           "chunk", lives=None)
            mib = (limit >> 20) + 1
            yield Case(route, f"{mib} MiB in chunks", head + chunk * mib + b"0\r\n\r\n", frozenset({413}), lives=None)


def shapes(make):
    wide = {"a million zeros": b"[" + b"0," * 999_999 + b"0]", "a million objects": b"[" + b"{}," * 999_999 + b"{}]",
            "half a million keys": b"{" + b",".join(b'"k%d":0' % i for i in range(500_000)) + b"}",
            "7 MiB of backslashes": b'"' + b"\\\\" * (7 << 19) + b'"', "a number of 7 MiB": b"1" * (7 << 20),
            "7 MiB of blanks": b" " * (7 << 20) + b"0"}
    for route in make.routes:
        if route.name in ("POST /v1/agents", "POST /v1/sessions", "POST /v1/sessions/{session_id}/events"):
            for name, value in wide.items():
                yield Case(route, name, make.request(route, body=b'{"zzz":' + value + b"}"), WRONG | {413}, lives=None)
