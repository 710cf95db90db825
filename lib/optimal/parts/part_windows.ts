// SPDX-License-Identifier: Apache-2.0
import type { OpId } from "../../graph/graph.ts";
import type { AlikeParts } from "./alike_parts.ts";

/** A part of a function, by index of its kind and index within the kind. */
export interface PartPlace {
  readonly kind: number;
  readonly place: number;
}

/** Consecutive parts. */
export interface PartWindow {
  readonly ops: readonly OpId[];
  /** All of them except those at its ends. */
  readonly inner: readonly PartPlace[];
}

/** Most parts per layer that are searched for. */
const LONGEST_PERIOD = 8;

/**
 * One stretch of a function for every repeated layer: its parts from the middle of the function, with the part
 * before and the part after. These parts pass values on in the layout that suits both sides, whereas a part
 * alone starts and ends with the layouts of the input.
 *
 * @param kinds as `alikeParts` finds them
 * @param most ops of a stretch; longer ones are left out
 */
export function partWindows(kinds: readonly AlikeParts[], most: number): readonly PartWindow[] {
  const parts = kinds.flatMap((alike, kind) => alike.map((ops, place) => ({ kind, place, ops })))
    .sort((a, b) => lastOf(a.ops) - lastOf(b.ops));
  const covered = new Set<number>();
  return kinds.flatMap((alike, kind): PartWindow[] => {
    if (covered.has(kind)) return [];
    const middle = alike.length >> 1;
    const at = parts.findIndex((part) => part.kind === kind && part.place === middle);
    const again = parts.findIndex((part, index) => index > at && part.kind === kind);
    if (at < 1 || again < 0 || again - at > LONGEST_PERIOD) return [];
    const stretch = parts.slice(at - 1, again + 1);
    const isWhole = stretch.every(({ ops }, index) => {
      const before = stretch[index - 1];
      return before === undefined || lastOf(before.ops) === ops[0];
    });
    const ops = [...new Set(stretch.flatMap((part) => part.ops))];
    if (!isWhole || ops.length > most) return [];
    const inner = stretch.slice(1, -1);
    for (const part of inner) covered.add(part.kind);
    return [{ ops, inner: inner.map(({ kind, place }) => ({ kind, place })) }];
  });
}

/** A part has at least one op. */
function lastOf(ops: readonly OpId[]): number {
  return ops.at(-1) ?? -1;
}
