from fixture import CheckCase


class Requirements(CheckCase):
    check = "tests/arch/check_requirements"

    def setUp(self):
        super().setUp()
        self.write("docs/REQUIREMENTS.md", "- K1 the source\n- K2 the key\n- K12 another\n")
        self.write("build/tests-ran.txt", "core/a: K1 is proven\ncore/a: K2_property_holds\n")
        self.write("tests/arch/uncovered.txt", "K12\n")

    def test_rows_and_baseline_agree(self):
        self.accepts()

    def test_ids_are_whole_words(self):
        self.write("build/tests-ran.txt", "core/a: K1 K2 and XK12 or K120\n")
        self.accepts()

    def test_a_row_newly_uncovered_is_refused(self):
        self.write("build/tests-ran.txt", "core/a: K1 is proven\n")
        self.refuses("K2: no test that ran")

    def test_a_covered_row_must_leave_the_baseline(self):
        self.write("build/tests-ran.txt", "core/a: K1 K2 K12\n")
        self.refuses("K12: is covered now", "--shrink")

    def test_a_baseline_row_that_does_not_exist_is_refused(self):
        self.write("tests/arch/uncovered.txt", "K12\nZ9\n")
        self.refuses("Z9")

    def test_a_row_written_twice_is_refused(self):
        self.write("docs/REQUIREMENTS.md", "- K1 a\n- K2 b\n- K2 c\n- K12 d\n")
        self.refuses("K2: stands twice")

    def test_no_rows_at_all_is_refused(self):
        self.write("docs/REQUIREMENTS.md", "nothing\n")
        self.write("tests/arch/uncovered.txt", "")
        self.refuses("has no rows")
