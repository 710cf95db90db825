// SPDX-License-Identifier: Apache-2.0
import { insideAngles, splitTopLevel } from "../ir/balanced.ts";
import type { CoreRange } from "../layout/core_range.ts";

/** Replaces an alias `#name` by the text it stands for; other text comes back as it is. */
export type AliasText = (text: string) => string;

const CORNERS = /^\(\s*(\d+)\s*,\s*(\d+)\s*\)\s*,\s*\(\s*(\d+)\s*,\s*(\d+)\s*\)$/;

/**
 * Parses a core range set: `<[#ttnn.core_range<(0,0), (7,6)>, …]>`, `#ttnn.core_range_set<…>`, `<>`, or an alias.
 *
 * @returns `undefined` when the text is none
 */
export function parseCoreRangeSet(text: string, alias: AliasText): CoreRange[] | undefined {
  const resolved = alias(text.trim());
  const body = insideAngles(resolved.replace(/^#ttnn\.core_range_set\s*/, ""));
  if (body === undefined) return undefined;
  if (body === "") return [];
  if (!body.startsWith("[") || !body.endsWith("]")) return undefined;
  const ranges: CoreRange[] = [];
  for (const item of splitTopLevel(body.slice(1, -1), ",")) {
    const range = parseCoreRange(item, alias);
    if (range === undefined) return undefined;
    ranges.push(range);
  }
  return ranges;
}

/** Parses `#ttnn.core_range<(0,0), (7,6)>`, `<(0,0), (7,6)>` or an alias of one; `undefined` when it is none. */
function parseCoreRange(text: string, alias: AliasText): CoreRange | undefined {
  const body = insideAngles(alias(text.trim()).replace(/^#ttnn\.core_range\s*/, ""));
  const corners = CORNERS.exec(body ?? "");
  if (corners === null) return undefined;
  const [, startX, startY, endX, endY] = corners.map(Number);
  return { start: { x: startX ?? 0, y: startY ?? 0 }, end: { x: endX ?? 0, y: endY ?? 0 } };
}

/** A core range set as upstream prints it where the type is known: `<[#ttnn.core_range<(0,0), (7,6)>]>`. */
export function coreRangeSetText(ranges: readonly CoreRange[]): string {
  if (ranges.length === 0) return "<>";
  const items = ranges.map(({ start, end }) =>
    `#ttnn.core_range<(${start.x},${start.y}), (${end.x},${end.y})>`
  );
  return `<[${items.join(", ")}]>`;
}
