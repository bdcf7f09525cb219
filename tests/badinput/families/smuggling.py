"""smuggling - requests whose end could be read in two ways, and heads that are no HTTP.

Each carries a second request that would make a user: the snapshot after the family proves that it
was never run. After any of these the connection must end."""
from case import Case, REFUSED
from wire import raw, request

ROUTES = {"POST /v1/agents", "POST /v1/users", "POST /v1/sessions", "POST /v1/sessions/{session_id}/events",
          "POST /v1/sessions/{session_id}/messages", "POST /v1/sessions/{session_id}",
          "POST /v1/agents/{agent_id}/archive", "POST /v1/tokens"}
CHUNKED = "Transfer-Encoding: chunked"


def lengths():
    """(name, header lines, body): how long is it?"""
    yield "Content-Length and chunked", ["Content-Length: 4", CHUNKED], "0\r\n\r\n"
    yield "chunked and Content-Length", [CHUNKED, "Content-Length: 4"], "0\r\n\r\n"
    yield "chunked and a long Content-Length", [CHUNKED, "Content-Length: 400"], "0\r\n\r\n"
    yield "two lengths", ["Content-Length: 2", "Content-Length: 40"], "{}"
    yield "two lengths that agree", ["Content-Length: 2", "Content-Length: 2"], "{}"
    for value in ("2, 2", "-1", "+2", "0x2", "2 2", "2a", "", "2.0", "99999999999999999999999", "\x0b2", "2,"):
        yield f"Content-Length {value!r}", [f"Content-Length: {value}"], "{}"
    for value in ("xchunked", "chunked, chunked", "chunked, identity", "identity", "gzip, chunked", "gzip", "chunke",
                  "chunked,", ",chunked", "\x0bchunked", "chunked\x00", '"chunked"', "chunked;q=1", "chunked x"):
        yield f"Transfer-Encoding {value!r}", [f"Transfer-Encoding: {value}", "Content-Length: 4"], "0\r\n\r\n"
    yield "two codings", [CHUNKED, "Transfer-Encoding: identity"], "0\r\n\r\n"
    yield "twice chunked", [CHUNKED, CHUNKED], "0\r\n\r\n"
    yield "a blank before the colon of the coding", ["Transfer-Encoding : chunked"], "0\r\n\r\n"
    yield "a blank before the colon of the length", ["Content-Length : 2"], "{}"
    yield "a folded coding", ["Transfer-Encoding:\r\n chunked"], "0\r\n\r\n"
    yield "a folded length", ["Content-Length:\r\n 2"], "{}"


def chunks():
    """(name, body) of a chunked request."""
    yield "a size that is none", "zz\r\n{}\r\n0\r\n\r\n"
    yield "a negative size", "-2\r\n{}\r\n0\r\n\r\n"
    yield "a size with 0x", "0x2\r\n{}\r\n0\r\n\r\n"
    yield "a size beyond 64 bits", "fffffffffffffffff2\r\n{}\r\n0\r\n\r\n"
    yield "a size that wraps", "10000000000000002\r\n{}\r\n0\r\n\r\n"
    yield "no size", "\r\n{}\r\n0\r\n\r\n"
    yield "a blank before the size", " 2\r\n{}\r\n0\r\n\r\n"
    yield "data longer than its size", "2\r\n{}xx\r\n0\r\n\r\n"
    yield "no line end behind the data", "2\r\n{}0\r\n\r\n"
    yield "a bare newline behind the size", "2\n{}\r\n0\r\n\r\n"
    yield "a bare newline behind the data", "2\r\n{}\n0\r\n\r\n"
    yield "an extension with a bare newline", "2;a=b\n{}\r\n0\r\n\r\n"
    yield "a trailer without a colon", "2\r\n{}\r\n0\r\nzzz\r\n\r\n"


def heads(path, host):
    """(name, bytes before the header lines of the token)."""
    for name, line in (("HTTP/2.0", f"POST {path} HTTP/2.0"), ("HTTP/0.9", f"POST {path} HTTP/0.9"),
                       ("HTTP/1.9", f"POST {path} HTTP/1.9"), ("http in small letters", f"POST {path} http/1.1"),
                       ("no version", f"POST {path}"), ("HTTP/11", f"POST {path} HTTP/11"),
                       ("HTTPS", f"POST {path} HTTPS/1.1"), ("a word more", f"POST {path} x HTTP/1.1"),
                       ("a tab for a blank", f"POST\t{path}\tHTTP/1.1"), ("no slash", f"POST {path[1:]} HTTP/1.1"),
                       ("a star", "POST * HTTP/1.1"), ("no path", "POST  HTTP/1.1"), ("NUL in the path", f"POST {path}\0 HTTP/1.1"),
                       ("a high byte in the path", f"POST {path}\u00ff HTTP/1.1"), ("a blank before it", f" POST {path} HTTP/1.1"),
                       ("a control byte in the path", f"POST {path}\x01 HTTP/1.1"), ("no method", f"{path} HTTP/1.1")):
        yield name, f"{line}\r\nHost: {host}\r\n"
    first = f"POST {path} HTTP/1.1\r\nHost: {host}\r\n"
    for name, line in (("no colon", "Zzz"), ("no name", ": x"), ("a blank in a name", "Z zz: x"),
                       ("a blank before the colon", "Zzz : x"), ("NUL in a name", "Z\0z: x"), ("NUL in a value", "Zzz: a\0b"),
                       ("a high byte in a name", "Z\u00ffz: x"), ("a control byte in a value", "Zzz: a\x01b"),
                       ("a bare CR in a value", "Zzz: a\rb"), ("a bracket in a name", "Z(z): x"),
                       ("a folded value", "Zzz: a\r\n b"), ("a folded value with a tab", "Zzz: a\r\n\tb"),
                       ("DEL in a value", "Zzz: a\x7fb")):
        yield f"a header with {name}", f"{first}{line}\r\n"
    yield "a header that begins folded", f"POST {path} HTTP/1.1\r\n Host: {host}\r\n"
    yield "bare newlines", f"POST {path} HTTP/1.1\nHost: {host}\n"
    yield "one bare newline", f"POST {path} HTTP/1.1\r\nHost: {host}\nZzz: x\r\n"
    yield "two hosts", f"{first}Host: evil.example\r\n"
    yield "twice the same host", f"{first}Host: {host}\r\n"
    yield "no host", f"POST {path} HTTP/1.1\r\n"


def cases(make):
    host = f"127.0.0.1:{make.server.port}"
    second = request("POST", "/v1/users", b'{"name":"Smuggled"}', make.auth)
    for route in make.routes:
        if route.name not in ROUTES:
            continue
        start = f"POST {route.target} HTTP/1.1\r\nHost: {host}\r\n"
        rest = f"X-Api-Key: {make.server.token}\r\nContent-Type: application/json\r\n"
        for name, lines, body in lengths():
            head = start + rest + "".join(f"{line}\r\n" for line in lines) + "\r\n"
            yield ended(route, name, head.encode("latin-1") + raw(body) + second)
        for name, body in chunks():
            yield ended(route, f"chunk: {name}", raw(f"{start}{rest}{CHUNKED}\r\n\r\n{body}") + second)
        for name, head in heads(route.target, host):
            yield ended(route, f"head: {name}", f"{head}{rest}Content-Length: 2\r\n\r\n{{}}".encode("latin-1") + second)
        for name, data in (("a TLS hello", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 40),
                           ("zeros", b"\0" * 100), ("HTTP/2 preface", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
                           ("noise", bytes(range(256))), ("an answer", b"HTTP/1.1 200 OK\r\n\r\n")):
            yield ended(route, f"no HTTP: {name}", data + second)


def ended(route, mutation, data):
    return Case(route, mutation, data, REFUSED, lives=False)
