// SPDX-License-Identifier: Apache-2.0
import { compareTimes, type TimeComparison } from "../sim/timeline/error_band.ts";
import { type ChangedField, changedFields, conversionText } from "./diff_fields.ts";
import type { DiffOp, DiffSide } from "./diff_side.ts";
import { matchOps } from "./match_ops.ts";

/**
 * What differs between two ops that mean the same; or that one side has the op alone, `fused` or `split` where an op of
 * the other side does its work: b has fused what a runs apart, or runs apart what a has fused.
 */
export type ChangeKind =
  | "layout"
  | "config"
  | "conversions"
  | "attributes"
  | "fused"
  | "split"
  | "only_a"
  | "only_b";

/** One op that differs. */
export interface OpChange {
  /** Everything that differs; a single entry when one side has no such op. */
  readonly kinds: readonly ChangeKind[];
  /** What differs field by field; empty when one side has no such op. */
  readonly fields: readonly ChangedField[];
  /** Whether the first result was sharded in L1 on one side and is not on the other. */
  readonly sharding: "lost" | "gained" | undefined;
  /** `undefined` for `only_b`; for `split` the op that does the work of `b` among others. */
  readonly a: DiffOp | undefined;
  /** `undefined` for `only_a`; for `fused` the op that does the work of `a` among others. */
  readonly b: DiffOp | undefined;
  /** Predicted µs of b minus those of a, conversions included; `undefined` when one side has no prediction. */
  readonly deltaUs: number | undefined;
}

/** A comparison of two sides. */
export interface DiffReport {
  /** The side that differences are taken from. */
  readonly a: DiffSide;
  /** The side that is judged. */
  readonly b: DiffSide;
  /** Ops that mean the same on both sides. */
  readonly matched: number;
  /** Those of them that run in another order. */
  readonly reordered: number;
  /** Largest predicted effect first; equal effects in the order of the program. */
  readonly changes: readonly OpChange[];
  /** Predicted µs of b minus those of a. */
  readonly deltaUs: number | undefined;
  /** {@linkcode deltaUs} over the time of a. */
  readonly relativeDelta: number | undefined;
  /**
   * What may be claimed about b against a: the error of the difference follows from what the two do not share;
   * `undefined` when one side has no prediction.
   */
  readonly comparison: TimeComparison | undefined;
}

/**
 * Compares two sides op by op ({@linkcode matchOps} says which belong together). Memory ops count as part of the op
 * they feed.
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
  let matched = 0;
  const { pairs, reordered, absorbed } = matchOps(a.ops, b.ops);
  for (const [opA, opB] of pairs) {
    if (opA !== undefined && opB !== undefined) matched++;
    const change = absorption(opA, opB, absorbed) ?? changeOf(opA, opB);
    if (change !== undefined) changes.push(change);
  }
  const deltaUs = a.totalUs === undefined || b.totalUs === undefined ? undefined : b.totalUs - a.totalUs;
  return {
    a,
    b,
    matched,
    reordered,
    changes: byImpact(changes),
    deltaUs,
    relativeDelta: deltaUs === undefined || !a.totalUs ? undefined : deltaUs / a.totalUs,
    comparison: a.parts === undefined || b.parts === undefined ? undefined : compareTimes(a.parts, b.parts),
  };
}

/** The change of an op that one side has alone because an op of the other side does its work. */
function absorption(
  a: DiffOp | undefined,
  b: DiffOp | undefined,
  absorbed: ReadonlyMap<DiffOp, DiffOp>,
): OpChange | undefined {
  const inB = a === undefined || b !== undefined ? undefined : absorbed.get(a);
  if (a !== undefined && inB !== undefined) {
    return {
      kinds: ["fused"],
      fields: [],
      sharding: undefined,
      a,
      b: inB,
      deltaUs: difference(costOf(a), 0),
    };
  }
  const inA = b === undefined || a !== undefined ? undefined : absorbed.get(b);
  return b === undefined || inA === undefined
    ? undefined
    : { kinds: ["split"], fields: [], sharding: undefined, a: inA, b, deltaUs: difference(0, costOf(b)) };
}

function changeOf(a: DiffOp | undefined, b: DiffOp | undefined): OpChange | undefined {
  if (a === undefined || b === undefined) {
    // `return` exists on both sides; it is listed only where memory ops feed it.
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
      deltaUs: difference(a === undefined ? 0 : costOf(a), b === undefined ? 0 : costOf(b)),
    };
  }
  const kinds: ChangeKind[] = [];
  if (a.layouts.join() !== b.layouts.join()) kinds.push("layout");
  if (a.config !== b.config) kinds.push("config");
  if (conversionText(a.conversions) !== conversionText(b.conversions)) kinds.push("conversions");
  if (a.key !== b.key) kinds.push("attributes");
  if (kinds.length === 0) return undefined;
  return {
    kinds,
    fields: changedFields(a, b),
    sharding: shardingChange(isShardedInL1(a), isShardedInL1(b)),
    a,
    b,
    deltaUs: difference(costOf(a), costOf(b)),
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

function difference(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : b - a;
}

function byImpact(changes: readonly OpChange[]): readonly OpChange[] {
  return changes.map((change, order) => ({ change, order }))
    .sort((x, y) => Math.abs(y.change.deltaUs ?? 0) - Math.abs(x.change.deltaUs ?? 0) || x.order - y.order)
    .map(({ change }) => change);
}
