# SPDX-License-Identifier: Apache-2.0
"""What a call of an op is made from, and the table of the ops that can be called."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import Any

import ttnn

from mlir_text import Attributes
from protocol import Layout, Question, UnaskableQuestion
from values import Tensors, compute_config, dtype, memory_config, page_layout

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
    def wanted(self) -> Layout:
        """The wanted output layout, else that of the declared result."""
        return self.question.output or self.question.results[0].placed

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


#: What a word of a said call stands for besides operands and attributes.
Words = dict[str, Callable[[Call], Any]]

_WORDS: Words = {
    "device": lambda call: call.device,
    "output_dtype": lambda call: call.output_dtype,
    "result_dtype": lambda call: call.result_dtype,
    "result_shape": lambda call: ttnn.Shape(list(call.question.results[0].shape)),
    "pages": lambda call: page_layout(call.wanted),
    "place": lambda call: memory_config(call.wanted),
    "compute": lambda call: call.compute_config(),
}

_ARGUMENT = re.compile(
    r"(?:(?P<keyword>\w*)=)?(?:(?P<group>@?)(?P<operand>\d+)(?P<mayLack>\?)?"
    r"|(?P<key>\w+):(?P<form>\w+)(?:\?(?P<default>[^\s!]*))?|(?P<word>\w+|\[\]))(?P<mayGo>!)?"
)


def said(table: str, words: Words | None = None) -> None:
    """Registers calls that are said in words: `topk: ttnn.* 0 k:integer =largest:flag?True memory`.

    Names of ops stand before the colon, `*` is the op's own name, an indented line continues the one above. An argument is

    - `0`: an operand, `2?` one that may be absent; `operands`: all of them, `list`: all of them as one argument;
    - `@0`: the operand of a group (`operandSegmentSizes`), `None` where it is absent;
    - `k:integer`: an attribute, read by a method of `Attributes` or as `shape`, `k:integer?1` with what stands for it;
    - `memory`: the wanted output layout; `True`, `False`, `[]`; a key of `words` or of those above.

    `bias=2?` passes an argument by keyword, `=k:integer` by the attribute's own name; `!` leaves it out where it is `None`.
    """
    for line in re.sub(r"\n +", " ", table.strip()).splitlines():
        names, _, rest = line.partition(": ")
        function, *arguments = rest.split()
        for name in names.split():
            calls(name)(_saying(function.replace("*", name), arguments, {**_WORDS, **(words or {})}))


def _saying(path: str, arguments: list[str], words: Words) -> Callable[[Call], Thunk]:
    """The call of a function with arguments in words."""
    parsed = [match for argument in arguments if (match := _ARGUMENT.fullmatch(argument)) is not None]
    if len(parsed) < len(arguments):
        raise ValueError(f"{path}: cannot read one of {arguments}")
    groups = sum(1 for argument in parsed if argument["group"])
    taken = [argument for argument in parsed if argument["operand"] is not None]
    least = sum(1 for argument in taken if argument["mayLack"] is None)
    takes_all = any(argument["word"] in ("operands", "list") for argument in parsed)

    def prepared(call: Call) -> Thunk:
        operands = (
            call.by_segment(groups)[:groups] if groups else call.operands() if taken or takes_all else []
        )
        if taken and not groups and not least <= len(operands) <= len(taken):
            raise ValueError(f"{path} takes {len(taken)} operands, and {len(operands)} are given")
        function: Any = ttnn
        for name in path.split(".")[1:]:
            function = getattr(function, name)
        return lambda: _run(call, function, parsed, operands, words)

    return prepared


def _run(call: Call, function: Any, arguments: list[re.Match[str]], operands: list[Any], words: Words) -> Any:
    positional: list[Any] = []
    named: dict[str, Any] = {}
    for argument in arguments:
        word, keyword = argument["word"], argument["keyword"]
        if word == "memory":
            named.update(call.memory)
        elif word == "operands":
            positional.extend(operands)
        else:
            value = operands if word == "list" else _value(call, argument, operands, words)
            if value is None and argument["mayGo"]:
                continue
            if keyword is None:
                positional.append(value)
            else:
                named[keyword or argument["key"] or word] = value
    return function(*positional, **named)


def _value(call: Call, argument: re.Match[str], operands: list[Any], words: Words) -> Any:
    if argument["operand"] is not None:
        at = int(argument["operand"])
        return operands[at] if at < len(operands) else None
    key, default = argument["key"], argument["default"]
    if key is None:
        word = argument["word"]
        return words[word](call) if word in words else ast.literal_eval(word)
    if default is not None and not call.attributes.has(key):
        return ast.literal_eval(default or "None")
    if argument["form"] == "shape":
        return ttnn.Shape(call.attributes.integers(key))
    return getattr(call.attributes, argument["form"])(key)


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
