from fixture import CheckCase


class Mirror(CheckCase):
    check = "tests/arch/check_mirror"

    def setUp(self):
        super().setUp()
        self.write("src/core/README.md", "`zone` local time\n")
        self.write("src/core/zone.c")
        self.write("src/core/meson.build", "'zone.c',\n")
        self.write("tests/unit/core/test_zone.c")
        self.write("tests/unit/meson.build", "'core/zone',\n")
        self.write("tests/fuzz/fuzz_tzif.c")
        self.write("tests/fuzz/meson.build", "'tzif',\n")
        self.write("tests/fuzz/corpus/tzif/utc", "x")

    def test_a_whole_tree_is_accepted(self):
        self.accepts()

    def test_a_test_of_nothing_is_refused(self):
        self.write("tests/unit/core/test_zome.c")
        self.write("tests/unit/meson.build", "'core/zone',\n'core/zome',\n")
        self.refuses("test_zome.c", "there is no src/core/zome")

    def test_an_adapter_is_tested_in_a_folder_of_its_own(self):
        self.write("src/core/file/zone.c")
        self.write("src/core/meson.build", "'zone.c',\n'file/zone.c',\n")
        self.write("tests/unit/core/file/test_zone.c")
        self.write("tests/unit/meson.build", "'core/zone',\n'core/file/zone',\n")
        self.accepts()
        self.write("tests/unit/core/file/test_zome.c")
        self.refuses("test_zome.c", "there is no src/core/file/zome")

    def test_a_core_file_without_test_is_refused(self):
        self.write("src/core/cost.c")
        self.write("src/core/meson.build", "'zone.c',\n'cost.c',\n")
        self.refuses("src/core/cost.c: has no tests/unit/core/test_cost.c")

    def test_a_core_file_that_the_map_omits_is_refused(self):
        self.write("src/core/README.md", "core\n")
        self.refuses("`zone` has no row in src/core/README.md")

    def test_a_part_is_tested_through_its_module(self):
        self.write("src/core/zone_file.c", '#include "core/zone_private.h"\n')
        self.write("src/core/meson.build", "'zone.c',\n'zone_file.c',\n")
        self.accepts()

    def test_the_shell_is_tested_file_by_file_too(self):
        self.write("src/engine/README.md", "engine\n")
        self.write("src/engine/meson.build", "'wake.c',\n'wake_nap.c',\n")
        self.write("src/engine/wake.c", '#include "engine/wake_nap.h"\n')
        self.write("src/engine/wake_nap.c", '#include "engine/wake_nap.h"\n')
        self.write("src/engine/wake_nap.h")
        self.write("tests/unit/engine/test_wake.c")
        self.write("tests/unit/meson.build", "'core/zone',\n'engine/wake',\n")
        self.accepts()
        self.write("src/engine/turn.c", '#include "engine/wake_nap.h"\n')
        self.write("src/engine/meson.build", "'turn.c',\n'wake.c',\n'wake_nap.c',\n")
        self.refuses("src/engine/turn.c: has no tests/unit/engine/test_turn.c",
                     "src/engine/wake_nap.c: has no tests/unit/engine/test_wake_nap.c")

    def test_an_unlisted_test_is_refused(self):
        self.write("tests/unit/meson.build", "")
        self.refuses("test_zone.c", "never runs")

    def test_an_unlisted_source_is_refused(self):
        self.write("src/core/meson.build", "")
        self.refuses("src/core/zone.c", "never compiled")

    def test_an_unlisted_fuzz_target_is_refused(self):
        self.write("tests/fuzz/meson.build", "")
        self.refuses("fuzz_tzif.c", "never runs")

    def test_a_fuzz_target_without_seeds_is_refused(self):
        (self.tree / "tests/fuzz/corpus/tzif/utc").unlink()
        self.refuses("no seeds")

    def test_a_folder_without_readme_is_refused(self):
        (self.tree / "src/core/README.md").unlink()
        self.refuses("src/core: has no README.md")

    def test_a_long_readme_is_refused(self):
        self.write("src/core/README.md", "line\n" * 61)
        self.refuses("over 60 lines")
