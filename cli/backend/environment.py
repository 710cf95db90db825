# SPDX-License-Identifier: Apache-2.0
"""Makes the folder from which the real backend is asked: a virtual environment with ttnn.

    python3.12 cli/backend/environment.py DIR

No hardware is needed, and nothing from the network but packages of PyPI. Python must be 3.10 or 3.12, for which
wheels of ttnn exist.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import venv
from pathlib import Path
from typing import Final

VIRTUAL_ENVIRONMENT: Final = "v"


def python_of(folder: Path) -> Path:
    """The interpreter of an environment."""
    return folder / VIRTUAL_ENVIRONMENT / "bin" / "python"


def make_environment(folder: Path) -> None:
    """Makes the environment in a folder that is not there yet; whatever ends this leaves no half of one."""
    # Of a set-up that was killed pip may go on for a while: every one has a folder of its own.
    for left in folder.parent.glob(f"{folder.name}.partial*"):
        if not _is_running(left.suffix.removeprefix(".partial-")):
            shutil.rmtree(left, ignore_errors=True)
    partial = folder.with_name(f"{folder.name}.partial-{os.getpid()}")
    partial.mkdir(parents=True)
    print(f"Making a virtual environment of Python {sys.version.split()[0]} in {folder}", flush=True)
    venv.create(partial / VIRTUAL_ENVIRONMENT, with_pip=True)
    install(python_of(partial))
    partial.rename(folder)


def _is_running(process: str) -> bool:
    try:
        os.kill(int(process), 0)
    except (ValueError, OSError):
        return False
    return True


def requirements() -> Path:
    """The packages of this Python, each with its version and hash."""
    return Path(__file__).parent / f"requirements-3.{sys.version_info[1]}.txt"


def install(python: Path) -> None:
    """Installs what is required, package by package as they arrive; raises RuntimeError with pip's last words."""
    count = sum(not line.startswith("#") for line in requirements().read_text().splitlines())
    command = [str(python), "-m", "pip", "install", "--disable-pip-version-check", "--no-input"]
    command += [
        "--progress-bar",
        "off",
        "--no-compile",
        "--no-deps",
        "--only-binary",
        ":all:",
        "--require-hashes",
    ]
    done, last = 0, ""
    with subprocess.Popen(
        [*command, "-r", str(requirements())], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as pip:
        assert pip.stdout is not None
        for line in pip.stdout:
            last = line.strip() or last
            if line.startswith(("Collecting", "Processing")):
                done += 1
                print(f"Package {done} of {count}: {line.split()[1]}", flush=True)
            elif line.startswith("Installing"):
                print("Unpacking", flush=True)
    if pip.returncode < 0:
        raise RuntimeError(f"pip ended by {signal.Signals(-pip.returncode).name}")
    if pip.returncode != 0:
        raise RuntimeError(f"pip: {last}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder.resolve()
    if not requirements().exists():
        sys.exit("ttnn has wheels for Python 3.10 and 3.12 only")
    if python_of(folder).exists():
        print(f"{folder} is there already", flush=True)
        return
    try:
        make_environment(folder)
    except (RuntimeError, OSError, subprocess.CalledProcessError) as error:
        sys.exit(str(error))
    print(f"TILEWRIGHT_TTNN={folder}")


if __name__ == "__main__":
    main()
