// SPDX-License-Identifier: Apache-2.0
import { type DiagnosticError, inputError } from "../lib/diagnostics/diagnostic.ts";

/** Most links in a path before it counts as a cycle, as in the kernel. */
const MOST_LINKS = 40;

/** Files that a shell has opened for this process; writing continues at their offset. */
const OPEN_FILE = /^\/(?:dev\/(?:stdout|stderr|fd\/\d+)|proc\/(?:self|\d+)\/fd\/\d+)$/;

/**
 * Writes a text file. A regular or new file is replaced atomically; through a symbolic link its target, with
 * the target's mode. Everything else (devices, pipes, files that the shell has open, files with several names
 * or in a folder that accepts no new ones) is opened and written synchronously, because asynchronous writing
 * makes Deno load its streams first, which takes 4 ms. A reader that has closed its pipe is no error.
 *
 * @throws {DiagnosticError} if it cannot be written, with the reason
 */
export async function writeOutput(path: string, text: string): Promise<void> {
  try {
    const target = await linkTarget(path);
    const info = await statOf(target);
    if (OPEN_FILE.test(target)) Deno.writeTextFileSync(target, text, { append: true });
    else if (info === undefined) await replace(target, text, undefined);
    else if (info.isFile && (info.nlink ?? 1) === 1) await replaceOrWrite(target, text, info.mode);
    else if (info.isDirectory) throw new Deno.errors.IsADirectory();
    else Deno.writeTextFileSync(target, text);
  } catch (error) {
    if (error instanceof Deno.errors.BrokenPipe) return;
    throw cannotWrite(path, error);
  }
}

/** The error for a path that the system does not let us write, with the reason. */
export function cannotWrite(path: string, error: unknown): DiagnosticError {
  return inputError("output/unwritable", `Cannot write ${path}: ${reasonOf(error)}`);
}

function reasonOf(error: unknown): string {
  if (error instanceof Deno.errors.NotFound) return "its folder does not exist";
  if (error instanceof Deno.errors.NotADirectory) return "a part of the path is a file, not a folder";
  if (error instanceof Deno.errors.IsADirectory) return "it is a folder; name a file in it";
  if (error instanceof Deno.errors.FilesystemLoop) return "its symbolic links form a circle";
  if (error instanceof Deno.errors.NotCapable && /^Requires (?:read|write) access/.test(error.message)) {
    return error.message;
  }
  // What no permission of Deno opens, such as /proc, is told as what needs all of them.
  if (error instanceof Deno.errors.NotCapable || error instanceof Deno.errors.PermissionDenied) {
    return "permission denied";
  }
  if (!(error instanceof Error)) return String(error);
  return "code" in error && error.code === "ENOSPC" ? "no space left" : error.message;
}

/** Target of a path through its links; it may not exist. */
async function linkTarget(path: string): Promise<string> {
  let target = path;
  for (let links = 0; links < MOST_LINKS; links++) {
    if (OPEN_FILE.test(target)) return target;
    const info = await Deno.lstat(target).catch(() => undefined);
    if (info?.isSymlink !== true) return target;
    const next = await Deno.readLink(target);
    target = /^(?:[\\/]|[A-Za-z]:)/.test(next) ? next : `${target.replace(/[^\\/]*$/, "")}${next}`;
  }
  throw new Deno.errors.FilesystemLoop();
}

async function statOf(path: string): Promise<Deno.FileInfo | undefined> {
  try {
    return await Deno.stat(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** Replaces an existing file; protection from writing also protects it from replacement. */
async function replaceOrWrite(path: string, text: string, mode: number | null): Promise<void> {
  (await Deno.open(path, { write: true })).close();
  try {
    await replace(path, text, mode ?? undefined);
  } catch (error) {
    const isBarred = error instanceof Deno.errors.PermissionDenied || error instanceof Deno.errors.NotCapable;
    if (!isBarred) throw error;
    Deno.writeTextFileSync(path, text);
  }
}

async function replace(path: string, text: string, mode: number | undefined): Promise<void> {
  const partial = writePartial(path, text);
  try {
    if (mode !== undefined && Deno.build.os !== "windows") await Deno.chmod(partial, mode & 0o7777);
    await Deno.rename(partial, path);
  } catch (error) {
    await Deno.remove(partial).catch(() => undefined);
    throw error;
  }
}

/** Most names tried for an incomplete file: killed runs may have left some. */
const MOST_PARTIALS = 100;

/** Writes a text beside the file that it will replace; returns its path. Leaves nothing if that fails. */
function writePartial(path: string, text: string): string {
  for (let number = 0;; number++) {
    // In a container every run may have the same process id.
    const partial = `${path}.${Deno.pid}${number === 0 ? "" : `-${number}`}.partial`;
    try {
      Deno.writeTextFileSync(partial, text, { createNew: true });
      return partial;
    } catch (error) {
      const isTaken = error instanceof Deno.errors.AlreadyExists;
      if (!isTaken) tryRemove(partial);
      if (!isTaken || number === MOST_PARTIALS) throw error;
    }
  }
}

function tryRemove(path: string): void {
  try {
    Deno.removeSync(path);
  } catch {
    // It was not written.
  }
}
