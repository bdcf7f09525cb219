from fixture import CheckCase


class Layers(CheckCase):
    check = "tools/check_layers"

    def setUp(self):
        super().setUp()
        for header in ("base/str", "base/clock", "core/session", "net/loop", "store/store",
                       "store/sqlite/db", "store/pg/db", "tool/tool", "tool/shell", "tool/file",
                       "engine/engine", "engine/host", "cli/cli", "api/api"):
            self.write(f"src/{header}.h")

    def includes(self, path, header):
        self.write(f"src/{path}", f'#include "{header}"\n')

    def test_the_permitted_edges_are_accepted(self):
        for path, header in (("core/a.c", "base/str.h"), ("net/a.c", "base/str.h"),
                             ("store/sqlite/a.c", "store/sqlite/db.h"), ("store/mem.c", "net/loop.h"),
                             ("tool/shell.c", "tool/shell.h"), ("engine/a.c", "store/store.h"),
                             ("api/a.c", "engine/engine.h"), ("cli/a.c", "net/loop.h"),
                             ("app/a.c", "store/sqlite/db.h")):
            self.includes(path, header)
        self.write("src/base/sha256.c", "#include <openssl/evp.h>\n")
        self.write("src/net/tls.c", "#include <openssl/ssl.h>\n")
        self.accepts()

    def test_each_forbidden_edge_is_refused(self):
        for path, header in (("base/a.c", "core/session.h"), ("core/a.c", "store/store.h"),
                             ("core/a.c", "base/clock.h"), ("net/a.c", "core/session.h"),
                             ("store/store.h", "net/loop.h"), ("store/pg/a.c", "store/sqlite/db.h"),
                             ("tool/shell.c", "tool/file.h"), ("tool/shell.c", "engine/engine.h"),
                             ("engine/a.c", "net/loop.h"), ("engine/a.c", "store/sqlite/db.h"),
                             ("api/a.c", "engine/host.h"), ("cli/a.c", "store/store.h"),
                             ("core/a.c", "session.h"), ("core/a.c", "../base/str.h")):
            with self.subTest(f"{path} -> {header}"):
                self.includes(path, header)
                self.refuses(f"src/{path}:1", header)
                self.write(f"src/{path}")

    def test_system_headers_have_their_place(self):
        for path, header in (("core/a.c", "time.h"), ("core/a.c", "pthread.h"),
                             ("base/a.c", "openssl/evp.h"), ("base/a.c", "curl/curl.h"),
                             ("net/a.c", "openssl/ssl.h"), ("app/a.c", "openssl/evp.h")):
            with self.subTest(f"{path} -> {header}"):
                self.write(f"src/{path}", f"#include <{header}>\n")
                self.refuses(header)
                self.write(f"src/{path}")

    def test_a_wrapped_library_ends_in_its_folder(self):
        self.write("src/net/loop.c", "#include <uv.h>\n#include <llhttp.h>\n#include <curl/curl.h>\n"
                   "#include <wslay/wslay.h>\n")
        self.accepts()
        for header in ("uv.h", "curl/curl.h", "wslay/wslay.h"):
            self.write("src/app/wire.c", f"#include <{header}>\n")
            self.refuses("src/app/wire.c:1", "only net knows it")

    def test_a_library_of_one_file_ends_there(self):
        self.write("src/app/config_yaml.c", "#include <yaml.h>\n")
        self.accepts()
        self.write("src/app/wire.c", "#include <yaml.h>\n")
        self.refuses("src/app/wire.c:1", "only app/config_yaml.c may use it")

    def test_what_stands_behind_the_one_way_out_ends_in_its_folder(self):
        self.write("src/net/http_client.h")
        self.includes("net/egress.c", "net/http_client.h")
        self.accepts()
        for path in ("app/wire.c", "provider/openai.c", "cli/ask.c"):
            self.includes(path, "net/http_client.h")
            self.refuses(f"src/{path}:1", "only net knows it")
            self.write(f"src/{path}")

    def test_a_folder_without_a_row_in_the_law_is_refused(self):
        self.write("src/util/misc.c")
        self.refuses("util")
