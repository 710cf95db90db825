// SPDX-License-Identifier: Apache-2.0
import { resolve } from "@std/path";
import { type DiagnosticError, inputError } from "../../lib/diagnostics/diagnostic.ts";
import { textOfFile } from "../read_text.ts";
import type { Host } from "../host.ts";
import { standardError } from "../standard_error.ts";
import { isBelow, readBelow, writeBelow } from "./rooted_files.ts";

/** Folders that a client may access: absolute, without links. */
export interface Roots {
  /** Relative paths are below the first. */
  readonly read: readonly [string, ...string[]];
  /** Empty forbids writing. */
  readonly write: readonly string[];
}

/** A host confined to its roots that collects its output. */
export interface RootedHost extends Host {
  /** Standard output so far. */
  out(): string;
  /** Standard error so far. */
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
    // Reported below.
  }
  throw refusal("input/unreadable", `Cannot use ${path}: it is not a folder`);
}

/**
 * A host that reads regular files below some folders and writes below others. It checks the open file, not
 * its path, so that links cannot lead outside.
 *
 * @param input content of standard input; `undefined` for none
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
      if (path !== "-") return await textOfFile(path, readRooted(path, roots));
      if (input === undefined) {
        throw refusal("input/unreadable", "Cannot read standard input: give a file, or text");
      }
      return input;
    },
    readLines: () => [],
    // deno-lint-ignore require-await -- a refusal must be a rejected promise
    writeText: async (path, text) => {
      if (path === "-") stdout.write(text);
      else writeRooted(path, text, roots);
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
    isFile: () => Promise.resolve(false),
    now: () => base.now(),
  };
}

function readRooted(path: string, roots: Roots): Uint8Array<ArrayBuffer> {
  try {
    const bytes = readBelow(resolve(roots.read[0], path), roots.read);
    if (bytes !== undefined) return bytes;
  } catch {
    // The same message for a missing file and a forbidden one.
  }
  throw refusal("input/unreadable", `Cannot read ${path}: no such file below ${roots.read.join(" or ")}`);
}

function writeRooted(path: string, text: string, roots: Roots): void {
  try {
    if (writeBelow(resolve(roots.read[0], path), text, roots.write)) return;
  } catch {
    // The same message for a place that takes no file and a forbidden one.
  }
  throw refusal(
    "output/unwritable",
    roots.write.length === 0
      ? `Cannot write ${path}: writing is not allowed; the server needs --write FOLDER`
      : `Cannot write ${path}: it is no place for a file below ${
        roots.write.join(" or ")
      }, or a file with other names`,
  );
}

function refusal(code: string, message: string): DiagnosticError {
  return inputError(code, message);
}
