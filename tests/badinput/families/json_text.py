"""json_text - bodies that are no JSON, or no JSON that we take."""
import json

from case import Case

WRONG = frozenset({400})
DEEP = 65  # one more than allowed


def texts(good):
    """(name, bytes): good is a JSON object's text."""
    for share in (1, 2, 3):
        yield f"cut at {share}/4", good[:max(1, len(good) * share // 4)]
    yield "cut by one", good[:-1]
    yield "blanks only", b" \t\r\n"
    for name, tail in (("a letter", b"x"), ("a brace", b"}"), ("a bracket", b"]"), ("a comma", b","),
                       ("a second object", b"{}"), ("NUL", b"\0"), ("a comment", b"//x")):
        yield f"then {name}", good + tail
    for name, text in (("an array", b"[]"), ("a text", b'"x"'), ("a number", b"7"), ("null", b"null"),
                       ("true", b"true"), ("an array of objects", b"[" + good + b"]")):
        yield f"{name} instead of an object", text
    for name, text in (("a byte order mark", b"\xef\xbb\xbf" + good), ("UTF-16", good.decode().encode("utf-16")),
                       ("UTF-32", good.decode().encode("utf-32")), ("a form", b"a=b&c=d"), ("XML", b"<a/>"),
                       ("an opening brace", b"{"), ("a key alone", b'{"a"'), ("no value", b'{"a":}'),
                       ("no colon", b'{"a" 1}'), ("single quotes", b"{'a':1}"), ("a bare key", b"{a:1}"),
                       ("a comma at the end", b'{"a":1,}'), ("two commas", b'{"a":1,,"b":2}'),
                       ("a comment inside", b'{"a":1/**/}')):
        yield name, text
    for name, value in VALUES:
        yield f"{name} as a value", b'{"zzz":' + value + b"}"
    yield "the same key twice", twice(good)
    yield "the same key twice, once escaped", b'{"zzz":1,"\\u007azz":2}'
    yield "the same key twice, inside", b'{"zzz":{"a":1,"a":1}}'
    for depth in (DEEP, 1000, 100_000):
        yield f"arrays {depth} deep", b'{"zzz":' + b"[" * depth + b"]" * depth + b"}"
        yield f"objects {depth} deep", b'{"zzz":' + b'{"a":' * depth + b"1" + b"}" * depth + b"}"
        yield f"{depth} arrays open", b"[" * depth


VALUES = [
    ("NaN", b"NaN"), ("Infinity", b"-Infinity"), ("a hexadecimal", b"0x10"), ("a plus sign", b"+1"),
    ("a leading zero", b"01"), ("no digit before the point", b".5"), ("no digit behind the point", b"5."),
    ("no exponent", b"1e"), ("two minus signs", b"--1"), ("a number beyond measure", b"1e999999"),
    ("True", b"True"), ("undefined", b"undefined"), ("a cut word", b"tru"),
    ("an open text", b'"x'), ("a raw newline", b'"a\nb"'), ("a raw tab", b'"a\tb"'), ("a raw NUL", b'"a\0b"'),
    ("a wrong escape", b'"\\x41"'), ("a short escape", b'"\\u12"'), ("an escape of no digits", b'"\\uzzzz"'),
    ("a lone high surrogate", b'"\\ud800"'), ("a lone low surrogate", b'"\\udc00"'),
    ("surrogates turned round", b'"\\udc00\\ud800"'), ("a backslash at the end", b'"\\"'),
    ("an overlong slash", b'"\xc0\xaf"'), ("an overlong NUL", b'"\xc0\x80"'), ("a long overlong", b'"\xe0\x80\xaf"'),
    ("an encoded surrogate", b'"\xed\xa0\x80"'), ("beyond Unicode", b'"\xf5\x80\x80\x80"'),
    ("a lone continuation", b'"\x80"'), ("a cut sequence", b'"\xe2\x82"'), ("0xff", b'"\xff"'), ("latin-1", b'"\xe9"'),
]


def twice(good):
    """The first member once more; of {} any."""
    members = json.loads(good)
    if not members:
        return b'{"zzz":1,"zzz":1}'
    name, value = next(iter(members.items()))
    return good[:-1] + b"," + json.dumps({name: value}).encode()[1:]


def cases(make):
    for route in make.routes:
        if not route.takes_json():
            continue
        good = route.good_body() or b"{}"
        for name, text in texts(good):
            yield Case(route, name, make.request(route, body=text), WRONG)
        if route.needs_body:
            yield Case(route, "no body", make.request(route, body=b""), WRONG)
            yield Case(route, "no body, not even its length", make.request(route), WRONG | {411})
