# SPDX-License-Identifier: Apache-2.0
"""Runs a program that Tilewright wrote on a mock device, op by op, and says what becomes of every op.

    python trace.py CACHE < JOB.json

The job holds `program` (its text), `device` (a name of `devices.py`), `functions` (those of the program), `ops` (per op
its `line`, and the `results` with their `shape` and the expression that makes each as it is declared) and `crashed` (indices of ops over which a former
run ended: they are not run). Nothing is written outside of the folder CACHE. Standard output has a JSON object per line:

- `ready`: version of ttnn, the bytes of L1 that tensors and circular buffers share per core,
- `begin`: the op that is about to run, by its index in the job, so that it is known if it ends the process,
- `op`: what became of an op,
- `argument`: an argument that cannot be made,
- `failed`: a statement of no op that failed, because nothing could stand in for what it reads,
- `done`: the end, with the bytes that are still allocated.

The allocator places every buffer, and every program is built and checked against the tensors in L1, as on hardware.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

from devices import BOARDS
from mock_device import L1_SMALL_BYTES, give_up, installed_version, mock_device_variables, one_line
from program import Argument, Program, Statement, run_entry
from workspace import Workspace

_CONVOLUTIONS = ("conv2d", "conv_transpose2d")

#: Device operations that choose their buffers by the L1 that is left beside their results.
_BESIDE_RESULTS = frozenset(("LayerNorm",))

#: What stands for a tensor that nothing could be made for.
_UNMADE: Any = object()


class Tracer:
    """Runs the statements of a program; those of ops twice, for their buffers and then for good."""

    def __init__(self, job: dict[str, Any], device: Any, answers: IO[str]) -> None:
        self._device = device
        self._answers = answers
        self._alignment = BOARDS[job["device"]].alignment
        self._ops: dict[int, tuple[int, dict[str, Any]]] = {
            op["line"]: (index, op) for index, op in enumerate(job["ops"])
        }
        self._crashed: set[int] = set(job["crashed"])

    def say(self, **fact: Any) -> None:
        """One line of the answer."""
        self._answers.write(json.dumps(fact, separators=(",", ":")) + "\n")

    def execute(self, statement: Statement, variables: dict[str, Any]) -> None:
        """Runs a statement. What an op that is refused would have made is made as declared, so that the rest is judged."""
        found = self._ops.get(statement.line)
        reads_unmade = any(variables.get(name) is _UNMADE for name in statement.code.co_names)
        if found is None:
            if reads_unmade:
                return
            try:
                statement.run(variables)
            except Exception as error:  # noqa: BLE001
                # Of what nothing could stand in for.
                self.say(failed=_refusal(error)["refused"])
            return
        index, op = found
        if index in self._crashed or reads_unmade:
            # Of an op without an operand nothing is said: it is not reached.
            self._stand_in(op, statement, variables)
            return
        self.say(begin=index)
        shapes = [one["shape"] for one in op["results"]]
        with _replaced(slice=lambda original: slicing(original, shapes)):
            answer = self._observed(statement, variables)
        if "refused" in answer:
            answer["unmade"] = self._stand_in(op, statement, variables)
        else:
            answer["results"] = [self._result(variables[one["variable"]]) for one in op["results"]]
        answer["free"] = self._l1().largest_contiguous_bytes_free_per_bank
        self.say(op=index, **answer)

    def make(self, argument: Argument) -> Any:
        """An argument as the program wants it, without values; `None` where ttnn cannot make it."""
        import ttnn

        shape = list(argument.shape)
        if argument.memory_config is None:
            return ttnn.zeros(shape, dtype=argument.dtype, layout=argument.layout)
        try:
            return ttnn.empty(
                shape,
                dtype=argument.dtype,
                layout=argument.layout,
                device=self._device,
                memory_config=argument.memory_config,
            )
        except Exception as error:  # noqa: BLE001 - C++ exceptions arrive as any of Python's
            self.say(argument=argument.name, **_refusal(error))
            return None

    def allocated(self) -> int:
        """Bytes of L1 per core that tensors hold."""
        return int(self._l1().total_bytes_allocated_per_bank)

    def _l1(self) -> Any:
        import ttnn

        return ttnn.get_memory_view(self._device, ttnn.BufferType.L1)

    def _observed(self, statement: Statement, variables: dict[str, Any]) -> dict[str, Any]:
        import ttnn

        from capture import Trace
        from l1_use import own_buffers, peak_of

        graph, before, given = ttnn.graph, self.allocated(), dict(variables)
        answer: dict[str, Any] = {"before": before}
        # A run that dispatches does not tell dataflow buffers. One that does not frees nothing: inputs have to stay;
        # and it ends where an op copies a table to the device, which pools do: then the other one is read.
        dry, is_whole = _dry_run(statement, given)
        graph.begin_graph_capture(graph.RunMode.NORMAL)
        try:
            statement.run(variables)
        except Exception as error:  # noqa: BLE001
            answer.update(_refusal(error))
        finally:
            nodes = graph.end_graph_capture()
        trace = Trace()
        trace.read(dry if is_whole else nodes)
        chooses_beside = any(program.operation in _BESIDE_RESULTS for program in trace.programs)
        if is_whole and chooses_beside and "refused" not in answer:
            # Nothing is allocated in a dry run: it is run once more, beside the real results.
            trace = Trace()
            trace.read(_dry_run(statement, given)[0])
        # Where programs are dispatched, each is told twice: with its buffers, and when it runs.
        use = own_buffers([program for program in trace.programs if is_whole or program.buffers])
        use.peak = peak_of(nodes, before, use, self._alignment)
        return {**answer, **asdict(use)}

    def _stand_in(self, op: dict[str, Any], statement: Statement, variables: dict[str, Any]) -> list[str]:
        unmade = []
        for one in op["results"]:
            try:
                variables[one["variable"]] = eval(one["standIn"], statement.scope, {"device": self._device})
            except Exception as error:  # noqa: BLE001
                variables[one["variable"]] = _UNMADE
                unmade.append(_refusal(error)["refused"])
        return unmade

    def _result(self, tensor: Any) -> dict[str, Any]:
        import ttnn

        from capture import result_layout

        if tensor.storage_type() != ttnn.StorageType.DEVICE:
            name = str(tensor.dtype).rpartition(".")[2]
            from values import DTYPE_NAMES

            return {
                "shape": list(tensor.shape),
                "bufferType": "system_memory",
                "dtype": DTYPE_NAMES.get(name, name),
                "tiled": tensor.layout == ttnn.TILE_LAYOUT,
            }
        result = asdict(result_layout(tensor))
        result["address"] = tensor.buffer_address()
        return {key: value for key, value in result.items() if value is not None}


def _dry_run(statement: Statement, variables: dict[str, Any]) -> tuple[list[dict[str, Any]], bool]:
    """The trace of a run that dispatches and allocates nothing, and whether it came to its end."""
    import ttnn

    graph, is_whole = ttnn.graph, True
    graph.begin_graph_capture(graph.RunMode.NO_DISPATCH)
    try:
        with _replaced(**dict.fromkeys(_CONVOLUTIONS, _keeping)):
            statement.run(dict(variables))
    except Exception:  # noqa: BLE001
        is_whole = False
    finally:
        nodes: list[dict[str, Any]] = graph.end_graph_capture()
    return nodes, is_whole


@contextlib.contextmanager
def _replaced(**wrappers: Callable[[Any], Any]) -> Iterator[None]:
    """Functions of ttnn by name, as these wrap them."""
    import ttnn

    originals = {name: getattr(ttnn, name) for name in wrappers}
    try:
        for name, original in originals.items():
            setattr(ttnn, name, wrappers[name](original))
        yield
    finally:
        for name, original in originals.items():
            setattr(ttnn, name, original)


def _keeping(original: Any) -> Any:
    """A convolution that does not free its activation."""

    def call(*args: Any, **keywords: Any) -> Any:
        config = keywords.get("conv_config")
        if config is None or not config.deallocate_activation:
            return original(*args, **keywords)
        config.deallocate_activation = False
        try:
            return original(*args, **keywords)
        finally:
            config.deallocate_activation = True

    return call


def slicing(original: Any, shapes: list[list[int]]) -> Any:
    """A slice that reads its bounds from the device, where a mock device has none: as large as declared, from 0 on."""

    def call(tensor: Any, begins: Any, ends: Any, *others: Any, **keywords: Any) -> Any:
        if isinstance(begins, (list, tuple)):
            return original(tensor, begins, ends, *others, **keywords)
        (shape,) = shapes
        (steps,) = others
        last = [(extent - 1) * step + 1 for extent, step in zip(shape, steps, strict=True)]
        return original(tensor, [0] * len(shape), last, steps, **keywords)

    return call


def _refusal(error: BaseException) -> dict[str, Any]:
    from capture import is_memory, reason_of

    return {"refused": reason_of(error), "status": "memory" if is_memory(error) else "error"}


def main() -> None:
    job = json.load(sys.stdin)
    workspace = Workspace(Path(sys.argv[1]).resolve())
    work = workspace.folder
    os.environ.update(mock_device_variables(work, job["device"]))
    # ttnn writes a folder `generated` where it is started.
    os.chdir(work)
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    trace(job, answers)
    workspace.close()
    # Closing a mock device waits for threads that it does not have.
    os._exit(0)


def trace(job: dict[str, Any], answers: IO[str]) -> None:
    """Runs the job."""
    found = installed_version()
    holder: list[Tracer] = []
    try:
        import ttnn

        program = Program(job["program"], job["functions"], lambda *one: holder[0].execute(*one))
        device = _opened(program.mesh)
    except Exception as error:  # noqa: BLE001 - of another version anything
        give_up(f"ttnn {found} of {sys.executable} opens no mock device for the program: {one_line(error)}")
    # Every op is built and checked where it stands.
    device.disable_and_clear_program_cache()
    tracer = Tracer(job, device, answers)
    holder.append(tracer)
    usable = ttnn.get_memory_view(device, ttnn.BufferType.L1).total_bytes_per_bank
    tracer.say(ready=found, l1=int(usable))
    for function, prepare, arguments in program.entries():
        run_entry(device, function, prepare, arguments, tracer.make)
    tracer.say(done=True, left=tracer.allocated())


def _opened(mesh: tuple[int, ...]) -> Any:
    """The mock device that a program asks for; `()` is one chip."""
    import ttnn

    if len(mesh) == 0:
        return ttnn.open_device(device_id=0, l1_small_size=L1_SMALL_BYTES)
    ttnn.set_fabric_config(ttnn.FabricConfig.FABRIC_1D)
    # Checks of ttnn 0.81 take a mesh to dispatch from a row of workers, however it is opened; the board that is
    # described has a row more for that.
    workers = ttnn.DispatchCoreConfig(ttnn.DispatchCoreType.WORKER)
    return ttnn.open_mesh_device(
        ttnn.MeshShape(*mesh), l1_small_size=L1_SMALL_BYTES, dispatch_core_config=workers
    )


if __name__ == "__main__":
    main()
