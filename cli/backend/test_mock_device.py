# SPDX-License-Identifier: Apache-2.0
"""An installation is seen through links, with the stand-in in place of one entry, and stays as it is."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from mock_device import UNUSABLE, lay_standin_compiler, link_all_but


class Roots(unittest.TestCase):
    def test_a_folder_of_links_leaves_one_entry_out_and_follows_an_installation_that_moves(self) -> None:
        with tempfile.TemporaryDirectory() as text:
            folder = Path(text)
            for place in ("one", "two"):
                for name in ("hw", "sfpi"):
                    (folder / place / name).mkdir(parents=True)
            link_all_but(folder / "one", folder / "root", "sfpi")
            link_all_but(folder / "two", folder / "root", "sfpi")
            self.assertEqual([entry.name for entry in (folder / "root").iterdir()], ["hw"])
            self.assertEqual((folder / "root" / "hw").readlink(), folder / "two" / "hw")
            self.assertEqual(sorted(entry.name for entry in (folder / "two").iterdir()), ["hw", "sfpi"])

    def test_the_stand_in_compiles_whatever_it_is_given(self) -> None:
        with tempfile.TemporaryDirectory() as text:
            folder = Path(text)
            lay_standin_compiler(folder)
            compiler = folder / "bin" / "riscv-tt-elf-g++"
            version = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True)
            self.assertIn("stand-in", version.stdout)
            for name in ("kernel.o", "kernel.elf"):
                made = folder / f"made-{name}"
                subprocess.run([compiler, "-o", made, "some.cpp"], check=True)
                self.assertEqual(made.read_bytes(), (folder / "share" / name).read_bytes())


class Installations(unittest.TestCase):
    def test_an_interpreter_without_ttnn_is_named_in_one_sentence(self) -> None:
        script = (
            "import sys; sys.path.insert(0, sys.argv[1]); import mock_device; mock_device.installed_version()"
        )
        # -I -S: no packages but those of Python itself.
        ended = subprocess.run(
            [sys.executable, "-I", "-S", "-c", script, str(Path(__file__).parent)],
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(ended.returncode, UNUSABLE)
        self.assertRegex(ended.stderr, r"\APython 3\.\d+\.\d+ of \S+ has no ttnn\n\Z")


if __name__ == "__main__":
    unittest.main()
