# SPDX-License-Identifier: Apache-2.0
"""Two processes never share a folder, and what a killed one left is not read."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from workspace import Workspace

_HOLD = (
    "import sys; from pathlib import Path; from workspace import Workspace\n"
    "held = Workspace(Path(sys.argv[1])); print(held.folder.name, flush=True); sys.stdin.read()"
)


class Workspaces(unittest.TestCase):
    def test_a_folder_is_taken_as_long_as_its_process_lives(self) -> None:
        with tempfile.TemporaryDirectory() as text:
            cache = Path(text)
            with subprocess.Popen(
                [sys.executable, "-c", _HOLD, text],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                cwd=Path(__file__).parent,
            ) as other:
                assert other.stdout is not None
                self.assertEqual(other.stdout.readline().strip(), "0")
                (cache / "runs" / "0" / "half").touch()
                own = Workspace(cache)
                self.assertEqual(own.folder.name, "1")
                (own.folder / "kernel").touch()
                own.close()
                other.kill()
            # The killed one's folder is emptied, the closed one's is kept.
            first = Workspace(cache)
            self.assertEqual(first.folder.name, "0")
            self.assertFalse((first.folder / "half").exists())
            second = Workspace(cache)
            self.assertTrue((second.folder / "kernel").exists())
            first.close()
            second.close()


if __name__ == "__main__":
    unittest.main()
