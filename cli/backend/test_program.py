# SPDX-License-Identifier: Apache-2.0
"""Programs are run statement by statement, without the backend."""

from __future__ import annotations

import unittest
from typing import Any

from program import Argument, Program, Statement, run_entry

TEXT = '''
def helper(device):
    return 1


def doubled(device, x):
    y = x + x
    return y


def prepare_main(device, weights):
    """What runs once."""
    weights.w2 = doubled(device, weights.w)


def main(device, weights, x):
    a = x + weights.w2
    b, c = a + helper(device), a
    del a
    return [b, c]


def command_line():
    return None


MESH = ()
PROGRAMS = [(main, prepare_main, [("x", "input", (1,), 0, 0, None), ("w", "weight", (2,), 0, 0, None)])]
'''


class Programs(unittest.TestCase):
    def run_program(self, skip: int | None = None) -> tuple[Any, list[int]]:
        lines: list[int] = []

        def execute(statement: Statement, variables: dict[str, Any]) -> None:
            lines.append(statement.line)
            if statement.line == skip:
                variables["a"] = 100
            else:
                statement.run(variables)

        program = Program(TEXT, ["main", "prepare_main", "doubled"], execute)
        [(function, prepare, arguments)] = program.entries()
        return run_entry(None, function, prepare, arguments, lambda argument: argument.shape[0]), lines

    def test_every_statement_goes_through_execute_in_order(self) -> None:
        results, lines = self.run_program()
        self.assertEqual(results, [6, 5])
        texts = [TEXT.split("\n")[line - 1].strip() for line in lines]
        self.assertEqual(
            texts,
            [
                "weights.w2 = doubled(device, weights.w)",
                "y = x + x",
                "a = x + weights.w2",
                "b, c = a + helper(device), a",
                "del a",
            ],
        )

    def test_what_execute_puts_in_is_used_by_what_follows(self) -> None:
        line = TEXT.split("\n").index("    a = x + weights.w2") + 1
        results, _ = self.run_program(skip=line)
        self.assertEqual(results, [101, 100])

    def test_arguments_are_made_in_the_order_of_the_table(self) -> None:
        made: list[str] = []

        def make(argument: Argument) -> int:
            made.append(argument.name)
            return 1

        program = Program(TEXT, ["main"], lambda statement, variables: statement.run(variables))
        [(function, prepare, arguments)] = program.entries()
        run_entry(None, function, prepare, arguments, make)
        self.assertEqual(made, ["x", "w"])


if __name__ == "__main__":
    unittest.main()
