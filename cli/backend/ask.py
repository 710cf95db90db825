# SPDX-License-Identifier: Apache-2.0
"""Asks the real TTNN backend on a mock device.

    DIR/v/bin/python cli/backend/ask.py [--device n150] [--cache DIR] < questions.jsonl > answers.jsonl

Questions are those of `tilewright serve`; only `constraints` are put to the backend. DIR is what `environment.py` made,
or any environment with ttnn. The backend runs in a child process: a question that ends it gets the answer `crash`, and
the next one a new child.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from devices import BOARDS
from mock_device import mock_device_variables
from worker import READY
from workspace import Workspace

_HERE = Path(__file__).resolve().parent


class BackendNotStarted(Exception):
    """The child process ended before it was ready; the message is what it wrote."""


class Backend:
    """The backend in a child process, started at the first question and again after a crash."""

    def __init__(self, device: str, scratch: Path) -> None:
        self._folder = scratch
        self._variables = {**os.environ, **mock_device_variables(scratch, device)}
        self._log_path = scratch / "log"
        self._log = self._log_path.open("w")
        self._child: subprocess.Popen[str] | None = None

    def ask(self, line: str) -> str:
        """The answer to one line, without a line end."""
        child = self._running()
        assert child.stdin is not None and child.stdout is not None
        try:
            child.stdin.write(line + "\n")
            child.stdin.flush()
            answer = child.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if answer:
            return answer.rstrip("\n")
        code = child.wait()
        self._child = None
        return json.dumps(
            {"ok": False, "status": "crash", "reason": f"the backend's process ended with code {code}"}
        )

    def close(self) -> None:
        """Ends the child."""
        if self._child is not None and self._child.stdin is not None:
            self._child.stdin.close()
            self._child.wait()
        self._log.close()

    def _running(self) -> subprocess.Popen[str]:
        if self._child is None:
            self._child = subprocess.Popen(
                [sys.executable, str(_HERE / "worker.py")],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._log,
                text=True,
                env=self._variables,
                # ttnn writes a folder `generated` where it is started.
                cwd=self._folder,
            )
            assert self._child.stdout is not None
            if self._child.stdout.readline() != READY + "\n":
                self._child.wait()
                raise BackendNotStarted(self._log_path.read_text()[-2000:])
        return self._child


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", choices=sorted(BOARDS), default="n150")
    parser.add_argument("--cache", type=Path, help="folder to write in; by default a temporary one")
    options = parser.parse_args()
    cache: Path | None = options.cache
    if cache is None:
        with tempfile.TemporaryDirectory(prefix="tilewright-backend-") as scratch:
            answer_all(options.device, Path(scratch))
        return
    workspace = Workspace(cache.resolve())
    answer_all(options.device, workspace.folder)
    workspace.close()


def answer_all(device: str, scratch: Path) -> None:
    """Answers standard input, line by line."""
    backend = Backend(device, scratch)
    try:
        for line in sys.stdin:
            if line.strip():
                print(backend.ask(line.strip()), flush=True)
    except BackendNotStarted as error:
        sys.exit(f"the backend does not start:\n{error}")
    finally:
        backend.close()


if __name__ == "__main__":
    main()
