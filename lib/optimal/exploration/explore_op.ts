// SPDX-License-Identifier: Apache-2.0
import type { OpId } from "../../graph/graph.ts";
import type { LayoutId } from "../../layout/layout_table.ts";
import { emptyAxes } from "../../layout/make_layout.ts";
import { isJoin } from "../../search/joins.ts";
import type { OpEvaluator } from "../../search/op_evaluator.ts";
import type { LayoutIds, Way } from "../../search/ways.ts";
import { Conversions } from "./conversions.ts";
import { dropDominated } from "./dominated_results.ts";
import { exploreJoin } from "./join_table.ts";
import { feasibleCombinations } from "./operand_combinations.ts";
import { ResultQuestions } from "./result_questions.ts";
import {
  declaredFeed,
  type ExplorationLimits,
  type Feed,
  feedOf,
  fixedOp,
  l1BytesAmong,
  l1BytesOf,
  moreResults,
  RowCollector,
  type WayRow,
  type WayTable,
} from "./way_table.ts";

/**
 * Share of the allowed combinations that is listed for a join, because examining one takes as many steps as
 * there are operands.
 */
const LISTED_JOINS = 1 / 40;

/**
 * Queries an op for every combination of operand layouts:
 *
 * - with the hints of pass 1;
 * - with interleaved results, the most sharded ones, and the shardings that readers ask for;
 * - a product or convolution also with interleaved results and the configs of its sharded ones;
 * - a convolution also without freeing its activation: a plan that reads the activation again writes that
 *   anyway, and a halo whose source is freed is moved into its place, which takes time;
 * - as in the input.
 *
 * If all operands of a combination are interleaved, also queries every result that any combination produces,
 * unless it has cores without a tile: kernels leave cores empty only to keep those of a sharded operand.
 * Results that others dominate ({@linkcode dropDominated}) are left out.
 *
 * @param reads layouts per operand that may be tried, the input's among them
 * @param births per operand, the layouts that it may be born in
 * @param groups operands that share a buffer (views of one another) have equal numbers
 * @param wanted shards that readers of the first result are quicker with
 * @returns `undefined` when the op has too many combinations
 */
export function exploreOp(
  evaluator: OpEvaluator,
  op: OpId,
  reads: readonly LayoutIds[],
  births: readonly LayoutIds[],
  groups: readonly number[],
  limits: ExplorationLimits,
  wanted: readonly LayoutId[] = [],
): WayTable | undefined {
  const joins = isJoin(evaluator, op);
  const listed = joins ? LISTED_JOINS * limits.combinations : limits.combinations;
  const combinations = feasibleCombinations(evaluator, op, reads, listed);
  if (combinations === undefined) {
    return joins ? exploreJoin(evaluator, op, reads, births, groups, limits, wanted) : undefined;
  }
  const collector = new RowCollector(evaluator, limits.l1Bytes);
  // If the operands exceed even an empty L1, only a result in the buffer of one of them fits.
  const most = evaluator.mayShareBuffer(op) ? Infinity : limits.l1Bytes;
  const feeds = combinations.flatMap((combination): Feed[] => {
    const inputs = combination.map((index, operand) => reads[operand]?.[index]);
    const l1Bytes = l1BytesOf(evaluator, inputs, groups);
    return l1Bytes > most ? [] : [feedOf(combination, inputs, l1Bytes)];
  });
  evaluator.work.charge("overfullRead", combinations.length - feeds.length);
  const offer = (feed: Feed, way: Way): void => {
    collector.offer(feed, way);
    const kept = evaluator.keepingActivation(op, feed.inputs, way);
    if (kept !== undefined) collector.offer(feed, kept);
  };
  const questions = new ResultQuestions(evaluator, op, reads);
  const ask = (feed: Feed, results: Iterable<LayoutId>): void => {
    for (const result of results) {
      evaluator.work.charge("exploredResult", 1);
      const way = questions.query(feed.reads, feed.inputs, result);
      if (way !== undefined) collector.offer(feed, way);
    }
  };
  const { usual, isAllowed } = moreResults(evaluator, op, limits.freedom, wanted);
  const interleaved = usual.filter((id) => !evaluator.facts(id).isSharded);
  // The blocks that a product or convolution has for shards can also be written to pages, which saves copying the
  // shards. If they are no faster for shards than the blocks that the backend derives for pages, they are no faster
  // for pages either.
  const askInterleaved = (feed: Feed): void => {
    for (const result of interleaved) {
      const known = collector.microseconds(feed, result);
      const configs = new Set(
        evaluator.ways(op, feed.inputs).filter((way) => way.microseconds < known).map(({ config }) => config),
      );
      for (const config of configs) {
        if (config?.kind !== "matmul" && config?.kind !== "conv2d") continue;
        evaluator.work.charge("exploredResult", 1);
        const way = evaluator.query(op, feed.inputs, result, config);
        if (way !== undefined) offer(feed, way);
      }
    }
  };
  const isSharded = (id: LayoutId | undefined): boolean => id !== undefined && evaluator.facts(id).isSharded;
  const { results: [tensor, ...more] } = evaluator.signature(op);
  const conversions = new Conversions(evaluator, limits.l1Bytes);
  const prune = (feed: Feed): void => {
    if (tensor === undefined || more.length > 0) return;
    dropDominated(
      feed,
      collector.outputs,
      isSharded,
      (from, to) => conversions.direct(tensor, from, to),
    );
  };
  for (const feed of feeds) {
    for (const way of evaluator.ways(op, feed.inputs)) offer(feed, way);
    ask(feed, usual);
    askInterleaved(feed);
    prune(feed);
  }
  if (usual.length > 0) {
    const asked = new Set(usual);
    const made = collector.outputsOf(feeds).flatMap(([first]) =>
      first === undefined || asked.has(first) || !isAllowed(first) || leavesEmpty(evaluator, op, first)
        ? []
        : [first]
    );
    for (const feed of feeds) {
      if (feed.inputs.some(isSharded)) continue;
      ask(feed, made);
      prune(feed);
    }
  }
  const declared = declaredFeed(evaluator, op, reads, groups, collector, limits.refusedUs);
  if (declared !== undefined) feeds.push(declared);
  return collector.table(reads, feeds);
}

function leavesEmpty(evaluator: OpEvaluator, op: OpId, result: LayoutId): boolean {
  const [tensor] = evaluator.signature(op).results;
  return tensor !== undefined && emptyAxes(tensor.shape, evaluator.layouts.get(result)).length > 0;
}

/**
 * The ways of an op that no policy moves. It produces the layouts of the input, from every combination of
 * operand layouts for which the op model confirms that. For the operand layouts of the input there is no query.
 *
 * @param reads layouts per operand that may be tried
 * @param groups as of {@linkcode exploreOp}
 */
export function exploreKept(
  evaluator: OpEvaluator,
  op: OpId,
  reads: readonly LayoutIds[],
  groups: readonly number[],
  limits: ExplorationLimits,
): WayTable {
  const fixed = fixedOp(evaluator, op);
  const [own] = fixed.rows;
  const combinations = feasibleCombinations(evaluator, op, reads, limits.combinations);
  if (combinations === undefined || own === undefined) return fixed;
  const kept = evaluator.kept(op);
  const rows = combinations.flatMap((combination): WayRow[] => {
    const inputs = combination.map((index, operand) => reads[operand]?.[index]);
    if (inputs.every((layout, operand) => layout === kept.inputs[operand])) {
      return [{ ...own, reads: combination }];
    }
    evaluator.work.charge("exploredResult", 1);
    const { refusal, aliasedOperand, ownPeakBytes, resultBytes } = evaluator.footprint(op, inputs, kept);
    if (refusal !== undefined) return [];
    const outputL1Bytes = resultBytes.reduce((sum, bytes) => sum + bytes, 0);
    const aliases = aliasedOperand !== undefined;
    const needed = l1BytesOf(evaluator, inputs, groups);
    const l1Bytes = aliases
      ? 0
      : l1BytesAmong(limits.l1Bytes, needed, { outputL1Bytes, l1PeakBytes: ownPeakBytes });
    if (l1Bytes === undefined) return [];
    const microseconds = evaluator.runtime(op, inputs, kept);
    return [{ ...own, reads: combination, microseconds, l1Bytes, aliases }];
  });
  const least = rows.reduce((us, row) => Math.min(us, row.microseconds), Infinity);
  return { ...fixed, reads, rows, least, aliases: rows.some((row) => row.aliases) };
}
