// SPDX-License-Identifier: Apache-2.0

/**
 * What the build scripts share: running Deno, temporary folders, the version.
 *
 * @module
 */

import { fromFileUrl } from "@std/path";
import config from "../deno.json" with { type: "json" };

/** Root folder of the project. */
export const ROOT: string = fromFileUrl(new URL("..", import.meta.url));

/** What `cli/main.ts --version` has to print. */
export const VERSION_LINE: string = `tilewright ${config.version}`;

/** The result of a program that ran to its end. */
export interface Finished {
  /** Its exit code. */
  readonly code: number;
  /** What it wrote on standard output. */
  readonly stdout: string;
  /** What it wrote on standard error. */
  readonly stderr: string;
}

/** Run a program to its end and collect what it writes. */
export async function run(program: string, args: readonly string[], cwd: string = ROOT): Promise<Finished> {
  const { code, stdout, stderr } = await new Deno.Command(program, { args: [...args], cwd }).output();
  const text = new TextDecoder();
  return { code, stdout: text.decode(stdout), stderr: text.decode(stderr) };
}

/** Run the Deno that runs this script. */
export function deno(args: readonly string[], cwd: string = ROOT): Promise<Finished> {
  return run(Deno.execPath(), args, cwd);
}

/** Run the Deno that runs this script, its output going straight through; gives the exit code. */
export async function denoThrough(args: readonly string[]): Promise<number> {
  const child = new Deno.Command(Deno.execPath(), {
    args: [...args],
    cwd: ROOT,
    stdout: "inherit",
    stderr: "inherit",
  });
  return (await child.output()).code;
}

/** Everything a program wrote, for a message about its failure. */
export function outputOf({ stdout, stderr }: Finished): string {
  return [stdout, stderr].map((text) => text.trim()).filter((text) => text !== "").join("\n");
}

/** Call `fn` with a new temporary folder that is removed afterwards. */
export async function withTempDir<T>(fn: (dir: string) => Promise<T>): Promise<T> {
  const dir = await Deno.makeTempDir({ prefix: "tilewright_" });
  try {
    return await fn(dir);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

/**
 * What the program asks of V8 where it may: most of its code runs for seconds at most, which the optimizing compiler's
 * own time does not pay back, nor baseline code made on a thread of its own; the compiler between them is for what is
 * called often. Functions are compiled with their module, as that is the code that Deno keeps. What is young is
 * collected once 8 MB have been made, from the start and to the end, as it then stays in the processor's cache. What is
 * left then counts as old at once (all of it, which V8 calls a mode of chaos), as most of it is kept for long and would be
 * copied twice. What is old is not collected before there are 160 MB of it, more than most inputs need. `--expose-gc` lets `optimize` collect what it has made of a long input before
 * it searches and writes. Measured in docs/optimality.md, "V8".
 */
export const V8_FLAGS: string = [
  "--no-turbofan",
  "--no-maglev-inlining",
  "--invocation-count-for-maglev=1600",
  "--no-concurrent-sparkplug",
  "--no-lazy",
  "--min-semi-space-size=8",
  "--max-semi-space-size=8",
  "--scavenger-chaos-mode",
  "--scavenger-chaos-mode-threshold=100",
  "--initial-heap-size=160",
  "--expose-gc",
].join();

/** All that the command line may do: files, and the variables that are its own or say how to print. */
export const PERMISSIONS: readonly string[] = [
  "--allow-read",
  "--allow-write",
  "--allow-env=TILEWRIGHT_*,NO_COLOR,COLUMNS",
];
