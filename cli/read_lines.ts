// SPDX-License-Identifier: Apache-2.0

/**
 * The lines of a text, those that arrive together in one list; a last line needs no end. Reading blocks: whoever waits
 * for an answer before the next question waits six times longer for an asynchronous read.
 *
 * @param read fills a buffer and says how many bytes it filled, `null` at the end
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
