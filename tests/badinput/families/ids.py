"""ids - paths that name nothing, or try to leave their place."""
from case import Case

WRONG = frozenset({400, 404, 405})
RAW = [
    "..", ".", "%2e%2e", "%2e", "..%2f..%2fetc%2fpasswd", "../../etc/passwd", "a/b", "a%2fb", "a%2Fb", "%2f", "a%5cb",
    "%00", "a%00b", "%0a", "a%0d%0ab", "%7f", "%01", "%c0%af", "%e2%82", "%ff", "%80", "%ed%a0%80", "%f0%9f%98%80",
    "%", "%2", "%zz", "%u0041", "a%", "%252f", "%252e%252e", "%25", "x" * 201, "x" * 3000, "sesn_", "none", "null",
    "undefined", "0", "-1", "*", "%20", "+", "a%20b", "'%20OR%201=1--", "%3Cscript%3E", "%24%7B7*7%7D", "%s%n",
    "sesn_00000000000000000000000000000000", "..%00", "%E2%80%AE", ";a=b", "@", ":", "a:b:c", "~root", "%e3%80%80",
]


def cases(make):
    for route in make.routes:
        for name in route.path_ids:
            for wrong in RAW:
                target = route.with_ids({name: wrong})
                body = route.good_body()
                yield Case(route, f"{name} {wrong[:40]}{len(wrong)}", make.request(route, target, body), WRONG)
        yield from around(make, route)


def around(make, route):
    """The path itself, a little off."""
    path = route.target
    for name, target in (("a slash behind it", path + "/"), ("two slashes before it", "/" + path),
                         ("a segment more", path + "/zzz"), ("two slashes inside", "/v1//" + path[1:].partition("/")[2]),
                         ("a dot segment", "/." + path), ("two dots", "/x/.." + path), ("upper case", path.upper()),
                         ("a blank behind it", path + "%20"), ("NUL behind it", path + "%00"),
                         ("a semicolon behind it", path + ";x=1"), ("escaped", "/%76" + path[2:] + "%")):
        yield Case(route, name, make.request(route, target, route.good_body()), WRONG)
