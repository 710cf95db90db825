// SPDX-License-Identifier: Apache-2.0
import { FULLY_EXPLORED } from "../limits.ts";
import type { OpId } from "../../graph/graph.ts";
import type { LayoutId, LayoutIds } from "../../layout/layout_table.ts";
import { joinKindOf } from "../../search/joins.ts";
import type { OpEvaluator } from "../../search/op_evaluator.ts";
import type { OpImpl } from "../../search/impls.ts";
import { type AskJoin, type JoinAxes, joinTimes } from "./join_times.ts";
import {
  declaredOperandLayouts,
  type EitherRead,
  type ExplorationLimits,
  type Impl,
  type ImplTable,
  l1BytesOf,
  moreResults,
  type OperandLayouts,
  operandLayoutsOf,
  RowCollector,
} from "./impl_table.ts";

/**
 * Implementations of a join with too many operands to list their combinations: 27 operands in DRAM or L1 have
 * 134 million. Each kind of layout that all operands may share is one combination per result. An operand with
 * several layouts of the kind chooses among them independently ({@linkcode ImplTable.eitherOf}). The sum of
 * the op's and its operands' charges is a lower bound of every real combination ({@linkcode joinTimes}).
 *
 * Not all combinations need a query. A join copies its operands page by page (`joinPages`), so among equal
 * operands (same shape, format and layouts) only the number of operands per layout matters.
 *
 * @param producedLayouts per operand, the layouts that it may be produced in
 * @param groups as in `exploreOp`
 * @param extraShardings as there
 */
export function exploreJoin(
  evaluator: OpEvaluator,
  op: OpId,
  reads: readonly LayoutIds[],
  producedLayouts: readonly LayoutIds[],
  groups: readonly number[],
  limits: ExplorationLimits,
  extraShardings: readonly LayoutId[] = [],
): ImplTable {
  const collector = new RowCollector(evaluator, limits.l1Bytes);
  const usual = moreResults(evaluator, op, limits.freedom, extraShardings);
  const allReads = reads.map((layouts) => [...layouts]);
  const eitherOf = reads.map(() => new Map<number, readonly EitherRead[]>());
  const explore = (operands: OperandLayouts): OperandLayouts["cheapest"] => {
    for (const impl of joinImpls(evaluator, op, operands.inputs, usual)) collector.offer(operands, impl);
    collector.ask(op, operands, usual);
    return operands.cheapest;
  };
  const ask = askerOf(op, collector, explore);
  const rows = [...axesByKind(evaluator, reads)].flatMap((axes): readonly Impl[] => {
    if (axes.every((axis) => axis.length === 1)) {
      const inputs = axes.map(([layout]) => layout);
      const asRead = axes.map(([layout], operand) => reads[operand]?.indexOf(layout) ?? 0);
      return explore(operandLayoutsOf(asRead, inputs, l1BytesOf(evaluator, inputs, groups)));
    }
    const bytesOf = (operand: number): number => totalBytes(evaluator, axes[operand]?.[0]);
    return joinTimes(joinedAxes(evaluator, op, axes, producedLayouts), bytesOf, limits.combinations, ask())
      .map((time) => {
        const asRead = axes.map((axis, operand) => {
          if (axis.length === 1) return reads[operand]?.indexOf(axis[0]) ?? 0;
          const index = (allReads[operand]?.push(undefined) ?? 1) - 1;
          const extra = time.extraUs[operand];
          eitherOf[operand]?.set(index, axis.map((layout, at) => ({ layout, extraUs: extra?.[at] ?? 0 })));
          return index;
        });
        const { row, microseconds, ownUs } = time;
        // It needs the L1 that all combinations have in common, which is unknown.
        return { ...row, reads: asRead, microseconds, ownUs, l1Bytes: 0 };
      });
  });
  const declared = declaredOperandLayouts(evaluator, op, reads, groups, collector);
  if (declared !== undefined) rows.push(...declared.cheapest);
  return {
    reads: allReads,
    eitherOf,
    outputs: collector.outputs,
    rows,
    smaller: [],
    least: rows.reduce((us, row) => Math.min(us, row.ownUs ?? row.microseconds), Infinity),
    relaxed: false,
  };
}

/**
 * Implementations of a join by its hints. From interleaved operands it could write any sharding; only the
 * usual results are queried, because every reader would explore each further one.
 */
export function joinImpls(
  evaluator: OpEvaluator,
  op: OpId,
  inputs: LayoutIds,
  usual: readonly LayoutId[],
): readonly OpImpl[] {
  const isInterleaved = inputs.every((id) => id === undefined || !evaluator.facts(id).isSharded);
  return isInterleaved && usual.length > 0 ? [] : evaluator.impls(op, inputs);
}

/**
 * Returns a function that queries a join for one combination at a time. The results of the first combinations
 * of a kind are the only ones queried for the rest of that kind.
 */
function askerOf(
  op: OpId,
  collector: RowCollector,
  explore: (operands: OperandLayouts) => OperandLayouts["cheapest"],
): () => AskJoin {
  return () => {
    const made = new Set<LayoutId>();
    let explored = 0;
    return (inputs) => {
      const operands = operandLayoutsOf([], inputs, 0);
      if (explored++ >= FULLY_EXPLORED) {
        collector.ask(op, operands, made);
      } else {
        for (const { output } of explore(operands)) {
          const [layout] = collector.outputs[output] ?? [];
          if (layout !== undefined) made.add(layout);
        }
      }
      return new Map(operands.cheapest.map((row) => [row.output, row]));
    };
  };
}

function totalBytes(evaluator: OpEvaluator, layout: LayoutId | undefined): number {
  return layout === undefined ? 0 : evaluator.facts(layout).totalBytes;
}

/** Per kind that every operand can have: the layouts of this kind for each operand. */
function* axesByKind(
  evaluator: OpEvaluator,
  reads: readonly LayoutIds[],
): Generator<readonly (readonly LayoutId[])[]> {
  const byOperand = reads.map((layouts) => {
    const kinds = new Map<string, LayoutId[]>();
    for (const id of layouts) {
      if (id === undefined) continue;
      const kind = joinKindOf(evaluator.layouts.get(id));
      kinds.set(kind, [...kinds.get(kind) ?? [], id]);
    }
    return kinds;
  });
  for (const kind of byOperand[0]?.keys() ?? []) {
    const axes = byOperand.map((kinds) => kinds.get(kind) ?? []);
    if (axes.every((axis) => axis.length > 0)) yield axes;
  }
}

/**
 * Per operand the layouts in which the join may read it, and the classes of equal operands: same shape,
 * format and possible layouts.
 */
function joinedAxes(
  evaluator: OpEvaluator,
  op: OpId,
  axes: readonly (readonly LayoutId[])[],
  producedLayouts: readonly LayoutIds[],
): JoinAxes {
  const atHome = axes.map((axis, operand) =>
    axis.filter((layout) => producedLayouts[operand]?.includes(layout) === true)
  );
  const classes = Map.groupBy(evaluator.op(op).operands.entries(), ([operand, value]) => {
    const { tensor } = evaluator.value(value);
    return `${tensor?.shape.join("x")}:${tensor?.dataType}:${axes[operand]?.join()}:${
      atHome[operand]?.join()
    }`;
  });
  return {
    axes,
    atHome,
    classes: [...classes.values()].map((members) => members.map(([operand]) => operand)),
  };
}
