// SPDX-License-Identifier: Apache-2.0
import { compareTimes, type TimeComparison } from "../sim/timeline/error_band.ts";
import { type ChangedField, changedFields, hasOtherConversions } from "./diff_fields.ts";
import type { DiffOp, DiffSide } from "./diff_side.ts";
import { matchOps } from "./match_ops.ts";
import type { OpGroup, OpPair } from "./op_groups.ts";

/**
 * Kind of difference: between two matched ops; an op on one side only; or a group, in which b has `fused` ops
 * that a runs separately, has `split` an op that a fuses, or has `replaced` ops by as many.
 */
export type ChangeKind =
  | "layout"
  | "config"
  | "conversions"
  | "attributes"
  | "fused"
  | "split"
  | "replaced"
  | "only_a"
  | "only_b";

/** One op that differs, or a group of ops on both sides that together do the same work. */
export interface OpChange {
  /** Everything that differs; a single entry when one side has no such op. */
  readonly kinds: readonly ChangeKind[];
  /** Differences field by field; empty if one side has no such op. */
  readonly fields: readonly ChangedField[];
  /** Whether the first result was sharded in L1 on one side and is not on the other. */
  readonly sharding: "lost" | "gained" | undefined;
  /**
   * The op of A; of a {@linkcode group} the last one, which consumes the others' results. `undefined` for `only_b`, and if
   * only `return` of B reads copies.
   */
  readonly a: DiffOp | undefined;
  /** The op of B, of a group the last one; `undefined` for `only_a`. */
  readonly b: DiffOp | undefined;
  /** All ops of `fused`, `split` and `replaced`; `undefined` for a single op. */
  readonly group: OpGroup | undefined;
  /** Predicted µs of A, conversions included, of a group the sum; `undefined` without a prediction, 0 without an op. */
  readonly aUs: number | undefined;
  /** Predicted µs of B, in the same way. */
  readonly bUs: number | undefined;
  /** {@linkcode bUs} minus {@linkcode aUs}; `undefined` when one side has no prediction. */
  readonly deltaUs: number | undefined;
}

/** A comparison of two sides. */
export interface DiffReport {
  /** The reference side. */
  readonly a: DiffSide;
  /** The side that is compared with it. */
  readonly b: DiffSide;
  /** Number of matched ops. */
  readonly matched: number;
  /** The matched ops, in the order of the program. */
  readonly pairs: readonly (readonly [a: DiffOp, b: DiffOp])[];
  /** Number of these that run in another order. */
  readonly reordered: number;
  /** Largest predicted effect first; equal effects in the order of the program. */
  readonly changes: readonly OpChange[];
  /** Predicted µs of b minus those of a; `undefined` if one side has no prediction. */
  readonly deltaUs: number | undefined;
  /** {@linkcode deltaUs} over the time of a; `undefined` like it, and if a takes no time. */
  readonly relativeDelta: number | undefined;
  /**
   * The claim about b compared with a: its error is that of the summands that the two do not share; `undefined`
   * if one side has no prediction.
   */
  readonly comparison: TimeComparison | undefined;
}

/**
 * Compares two sides op by op, matched by {@linkcode matchOps}. Memory ops count as part of their reader.
 *
 * @example
 * ```ts
 * import { diffSides, loadModule, sideOfTimeline, simulateGraph } from "@tilewright/tilewright";
 * import { assertEquals } from "@std/assert";
 *
 * const ttir = `func.func @main(%x: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
 *   %0 = "ttir.relu"(%x) : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
 *   return %0 : tensor<64x64xbf16>
 * }`;
 * const workbench = loadModule(ttir, { device: "n150" });
 * const { graph } = workbench.binding;
 * const side = sideOfTimeline("as written", graph, undefined, simulateGraph(graph, undefined, workbench));
 * const report = diffSides(side, side);
 * assertEquals(report.changes, []);
 * assertEquals(report.comparison?.verdict, "too_close_to_call");
 * ```
 */
export function diffSides(a: DiffSide, b: DiffSide): DiffReport {
  const changes: OpChange[] = [];
  const { pairs, reordered, groups } = matchOps(a.ops, b.ops);
  const matched = pairs.flatMap(([opA, opB]): DiffReport["pairs"] =>
    opA === undefined || opB === undefined ? [] : [[opA, opB]]
  );
  const groupOf = new Map(groups.flatMap((group) => [...group.a, ...group.b].map((op) => [op, group])));
  const told = new Set<OpGroup>();
  for (const [opA, opB] of pairs) {
    const op = opA ?? opB;
    const group = op === undefined ? undefined : groupOf.get(op);
    if (group !== undefined && told.has(group)) continue;
    if (group !== undefined) told.add(group);
    const change = group === undefined ? changeOf(opA, opB) : changeOfGroup(group, pairs);
    if (change !== undefined) changes.push(change);
  }
  const deltaUs = a.totalUs === undefined || b.totalUs === undefined ? undefined : b.totalUs - a.totalUs;
  return {
    a,
    b,
    matched: matched.length,
    pairs: matched,
    reordered,
    changes: byImpact(changes),
    deltaUs,
    relativeDelta: deltaUs === undefined || !a.totalUs ? undefined : deltaUs / a.totalUs,
    comparison: a.parts === undefined || b.parts === undefined ? undefined : compareTimes(a.parts, b.parts),
  };
}

/** One change for all ops of a group, including the differences between matched ops in it. */
function changeOfGroup(group: OpGroup, pairs: readonly OpPair[]): OpChange {
  const { a, b } = group;
  const matches = pairs.flatMap(([opA, opB]) => {
    if (opA === undefined || opB === undefined || !a.includes(opA)) return [];
    return changeOf(opA, opB) ?? [];
  });
  const kind = a.length > b.length ? "fused" : a.length < b.length ? "split" : "replaced";
  const [lastA, lastB] = [a.at(-1), b.at(-1)];
  return {
    kinds: [...new Set([kind, ...matches.flatMap(({ kinds }) => kinds)] as const)],
    fields: matches.flatMap(({ fields }) => fields),
    sharding: shardingChange(
      lastA !== undefined && isShardedInL1(lastA),
      lastB !== undefined && isShardedInL1(lastB),
    ),
    a: lastA,
    b: lastB,
    group,
    ...timesOf(a, b),
  };
}

function changeOf(a: DiffOp | undefined, b: DiffOp | undefined): OpChange | undefined {
  if (a === undefined || b === undefined) {
    // `return` exists on both sides; it is listed only if it reads memory ops.
    const kind = a?.name === "func.return" || b?.name === "func.return"
      ? "conversions"
      : a === undefined
      ? "only_b"
      : "only_a";
    return {
      kinds: [kind],
      fields: [],
      sharding: undefined,
      a,
      b,
      group: undefined,
      ...timesOf(a === undefined ? [] : [a], b === undefined ? [] : [b]),
    };
  }
  const kinds: ChangeKind[] = [];
  if (a.layouts.join() !== b.layouts.join()) kinds.push("layout");
  if (a.config !== b.config) kinds.push("config");
  if (hasOtherConversions(a, b)) kinds.push("conversions");
  if (a.key !== b.key) kinds.push("attributes");
  if (kinds.length === 0) return undefined;
  return {
    kinds,
    fields: changedFields(a, b),
    sharding: shardingChange(isShardedInL1(a), isShardedInL1(b)),
    a,
    b,
    group: undefined,
    ...timesOf([a], [b]),
  };
}

function isShardedInL1({ layouts: [layout = ""] }: DiffOp): boolean {
  return /^l1\b/i.test(layout) && layout.includes("sharded");
}

function shardingChange(before: boolean, after: boolean): OpChange["sharding"] {
  return before === after ? undefined : before ? "lost" : "gained";
}

function costOf(op: DiffOp): number | undefined {
  return op.us === undefined
    ? undefined
    : op.conversions.reduce((sum, conversion) => sum + conversion.us, op.us);
}

function timesOf(a: readonly DiffOp[], b: readonly DiffOp[]): Pick<OpChange, "aUs" | "bUs" | "deltaUs"> {
  const sum = (ops: readonly DiffOp[]): number | undefined =>
    ops.map(costOf).reduce(
      (total, us) => total === undefined || us === undefined ? undefined : total + us,
      0,
    );
  const [aUs, bUs] = [sum(a), sum(b)];
  return { aUs, bUs, deltaUs: aUs === undefined || bUs === undefined ? undefined : bUs - aUs };
}

function byImpact(changes: readonly OpChange[]): readonly OpChange[] {
  return changes.map((change, order) => ({ change, order }))
    .sort((x, y) => Math.abs(y.change.deltaUs ?? 0) - Math.abs(x.change.deltaUs ?? 0) || x.order - y.order)
    .map(({ change }) => change);
}
