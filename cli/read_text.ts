// SPDX-License-Identifier: Apache-2.0
import { type DiagnosticError, errorText, inputError } from "../lib/diagnostics/diagnostic.ts";

/**
 * The text in the bytes of a file: UTF-8, gzip or not; else UTF-16, the members of a zip archive or the modules
 * in a flatbuffer.
 *
 * @param path name of the file in errors
 * @throws {DiagnosticError} if it holds no text
 */
export async function textOfFile(path: string, bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const plain = await unzipped(bytes).catch((error) => {
    throw cannotRead(path, errorText(error));
  });
  const utf8 = utf8Text(plain);
  // A flatbuffer without any byte above 127 is UTF-8 as well.
  const text = utf8?.includes("\0") === false ? utf8 : await textInBytes(plain) ?? utf8;
  if (text === undefined) {
    const begin = new TextDecoder("latin1").decode(plain.subarray(0, 16));
    const [, what = "it is not UTF-8 text, and holds no MLIR text either; MLIR text is expected"] =
      BINARY.find(([sign]) => begin.startsWith(sign)) ?? [];
    throw cannotRead(path, what);
  }
  // In MLIR a byte order mark is part of the text and is printed back unchanged; JSON has none.
  return text.replace(/^\uFEFF(?=\s*[{[])/, "");
}

/** Files of which another program makes text, by their first bytes. */
const BINARY: readonly (readonly [sign: string, what: string])[] = [
  ["ML\u00efR", "it is bytecode of MLIR; 'ttmlir-opt FILE -o FILE.mlir' writes it as text"],
  [
    "SQLite format 3",
    "it is a database, as ttnn-visualizer reads them; give the .mlir of the program that ran",
  ],
  ["(\u00b5/\u00fd", "it is packed by zstd; 'zstd -d FILE' unpacks it"],
  ["BZh", "it is packed by bzip2; 'bunzip2 FILE' unpacks it"],
  ["\u00fd7zXZ", "it is packed by xz; 'unxz FILE' unpacks it"],
];

/** @returns `undefined` if it is something else, or an archive whose bytes happen to be UTF-8 */
function utf8Text(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.startsWith("PK\u0003\u0004") || isTar(bytes) ? undefined : text;
  } catch {
    return undefined;
  }
}

/** An error with the reason why a file cannot be read. */
export function cannotRead(path: string, reason: string): DiagnosticError {
  return inputError("input/unreadable", `Cannot read ${path}: ${reason}`);
}

/** The content of a gzip file, recognized by its first bytes; other files as they are. */
async function unzipped(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  return await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).bytes();
}

/**
 * Text in files that are no text: UTF-16, the members of a zip archive, the strings of a flatbuffer.
 *
 * @returns of several texts a JSON object of them by name, or a list; `undefined` where there is none
 */
async function textInBytes(bytes: Uint8Array<ArrayBuffer>): Promise<string | undefined> {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  if (first === 0x50 && second === 0x4b) return oneOrJson(await membersOf(bytes));
  if (isTar(bytes)) return oneOrJson([...filesOfTar(bytes)]);
  const modules = modulesOf(bytes).map((text, index) => [`string ${index + 1}`, text]);
  // Also of one: that it was taken out is said, as of JSON.
  return modules.length === 0 ? undefined : JSON.stringify(Object.fromEntries(modules));
}

function oneOrJson(texts: readonly (readonly [name: string, text: string])[]): string | undefined {
  return texts.length <= 1 ? texts[0]?.[1] : JSON.stringify(Object.fromEntries(texts));
}

/** Begins of the records of a zip archive (PKWARE APPNOTE 4.3), and the one way of compression that is common. */
const END_OF_DIRECTORY = 0x06054b50;
const DIRECTORY_ENTRY = 0x02014b50;
const DEFLATED = 8;

/** The members of a zip archive that are text. */
async function membersOf(
  bytes: Uint8Array<ArrayBuffer>,
): Promise<readonly (readonly [name: string, text: string])[]> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let end = bytes.length - 22;
  while (end >= 0 && view.getUint32(end, true) !== END_OF_DIRECTORY) end--;
  if (end < 0) return [];
  const members: (readonly [string, string])[] = [];
  let at = view.getUint32(end + 16, true);
  for (let left = view.getUint16(end + 10, true); left > 0; left--) {
    if (at + 46 > bytes.length || view.getUint32(at, true) !== DIRECTORY_ENTRY) break;
    const nameLength = view.getUint16(at + 28, true);
    const name = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + nameLength));
    const local = view.getUint32(at + 42, true);
    if (local + 30 > bytes.length) break;
    const begin = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
    const packed = bytes.subarray(begin, begin + view.getUint32(at + 20, true));
    const text = await textOfMember(packed, view.getUint16(at + 10, true) === DEFLATED);
    if (text !== undefined && text !== "") members.push([name, text]);
    at += 46 + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return members;
}

async function textOfMember(
  packed: Uint8Array<ArrayBuffer>,
  isDeflated: boolean,
): Promise<string | undefined> {
  try {
    const plain = isDeflated
      ? await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw")))
        .bytes()
      : packed;
    return new TextDecoder("utf-8", { fatal: true }).decode(plain);
  } catch {
    return undefined;
  }
}

/** Bytes of a header of tar, and the unit in which files follow one another (POSIX ustar). */
const TAR_BLOCK = 512;

function isTar(bytes: Uint8Array): boolean {
  return asciiAt(bytes, 257, 5) === "ustar";
}

/** The files of a tar archive that are text. */
function* filesOfTar(bytes: Uint8Array): Generator<readonly [name: string, text: string]> {
  for (let at = 0; isTar(bytes.subarray(at));) {
    const size = Number.parseInt(asciiAt(bytes, at + 124, 12), 8) || 0;
    const begin = at + TAR_BLOCK;
    const text = utf8Text(bytes.subarray(begin, begin + size));
    // Type 0 is a file; links, folders and attributes are others.
    if (text !== undefined && /^[0\0]/.test(asciiAt(bytes, at + 156, 1) + "\0")) {
      yield [asciiAt(bytes, at, 100), text];
    }
    at = begin + Math.ceil(size / TAR_BLOCK) * TAR_BLOCK;
  }
}

/** Bytes up to the first zero. */
function asciiAt(bytes: Uint8Array, at: number, length: number): string {
  return new TextDecoder().decode(bytes.subarray(at, at + length)).split("\0")[0] ?? "";
}

/** Control characters that no text of MLIR holds. */
// deno-lint-ignore no-control-regex -- control characters are what separates strings
const CONTROL = /[\u0000-\u0008\u000B\u000C\u000E-\u001F]+/;

const MODULE = /^"?(?:builtin\.)?module\b.*\{/m;

/**
 * The strings of a flatbuffer that are modules: a flatbuffer writes a string's length before it and a zero behind
 * it.
 */
function modulesOf(bytes: Uint8Array<ArrayBuffer>): readonly string[] {
  return new TextDecoder().decode(bytes).split(CONTROL).filter((text) => MODULE.test(text));
}

/**
 * The lines of a text; those that arrive together are in one list. The last line needs no line end. Reading
 * blocks: for a client that waits for each answer, asynchronous reads take six times as long.
 *
 * @param read fills a buffer and returns the number of bytes, `null` at the end
 */
export function* readLines(read: (buffer: Uint8Array) => number | null): Generator<readonly string[]> {
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(1 << 16);
  let rest = "";
  for (let count = read(buffer); count !== null; count = read(buffer)) {
    const lines = (rest + decoder.decode(buffer.subarray(0, count), { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    if (lines.length > 0) yield lines.map(withoutReturn);
  }
  rest += decoder.decode();
  if (rest !== "") yield [withoutReturn(rest)];
}

function withoutReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}
