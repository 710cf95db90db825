// SPDX-License-Identifier: Apache-2.0
import { functionNamed, type Graph, type GraphFunction, opAt, opId, valueAt } from "../lib/graph/graph.ts";
import type { MemoryVerdict } from "../lib/memory/memory_verdict.ts";
import { isBookkeeping } from "../lib/ops/bookkeeping.ts";
import { definitionOf } from "../lib/ops/op_book.ts";
import type { Plan } from "../lib/plan/plan.ts";
import type { UncertainTime } from "../sim/timeline/error_band.ts";
import type { TimeBand, Timeline } from "../sim/timeline/timeline.ts";
import { comparedTimes, countMoves, type MoveCounts } from "./compared_times.ts";
import { opRows, RETURN, type SavedRow } from "./op_rows.ts";
import { countLayouts, type SavedPlan, sumCounters } from "./plan_document.ts";

/** A memory op before an op, from the plan or the text. */
export interface DiffConversion {
  /** Layout that is read, as `describeLayout` spells it. */
  readonly from: string;
  /** Layout of the copy, as `describeLayout` spells it. */
  readonly to: string;
  /** µs, its gap included. */
  readonly us: number;
  /**
   * Operand that reads it; `undefined` for `return`, for a copy of a copy, and if a document does not state
   * it.
   */
  readonly operand: number | undefined;
}

/** A use of a result. */
export interface DiffReader {
  /** Id of the op, in the same function; `undefined` for `return`. */
  readonly op: number | undefined;
  /** Index of the operand. */
  readonly operand: number;
  /** Whether all other operands of the op are absent, as for a slice. */
  readonly isSole: boolean;
}

/** One op in a comparison: its meaning, its decision, its cost. */
export interface DiffOp {
  /** Op id in its function, as `OpRow.id`. */
  readonly id: number;
  /** Meaning without decisions; ops with equal keys may be the same op. */
  readonly key: string;
  /** Name without `@`. */
  readonly function: string;
  /** Full name; `func.return` for memory ops that `return` reads. */
  readonly name: string;
  /** Problem size for people, as in {@linkcode OpRow.shape}. */
  readonly shape: string;
  /** Text of the op's location; `""` without one. */
  readonly location: string;
  /** Layout per result. */
  readonly layouts: readonly string[];
  /** Config as JSON, `""` for none. */
  readonly config: string;
  /** µs, including its gap; `undefined` without a prediction (a decision trace). */
  readonly us: number | undefined;
  /** Memory ops that it reads. */
  readonly conversions: readonly DiffConversion[];
  /** The readers of its results, through memory ops; `undefined` for `return`, and if unknown (a plan, a trace). */
  readonly readers: readonly DiffReader[] | undefined;
}

/** One side of a comparison. */
export interface DiffSide extends MoveCounts {
  /** Name of the side in reports, for example its file. */
  readonly label: string;
  /** Name of the device for which the times are predicted; `""` for a decision trace. */
  readonly device: string;
  /**
   * TTNN ops of an inference in execution order, memory ops folded into their readers. Ops that run nothing
   * on the device, such as loads of const-eval results, are left out.
   */
  readonly ops: readonly DiffOp[];
  /** Ops with a result that is sharded in L1, without memory ops; as in a plan's summary. */
  readonly shardedOps: number;
  /** Ops with a result in L1, without memory ops; as in a plan's summary. */
  readonly l1ResidentOps: number;
  /** µs of one inference; `undefined` without a prediction. */
  readonly totalUs: number | undefined;
  /** Band of `totalUs`, `undefined` together with it. */
  readonly band: TimeBand | undefined;
  /** The µs of `totalUs` outside of the measured range; `undefined` together with it. */
  readonly extrapolatedUs: number | undefined;
  /** The terms of `totalUs` with their errors; `undefined` together with it. */
  readonly parts: readonly UncertainTime[] | undefined;
  /** Bytes per core; `undefined` if unknown (a decision trace). */
  readonly peakL1Bytes: number | undefined;
  /** Whether it fits; `undefined` if that was not checked (a decision trace). */
  readonly memory: MemoryVerdict | undefined;
  /** The policy's counters (chains, failures, …), summed over functions; empty without a policy. */
  readonly counters: Readonly<Record<string, number>>;
}

/** A simulated graph as one side of a comparison: the functions that run in an inference. */
export function sideOfTimeline(
  label: string,
  graph: Graph,
  plan: Plan | undefined,
  timeline: Timeline,
): DiffSide {
  const { shardedOps, l1ResidentOps } = countLayouts(timeline);
  const rows = opRows(graph, plan, timeline);
  return {
    label,
    device: timeline.device,
    ops: diffOps(rows, (row) => readersOf(functionNamed(graph, row.function), row.id)),
    ...countMoves(rows, plan),
    shardedOps,
    l1ResidentOps,
    totalUs: timeline.inference.totalUs,
    band: timeline.inference.band,
    extrapolatedUs: timeline.inference.extrapolatedUs,
    parts: comparedTimes(rows),
    peakL1Bytes: timeline.functions.filter((fn) => fn.role === "inference")
      .reduce((peak, fn) => Math.max(peak, fn.peakL1Bytes), 0),
    memory: timeline.verdict,
    counters: plan === undefined ? {} : sumCounters(plan.functions),
  };
}

/** A document of `optimize --json` as one side of a comparison. */
export function sideOfDocument(label: string, document: SavedPlan): DiffSide {
  return {
    label,
    device: document.device,
    ops: diffOps(document.ops, () => undefined),
    shardedOps: document.summary.shardedOps,
    l1ResidentOps: document.summary.l1ResidentOps,
    reshards: document.summary.reshards,
    spills: document.summary.spills,
    totalUs: document.summary.predictedUs,
    band: document.summary.predictedBand,
    extrapolatedUs: document.summary.extrapolatedUs,
    parts: comparedTimes(document.ops),
    peakL1Bytes: document.summary.peakL1Bytes,
    memory: document.summary.verdict,
    counters: document.summary.counters,
  };
}

/** Folds memory ops into their readers. */
function diffOps<Row extends SavedRow>(
  rows: readonly Row[],
  readers: (row: Row) => readonly DiffReader[] | undefined,
): readonly DiffOp[] {
  const conversionsOf = new Map<string, DiffConversion[]>();
  for (const row of rows) {
    const target = `${row.function}/${row.feeds ?? row.id}`;
    const list = conversionsOf.getOrInsertComputed(target, () => []);
    for (const { from, to, us, operand } of row.conversions) list.push({ from, to, us, operand });
    if (row.feeds !== undefined) {
      list.push({
        from: row.inputs[0] ?? "",
        to: row.after[0] ?? "",
        us: row.us,
        operand: row.readingOperand,
      });
    }
  }
  const isCompared = (row: Row): boolean =>
    row.feeds === undefined &&
    (row.name === RETURN || !isBookkeeping({ name: row.name, attributes: new Map() }));
  return rows.filter(isCompared).map((row): DiffOp => ({
    id: row.id,
    key: row.meaning,
    function: row.function,
    name: row.name,
    shape: row.shape,
    location: row.location,
    layouts: row.after,
    config: row.config === undefined ? "" : canonicalJson(row.config),
    us: row.us,
    conversions: conversionsOf.get(`${row.function}/${row.id}`) ?? [],
    readers: row.name === RETURN ? undefined : readers(row),
  }));
}

function readersOf(fn: GraphFunction, id: number): readonly DiffReader[] {
  return opAt(fn, opId(fn, id)).results.flatMap((result) => [
    ...fn.results.flatMap((returned, operand) =>
      returned === result ? [{ op: undefined, operand, isSole: false }] : []
    ),
    ...valueAt(fn, result).uses.flatMap(({ op, operand }) => {
      const { name, operands } = opAt(fn, op);
      return definitionOf(name).memoryOp
        ? readersOf(fn, op)
        : [{ op, operand, isSole: operands.length === 1 }];
    }),
  ]);
}

/** JSON with sorted keys, so that equal configs give equal text. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, part) => {
    if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => a < b ? -1 : 1));
  });
}
