// SPDX-License-Identifier: Apache-2.0
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, resolve, SEPARATOR } from "@std/path";
import { type DiagnosticError, inputError } from "../../lib/diagnostics/diagnostic.ts";
import { textOfFile } from "../read_text.ts";
import type { Host } from "../host.ts";
import { standardError } from "../standard_error.ts";

/** Opening must not block on a pipe, because the file type is known only after opening. Absent on Windows. */
const AT_ONCE = constants.O_NONBLOCK ?? 0;

/** Most checks of a file that another program keeps replacing. */
const MOST_TRIES = 5;

/**
 * Reads a regular file below some folders. It opens the file first and then checks the open file, so that
 * swapping a file, folder or link in the meantime can only cause a refusal.
 *
 * @param path absolute
 * @param folders without links
 * @returns `undefined` for everything that is no regular file below the folders
 * @throws if the file does not exist
 */
function readBelow(path: string, folders: readonly string[]): Uint8Array<ArrayBuffer> | undefined {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const file = openSync(path, constants.O_RDONLY | AT_ONCE);
    try {
      const real = realpathSync(path);
      if (!isBelow(real, folders)) return undefined;
      if (isOpened(file, real, folders)) {
        return fstatSync(file).isFile() ? new Uint8Array(readFileSync(file)) : undefined;
      }
    } finally {
      closeSync(file);
    }
  }
  return undefined;
}

/**
 * Writes a text file below some folders atomically: into a temporary file beside it, then renamed. It checks
 * the place of the temporary file before writing a byte. It refuses a file with other names (hard links),
 * because some may be outside.
 *
 * @param path absolute
 * @param folders without links
 * @returns whether it was written; `false` for every place that is not below the folders, or holds no regular
 * file
 */
function writeBelow(path: string, text: string, folders: readonly string[]): boolean {
  const place = join(realpathSync(dirname(path)), basename(path));
  const existing = lstatSync(place, { throwIfNoEntry: false });
  // The check applies to the target of a link; a dangling link is refused.
  const real = existing === undefined ? place : realpathSync(place);
  const replaced = existing === undefined ? undefined : lstatSync(real);
  if (!isBelow(real, folders)) return false;
  if (replaced !== undefined && (!replaced.isFile() || replaced.nlink > 1)) return false;
  // A file without write permission may not be replaced either.
  if (replaced !== undefined) closeSync(openSync(real, constants.O_WRONLY | AT_ONCE));
  const partial = `${real}.${crypto.randomUUID()}.partial`;
  const file = openSync(partial, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL);
  let isPlaced = false;
  try {
    if (realpathSync(partial) !== partial || !isOpened(file, partial, folders)) return false;
    if (replaced !== undefined && Deno.build.os !== "windows") fchmodSync(file, replaced.mode & 0o7777);
    writeFileSync(file, text);
    // A link created there in the meantime is replaced, not followed.
    renameSync(partial, real);
    isPlaced = true;
  } finally {
    // Wherever it was created.
    if (!isPlaced) rmSync(openedName(file) ?? partial, { force: true });
    closeSync(file);
  }
  return true;
}

/** Whether a path is below one of some folders; neither contains links. */
function isBelow(real: string, folders: readonly string[]): boolean {
  return folders.some((folder) =>
    real.startsWith(folder.endsWith(SEPARATOR) ? folder : `${folder}${SEPARATOR}`)
  );
}

/**
 * Whether an open file is the one at a resolved path: same device and inode, and no link by now. A folder of
 * the path may have become a link since it was resolved; if the system reports the path of an open file
 * (Linux), that is checked as well.
 */
function isOpened(file: number, real: string, folders: readonly string[]): boolean {
  const opened = fstatSync(file, { bigint: true });
  const named = lstatSync(real, { bigint: true, throwIfNoEntry: false });
  if (named === undefined || named.dev !== opened.dev || named.ino !== opened.ino) return false;
  const name = openedName(file);
  return name === undefined || isBelow(name, folders);
}

/** The path of an open file by the system; `undefined` if it reports none. */
function openedName(file: number): string | undefined {
  return Deno.build.os === "linux" ? readlinkSync(`/proc/self/fd/${file}`) : undefined;
}

/** Folders that a client may access: absolute, without links. */
export interface Roots {
  /** Relative paths are below the first. */
  readonly read: readonly [string, ...string[]];
  /** Empty forbids writing. */
  readonly write: readonly string[];
}

/** A host confined to its roots that collects its output. */
interface RootedHost extends Host {
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
