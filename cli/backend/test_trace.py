# SPDX-License-Identifier: Apache-2.0
"""What a trace says of ops, without the backend."""

from __future__ import annotations

import io
import sys
import unittest
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from program import Program
from trace import Tracer, slicing

TEXT = """
def main(device, weights, x):
    a = x + 1
    return a


MESH = ()
PROGRAMS = []
"""


class CrashedOps(unittest.TestCase):
    def test_a_stand_in_begins_no_op(self) -> None:
        """If the process ends in a statement behind it, the op that crashed before is not to blame again."""
        answers = io.StringIO()
        holder: list[Tracer] = []
        program = Program(TEXT, ["main"], lambda *one: holder[0].execute(*one))
        op = {"line": 3, "results": [{"variable": "a", "standIn": "7"}]}
        job: dict[str, Any] = {"device": "n150", "ops": [op], "crashed": [0]}
        holder.append(Tracer(job, None, answers))
        self.assertEqual(program.scope["main"](None, None, 1), 7)
        self.assertEqual(answers.getvalue(), "")


class OpsWithoutOperands(unittest.TestCase):
    def test_an_op_that_reads_what_nothing_could_stand_in_for_is_not_reached(self) -> None:
        answers = io.StringIO()
        holder: list[Tracer] = []
        text = TEXT.replace("    return a", "    b = a + 1\n    return b")
        program = Program(text, ["main"], lambda *one: holder[0].execute(*one))
        ops = [
            {"line": 3, "results": [{"variable": "a", "standIn": "1 // 0"}]},
            {"line": 4, "results": [{"variable": "b", "standIn": "7"}]},
        ]
        job: dict[str, Any] = {"device": "n150", "ops": ops, "crashed": [0]}
        holder.append(Tracer(job, None, answers))
        words = SimpleNamespace(reason_of=str, is_memory=lambda _: False)
        # That module loads the backend.
        with patch.dict(sys.modules, {"capture": words}):
            self.assertEqual(program.scope["main"](None, None, 1), 7)
        self.assertEqual(answers.getvalue(), "")


class DynamicSlices(unittest.TestCase):
    def test_bounds_on_the_device_become_those_of_the_declared_result(self) -> None:
        seen: list[Any] = []
        slice_ = slicing(lambda *args: seen.append(args), [[3, 2]])
        slice_("x", object(), object(), [2, 1])
        slice_("x", [1, 0], [4, 2], [1, 1])
        self.assertEqual(seen, [("x", [0, 0], [5, 2], [2, 1]), ("x", [1, 0], [4, 2], [1, 1])])


if __name__ == "__main__":
    unittest.main()
