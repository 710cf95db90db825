# SPDX-License-Identifier: Apache-2.0
"""A program that Tilewright wrote, run statement by statement."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from types import CodeType, SimpleNamespace
from typing import Any

#: What Python calls the text in its own messages.
_NAME = "program.py"

#: Runs one statement with a function's variables.
Execute = Callable[["Statement", dict[str, Any]], None]


@dataclass(frozen=True)
class Statement:
    """One statement of a function."""

    line: int
    code: CodeType
    scope: dict[str, Any] = field(repr=False)

    def run(self, variables: dict[str, Any]) -> None:
        """Runs it; what it assigns is in `variables` afterwards."""
        exec(self.code, self.scope, variables)  # noqa: S102 - the program is what is asked about


class StraightFunction:
    """A function without branches, called as the original; every statement but `return` goes through `execute`."""

    def __init__(self, node: ast.FunctionDef, scope: dict[str, Any], execute: Execute) -> None:
        self.__name__ = node.name
        self._parameters = [argument.arg for argument in node.args.args]
        self._execute = execute
        self._scope = scope
        *body, last = node.body
        if not isinstance(last, ast.Return):
            body.append(last)
        self._statements = [
            Statement(statement.lineno, compile(ast.Module([statement], []), _NAME, "exec"), scope)
            for statement in body
            if not _is_docstring(statement)
        ]
        result = last.value if isinstance(last, ast.Return) else None
        self._result = None if result is None else compile(ast.Expression(result), _NAME, "eval")

    def __call__(self, *values: Any) -> Any:
        variables = dict(zip(self._parameters, values, strict=True))
        del values
        for statement in self._statements:
            self._execute(statement, variables)
        return None if self._result is None else eval(self._result, self._scope, variables)


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


@dataclass(frozen=True)
class Argument:
    """An argument of a program, as its table says it."""

    name: str
    role: str
    shape: tuple[int, ...]
    dtype: Any
    layout: Any
    memory_config: Any


class Program:
    """A program whose functions of these names are opened up."""

    def __init__(self, text: str, functions: Iterable[str], execute: Execute) -> None:
        tree = ast.parse(text, _NAME)
        self.scope: dict[str, Any] = {"__name__": "program"}
        exec(compile(tree, _NAME, "exec"), self.scope)  # noqa: S102
        opened = set(functions)
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and node.name in opened:
                self.scope[node.name] = StraightFunction(node, self.scope, execute)
        self.mesh: tuple[int, ...] = self.scope["MESH"]

    def entries(self) -> Iterator[tuple[Any, Any, list[Argument]]]:
        """Per function that is run: the function, what prepares its weights (or `None`), its arguments."""
        for function, prepare, arguments in self.scope["PROGRAMS"]:
            prepared = None if prepare is None else self.scope[prepare.__name__]
            yield self.scope[function.__name__], prepared, [Argument(*one) for one in arguments]


def run_entry(
    device: Any,
    function: Any,
    prepare: Any,
    arguments: list[Argument],
    make: Callable[[Argument], Any],
) -> Any:
    """Calls a function with arguments that `make` makes, in order; returns its results."""
    weights = SimpleNamespace()
    inputs = []
    for argument in arguments:
        tensor = make(argument)
        if argument.role == "weight":
            setattr(weights, argument.name, tensor)
        else:
            inputs.append(tensor)
        del tensor
    if prepare is not None:
        prepare(device, weights)
    return function(device, weights, *inputs)
