# SPDX-License-Identifier: Apache-2.0
"""Makes the folder from which the real backend is asked: a virtual environment with ttnn and a stand-in compiler.

    python3.12 cli/backend/environment.py DIR

No hardware is needed, and nothing from the network but packages of PyPI. Python must be 3.10 or 3.12, for which
wheels of ttnn exist.
"""

from __future__ import annotations

import argparse
import shutil
import stat
import subprocess
import sys
import venv
from pathlib import Path
from typing import Final

from standin_elf import kernel_elf, object_file

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
    """Makes the environment in a folder that is not there yet; whatever ends this leaves no half of one."""
    partial = folder.with_name(folder.name + ".partial")
    if partial.exists():
        shutil.rmtree(partial)
    partial.mkdir(parents=True)
    home = partial / VIRTUAL_ENVIRONMENT
    print(f"Making a virtual environment of Python {sys.version.split()[0]} in {folder}", flush=True)
    venv.create(home, with_pip=True)
    install(python_of(partial))
    [package] = home.glob("lib/python3.*/site-packages/ttnn")
    lay_standin_compiler(package / "runtime" / "sfpi" / "compiler")
    partial.rename(folder)


def requirements() -> Path:
    """The packages of this Python, each with its version and hash."""
    return Path(__file__).parent / f"requirements-3.{sys.version_info[1]}.txt"


def install(python: Path) -> None:
    """Installs what is required, package by package as they arrive; raises RuntimeError with pip's last words."""
    count = sum(not line.startswith("#") for line in requirements().read_text().splitlines())
    command = [str(python), "-m", "pip", "install", "--disable-pip-version-check", "--no-input"]
    command += ["--progress-bar", "off", "--no-deps", "--only-binary", ":all:", "--require-hashes"]
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
    if pip.returncode != 0:
        raise RuntimeError(f"pip: {last}")


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
