# SPDX-License-Identifier: Apache-2.0
"""Tilewright's command line: a bundle that runs on the deno of PyPI."""
