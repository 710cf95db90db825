// SPDX-License-Identifier: Apache-2.0
import type { ModuleText, Operation, Span } from "./module_text.ts";
import type { Patch } from "./patch.ts";

/** Blanks before the first byte of an op, from the beginning of its line. */
export function indentationOf({ text }: ModuleText, { span }: Operation): string {
  const lineStart = text.lastIndexOf("\n", span.start - 1) + 1;
  return /^[ \t]*/.exec(text.slice(lineStart, span.start))?.[0] ?? "";
}

const COMMENT = /[ \t]*\/\/[^\r\n]*/y;

/** Where an op ends together with a comment on the same line. */
export function endOfStatement({ text }: ModuleText, { span: { end } }: Operation): number {
  // Usually the line ends there.
  if (text[end] === "\n") return end;
  COMMENT.lastIndex = end;
  return end + (COMMENT.exec(text)?.[0].length ?? 0);
}

/** Removes an op, with its line if nothing is before it on the line. */
export function removedStatement({ text }: ModuleText, { span }: Operation): Patch {
  let start = span.start;
  while (start > 0 && (text[start - 1] === " " || text[start - 1] === "\t")) start--;
  if (start > 0 && text[start - 1] === "\n") start -= text[start - 2] === "\r" ? 2 : 1;
  else start = span.start;
  return { start, end: span.end, text: "" };
}

/**
 * Text of a span with the patches inside it, including insertions at its two ends.
 *
 * @param patches in the order of the text
 */
export function textWithin({ text }: ModuleText, span: Span, patches: readonly Patch[]): string {
  let result = "";
  let position = span.start;
  for (let index = firstFrom(patches, span.start); index < patches.length; index++) {
    const patch = patches[index];
    if (patch === undefined || patch.start > span.end) break;
    if (patch.end > span.end) continue;
    result += text.slice(position, patch.start) + patch.text;
    position = patch.end;
  }
  return result + text.slice(position, span.end);
}

/** Index of the first one of sorted patches that does not start before an offset. */
function firstFrom(patches: readonly Patch[], start: number): number {
  let low = 0;
  let high = patches.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((patches[middle]?.start ?? start) < start) low = middle + 1;
    else high = middle;
  }
  return low;
}
