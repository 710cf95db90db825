# SPDX-License-Identifier: Apache-2.0
"""Starts the bundle with the flags and permissions that the checkout gives it."""

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

from deno import find_deno_bin

HERE = Path(__file__).parent


def command(arguments):
    launch = json.loads((HERE / "launch.json").read_text())
    words = " " + " ".join(arguments) + " "
    chosen = next((rule for rule in launch["more"] if re.search(rule["words"], words)), launch)
    return [find_deno_bin(), "run", "--quiet", "--no-prompt", "--no-config", f"--v8-flags={launch['v8Flags']}",
            *chosen["permissions"], str(HERE / "bundled.js"), *arguments]


def main():
    environment = dict(os.environ)
    # The extra [ttnn] puts the backend beside this package.
    if "TILEWRIGHT_TTNN" not in environment and importlib.util.find_spec("ttnn") is not None:
        environment["TILEWRIGHT_TTNN"] = sys.executable
    try:
        return subprocess.run(command(sys.argv[1:]), env=environment).returncode
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
