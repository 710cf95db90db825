// SPDX-License-Identifier: Apache-2.0

/**
 * Keeps two files in step with `deno.json` and `deno.lock`. `deno.jsr.json` is the same configuration without `links`,
 * so that the `jsr:` names resolve to the real packages. `cli/deno.lock` is the same lock file without the packages that
 * only tests, tools and `mcp` use, so that nobody downloads those to run a command. With `--check` nothing is written and
 * a difference is a failure.
 *
 * @module
 */

import { join } from "@std/path";
import { ROOT } from "./steps.ts";

/** The text of `deno.jsr.json` that belongs to the text of a `deno.json`. */
export function jsrConfig(denoJson: string): string {
  const config: Record<string, unknown> = JSON.parse(denoJson);
  // The lock file records the links, and JSR packages by other hashes: the two worlds must not share one.
  const { links: _links, ...rest } = config;
  return JSON.stringify({ ...rest, lock: false }, null, 2) + "\n";
}

/** Packages that commands import, by their names of npm. */
export const COMMAND_PACKAGES: readonly string[] = ["deno-std", "diff", "valibot"];

/** The part of a lock file that is looked at. */
interface Lock {
  readonly specifiers: Readonly<Record<string, string>>;
  readonly npm: Readonly<Record<string, { readonly dependencies?: readonly string[] }>>;
}

/**
 * The text of a lock file with these packages alone.
 *
 * @throws {RangeError} for a package that is missing or has dependencies
 */
export function lockOf(denoLock: string, packages: readonly string[]): string {
  const lock: Lock = JSON.parse(denoLock);
  const entries = packages.map((name) => {
    const [found, ...others] = Object.entries(lock.npm).filter(([id]) => id.startsWith(`${name}@`));
    if (found === undefined || others.length > 0 || found[1].dependencies !== undefined) {
      throw new RangeError(
        `Cannot lock ${name} alone: it is missing, there are several, or it has dependencies`,
      );
    }
    return found;
  });
  const isOurs = ([specifier]: readonly [string, unknown]) =>
    packages.some((name) => specifier.startsWith(`npm:${name}@`));
  const specifiers = Object.fromEntries(Object.entries(lock.specifiers).filter(isOurs));
  return `${JSON.stringify({ ...lock, specifiers, npm: Object.fromEntries(entries) }, null, 2)}\n`;
}

if (import.meta.main) {
  const read = (path: string) => Deno.readTextFile(join(ROOT, path));
  const files: readonly (readonly [path: string, wanted: string])[] = [
    ["deno.jsr.json", jsrConfig(await read("deno.json"))],
    ["cli/deno.lock", lockOf(await read("deno.lock"), COMMAND_PACKAGES)],
  ];
  for (const [path, wanted] of files) {
    if (!Deno.args.includes("--check")) {
      await Deno.writeTextFile(join(ROOT, path), wanted);
      console.log(`${path} written`);
    } else if (await read(path).catch(() => "") !== wanted) {
      console.error(`${path} is not in step with deno.json and deno.lock: run \`deno task sync:jsr\``);
      Deno.exitCode = 1;
    }
  }
}
