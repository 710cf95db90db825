# SPDX-License-Identifier: Apache-2.0
"""Folders that one process has for itself, below a cache that several share."""

from __future__ import annotations

import fcntl
import shutil
from pathlib import Path
from typing import IO

_MOST = 64


class Workspace:
    """A numbered folder of the cache, locked for as long as the process lives.

    What was compiled before is still there, unless the process that had the folder was killed: then it is emptied.
    """

    def __init__(self, cache: Path) -> None:
        runs = cache / "runs"
        for number in range(_MOST):
            folder = runs / str(number)
            folder.mkdir(parents=True, exist_ok=True)
            lock = (runs / f"{number}.lock").open("a")
            if _take(lock):
                break
            lock.close()
        else:
            raise RuntimeError(f"{_MOST} runs are under way in {runs}")
        self._lock = lock
        self.folder = folder
        self._busy = folder / "busy"
        if self._busy.exists():
            shutil.rmtree(folder)
            folder.mkdir()
        self._busy.touch()

    def close(self) -> None:
        """Says that nothing is half written."""
        self._busy.unlink()
        self._lock.close()


def _take(lock: IO[str]) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
