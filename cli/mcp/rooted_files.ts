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
import { basename, dirname, join, SEPARATOR } from "@std/path";

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
 */
export function readBelow(path: string, folders: readonly string[]): Uint8Array<ArrayBuffer> | undefined {
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
export function writeBelow(path: string, text: string, folders: readonly string[]): boolean {
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
export function isBelow(real: string, folders: readonly string[]): boolean {
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
