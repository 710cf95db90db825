# SPDX-License-Identifier: Apache-2.0
"""Buffers are counted on the core that has most of them, peaks by the moment."""

from __future__ import annotations

import unittest
from typing import Any

from l1_use import counted_peaks, own_buffers, peak_of
from protocol import Buffer, Program, TensorEvent


def node(kind: str, size: int = 0, memory: str = "L1", buffer_type: int = 1) -> dict[str, Any]:
    facts = {"type": memory, "buffer_type": buffer_type, "max_size_per_bank": str(size)}
    return {"node_type": kind, "params": facts}


def run(name: str) -> list[dict[str, Any]]:
    """A device operation that executes a program."""
    return [
        {"node_type": "function_start", "params": {"name": f"{name}DeviceOperation"}},
        {"node_type": "program_execution", "params": {}},
        {"node_type": "function_end", "params": {}},
    ]


class L1Use(unittest.TestCase):
    def test_buffers_add_up_core_by_core_but_for_those_that_lie_in_tensors(self) -> None:
        buffers = [
            Buffer("circular", 100, [(0, 0, 1, 0)], False),
            Buffer("dataflow", 30, [(1, 0, 2, 0)], False),
            Buffer("circular", 999, [(0, 0, 0, 0)], True),
            Buffer("scratch", 7, [(2, 0, 2, 0)], False),
        ]
        use = own_buffers([Program("Matmul", buffers), Program("Unary")])
        self.assertEqual(use.programs, ["Matmul", "Unary"])
        self.assertEqual(use.circular_buffers, [130, 0])
        self.assertEqual(use.scratchpads, [7, 0])

    def test_an_operand_that_goes_counts_below_what_was_there_at_the_start(self) -> None:
        events = [
            TensorEvent("allocate", "l1", 30, 0),
            TensorEvent("release", "l1", 100, -1),
            TensorEvent("program"),
            TensorEvent("allocate", "l1", 60, 1),
            TensorEvent("allocate", "dram", 999, 2),
        ]
        halo = Program("Halo", [Buffer("circular", 50, [(0, 0, 0, 0)], False)])
        self.assertEqual(counted_peaks(events, [halo]), (30, 40))

    def test_the_peak_is_that_of_the_program_with_the_tensors_of_its_moment(self) -> None:
        use = own_buffers([Program("A", [Buffer("circular", 50, [(0, 0, 0, 0)], False)]), Program("B")])
        nodes = [
            node("buffer_allocate", 1000, "DRAM"),
            node("buffer_allocate", 64, "L1", 3),
            node("buffer_allocate", 20),
            *run("A"),
            node("buffer_deallocate", 20),
            *run("Move"),
            node("buffer_allocate", 40),
            *run("B"),
        ]
        self.assertEqual(peak_of(nodes, 100, use), 170)
        self.assertEqual(peak_of([], 100, use), 100)

    def test_a_buffer_takes_whole_multiples_of_the_alignment(self) -> None:
        nodes = [node("buffer_allocate", 20), node("buffer_allocate", 64), node("buffer_deallocate", 20)]
        self.assertEqual(peak_of(nodes, 96, own_buffers([]), 32), 96 + 32 + 64)

    def test_a_program_that_runs_only_where_it_is_dispatched_shifts_no_other(self) -> None:
        use = own_buffers([Program("A"), Program("B", [Buffer("circular", 50, [(0, 0, 0, 0)], False)])])
        nodes = [*run("A"), *run("Move"), node("buffer_allocate", 40), *run("B")]
        self.assertEqual(peak_of(nodes, 0, use), 90)

    def test_the_chips_of_a_mesh_run_one_operation_with_one_program_or_with_one_each(self) -> None:
        def on_two_chips(name: str, run_id: int) -> list[dict[str, Any]]:
            start, execution, end = run(name)
            return [start, *({**execution, "params": {"runtime_id": run_id}} for _ in range(2)), end]

        def program(name: str, size: int) -> Program:
            return Program(name, [Buffer("circular", size, [(0, 0, 0, 0)], False)])

        own = [program("Gather", 30), program("Gather", 50), program("Cut", 10), program("Cut", 10)]
        gathered = [node("buffer_allocate", 20), *on_two_chips("Gather", 1)]
        cut = [*on_two_chips("Cut", 2), node("buffer_allocate", 90), *on_two_chips("Cut", 3)]
        self.assertEqual(peak_of(gathered, 0, own_buffers(own)), 70)
        self.assertEqual(peak_of([*gathered, *cut], 0, own_buffers(own)), 120)


if __name__ == "__main__":
    unittest.main()
