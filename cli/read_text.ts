// SPDX-License-Identifier: Apache-2.0
import { type DiagnosticError, errorText, inputError } from "../lib/diagnostics/diagnostic.ts";
import { textInBytes } from "./binary_text.ts";

/**
 * The text in the bytes of a file: UTF-8, gzip or not; else what {@linkcode textInBytes} finds.
 *
 * @param path name of the file in errors
 * @throws {DiagnosticError} if it holds no text
 */
export async function textOfFile(path: string, bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const plain = await unzipped(bytes).catch((error) => {
    throw cannotRead(path, errorText(error));
  });
  const text = utf8Text(plain) ?? await textInBytes(plain);
  if (text === undefined) {
    throw cannotRead(
      path,
      "it is not UTF-8 text, and holds no MLIR text either; MLIR text is expected (bytecode is not read)",
    );
  }
  // In MLIR a byte order mark is part of the text and is printed back unchanged; JSON has none.
  return text.replace(/^\uFEFF(?=\s*[{[])/, "");
}

/** @returns `undefined` if it is something else, or an archive whose bytes happen to be UTF-8 */
function utf8Text(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.startsWith("PK\u0003\u0004") ? undefined : text;
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
