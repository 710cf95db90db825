// SPDX-License-Identifier: Apache-2.0

/**
 * The one gate: every check that a change has to pass, in order of how fast it fails. All steps run even when one fails,
 * so that one run tells everything; the last line says what is wrong.
 *
 * With `--tests-ran` the tests are left out: `deno task test` ran just before.
 *
 * @module
 */

import config from "../deno.json" with { type: "json" };
import { denoThrough } from "./steps.ts";

/** Files of the library: what `deno.json` exports, but for the command line. */
const ENTRY_POINTS: readonly string[] = Object.values(config.exports).filter((path) =>
  !path.includes("/cli/")
);

/** Arguments to Deno for each step. */
const STEPS: ReadonlyArray<readonly [name: string, ...args: string[]]> = [
  ["format", "fmt", "--check", "--quiet"],
  ["lint", "lint", "--quiet"],
  ["JSR configuration", "run", "-A", "tools/sync_jsr.ts", "--check"],
  ["headers", "run", "-A", "tools/headers.ts"],
  ["types", "check", "--doc", "--frozen", "--quiet"],
  ["doc lint", "doc", "--quiet", "--lint", ...ENTRY_POINTS],
  ["bundle", "run", "-A", "tools/bundle.ts"],
  ["publish", "run", "-A", "tools/publish_check.ts"],
  ["tests", "task", "--quiet", "test"],
];

const failed: string[] = [];
const rows: string[] = [];
const testsRan = Deno.args.includes("--tests-ran");
for (const [name, ...args] of STEPS) {
  if (testsRan && name === "tests") continue;
  console.error(`\n── ${name}`);
  const start = performance.now();
  const code = await denoThrough(args);
  if (code !== 0) failed.push(name);
  rows.push(
    `${code === 0 ? "ok    " : "FAILED"}  ${name.padEnd(18)} ${
      ((performance.now() - start) / 1000).toFixed(1)
    } s`,
  );
}
console.error(`\n${rows.join("\n")}`);
if (failed.length > 0) {
  console.error(`\nNot ok: ${failed.join(", ")}`);
  Deno.exitCode = 1;
} else console.error("\nAll ok");
