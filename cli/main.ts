#!/usr/bin/env -S deno run -A
// SPDX-License-Identifier: Apache-2.0

/**
 * The command line of Tilewright.
 *
 * @module
 */

import { VERSION } from "../mod.ts";

if (import.meta.main) {
  if (Deno.args.includes("--version") || Deno.args[0] === "version") {
    console.log(`tilewright ${VERSION}`);
  } else {
    console.error("Usage: tilewright --version");
    Deno.exitCode = 2;
  }
}
