# SPDX-License-Identifier: Apache-2.0
"""Names of parameters and options as they are written on the command line; neither needs the plugin."""

from __future__ import annotations

import argparse
import tempfile
import unittest
from pathlib import Path

from to_ttir import open_plugin, parameter_name, read_option


class Words(unittest.TestCase):
    def test_parameters_are_named_by_their_path(self) -> None:
        names = [parameter_name(path) for path in ("['layers'][0]['w']", ".kernel", "")]
        self.assertEqual(names, ["layers_0_w", "kernel", "weights"])

    def test_options_are_pairs(self) -> None:
        self.assertEqual(read_option("export_tag=a=b"), ("export_tag", "a=b"))
        with self.assertRaises(argparse.ArgumentTypeError):
            read_option("enable_trace")

    def test_without_the_plugin_it_says_what_to_install(self) -> None:
        with (
            tempfile.TemporaryDirectory() as folder,
            self.assertRaisesRegex(ModuleNotFoundError, "requirements-jax"),
        ):
            open_plugin(Path(folder), "n150")


if __name__ == "__main__":
    unittest.main()
