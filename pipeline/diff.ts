// SPDX-License-Identifier: Apache-2.0
import { diffArrays } from "diff";
import { compareTimes, type TimeComparison } from "../sim/timeline/error_band.ts";
import type { DiffConversion, DiffOp, DiffSide } from "./diff_side.ts";

/** What differs between two ops that mean the same, or that one side has the op alone. */
export type ChangeKind = "layout" | "config" | "conversions" | "attributes" | "only_a" | "only_b";

/** One op that differs. */
export interface OpChange {
  /** Everything that differs; a single entry when one side has no such op. */
  readonly kinds: readonly ChangeKind[];
  /** `undefined` for `only_b`. */
  readonly a: DiffOp | undefined;
  /** `undefined` for `only_a`. */
  readonly b: DiffOp | undefined;
  /** Predicted µs of b minus those of a, conversions included; `undefined` when one side has no prediction. */
  readonly deltaUs: number | undefined;
}

/** Memory ops of one side, by where they move tensors. */
export interface ConversionCounts {
  /** Into L1, or between L1 layouts. */
  readonly reshards: number;
  /** From L1 to DRAM: spills, and results that the signature wants in DRAM. */
  readonly toDram: number;
  /** Pages, formats and host transfers. */
  readonly other: number;
}

/** A comparison of two sides. */
export interface DiffReport {
  /** The side that differences are taken from. */
  readonly a: DiffSide;
  /** The side that is judged. */
  readonly b: DiffSide;
  /** Ops that mean the same on both sides. */
  readonly matched: number;
  /** Largest predicted effect first; equal effects in the order of the program. */
  readonly changes: readonly OpChange[];
  /** Memory ops of `a`. */
  readonly conversionsA: ConversionCounts;
  /** Memory ops of `b`. */
  readonly conversionsB: ConversionCounts;
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
 * Compares two sides op by op. Ops are matched by what they mean, in order (Myers' longest common subsequence), so that
 * renamed values, aliases and locations and inserted ops do not disturb; what is left between two matches is matched by
 * name and problem size, for ops whose operands another compiler stage prepared otherwise. Memory ops count as part of
 * the op they feed.
 *
 * @example
 * ```ts
 * import { chipDescription, createWorkbench, diffSides, getDevice, lowerModule, parseModule, sideOfTimeline, simulateGraph } from "@tilewright/tilewright";
 * import { assertEquals } from "@std/assert";
 *
 * const ttir = `func.func @main(%x: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
 *   %0 = "ttir.relu"(%x) : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
 *   return %0 : tensor<64x64xbf16>
 * }`;
 * const device = getDevice("n150");
 * const text = lowerModule(parseModule(ttir, "relu.mlir"), chipDescription(device));
 * const workbench = createWorkbench(parseModule(text, "relu.mlir"), device);
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
  for (const [opA, opB] of matchOps(a.ops, b.ops)) {
    if (opA !== undefined && opB !== undefined) matched++;
    const change = changeOf(opA, opB);
    if (change !== undefined) changes.push(change);
  }
  const deltaUs = a.totalUs === undefined || b.totalUs === undefined ? undefined : b.totalUs - a.totalUs;
  return {
    a,
    b,
    matched,
    changes: byImpact(changes),
    conversionsA: countConversions(a),
    conversionsB: countConversions(b),
    deltaUs,
    relativeDelta: deltaUs === undefined || !a.totalUs ? undefined : deltaUs / a.totalUs,
    comparison: a.parts === undefined || b.parts === undefined ? undefined : compareTimes(a.parts, b.parts),
  };
}

type OpPair = readonly [a: DiffOp | undefined, b: DiffOp | undefined];

function matchOps(a: readonly DiffOp[], b: readonly DiffOp[]): readonly OpPair[] {
  const pairs: OpPair[] = [];
  let gapA: DiffOp[] = [];
  let gapB: DiffOp[] = [];
  const closeGap = (): void => {
    pairs.push(...align(gapA, gapB, (op) => `${op.name}|${op.shape}`));
    gapA = [];
    gapB = [];
  };
  for (const [opA, opB] of align(a, b, (op) => op.key)) {
    if (opA !== undefined && opB !== undefined) {
      closeGap();
      pairs.push([opA, opB]);
    } else if (opA !== undefined) gapA.push(opA);
    else if (opB !== undefined) gapB.push(opB);
  }
  closeGap();
  return pairs;
}

/** Pairs of ops with equal keys in a longest common subsequence, and the rest alone, in order. */
function align(a: readonly DiffOp[], b: readonly DiffOp[], keyOf: (op: DiffOp) => string): readonly OpPair[] {
  const pairs: OpPair[] = [];
  let indexA = 0;
  let indexB = 0;
  for (const part of diffArrays(a.map(keyOf), b.map(keyOf))) {
    for (let count = 0; count < part.value.length; count++) {
      pairs.push([part.added ? undefined : a[indexA++], part.removed ? undefined : b[indexB++]]);
    }
  }
  return pairs;
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
      a,
      b,
      deltaUs: difference(a === undefined ? 0 : costOf(a), b === undefined ? 0 : costOf(b)),
    };
  }
  const kinds: ChangeKind[] = [];
  if (a.layouts.join() !== b.layouts.join()) kinds.push("layout");
  if (a.config !== b.config) kinds.push("config");
  if (conversionKey(a.conversions) !== conversionKey(b.conversions)) kinds.push("conversions");
  if (a.key !== b.key) kinds.push("attributes");
  return kinds.length === 0 ? undefined : { kinds, a, b, deltaUs: difference(costOf(a), costOf(b)) };
}

function costOf(op: DiffOp): number | undefined {
  return op.us === undefined
    ? undefined
    : op.conversions.reduce((sum, conversion) => sum + conversion.us, op.us);
}

function difference(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : b - a;
}

function conversionKey(conversions: readonly DiffConversion[]): string {
  return conversions.map((conversion) => `${conversion.from}>${conversion.to}`).sort().join();
}

function byImpact(changes: readonly OpChange[]): readonly OpChange[] {
  return changes.map((change, order) => ({ change, order }))
    .sort((x, y) => Math.abs(y.change.deltaUs ?? 0) - Math.abs(x.change.deltaUs ?? 0) || x.order - y.order)
    .map(({ change }) => change);
}

function countConversions(side: DiffSide): ConversionCounts {
  let reshards = 0;
  let toDram = 0;
  let other = 0;
  for (const { from, to } of side.ops.flatMap((op) => op.conversions)) {
    if (to.startsWith("l1")) reshards++;
    else if (from.startsWith("l1") && to.startsWith("dram")) toDram++;
    else other++;
  }
  return { reshards, toDram, other };
}
