// SPDX-License-Identifier: Apache-2.0

/**
 * Type check and tests against the real JSR packages: `deno.jsr.json` instead of the linked ones. Needs jsr.io.
 *
 * @module
 */

import { denoThrough } from "./steps.ts";

const reachable = await fetch("https://jsr.io/@std/path/meta.json").then(
  (response) => response.ok,
  () => false,
);
if (!reachable) {
  console.error("Cannot check against the real JSR packages: jsr.io is not reachable from here");
  Deno.exitCode = 1;
} else {
  const config = ["--config=deno.jsr.json", "--no-lock"];
  Deno.exitCode =
    await denoThrough(["check", ...config, "mod.ts", "api/", "cli/", "lib/", "pipeline/", "sim/"]) ||
    await denoThrough(["test", ...config, "-A", "--parallel", "--ignore=tools/,shims/types_test.ts"]);
}
