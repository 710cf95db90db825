// SPDX-License-Identifier: Apache-2.0

/**
 * Shared by the build scripts: running Deno, temporary folders, the version.
 *
 * @module
 */

import { BACKEND_REVISION } from "../lib/opmodel/backend_revision.ts";
import { dirname, fromFileUrl, join } from "@std/path";
import config from "../deno.json" with { type: "json" };

/** Root folder of the project. */
export const ROOT: string = fromFileUrl(new URL("..", import.meta.url));

/** What `cli/main.ts --version` has to print. */
export const VERSION_LINE: string = `tilewright ${config.version} (op model of ${BACKEND_REVISION})`;

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

/** Copy a file, or a folder with all that is in it; what is missing of the folders above is made. */
export async function copyInto(from: string, to: string): Promise<void> {
  if ((await Deno.stat(from)).isFile) {
    await Deno.mkdir(dirname(to), { recursive: true });
    return await Deno.copyFile(from, to);
  }
  await Deno.mkdir(to, { recursive: true });
  for await (const { name } of Deno.readDir(from)) await copyInto(join(from, name), join(to, name));
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
