import subprocess

from fixture import CheckCase


class Egress(CheckCase):
    check = "tests/arch/check_egress"

    def built(self, folder, stem, call):
        """A library of one member that makes this call."""
        archive = self.write(f"build/release/src/{folder}/lib{folder}.a")
        archive.unlink()
        member = self.tree / f"{stem}.c.o"
        subprocess.run(["gcc", "-O1", "-w", "-fPIE", "-x", "c", "-", "-c", "-o", member], check=True,
                       input=f"extern long {call}(); long f(void) {{ return {call}(); }}\n", text=True)
        subprocess.run(["ar", "rc", archive, member], check=True)

    def test_the_files_behind_egress_are_accepted(self):
        for folder, stem, call in (("net", "http_transfer", "curl_easy_init"), ("net", "lookup", "getaddrinfo"),
                                   ("net", "http_server", "connect"), ("engine", "turn", "connected")):
            self.built(folder, stem, call)
            self.accepts()

    def test_everybody_else_is_refused(self):
        for folder, stem, call in (("tool", "fetch", "connect"), ("provider", "openai", "curl_easy_perform"),
                                   ("net", "loop", "uv_tcp_connect"), ("net", "lookup", "connect"),
                                   ("cli", "ask", "getaddrinfo"), ("app", "lookup", "getaddrinfo")):
            with self.subTest(f"{folder}/{stem}: {call}"):
                self.built(folder, stem, call)
                self.refuses(f"{folder}/{stem}.c.o: calls {call}")
                (self.tree / f"build/release/src/{folder}/lib{folder}.a").unlink()

    def test_nothing_to_look_at_is_refused(self):
        self.refuses("nothing built")
