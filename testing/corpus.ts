// SPDX-License-Identifier: Apache-2.0

/**
 * Helpers for tests that need what is not part of this repository: the shared corpus of real IR files, recorded data,
 * and tools of the system. Where one is missing, the test is registered as ignored under a name that says why.
 *
 * @module
 */

import { fromFileUrl, join, relative, resolve } from "@std/path";

/** Root folder of the project. */
export const PROJECT_ROOT: string = fromFileUrl(new URL("..", import.meta.url));

function isDirectory(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch {
    return false;
  }
}

function locateShared(): string | undefined {
  const given = Deno.env.get("TILEWRIGHT_SHARED");
  const candidate = given ? resolve(given) : join(PROJECT_ROOT, "..", "shared");
  return isDirectory(join(candidate, "corpus")) ? candidate : undefined;
}

/**
 * Folder with `corpus/` and `data/`: what `TILEWRIGHT_SHARED` names, else `../shared` beside the project; `undefined`
 * where there is none.
 */
export const SHARED: string | undefined = locateShared();

/** Whether tests of the corpus take every file instead of a sample: `TILEWRIGHT_FULL_SWEEP=1`. */
export const IS_FULL_SWEEP: boolean = Deno.env.get("TILEWRIGHT_FULL_SWEEP") === "1";

/** Absolute path of a file under the shared folder. */
export function sharedPath(...parts: string[]): string {
  if (SHARED === undefined) {
    throw new Error(`Cannot locate ${parts.join("/")}: no shared folder, use corpusTest()`);
  }
  return join(SHARED, ...parts);
}

/** The text of a file under the shared folder, such as `sharedText("corpus", "models", "x.mlir")`. */
export function sharedText(...parts: string[]): string {
  return Deno.readTextFileSync(sharedPath(...parts));
}

/** A recorded table: the parsed JSON of `data/<name>`. */
export function sharedData(name: string): unknown {
  return JSON.parse(sharedText("data", name));
}

/**
 * Paths of the files below `corpus/<folder>`, absolute and in the order of their names.
 *
 * @param folder Folder inside of `corpus/`; all of it when empty.
 * @param extension Only files whose name ends so.
 * @returns The paths; none where the corpus is not present.
 * @throws {RangeError} if the folder has no such file
 */
export function corpusFiles(folder: string = "", extension: string = ".mlir"): string[] {
  return SHARED === undefined ? [] : someOf(filesBelow(join(SHARED, "corpus", folder), extension));
}

/** The items themselves. Throws if there are none: a test over them would pass on nothing. */
export function someOf<Item>(items: Item[]): Item[] {
  if (items.length === 0) throw new RangeError("Cannot test on nothing: no file is left to read");
  return items;
}

/** Paths of the files below a folder whose names end so, in the order of their names. */
export function filesBelow(folder: string, extension: string): string[] {
  const entries = [...Deno.readDirSync(folder)].sort((a, b) => a.name < b.name ? -1 : 1);
  return entries.flatMap(({ name, isDirectory }) => {
    const path = join(folder, name);
    if (isDirectory) return filesBelow(path, extension);
    return name.endsWith(extension) ? [path] : [];
  });
}

/** How a corpus file is named in messages: its path from `corpus/` on. */
export function corpusName(path: string): string {
  return SHARED === undefined ? path : relative(join(SHARED, "corpus"), path);
}

/** Body of a test. */
export type TestBody = (t: Deno.TestContext) => void | Promise<void>;

/**
 * Registers a test that needs something on the machine; skipped visibly if that is missing.
 *
 * @param name Name of the test.
 * @param missing What is missing, as the name of the skipped test says it.
 * @param fn The test.
 */
export function conditionalTest(name: string, missing: string | undefined, fn: TestBody): void {
  if (missing === undefined) Deno.test(name, fn);
  else Deno.test({ name: `${name} (skipped: ${missing})`, ignore: true, fn });
}

/**
 * Registers a test that reads the shared corpus or data; skipped visibly if they are missing.
 *
 * @param name Name of the test.
 * @param fn The test.
 */
export function corpusTest(name: string, fn: TestBody): void {
  conditionalTest(name, SHARED === undefined ? "corpus not present" : undefined, fn);
}

/**
 * Absolute path of a program found on `PATH`, or `undefined`.
 *
 * An environment variable `TILEWRIGHT_<NAME>` (upper case, other characters as `_`) overrides the search.
 */
export function systemTool(name: string): string | undefined {
  const given = Deno.env.get(`TILEWRIGHT_${name.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_")}`);
  if (given) return given;
  const windows = Deno.build.os === "windows";
  for (const folder of (Deno.env.get("PATH") ?? "").split(windows ? ";" : ":")) {
    if (folder === "") continue;
    const path = join(folder, windows ? `${name}.exe` : name);
    try {
      if (Deno.statSync(path).isFile) return path;
    } catch {
      // Not in this folder.
    }
  }
  return undefined;
}

/**
 * Registers a test that runs a program of the system; skipped visibly if it is not installed.
 *
 * @param tool Name of the program.
 * @param name Name of the test.
 * @param fn The test, which gets the path of the program.
 * @param options Set `corpus` when the test reads the corpus as well.
 */
export function toolTest(
  tool: string,
  name: string,
  fn: (tool: string, t: Deno.TestContext) => void | Promise<void>,
  options: { readonly corpus?: boolean } = {},
): void {
  const path = systemTool(tool);
  const missing = path === undefined
    ? `${tool} not installed`
    : options.corpus === true && SHARED === undefined
    ? "corpus not present"
    : undefined;
  conditionalTest(name, missing, (t) => fn(path ?? tool, t));
}
