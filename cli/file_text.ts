// SPDX-License-Identifier: Apache-2.0
import { type DiagnosticError, errorText, inputError } from "../lib/diagnostics/diagnostic.ts";

/**
 * The text in the bytes of a file: UTF-8, gzip or not.
 *
 * @param path names the file in what is thrown
 * @throws {DiagnosticError} if it is none
 */
export async function textOfFile(path: string, bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const plain = await unzipped(bytes).catch((error) => {
    throw cannotRead(path, errorText(error));
  });
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(plain);
    // In MLIR a byte order mark is part of the text, which is printed back as it is; JSON has none.
    return text.replace(/^\uFEFF(?=\s*[{[])/, "");
  } catch {
    throw cannotRead(
      path,
      "it is not UTF-8 text; MLIR text is expected (bytecode and flatbuffers are not read)",
    );
  }
}

/** An error that says why a file cannot be read. */
export function cannotRead(path: string, reason: string): DiagnosticError {
  return inputError("input/unreadable", `Cannot read ${path}: ${reason}`);
}

/** The content of a gzip file, recognized by its first bytes; other files as they are. */
async function unzipped(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  return await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).bytes();
}
