import subprocess
import sys

from fixture import ROOT, CheckCase

ROWS = ("- K1 the source; its fields\n  - K1a platform\n  - K1b chat\n"
        "- K2 the key\n  - K2a one\n  - K2b two\n")


class Requirements(CheckCase):
    check = "tests/arch/check_requirements"

    def setUp(self):
        super().setUp()
        self.write("docs/REQUIREMENTS.md", ROWS)
        self.ran("release server/test_a: test_K1a_K1b_is_proven", "dev server/test_a: test_K2a_by_the_clock")
        self.write("tests/arch/uncovered.txt", "K2b\n")

    def ran(self, *lines):
        self.write("build/front-door-ran.txt", "".join(f"{line}\n" for line in lines))

    def said(self):
        return self.run_check()[1]

    def test_clauses_and_baseline_agree(self):
        self.accepts()

    def test_the_two_figures_are_told_apart(self):
        self.assertIn("2 of 4 clauses proven through the front door (1 more only in the test build)", self.said())

    def test_a_clause_of_both_builds_counts_as_release(self):
        self.ran("release server/test_a: test_K1a_K1b_K2a", "dev server/test_a: test_K2a_by_the_clock")
        self.assertIn("3 of 4 clauses proven through the front door (0 more only in the test build)", self.said())

    def test_each_row_is_counted(self):
        self.assertIn("K1: 2 of 2\nK2: 0 of 2, 1 only in the test build; not yet: b\n", self.said())

    def test_ids_are_whole_words(self):
        self.ran("release cli: K1a K1b K2a and XK2b or K2bcd or incU14")
        self.accepts()

    def test_an_id_in_the_name_of_a_program_proves_nothing(self):
        self.ran("release server/test_a: test_K1a_K1b_K2a", "release K2b/test: nothing")
        self.accepts()

    def test_a_clause_newly_unproven_is_refused(self):
        self.ran("release server/test_a: test_K1a", "dev server/test_a: test_K2a_by_the_clock")
        self.refuses("K1b: no case that used the program")

    def test_the_id_of_a_row_is_allowed_and_proves_nothing(self):
        self.ran("release server/test_a: test_K1_all_of_it", "dev server/test_a: test_K2a")
        self.refuses("K1a: no case", "K1b: no case")

    def test_a_proven_clause_must_leave_the_baseline(self):
        self.ran("release server/test_a: test_K1a_K1b_K2a_K2b")
        self.refuses("K2b: is proven now", "--shrink")
        subprocess.run([sys.executable, "-B", ROOT / self.check, self.tree, "--shrink"], check=True)
        self.accepts()

    def test_shrinking_lets_in_nothing_new(self):
        self.ran("release server/test_a: test_K1a_K2a")
        subprocess.run([sys.executable, "-B", ROOT / self.check, self.tree, "--shrink"], check=True)
        self.refuses("K1b: no case")

    def test_a_baseline_clause_that_does_not_exist_is_refused(self):
        self.write("tests/arch/uncovered.txt", "K2b\nZ9a\n")
        self.refuses("Z9a: in tests/arch/uncovered.txt but not in")

    def test_an_id_that_is_no_clause_and_no_row_is_refused(self):
        self.ran("release server/test_a: test_K1a_K1b_K2a_K2c", "dev x: Z3 something")
        self.refuses("K2c: a case carries it", "Z3: a case carries it")

    def test_a_row_with_fewer_clauses_than_its_semicolons_is_refused(self):
        self.write("docs/REQUIREMENTS.md", ROWS.replace("the source;", "the source; what else;"))
        self.refuses("K1: has 2 clauses and 2 semicolons")

    def test_a_row_without_clauses_is_refused(self):
        self.write("docs/REQUIREMENTS.md", ROWS + "- K3 whatever\n")
        self.refuses("K3: has 0 clauses")

    def test_letters_go_on_after_z(self):
        names = [chr(ord("a") + n) for n in range(26)] + ["aa", "ab"]
        self.write("docs/REQUIREMENTS.md", "- K1 x\n" + "".join(f"  - K1{name} y\n" for name in names))
        self.ran("release a: " + " ".join(f"K1{name}" for name in names))
        self.write("tests/arch/uncovered.txt", "")
        self.accepts()

    def test_a_letter_left_out_is_refused(self):
        self.write("docs/REQUIREMENTS.md", ROWS.replace("K2b", "K2c"))
        self.refuses("K2c: in the place of K2b")

    def test_a_clause_under_another_row_is_refused(self):
        self.write("docs/REQUIREMENTS.md", ROWS.replace("K2a one", "K1c one"))
        self.refuses("K1c: in the place of K2a")

    def test_a_row_written_twice_is_refused(self):
        self.write("docs/REQUIREMENTS.md", ROWS + "- K2 again\n  - K2a one\n")
        self.refuses("K2: stands twice")

    def test_no_rows_at_all_is_refused(self):
        self.write("docs/REQUIREMENTS.md", "nothing\n")
        self.write("tests/arch/uncovered.txt", "")
        self.refuses("has no rows")
