// SPDX-License-Identifier: Apache-2.0
import { basename, dirname, resolve, SEPARATOR } from "@std/path";
import { type DiagnosticError, inputError } from "../../lib/diagnostics/diagnostic.ts";
import type { Host } from "../host.ts";
import { standardError } from "../standard_error.ts";

/** Folders that a client may reach: absolute, every link resolved. */
export interface Roots {
  /** Relative paths are below the first. */
  readonly read: readonly [string, ...string[]];
  /** None allows no writing. */
  readonly write: readonly string[];
}

/** A host that reaches no further than its roots, and collects what is printed. */
export interface RootedHost extends Host {
  /** What was written to standard output. */
  out(): string;
  /** What was written to standard error. */
  err(): string;
}

/**
 * The real path of a folder.
 *
 * @throws {DiagnosticError} if it is none
 */
export async function realFolder(path: string): Promise<string> {
  try {
    const real = await Deno.realPath(path);
    if ((await Deno.stat(real)).isDirectory) return real;
  } catch {
    // Written below.
  }
  throw refusal("input/unreadable", `Cannot use ${path}: it is not a folder`);
}

/**
 * A host that reads regular files below some folders and writes below others, whatever paths and links say: links are
 * resolved before they are judged, and what was judged is what is opened.
 *
 * @param input what standard input holds; `undefined` when there is none
 */
export function rootedHost(base: Host, roots: Roots, input: string | undefined): RootedHost {
  const written = { out: "", err: "" };
  const stream = (name: "out" | "err") => ({
    write: (text: string) => {
      written[name] += text;
    },
    isTerminal: false,
    columns: 120,
  });
  const stdout = stream("out");
  return {
    stdout,
    stderr: standardError(stream("err")),
    typesInput: false,
    out: () => written.out,
    err: () => written.err,
    readText: async (path) => {
      if (path !== "-") return await base.readText(await readablePath(path, roots));
      if (input === undefined) {
        throw refusal("input/unreadable", "Cannot read standard input: give a file, or text");
      }
      return input;
    },
    readLines: () => [],
    writeText: async (path, text) => {
      if (path === "-") stdout.write(text);
      else await base.writeText(await writablePath(path, roots), text);
    },
    listFiles: (folder) =>
      Promise.reject(refusal("input/unreadable", `Cannot list ${folder}: tools read files`)),
    makeFolder: async (path) => {
      const real = await Deno.realPath(resolve(roots.read[0], path)).catch(() => undefined);
      if (real !== undefined && (roots.write.includes(real) || isBelow(real, roots.write))) return;
      throw refusal(
        "output/unwritable",
        `Cannot write to ${path}: it is not a folder that may be written to`,
      );
    },
    filesBelow: async (folder) => {
      const real = await Deno.realPath(resolve(roots.read[0], folder)).catch(() => undefined);
      if (real === undefined || !(roots.read.includes(real) || isBelow(real, roots.read))) return undefined;
      return await base.filesBelow(real);
    },
    // Options come only from the call.
    findUpwards: () => Promise.resolve(undefined),
    environment: () => undefined,
    now: () => base.now(),
  };
}

async function readablePath(path: string, roots: Roots): Promise<string> {
  try {
    const real = await Deno.realPath(resolve(roots.read[0], path));
    if (isBelow(real, roots.read) && (await Deno.stat(real)).isFile) return real;
  } catch {
    // The same message for a missing file and a forbidden one.
  }
  throw refusal("input/unreadable", `Cannot read ${path}: no such file below ${roots.read.join(" or ")}`);
}

async function writablePath(path: string, roots: Roots): Promise<string> {
  const absolute = resolve(roots.read[0], path);
  try {
    const target = resolve(await Deno.realPath(dirname(absolute)), basename(absolute));
    // What a link points to is judged; a link to nothing is no place to write to.
    const existing = await Deno.lstat(target).catch(() => undefined);
    const real = existing === undefined ? target : await Deno.realPath(target);
    const isPlain = existing === undefined || (await Deno.stat(real)).isFile;
    if (isPlain && isBelow(real, roots.write)) return real;
  } catch {
    // Written below.
  }
  throw refusal(
    "output/unwritable",
    roots.write.length === 0
      ? `Cannot write ${path}: writing is not allowed; the server needs --write FOLDER`
      : `Cannot write ${path}: it is not below ${roots.write.join(" or ")}`,
  );
}

function isBelow(real: string, folders: readonly string[]): boolean {
  return folders.some((folder) =>
    real.startsWith(folder.endsWith(SEPARATOR) ? folder : `${folder}${SEPARATOR}`)
  );
}

function refusal(code: string, message: string): DiagnosticError {
  return inputError(code, message);
}
