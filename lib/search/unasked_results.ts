// SPDX-License-Identifier: Apache-2.0
import type { LayoutIds } from "../layout/layout_table.ts";
import type { OpId } from "../graph/graph.ts";
import type { OpEvaluator } from "./op_evaluator.ts";
import type { Hints } from "./hints.ts";
import type { OpImpl } from "./impls.ts";

/** Memories that a result may be in, as layouts are spelled. */
const MEMORIES = [
  "l1/block_sharded",
  "l1/height_sharded",
  "l1/width_sharded",
  "l1/interleaved",
  "dram/interleaved",
] as const;

/** The queries that a search makes to the op model. */
export interface Asked {
  /** All hints of an op, primary and fallback. */
  offeredHints(op: OpId): Hints;
  /** The legal answers. */
  impls(op: OpId, inputs: LayoutIds): readonly Pick<OpImpl, "outputs">[];
  /** Whether interleaved results are tried after the hints. */
  readonly hasLadder: boolean;
}

/**
 * The memories in which the search never requested an op's first result, for given operand layouts; one
 * sentence per reason. Refused requests are not listed.
 */
export function unaskedResults(
  evaluator: OpEvaluator,
  op: OpId,
  inputs: LayoutIds,
  search: Asked,
): readonly string[] {
  const memoryOf = (layout: LayoutIds[number]): string => {
    if (layout === undefined) return "";
    const { bufferType, memoryLayout } = evaluator.layouts.get(layout);
    return `${bufferType}/${memoryLayout ?? "none"}`;
  };
  const tells = (memories: readonly string[], why: string): readonly string[] =>
    memories.length === 0 ? [] : [`${memories.join(", ")}: ${why}`];
  if (evaluator.overrides.isOverridden(op)) {
    return ["everything except the layout that the override names"];
  }
  const { primary, fallback } = search.offeredHints(op);
  const impls = search.impls(op, inputs);
  const given = new Set(impls.map(({ outputs: [first] }) => memoryOf(first)));
  const isSharded = impls.some(({ outputs: [first] }) =>
    first !== undefined && evaluator.facts(first).isSharded
  );
  const named = (hints: typeof primary): ReadonlySet<string> =>
    new Set(hints.map(({ layout }) => memoryOf(layout)));
  const asked = named(primary);
  const later = named(fallback);
  const onLadder = (memory: string): boolean =>
    search.hasLadder && fallback.length > 0 && memory.endsWith("/interleaved") &&
    (memory !== "l1/interleaved" || evaluator.limits.enableL1ShardingLayouts);
  const open = MEMORIES.filter((memory) => !asked.has(memory) && !given.has(memory) && !onLadder(memory));
  const skipped = open.filter((memory) => later.has(memory));
  const unnamed = open.filter((memory) => !later.has(memory));
  return [
    ...tells(isSharded ? skipped : [], "tried only where nothing else gives a sharded result"),
    ...tells(
      unnamed,
      "not among the hints of the op's rule",
    ),
  ];
}
