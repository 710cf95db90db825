// SPDX-License-Identifier: Apache-2.0

/**
 * Runs the tests, many files in one isolate: `deno task test [options of deno test] [files and folders]`.
 *
 * Deno loads what a test file imports once per file, which takes longer than most files' tests. Here one module, in a
 * temporary folder, imports all test files of a folder; Deno runs it as one, and failures still name their file and
 * line. Documentation examples are run as `deno test --doc` does, and there is one summary.
 *
 * @module
 */

import { join, relative, resolve, toFileUrl } from "@std/path";
import { ROOT, withTempDir } from "./steps.ts";

/** What every run of the tests is given; types are checked by `deno task check`. */
const OPTIONS: readonly string[] = [
  "-A",
  "--no-check",
  "--parallel",
  "--doc",
  "--frozen",
  `--preload=${join(ROOT, "testing/property_seed.ts")}`,
];

/** Options of `deno test` whose value may be the next argument, and is no path to tests then. */
const WITH_VALUE: ReadonlySet<string> = new Set(["--filter", "--junit-path", "--reporter", "--config", "-c"]);

/** Files of one isolate, at most: so many that loading is shared, so few that two workers end together. */
const GROUP_SIZE = 36;

/** Folders whose tests take longest, in that order: they start first. */
const SLOW_FIRST: readonly string[] = ["cli", "pipeline", "lib/policy", "lib/optimal", "tools"];

/** What needs an isolate of its own: snapshots are looked for beside the module that Deno was told to run. */
const ALONE = /\bt\.assertSnapshot\(/;

/** Folders without tests of the project. */
const SKIPPED = /^(?:\..*|node_modules|coverage|dist|html)$/;

/** What Deno is told to run. */
export interface TestModules {
  /** Test files that share an isolate, by the name of their module. */
  readonly groups: ReadonlyMap<string, readonly string[]>;
  /** Files that Deno is given as they are: tests that need an isolate of their own, and documentation examples. */
  readonly alone: readonly string[];
}

/** Arguments of a run. */
export interface TestArguments {
  /** Options of the runner. */
  readonly options: readonly string[];
  /** Files and folders; everything, where there are none. */
  readonly paths: readonly string[];
  /** `--` and what tests find in `Deno.args`. */
  readonly script: readonly string[];
}

/** Tells paths from options and their values. */
export function splitArguments(args: readonly string[]): TestArguments {
  const end = args.includes("--") ? args.indexOf("--") : args.length;
  const ours = args.slice(0, end);
  const isOption = (arg: string, index: number): boolean =>
    arg.startsWith("-") || WITH_VALUE.has(ours[index - 1] ?? "");
  return {
    options: ours.filter(isOption),
    paths: ours.filter((arg, index) => !isOption(arg, index)),
    script: args.slice(end),
  };
}

/** Groups files by folder, `texts` by path relative to the root of the project. */
export function testModules(texts: ReadonlyMap<string, string>): TestModules {
  const folders = Map.groupBy(
    [...texts.keys()].filter((path) => path.endsWith("_test.ts") && !ALONE.test(texts.get(path) ?? "")),
    folderOf,
  );
  const rank = (folder: string): number =>
    (SLOW_FIRST.indexOf(folder) + SLOW_FIRST.length + 1) % (SLOW_FIRST.length + 1);
  const ordered = [...folders].sort(([a], [b]) => rank(a) - rank(b));
  const groups = new Map<string, string[]>();
  for (const [folder, files] of ordered) {
    const count = Math.ceil(files.length / GROUP_SIZE);
    for (const [index, file] of files.entries()) {
      // Dealt out one by one: slow neighbours come into different groups.
      const name = `${folder.replaceAll("/", "_")}_${index % count + 1}.test.ts`;
      groups.set(name, [...groups.get(name) ?? [], file]);
    }
  }
  const grouped = new Set([...groups.values()].flat());
  return { groups, alone: [...texts.keys()].filter((path) => !grouped.has(path)) };
}

/** The folder whose tests form a group: of the library each room, of the rest all below the root. */
function folderOf(path: string): string {
  const [top = "", room = ""] = path.split("/");
  return top === "lib" ? `${top}/${room}` : top;
}

/** Texts of tests and of what may have documentation examples, at or below a path. */
async function collect(path: string, texts: Map<string, string>): Promise<void> {
  if ((await Deno.stat(path)).isDirectory) {
    for (const { name } of [...Deno.readDirSync(path)].sort((a, b) => a.name < b.name ? -1 : 1)) {
      if (!SKIPPED.test(name)) await collect(join(path, name), texts);
    }
  } else if (/\.(?:ts|md)$/.test(path)) {
    const text = await Deno.readTextFile(path);
    if (path.endsWith("_test.ts") || /^\s*(?:\* )?```/m.test(text)) texts.set(relative(ROOT, path), text);
  }
}

if (import.meta.main) {
  const { options, paths, script } = splitArguments(Deno.args);
  const texts = new Map<string, string>();
  for (const path of paths.length === 0 ? [ROOT] : paths) await collect(resolve(path), texts);
  if (texts.size === 0) {
    console.error(`No tests in ${paths.join(", ")}`);
    Deno.exit(1);
  }
  const { groups, alone } = testModules(texts);
  await withTempDir(async (dir) => {
    const modules: string[] = [];
    for (const [name, files] of groups) {
      const path = join(dir, name);
      modules.push(path);
      await Deno.writeTextFile(
        path,
        files.map((file) => `import "${toFileUrl(join(ROOT, file))}";\n`).join(""),
      );
    }
    const child = new Deno.Command(Deno.execPath(), {
      args: ["test", ...OPTIONS, ...options, ...modules, ...alone, ...script],
      cwd: ROOT,
    }).spawn();
    // The runner gets the signal as well, and ends; the folder is removed after it.
    Deno.addSignalListener("SIGINT", () => {});
    Deno.exitCode = (await child.status).code;
  });
}
