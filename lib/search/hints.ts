// SPDX-License-Identifier: Apache-2.0
import type { LayoutTable } from "../layout/layout_table.ts";
import { isSharded } from "../layout/ttnn_layout.ts";
import type { OutputHint } from "../opmodel/op_model.ts";

/** Hints of an op; fallback ones are used if no primary one gave a sharded result. */
export interface Hints {
  readonly primary: readonly OutputHint[];
  readonly fallback: readonly OutputHint[];
}

/** The hints in the given order, at most `most` sharded ones per type. */
export function trimHints(
  hints: readonly OutputHint[],
  layouts: LayoutTable,
  most: number,
): readonly OutputHint[] {
  const taken = new Map<string, number>();
  return hints.filter((hint) => {
    if (hint.layout === undefined) return true;
    const layout = layouts.get(hint.layout);
    if (!isSharded(layout)) return true;
    const type = `${layout.memoryLayout}`;
    const count = taken.get(type) ?? 0;
    taken.set(type, count + 1);
    return count < most;
  });
}
