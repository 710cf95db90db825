# SPDX-License-Identifier: Apache-2.0
"""The process that holds the backend: answers questions from standard input, one JSON object per line each way.

Started by `ask.py` with the environment that ttnn reads when it is imported. It says `ready` once. Its answers go to the descriptor that its
standard output was at the start; ttnn's own messages go to standard error.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from mock_device import L1_SMALL_BYTES, give_up, installed_version, one_line

READY = "ready"


def main() -> None:
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    tensors = _opened()
    answers.write(READY + "\n")
    for line in sys.stdin:
        if line.strip():
            answers.write(json.dumps(answer(json.loads(line), tensors), separators=(",", ":")) + "\n")
    answers.close()
    # Closing a mock device waits for threads that it does not have.
    os._exit(0)


def _opened() -> Any:
    """A mock device with what makes tensors on it."""
    try:
        import ttnn

        return _tensors(ttnn.open_device(device_id=0, l1_small_size=L1_SMALL_BYTES))
    except Exception as error:  # noqa: BLE001 - of another version anything
        give_up(f"ttnn {installed_version()} of {sys.executable} opens no mock device: {one_line(error)}")


def _tensors(device: Any) -> Any:
    import calls_attention  # noqa: F401
    import calls_compute  # noqa: F401
    import calls_movement  # noqa: F401
    import calls_windows  # noqa: F401
    from values import Tensors

    device.disable_and_clear_program_cache()
    return Tensors(device)


def answer(wire: dict[str, Any], tensors: Any) -> dict[str, Any]:
    """The answer to one question; `hello` asks for the version of ttnn."""
    if wire.get("kind") == "hello":
        return {"ok": True, "version": installed_version()}
    from call import prepare
    from capture import captured, is_memory, reason_of
    from mlir_text import AttributeSyntaxError
    from protocol import Accepted, Refused, UnaskableQuestion, read_question, to_wire

    result: Accepted | Refused
    try:
        question = read_question(wire)
        result = captured(lambda: prepare(question, tensors))
    except (UnaskableQuestion, AttributeSyntaxError, KeyError, TypeError, AttributeError) as error:
        # A question of ours that ttnn has no words for, not an answer of the backend.
        result = Refused("notImplemented", f"{type(error).__name__}: {' '.join(str(error).split())[:400]}")
    except Exception as error:  # noqa: BLE001 - C++ exceptions arrive as any of Python's
        result = Refused("oom" if is_memory(error) else "error", reason_of(error))
    reply = to_wire(result)
    if "id" in wire:
        reply["id"] = wire["id"]
    return reply


if __name__ == "__main__":
    main()
