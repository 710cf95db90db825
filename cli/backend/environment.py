# SPDX-License-Identifier: Apache-2.0
"""Makes the folder from which the real backend is asked: a virtual environment with ttnn and a stand-in compiler.

    python3.12 cli/backend/environment.py DIR

No hardware is needed, and nothing from the network but packages of PyPI. Python must be 3.10 or 3.12, for which
wheels of ttnn exist.
"""

from __future__ import annotations

import argparse
import stat
import subprocess
import sys
import venv
from pathlib import Path
from typing import Final

from standin_elf import kernel_elf, object_file

#: The revision that the recorded answers are of.
PACKAGES: Final = ("ttnn==0.81.1", "numpy<2")
VIRTUAL_ENVIRONMENT: Final = "v"

#: Answers the version probe of tt-metal, and gives out the same ELF for every kernel.
_STANDIN_COMPILER: Final = """#!/bin/sh
share="$(dirname "$(readlink -f "$0")")/../share"
if [ "$1" = --version ]; then
  echo 'riscv-tt-elf-g++ (stand-in) 15.1.0'
  exit 0
fi
output= dependencies= source=
while [ $# -gt 0 ]; do
  case "$1" in
    -o) output="$2"; shift ;;
    -MF) dependencies="$2"; shift ;;
    *.c | *.cc | *.cpp) source="$1" ;;
  esac
  shift
done
if [ -n "$dependencies" ]; then echo "$output: $source" > "$dependencies"; fi
case "$output" in
  *.o) cp "$share/kernel.o" "$output" ;;
  *.elf) cp "$share/kernel.elf" "$output" ;;
  ?*) : > "$output" ;;
esac
"""


def python_of(folder: Path) -> Path:
    """The interpreter of an environment."""
    return folder / VIRTUAL_ENVIRONMENT / "bin" / "python"


def make_environment(folder: Path) -> None:
    """Makes or completes the environment in a folder."""
    home = folder / VIRTUAL_ENVIRONMENT
    if not python_of(folder).exists():
        venv.create(home, with_pip=True)
    subprocess.run([str(python_of(folder)), "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
    [package] = home.glob("lib/python3.*/site-packages/ttnn")
    lay_standin_compiler(package / "runtime" / "sfpi" / "compiler")


def lay_standin_compiler(folder: Path) -> None:
    """Puts the stand-in where tt-metal looks for its RISC-V compiler."""
    for part in ("bin", "share"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    (folder / "share" / "kernel.elf").write_bytes(kernel_elf())
    (folder / "share" / "kernel.o").write_bytes(object_file())
    for tool in ("g++", "objcopy", "nm"):
        script = folder / "bin" / f"riscv-tt-elf-{tool}"
        script.write_text(_STANDIN_COMPILER)
        script.chmod(script.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    if sys.version_info[:2] not in ((3, 10), (3, 12)):
        sys.exit("ttnn has wheels for Python 3.10 and 3.12 only")
    make_environment(folder.resolve())
    print(f"TILEWRIGHT_TTNN={folder.resolve()}")


if __name__ == "__main__":
    main()
