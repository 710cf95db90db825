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
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from devices import BOARDS
from mock_device import UNUSABLE, give_up, mock_device_variables
from worker import READY
from workspace import Workspace

#: Signals by which somebody else ends a process: the question is not to blame.
_FROM_OUTSIDE = frozenset((signal.SIGHUP, signal.SIGINT, signal.SIGKILL, signal.SIGTERM))
_HERE = Path(__file__).resolve().parent


class BackendLost(Exception):
    """There is no child process to ask, by no fault of a question; the message says why."""


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
        if -code in _FROM_OUTSIDE:
            raise BackendLost(f"the backend's process was ended by {signal.Signals(-code).name}")
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
                code = self._child.wait()
                written = self._log_path.read_text()
                if code == UNUSABLE:
                    give_up(written.strip().rpartition("\n")[2])
                how = f"by {signal.Signals(-code).name}" if code < 0 else f"with exit code {code}"
                raise BackendLost(f"the backend's process ended {how} before it was ready\n{written[-2000:]}")
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
    except BackendLost as error:
        sys.exit(str(error).strip())
    finally:
        backend.close()


if __name__ == "__main__":
    main()
