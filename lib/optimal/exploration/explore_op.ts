// SPDX-License-Identifier: Apache-2.0
import type { OpId } from "../../graph/graph.ts";
import type { LayoutId, LayoutIds } from "../../layout/layout_table.ts";
import { type Hints, trimHints } from "../../search/hints.ts";
import { isJoin } from "../../search/joins.ts";
import type { OpEvaluator } from "../../search/op_evaluator.ts";
import type { OpImpl } from "../../search/impls.ts";
import { Conversions } from "./conversions.ts";
import { dropDominated } from "./dominated_results.ts";
import { feasibleCombinations } from "./operand_combinations.ts";
import { ResultQuestions } from "./result_questions.ts";
import {
  declaredOperandLayouts,
  type ExplorationLimits,
  fixedOp,
  type Impl,
  type ImplTable,
  l1BytesAmong,
  l1BytesOf,
  moreResults,
  type OperandLayouts,
  operandLayoutsOf,
  RowCollector,
} from "./impl_table.ts";

/**
 * Queries an op for every combination of operand layouts:
 *
 * - with the hints of pass 1;
 * - with interleaved results, the most sharded ones, and the shardings that readers ask for;
 * - a product or convolution also with interleaved results and the config of its fastest implementation;
 * - a convolution that is useful with freeing its activation also without: a plan that reads the activation again
 *   must not free it, and freeing it makes the backend move the halo into its place, which takes time;
 * - as in the input.
 *
 * Results that others dominate ({@linkcode dropDominated}) are left out.
 *
 * @param reads layouts per operand that may be tried, the input's among them
 * @param producedLayouts per operand, the layouts that it may be produced in
 * @param groups operands that share a buffer (views of one another) have equal numbers
 * @param extraShardings shardings of the first result with which a reader is faster
 * @returns `undefined` when the op has too many combinations
 */
export function exploreOp(
  evaluator: OpEvaluator,
  op: OpId,
  reads: readonly LayoutIds[],
  producedLayouts: readonly LayoutIds[],
  groups: readonly number[],
  limits: ExplorationLimits,
  extraShardings: readonly LayoutId[] = [],
): ImplTable | undefined {
  const joins = isJoin(evaluator, op);
  const combinations = feasibleCombinations(evaluator, op, reads, producedLayouts, limits.combinations);
  if (combinations === undefined) return undefined;
  const collector = new RowCollector(evaluator, limits.l1Bytes);
  const operandSets = operandSetsOf(evaluator, op, reads, combinations, groups, limits.l1Bytes);
  const questions = new ResultQuestions(evaluator, op, reads);
  const ask = (operands: OperandLayouts, results: Iterable<LayoutId>): void => {
    for (const result of results) {
      evaluator.work.charge("exploredResult", 1);
      const impl = questions.query(operands.reads, operands.inputs, result);
      if (impl !== undefined) collector.offer(operands, impl);
    }
  };
  const usual = moreResults(evaluator, op, limits.planKind, extraShardings);
  const interleaved = usual.filter((id) => !evaluator.facts(id).isSharded);
  const isSharded = (id: LayoutId | undefined): boolean => id !== undefined && evaluator.facts(id).isSharded;
  const { results: [tensor, ...more] } = evaluator.signature(op);
  const conversions = new Conversions(evaluator, limits.l1Bytes);
  const { outputs } = collector;
  const prune = (operands: OperandLayouts): void => {
    if (tensor === undefined || more.length > 0) return;
    dropDominated(operands, outputs, isSharded, (from, to) => conversions.direct(tensor, from, to));
  };
  const fewHints = limits.hintsPerType === undefined || evaluator.overrides.isOverridden(op)
    ? undefined
    : fewHintsOf(evaluator, op, limits.hintsPerType);
  for (const operands of operandSets) {
    const impls = joins
      ? joinImpls(evaluator, op, operands.inputs, usual)
      : fewHints?.flatMap((hint) => evaluator.impl(op, operands.inputs, hint) ?? []) ??
        evaluator.impls(op, operands.inputs);
    for (const impl of impls.filter((each) => collector.offer(operands, each))) {
      const kept = evaluator.keepingActivation(op, operands.inputs, impl);
      if (kept !== undefined) collector.offer(operands, kept);
    }
    ask(operands, usual);
    for (const impl of withFastestConfig(evaluator, op, operands.inputs, impls, interleaved)) {
      collector.offer(operands, impl);
    }
    prune(operands);
  }
  const declared = declaredOperandLayouts(evaluator, op, reads, groups, collector);
  if (declared !== undefined) operandSets.push(declared);
  return collector.table(reads, operandSets);
}

/**
 * Implementations of a join by its hints. From interleaved operands it could write any sharding; only the
 * usual results are queried, because every reader would explore each further one.
 */
function joinImpls(
  evaluator: OpEvaluator,
  op: OpId,
  inputs: LayoutIds,
  usual: readonly LayoutId[],
): readonly OpImpl[] {
  const isInterleaved = inputs.every((id) => id === undefined || !evaluator.facts(id).isSharded);
  return isInterleaved && usual.length > 0 ? [] : evaluator.impls(op, inputs);
}

/**
 * Combinations of operand layouts that L1 can hold while the op runs.
 *
 * @param combinations per operand, indices into `reads`
 * @param mostBytes bytes of an empty L1 per core
 */
function operandSetsOf(
  evaluator: OpEvaluator,
  op: OpId,
  reads: readonly LayoutIds[],
  combinations: readonly (readonly number[])[],
  groups: readonly number[],
  mostBytes: number,
): OperandLayouts[] {
  // If the operands exceed even an empty L1, only a result in the buffer of one of them fits.
  const most = evaluator.mayShareBuffer(op) ? Infinity : mostBytes;
  return combinations.flatMap((combination): OperandLayouts[] => {
    const inputs = combination.map((index, operand) => reads[operand]?.[index]);
    const l1Bytes = l1BytesOf(evaluator, inputs, groups);
    return l1Bytes > most ? [] : [operandLayoutsOf(combination, inputs, l1Bytes)];
  });
}

/**
 * A product or convolution with interleaved results and the config of its fastest implementation: the blocks of shards
 * write interleaved pages as well, which saves a copy. Rejected: the configs of slower implementations, which never
 * changed a plan.
 */
function* withFastestConfig(
  evaluator: OpEvaluator,
  op: OpId,
  inputs: LayoutIds,
  impls: readonly OpImpl[],
  interleaved: readonly LayoutId[],
): Generator<OpImpl> {
  const fastest = impls.reduce<OpImpl | undefined>(
    (best, impl) => best === undefined || impl.microseconds < best.microseconds ? impl : best,
    undefined,
  );
  const config = fastest?.config;
  if (config?.kind !== "matmul" && config?.kind !== "conv2d") return;
  for (const layout of interleaved) {
    evaluator.work.charge("exploredResult", 1);
    const impl = evaluator.impl(op, inputs, { layout, config });
    if (impl !== undefined) yield impl;
  }
}

/** An op's hints of both kinds, of each sharding type those with the most shards. */
function fewHintsOf(evaluator: OpEvaluator, op: OpId, perType: number): Hints["primary"] {
  const { primary, fallback } = evaluator.offeredHints(op);
  return evaluator.hints.inAllowedFidelities(
    op,
    trimHints([...primary, ...fallback], evaluator.layouts, perType),
  );
}

/**
 * Implementations of an op that no policy moves: it produces the input's layouts, from every combination of
 * operand layouts with which the op model accepts that. The input's own operand layouts are listed without a
 * query.
 *
 * @param reads layouts per operand that may be tried
 * @param groups as in {@linkcode exploreOp}
 */
export function exploreKept(
  evaluator: OpEvaluator,
  op: OpId,
  reads: readonly LayoutIds[],
  groups: readonly number[],
  limits: ExplorationLimits,
): ImplTable {
  const fixed = fixedOp(evaluator, op);
  const [own] = fixed.rows;
  const combinations = feasibleCombinations(evaluator, op, reads, [], limits.combinations);
  if (combinations === undefined || own === undefined) return fixed;
  const kept = evaluator.kept(op);
  const rows = combinations.flatMap((combination): Impl[] => {
    const inputs = combination.map((index, operand) => reads[operand]?.[index]);
    if (inputs.every((layout, operand) => layout === kept.inputs[operand])) {
      return [{ ...own, reads: combination }];
    }
    evaluator.work.charge("exploredResult", 1);
    const { refusal, aliasedOperand, ownPeakBytes, resultBytes } = evaluator.footprint(op, inputs, kept);
    if (refusal !== undefined) return [];
    const outputL1Bytes = resultBytes.reduce((sum, bytes) => sum + bytes, 0);
    const needed = l1BytesOf(evaluator, inputs, groups);
    const l1Bytes = aliasedOperand !== undefined
      ? 0
      : l1BytesAmong(limits.l1Bytes, needed, { outputL1Bytes, l1PeakBytes: ownPeakBytes });
    if (l1Bytes === undefined) return [];
    const microseconds = evaluator.runtime(op, inputs, kept);
    return [{ ...own, reads: combination, microseconds, l1Bytes }];
  });
  const least = rows.reduce((us, row) => Math.min(us, row.microseconds), Infinity);
  return { ...fixed, reads, rows, least };
}
