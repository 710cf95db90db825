// SPDX-License-Identifier: Apache-2.0
import { functionsOf, type ModuleText } from "../lib/ir/mod.ts";
import { locationText } from "../lib/ir/location.ts";
import type { GraphChange, MergedOp } from "../lib/passes/graph_pass.ts";

/** Changes of a function by a graph pass. */
export interface GraphChangeCount {
  /** Function that was changed. */
  readonly function: string;
  /** Name of the pass or pattern. */
  readonly pass: string;
  /** Number of changes. */
  readonly count: number;
  /** Consequences for callers of the program. */
  readonly notes?: readonly string[] | undefined;
  /** Ops of the input that are gone, with what took their place. */
  readonly merged?: readonly MergedOp[] | undefined;
}

/** Changes by function and pass. */
export function countChanges(changes: readonly GraphChange[]): readonly GraphChangeCount[] {
  return [...Map.groupBy(changes, (change) => `${change.function}/${change.pass}`).values()].flatMap(
    (same) => {
      const [first] = same;
      if (first === undefined) return [];
      const notes = same.flatMap(({ note }) => note ?? []);
      const merged = same.flatMap((change) => change.merged ?? []);
      return {
        function: first.function,
        pass: first.pass,
        count: same.length,
        ...(notes.length === 0 ? {} : { notes }),
        ...(merged.length === 0 ? {} : { merged }),
      };
    },
  );
}

/** In place of a pass, for ops that the lowering of TTIR folds. */
export const LOWERING = "lowering";

/** The ops of a TTIR module of whose locations its lowering has none: it folded them. */
export function foldedInLowering(input: ModuleText, lowered: ModuleText): readonly GraphChange[] {
  const left = new Set(lowered.operations.map((op) => locationText(lowered, op.location)));
  return functionsOf(input).flatMap(({ name, operation }): GraphChange[] => {
    const merged = input.operations.filter((op) =>
      op.parent === operation && op.name.startsWith("ttir.") && op.operands.length > 0
    ).map((op) => ({ op: op.name, location: locationText(input, op.location) }))
      .filter(({ location }) => location !== "" && location !== "unknown" && !left.has(location));
    const [first] = merged;
    return first === undefined ? [] : [{ pass: LOWERING, function: name, ...first, merged }];
  });
}
