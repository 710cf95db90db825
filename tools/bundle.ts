// SPDX-License-Identifier: Apache-2.0

/**
 * Bundles the command line into one file, `dist/tilewright.js`, and runs that file from an empty folder: a bundle counts
 * as made only if it answers `--version` with our version.
 *
 * @module
 */

import { join } from "@std/path";
import { deno, outputOf, ROOT, VERSION_LINE, withTempDir } from "./steps.ts";

/** Main module of a bundle in parts. */
export const PARTS_MAIN = "bundled.js";

/** Bundle into one file and prove that the result runs; gives the reason where it does not. */
export async function bundle(output: string): Promise<string | undefined> {
  return await bundled([`--output=${output}`], output);
}

/**
 * The same as a folder of modules, of which a process loads those of its command: `--help` takes a quarter of the time
 * that it takes in one file. What the folder held before is removed.
 */
export async function bundleParts(folder: string): Promise<string | undefined> {
  await Deno.remove(folder, { recursive: true }).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  });
  return await bundled(["--code-splitting", `--outdir=${folder}`], join(folder, PARTS_MAIN));
}

async function bundled(how: readonly string[], main: string): Promise<string | undefined> {
  const made = await deno(["bundle", "--quiet", "--platform=deno", ...how, "cli/bundled.ts"]);
  if (made.code !== 0) return `Cannot bundle cli/bundled.ts:\n${outputOf(made)}`;
  const ran = await withTempDir((dir) =>
    deno(["run", "--no-config", "--allow-read", main, "--version"], dir)
  );
  if (ran.code === 0 && ran.stdout.trim() === VERSION_LINE) return undefined;
  return `Cannot use the bundle: --version gave exit code ${ran.code} and\n${outputOf(ran)}`;
}

if (import.meta.main) {
  const output = join(ROOT, "dist", "tilewright.js");
  await Deno.mkdir(join(ROOT, "dist"), { recursive: true });
  const reason = await bundle(output);
  if (reason === undefined) {
    const { size } = await Deno.stat(output);
    console.log(`dist/tilewright.js: ${Math.ceil(size / 1024)} KiB, answers "${VERSION_LINE}"`);
  } else {
    console.error(reason);
    Deno.exitCode = 1;
  }
}
