# SPDX-License-Identifier: Apache-2.0
"""The variables with which ttnn opens a mock device: its board, its cache, and a stand-in for the compiler of kernels.

Packages of ttnn bring no RISC-V compiler, and a mock device runs no kernel. What stands in for the compiler gives out the
same object for every kernel; the installation stays as it is.
"""

from __future__ import annotations

import os
import stat
import sys
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Final, NoReturn

from devices import cluster_description
from standin_elf import kernel_elf, object_file

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


#: What tt-mlir opens a device with.
L1_SMALL_BYTES: Final = 1 << 16

#: Exit code of a process that cannot ask the backend; the last line of standard error says why.
UNUSABLE: Final = 78


def give_up(sentence: str) -> NoReturn:
    """Ends the process because the backend cannot be asked."""
    print(sentence, file=sys.stderr, flush=True)
    if "ttnn" in sys.modules:
        # It may wait for threads that a device which was not opened does not have.
        os._exit(UNUSABLE)
    sys.exit(UNUSABLE)


def one_line(error: BaseException) -> str:
    """What an error says, with its kind, in one line of some hundred characters."""
    return f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"


def installed_version() -> str:
    """The version of the installed ttnn; ends the process where there is none."""
    try:
        return version("ttnn")
    except PackageNotFoundError:
        python = ".".join(map(str, sys.version_info[:3]))
        give_up(f"Python {python} of {sys.executable} has no ttnn")


def mock_device_variables(folder: Path, device: str) -> dict[str, str]:
    """Environment variables of a process that opens a mock device of a board and may write in a folder."""
    found = installed_version()
    description = folder / "cluster.yaml"
    description.write_text(cluster_description(device))
    try:
        root = _root_with_compiler(folder / "root")
    except (ModuleNotFoundError, FileNotFoundError) as error:
        give_up(f"ttnn {found} of {sys.executable} has another layout: {error}")
    return {
        "TT_METAL_MOCK_CLUSTER_DESC_PATH": str(description),
        "TT_METAL_RUNTIME_ROOT": str(root),
        # Two processes that share a cache race for its files.
        "TT_METAL_CACHE": str(folder / "kernels"),
        "TT_LOGGER_LEVEL": "fatal",
        "LOGURU_LEVEL": "ERROR",
        "PYTHONWARNINGS": "ignore",
    }


def _root_with_compiler(root: Path) -> Path:
    """A folder in which tt-metal finds all of the installed package, and the stand-in where it looks for its compiler."""
    spec = find_spec("ttnn")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("No module named 'ttnn'")
    package = Path(spec.origin).parent
    link_all_but(package, root, "runtime")
    link_all_but(package / "runtime", root / "runtime", "sfpi")
    lay_standin_compiler(root / "runtime" / "sfpi" / "compiler")
    return root


def link_all_but(source: Path, target: Path, left_out: str) -> None:
    """Makes a folder of links to everything in another one but one entry; links to what is gone are made anew."""
    target.mkdir(parents=True, exist_ok=True)
    for entry in source.iterdir():
        link = target / entry.name
        if entry.name == left_out or (link.is_symlink() and link.readlink() == entry):
            continue
        link.unlink(missing_ok=True)
        link.symlink_to(entry)


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
