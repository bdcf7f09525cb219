"""heads - methods, content types, tokens, hosts, origins and keys that are wrong, in good HTTP."""
from case import Case

METHODS = ["PUT", "PATCH", "DELETE", "POST", "GET", "OPTIONS", "TRACE", "PROPFIND", "MKCOL", "LOCK", "SEARCH", "PURGE"]
NO_METHODS = ["FOO", "get", "Post", "G3T", "GETT", "PRI"]
# None, and what curl says about any -d, are taken: see src/api/gate.h.
TYPES = ["text/plain", "application/xml", "multipart/form-data; boundary=x",
         "application/jsonx", "application", "/", "json", "text/json", "application/json/x", "application/octet-stream",
         "application/jsonl", "image/png", "*/*", "application json", "application/json, text/plain"]
KEYS = [("empty", ""), ("256 characters", "k" * 256), ("a tab inside", "a\tb"), ("high bytes", b"k\xff\xfe"),
        ("UTF-8", "k\u00e9"), ("a blank inside and high", b"a \x80")]
HOSTS = ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "localhost.evil.example", "127.0.0.1:99999",
         "", "a b", "[::1", "127.0.0.1@evil.example", "evil.example#127.0.0.1", "127.0.0.1/", "x" * 300,
         "0x7f.1.evil"]
ORIGINS = ["https://evil.example", "null", "http://127.0.0.1.evil.example", "http://evil.example:7340", "file://",
           "http://localhost.evil", "chrome-extension://x", "http://127.0.0.1:1"]


def is_name(path, paths):
    """Does the end of the path stand where others have an id?"""
    parent = path.rpartition("/")[0]
    return any(other.rpartition("/")[0] == parent and other.endswith("}") for other in paths) and not path.endswith("}")


def methods(make):
    by_path = {}
    for route in make.routes:
        by_path.setdefault(route.path, []).append(route)
    for routes in by_path.values():
        allowed = {route.method for route in routes}
        first = routes[0]
        # a session might be called import, a work item poll; it is not there
        wanted = frozenset({400, 404, 405} if is_name(first.path, by_path) else {405})
        for method in METHODS:
            if method not in allowed:
                yield Case(first, f"{method} there", make.request(first, method=method), wanted)
        for method in NO_METHODS:
            yield Case(first, f"{method} there", make.request(first, method=method), frozenset({400, 405}), lives=None)


def content_types(make):
    for route in make.routes:
        if not route.takes_json():
            continue
        body = route.good_body() or b'{"zzz":1}'
        for kind in TYPES:
            yield Case(route, f"Content-Type: {kind}", make.request(route, body=body, content_type=kind),
                       frozenset({400, 415}))
        for coding in ("gzip", "br", "identity, gzip", "zzz"):
            yield Case(route, f"Content-Encoding: {coding}", make.request(
                route, body=body, headers=[*make.auth, ("Content-Encoding", coding)]), frozenset({400, 415}))


def tokens(make):
    token, host = make.server.token, make.auth[0]
    wrong = [
        ("none", []), ("no word", [("Authorization", "")]), ("Bearer alone", [("Authorization", "Bearer")]),
        ("Bearer and blanks", [("Authorization", "Bearer   ")]), ("another", [("Authorization", "Bearer wrong")]),
        ("cut by one", [("Authorization", f"Bearer {token[:-1]}")]), ("one more", [("Authorization", f"Bearer {token}0")]),
        ("upper case", [("Authorization", f"Bearer {token.upper()}")]), ("Basic", [("Authorization", "Basic b3duZXI6")]),
        ("Basic with the token", [("Authorization", f"Basic {token}")]), ("no scheme", [("Authorization", token)]),
        ("high bytes", [("Authorization", b"Bearer \xff\xfe")]), ("4000 bytes", [("X-Api-Key", "x" * 4000)]),
        ("an empty key", [("X-Api-Key", "")]), ("a quoted key", [("X-Api-Key", f'"{token}"')]),
        ("in a cookie", [("Cookie", f"token={token}")]), ("in Proxy-Authorization", [("Proxy-Authorization", f"Bearer {token}")]),
    ]
    for route in make.routes:
        if route.is_open:
            continue
        for name, headers in wrong:
            yield Case(route, f"token: {name}", make.request(
                route, body=route.good_body(), headers=[host, *headers]), frozenset({401}))
        for name in ("token", "access_token", "api_key", "x-api-key", "authorization"):
            yield Case(route, f"token in the URL as {name}", make.request(
                route, f"{route.target}?{name}={token}", route.good_body(), headers=[host]), frozenset({401}))


def doors(make):
    key = make.auth[1]
    for route in make.routes:
        for host in HOSTS:
            yield Case(route, f"Host: {host[:30]}", make.request(
                route, body=route.good_body(), headers=[("Host", host), key]), frozenset({400, 421}), lives=None)
        for origin in ORIGINS:
            yield Case(route, f"Origin: {origin}", make.request(
                route, body=route.good_body(), headers=[*make.auth, ("Origin", origin)]), frozenset({403}))


def repeats(make):
    for route in make.routes:
        if not route.mutates or route.takes_bundle:
            continue
        for name, value in KEYS:
            yield Case(route, f"Idempotency-Key: {name}", make.request(
                route, body=route.good_body(), headers=[*make.auth, ("Idempotency-Key", value)]),
                frozenset({400}), lives=None)
        yield Case(route, "two Idempotency-Keys", make.request(
            route, body=route.good_body(), headers=[*make.auth, ("Idempotency-Key", "a"), ("Idempotency-Key", "b")]),
            frozenset({400}))
