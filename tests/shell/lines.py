"""lines - command lines of a seed: what a shell's grammar has, bent where shells and parsers differ.

Commands are of bash.NAMES and builtins, and never printf, which bash.py speaks with."""
from bash import FILES, NAMES

BUILTINS = ("echo", "eval", "exec", "command", "builtin", "source", ".", ":", "[", "test", "true", "set", "export",
            "declare", "read", "trap", "cd", "time", "!", "-p", "-eval", "nosuch")
TEXTS = ("x", "-rf", "-", "--", "1", "2", "10", "f", "=", "A=b", "a+=", "HEAD~1", "@{u}", "{}", "a,b", "%", "^", "]", "in",
         "do", "then", "}", "fi", "done", "esac", "\u00a0", "\u2003", "\u00e4", ":", "+", "x=~y", "x=~/y", "a=b:~", "a:~b", "$$", "-x", "--y=z", "file.c", "a/b")
SEPARATORS = (" ; ", ";", " & ", "&", " && ", "&&", " || ", " | ", "|", " |& ", "\n", "\n\n", ";\n", " &&\n", " |\\\n")
BLANKS = (" ",) * 80 + ("  ", "\t", " \\\n", " \\\n\t ") * 4 + ("\\\n ", "\\\n")
OPERATORS = (">", ">>", ">|", "<", "<>", "&>", "&>>", ">&", "<&", ">& ", "<& ", "<&\t", "> ", "<  ", "> \\\n", "<& \\\n") * 4 + (
    ">&\\\n", "<\\\n", ">\\\n>")
TARGETS = FILES + ("-", "1", "2", "0", "3-", "1-x", "-x", "- ", "/dev/null", "&1", "'-'", "\"\"", "~/f", "$x", "*", "2>&1",
                   "\\\n-", "\\-", "./f", "d/../g", "-eval echo")
# What an edit puts in somewhere.
BENT = ("\\\n", "\n", " ", "\t", "\r", "\v", "\f", "\u00a0", "\x1b", "#", " #", "-", " -", "<&", ">&", "<& -", ">&\\\n-", "&>",
        ">|", "<>", "{x}>", "{x}<", " {x}>f ", "2>", " 2>", "<<<", "<<", "<<-", "<<E", "\nE\n", ";", ";;", ";&", "&&", "||",
        "|&", "|", "&", "(", ")", "()", "{ ", "}", " }", "; }", "'", "\"", "$", "`", "$(", "${", "$((", "))", "$'", "$\"", "$[",
        "!", "! ", "time ", "time -p ", "coproc ", "=", "A=", "A=(", "A[", "A[x]=", "]", "[[ ", " ]]", "((", "~", "*", "?", "@(",
        "!(", "\\", "\\ ", "\\'", "if ", "then ", "fi", "case x in ", "esac", " in ", "do ", "done", "function ", "for x ", "\x7f",
        "{a,b}", "{1..2}", "^x^y", "!!", "!$", "\\\n#", "'\\\n'", "\"\\\n\"", "1>&2", ">&2", "0<&-", "\\\r", "\\\r\n")


class Lines:
    def __init__(self, random):
        self.random = random
        self.waiting = []  # here-documents whose body is still to come

    def any(self, *choices):
        return self.random.choice(choices)

    def often(self, chance):
        return self.random.random() < chance

    # ---- words ----

    def quoted(self, text):
        return "'" + text.replace("'", "'\\''") + "'"

    def in_double(self):
        return "".join(self.any("x", " ", "; id", "'", "#", "\\\"", "\\\\", "\\\n", "\\x", "!", "`b`", "$x", "$(b)", "${x:-'}",
                                "${x:-\"y\"}", "${x}", "$", "*", ")", "}", "\n", "$((1))", "\\`", "\\$(b)", "x", "y z", "-", "a=b")
                       for _ in range(self.random.randrange(4)))

    def piece(self, depth):
        kind = self.random.randrange(30)
        if kind < 9:
            return self.random.choice(TEXTS)
        if kind < 11:
            return self.quoted(self.any("x", "a b", "; id", "#", "", "\\", "\n", "*", "$(b)"))
        if kind < 13:
            return '"' + self.in_double() + '"'
        if kind < 15:
            return "\\" + self.any(" ", "x", ";", "#", "&", "\n", "'", '"', "\\", "-", "$", "<", "~", "{", "!", "\t")
        if kind == 15:
            return self.any("$x", "$1", "$?", "$", "${x}", "${x:-b c}", "${x:-$(b)}", "${#x}", "$x[1]", "${x[1]}", "$'a\\'b'",
                            "$'\\x41'", '$"x"', "$[1+1]", "$((1+2))", "$(( (1)*2 ))", "${x//\\//y}", "${x:-'a}'}", "${x:-`b`}",
                            "$((a)|(b))")
        if kind == 16:
            return self.any("*", "?", "[ab]", "{a,b}", "{1..3}", "{a,", "~", "~x", "a{b", "{,}", "x{a,b}y", "[", "@(a)", "a*b")
        if kind == 17:
            return self.any("`b`", "`b \\`c\\``", "`b \"x\"`", "`b \\\\`", "`# `", "``")
        if kind == 18 and depth < 2:
            return "$(" + self.substituted(depth + 1) + ")"
        if kind == 19 and depth < 2:
            return self.any("<(", ">(") + self.list(depth + 1) + ")"
        if kind == 20:
            return self.any("#", "a#b", "#x")
        if kind == 21:
            return self.any("\\\n", "a\\\nb")
        return self.random.choice(NAMES)

    def substituted(self, depth):
        return self.any("", " ", "\n") + self.list(depth) + self.any(
            "", "", " ", "\n", " # )\n", " # '\n", " # \"\n", ";", " # (\n", " <<E\n)\nE\n", "\ncase x in x) b;; esac\n",
            " <<'E'\n'\nE\n")

    def word(self, depth):
        return "".join(self.piece(depth) for _ in range(self.any(1, 1, 1, 1, 2, 3)))

    def name(self, depth):
        if self.often(0.7):
            return self.random.choice(NAMES)
        if self.often(0.7):
            return self.random.choice(BUILTINS)
        return self.word(depth)

    def blank(self):
        return self.random.choice(BLANKS)

    # ---- commands ----

    def redirection(self, depth):
        before = self.any("", "", "", "", "0", "1", "2", "3", "10", "{x", "2x", "'2'", "\\2", "A[0]")
        if self.often(0.03):
            before = self.any("{x}", "{A[0]}", "9999999999", "{x}2")
        if self.often(0.1):
            self.waiting.append(self.any("E", "E", "'E'", "\\E", "\"E\"", "E F", "$x"))
            return before + self.any("<<", "<<-", "<< ", "<<\t") + self.waiting[-1]
        if self.often(0.08):
            return before + "<<<" + self.any("", " ") + self.word(depth)
        target = self.random.choice(TARGETS) if self.often(0.85) else self.word(depth)
        if " " in target and self.often(0.7):
            target = self.any(self.quoted(target), target.replace(" ", "\\ "))
        return before + self.random.choice(OPERATORS) + target

    def simple(self, depth):
        parts = [self.any("A=b", "A=", "A+=b", "A=$x", "A='x y'", "PATH=.", "A[0]=b", "1=2", "A=~/x", "A=\\~")
                 if self.often(0.95) else self.any("A=(b c)", "A[x y]=b", "A[<<E]=b", "A[#]=x", "A['x']=b")
                 for _ in range(self.any(0, 0, 0, 0, 0, 0, 1, 2))]
        if self.often(0.93):
            parts.append(self.name(depth))
            parts += [self.word(depth) for _ in range(self.any(0, 0, 1, 1, 2, 3))]
        for _ in range(self.any(0, 0, 0, 1, 1, 2)):
            parts.insert(self.random.randrange(len(parts) + 1), self.redirection(depth))
        text = "".join(part + self.blank() for part in parts)
        return text.rstrip(" \t") if self.often(0.6) else text

    def compound(self, depth):
        inner = lambda: self.list(depth + 1)  # noqa: E731
        kind = self.random.randrange(14) if self.often(0.5) else self.random.randrange(7)
        text = (
            lambda: f"( {inner()} )", lambda: f"({inner()})", lambda: f"{{ {inner()}; }}", lambda: f"{{ {inner()}\n}}",
            lambda: f"if {inner()}; then {inner()}; fi", lambda: f"if {inner()}\nthen {inner()}; else {inner()}\nfi",
            lambda: f"while {self.simple(depth)}; do {self.any('a', 'b x')}; done",
            lambda: f"for x in a b; do {inner()}; done", lambda: f"for ((i=0;i<2;i++)); do {inner()}; done",
            lambda: f"case {self.word(depth)} in a|x) {inner()};; *) {inner()};; esac",
            lambda: f"case x in (x) {inner()} ;& b) {inner()}\nesac",
            lambda: self.any("[[ ", "[[ ! ") + self.any("a < b", "-f x", "a == b* && x", "(a)", "a =~ (b|c)") + " ]]",
            lambda: self.any("(( 1 ))", "((1<2))", "(( x = 1 ))", "((a);(b))"),
            lambda: self.any("f() ", "f () ", "function f ", "function f() ") + f"{{ {inner()}; }}",
        )[kind]()
        return text + (" " + self.redirection(depth) if self.often(0.2) else "")

    def command(self, depth):
        before = self.any("", "", "", "", "", "", "", "! ", "!", "time ", "time -p ", "time -- ", "! ! ", "time ! ", "! time ",
                          "then ", "do ", "time -p -- ", "time -p -p ", "time\t-p") if self.often(0.3) else ""
        if self.often(0.02):
            before = self.any("coproc ", "coproc N ", "function f ", "if ", "{ ", "( ", "case ")
        if depth < 2 and self.often(0.14):
            return before + self.compound(depth)
        return before + self.simple(depth)

    def list(self, depth):
        text = self.command(depth)
        for _ in range(self.any(0, 0, 0, 1, 1) if depth else self.any(0, 0, 1, 1, 2)):
            between = self.random.choice(SEPARATORS)
            text += between.rstrip("\n") + self.bodies() if between.endswith("\n") and self.waiting else between
            text += self.command(depth)
        return text

    def bodies(self):
        """The rest of a line, and the here-documents that it owes."""
        text = "\n"
        for end in self.waiting:
            end = end.replace("'", "").replace('"', "").replace("\\", "")
            text += self.any("", "b x\n", "$(b)\n", "x\\\n", "E\\\nx\n", "`b`\n", "\tE\n", "E \n", "'\n", "E\\\n")
            text += self.any("", "", "\t") + end + "\n"
        self.waiting = []
        return text

    # ---- lines ----

    def bend(self, text):
        at = self.random.randrange(len(text) + 1)
        kind = self.random.randrange(8)
        if kind < 5:
            return text[:at] + self.random.choice(BENT) + text[at:]
        if kind == 5:
            return text[:at] + text[at + self.any(1, 1, 2, 5):]
        if kind == 6:
            return text[:at] + text[at:at + 3] + text[at:]
        other = self.random.randrange(len(text) + 1)
        return text[:at] + text[other:other + 4] + text[at:]

    def line(self):
        self.waiting = []
        text = self.list(0)
        if self.waiting and self.often(0.9):
            text += self.bodies() + self.any("", "b x", "a\n")
        if self.often(0.1):
            text += self.any(" # x", "#x", "\n", "\\", " \\", ";", "\\\n", "&")
        while self.often(0.25):
            text = self.bend(text)
        return text.encode()
