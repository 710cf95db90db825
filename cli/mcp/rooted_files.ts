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

/** A pipe must not be waited for: it is opened before it is seen that it is one. Absent on Windows. */
const AT_ONCE = constants.O_NONBLOCK ?? 0;

/** Another program may replace a file as a whole between two looks at it; then it is looked at again. */
const MOST_TRIES = 5;

/**
 * Reads a regular file below some folders. The file is opened first; then it is judged which file was opened, so that
 * a file, folder or link that is swapped meanwhile can only make the answer a refusal.
 *
 * @param path absolute
 * @param folders every link resolved
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
 * Writes a text file below some folders as a whole: beside its place, then renamed to it. It is judged where the file
 * beside was made, before a byte is in it. A file that has other names (hard links) is refused: some may be outside.
 *
 * @param path absolute
 * @param folders every link resolved
 * @returns whether it was written; `false` for every place that is not below the folders, or holds no regular file
 */
export function writeBelow(path: string, text: string, folders: readonly string[]): boolean {
  const place = join(realpathSync(dirname(path)), basename(path));
  const existing = lstatSync(place, { throwIfNoEntry: false });
  // The check applies to the target of a link; a link to nothing is no place to write to.
  const real = existing === undefined ? place : realpathSync(place);
  const replaced = existing === undefined ? undefined : lstatSync(real);
  if (!isBelow(real, folders)) return false;
  if (replaced !== undefined && (!replaced.isFile() || replaced.nlink > 1)) return false;
  // A file that may not be written may not be replaced either.
  if (replaced !== undefined) closeSync(openSync(real, constants.O_WRONLY | AT_ONCE));
  const partial = `${real}.${crypto.randomUUID()}.partial`;
  const file = openSync(partial, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL);
  let isPlaced = false;
  try {
    if (realpathSync(partial) !== partial || !isOpened(file, partial, folders)) return false;
    if (replaced !== undefined && Deno.build.os !== "windows") fchmodSync(file, replaced.mode & 0o7777);
    writeFileSync(file, text);
    // A link that meanwhile stands there is replaced, not followed.
    renameSync(partial, real);
    isPlaced = true;
  } finally {
    // Wherever it was made.
    if (!isPlaced) rmSync(openedName(file) ?? partial, { force: true });
    closeSync(file);
  }
  return true;
}

/** Whether a path is below one of some folders; both have every link resolved. */
export function isBelow(real: string, folders: readonly string[]): boolean {
  return folders.some((folder) =>
    real.startsWith(folder.endsWith(SEPARATOR) ? folder : `${folder}${SEPARATOR}`)
  );
}

/**
 * Whether an open file is the one at a resolved path: same device and inode, and not a link by now. A folder
 * of the path may have become a link since it was resolved; where the system tells the name of an open file
 * (Linux), that name is checked as well.
 */
function isOpened(file: number, real: string, folders: readonly string[]): boolean {
  const opened = fstatSync(file, { bigint: true });
  const named = lstatSync(real, { bigint: true, throwIfNoEntry: false });
  if (named === undefined || named.dev !== opened.dev || named.ino !== opened.ino) return false;
  const name = openedName(file);
  return name === undefined || isBelow(name, folders);
}

/** The path of an open file as the system has it; `undefined` where it does not tell. */
function openedName(file: number): string | undefined {
  return Deno.build.os === "linux" ? readlinkSync(`/proc/self/fd/${file}`) : undefined;
}
