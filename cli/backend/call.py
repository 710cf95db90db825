# SPDX-License-Identifier: Apache-2.0
"""What a call of an op is made from, and the table of the ops that can be called."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mlir_text import Attributes
from protocol import Question, UnaskableQuestion
from values import Tensors, compute_config, dtype, memory_config

#: Runs the op; its operands exist already.
Thunk = Callable[[], Any]


class Call:
    """One op with its operands on the device, as tt-mlir's op model calls it."""

    def __init__(self, question: Question, tensors: Tensors) -> None:
        self.question = question
        self.tensors = tensors
        self.attributes: Attributes = question.attributes
        #: `memory_config=…` where the question wants an output layout, else nothing.
        self.memory: dict[str, Any] = (
            {} if question.output is None else {"memory_config": memory_config(question.output)}
        )

    @property
    def device(self) -> Any:
        """The mock device."""
        return self.tensors.device

    def operands(self) -> list[Any]:
        """All operands, made in order."""
        return [self.tensors.make(operand) for operand in self.question.operands]

    def by_segment(self, count: int) -> list[Any | None]:
        """Operands by `operandSegmentSizes`, `None` for absent ones, filled up to a count."""
        made = self.operands()
        sizes = self.attributes.optional_integers("operandSegmentSizes")
        if sizes is None:
            return [*made, *[None] * (count - len(made))]
        rest = iter(made)
        taken: list[Any | None] = []
        for size in sizes:
            segment = [next(rest) for _ in range(size)]
            taken.append(segment[0] if segment else None)
        return [*taken, *[None] * (count - len(taken))]

    @property
    def output_dtype(self) -> Any:
        """The format of the wanted output; `None` where the backend chooses the output."""
        return None if self.question.output is None else dtype(self.question.output.dtype)

    @property
    def result_dtype(self) -> Any:
        """The format of the wanted output, else of the declared result."""
        if self.question.output is not None:
            return dtype(self.question.output.dtype)
        for result in self.question.results:
            return dtype(result.layout.dtype if result.layout is not None else result.element_type)
        return None

    def compute_config(self, part: str = "deviceComputeKernelConfig") -> Any:
        """The op's compute config, `None` where ttnn takes its own."""
        return compute_config(self.question.config_text(part, "compute_config"))


CALLS: dict[str, Callable[[Call], Thunk]] = {}


def calls(*names: str) -> Callable[[Callable[[Call], Thunk]], Callable[[Call], Thunk]]:
    """Registers a function as the call of ops."""

    def register(function: Callable[[Call], Thunk]) -> Callable[[Call], Thunk]:
        for name in names:
            if name in CALLS:
                raise ValueError(f"{name} has two calls")
            CALLS[name] = function
        return function

    return register


def prepare(question: Question, tensors: Tensors) -> Thunk:
    """Makes the operands of a question; the result runs its op."""
    function = CALLS.get(question.op)
    if function is None:
        raise UnaskableQuestion(f"no call is written for ttnn.{question.op}")
    try:
        return function(Call(question, tensors))
    except (TypeError, ValueError) as error:
        # Another number of operands than the call takes, or an argument that ttnn does not know.
        raise UnaskableQuestion(f"{type(error).__name__}: {error}") from error
