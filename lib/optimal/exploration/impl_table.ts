// SPDX-License-Identifier: Apache-2.0
import type { OpId } from "../../graph/graph.ts";
import type { LayoutId, LayoutIds } from "../../layout/layout_table.ts";
import type { OpFootprint } from "../../memory/op_footprint.ts";
import type { OpSpecificAttributes } from "../../op_config/op_config.ts";
import type { OpEvaluator } from "../../search/op_evaluator.ts";
import type { Choice, OpImpl, OutputChoice } from "../../search/impls.ts";

/** A row of a table: an implementation of the op, with layouts given by index in the table. */
export interface Impl {
  /** Per operand: index into {@linkcode ImplTable.reads}. */
  readonly reads: readonly number[];
  /** Index into {@linkcode ImplTable.outputs}. */
  readonly output: number;
  /** Predicted µs. */
  readonly microseconds: number;
  /** As {@linkcode OutputChoice.config}. */
  readonly config: OpSpecificAttributes | undefined;
  /**
   * Bytes of L1 per core that the op needs for operands, results and circular buffers. 0 if unknown, or if they
   * exceed all of L1 although none of its tensors is in L1: then nothing else that leaves L1 could help.
   */
  readonly l1Bytes: number;
}

/** Layouts that an op may read and produce, and every legal implementation that no other one dominates. */
export interface ImplTable {
  /** Layouts per operand in which it may be read; `undefined` stands for an operand that is not converted. */
  readonly reads: readonly LayoutIds[];
  /** Lists of result layouts that the op may produce. */
  readonly outputs: readonly LayoutIds[];
  /** The fastest implementation per combination of reads and output. */
  readonly rows: readonly Impl[];
  /**
   * Implementations that are slower than the one of `rows` with the same reads and output, but need less L1
   * than everything faster.
   */
  readonly smaller: readonly Impl[];
  /** µs of the cheapest row. */
  readonly least: number;
  /** Whether the op was too much to explore; see {@linkcode relaxedOp}. */
  readonly relaxed: boolean;
}

/**
 * What the ops of a plan may do.
 *
 * - `hinted`: ops that pass 1 decides produce only memory layouts that their hints name, and read only
 *   layouts that their input filter accepts; all others run as in the input. Pass-based policies keep to
 *   this.
 * - `confirmed`: every movable op may do everything that the op model accepts. Chain policies query without
 *   hints.
 */
export type PlanKind = "hinted" | "confirmed";

/** Limits of exploring one op. */
export interface ExplorationLimits {
  /** Combinations of operand layouts per op; an op with more is relaxed. */
  readonly combinations: number;
  readonly planKind: PlanKind;
  /** Bytes per core between the first and the last address of L1: nothing larger can run. */
  readonly l1Bytes: number;
  /** Asked before every op: whether to stop exploring; the op and those behind it are then relaxed. */
  readonly isSpent?: () => boolean;
  /**
   * Budget of work in µs, after which ops are explored narrowly (`NARROW`). If finding {@linkcode
   * ExtraShardings} takes more than half of it, all ops are. Default: no limit.
   */
  readonly wideUs?: number;
  /** Most hints per sharding type that an op is queried with, those with the most shards; by default all. */
  readonly hintsPerType?: number;
}

/**
 * Adds the op as in the input to the collector's rows.
 *
 * @param groups operands that share a buffer have equal numbers
 * @returns the operand layouts of the input, with that row; `undefined`, without a row, if `reads` lacks one of
 *   them, if overrides forbid the op as in the input, or if the op model refuses it and accepts something else
 */
export function declaredOperandLayouts(
  evaluator: OpEvaluator,
  op: OpId,
  reads: readonly LayoutIds[],
  groups: readonly number[],
  collector: RowCollector,
): OperandLayouts | undefined {
  const declared = evaluator.kept(op);
  const asRead = declared.inputs.map((layout, operand) => reads[operand]?.indexOf(layout) ?? -1);
  const footprint = evaluator.footprint(op, declared.inputs, declared);
  const isLastResort = footprint.refusal !== undefined && collector.outputs.length > 0;
  if (asRead.includes(-1) || isLastResort) return undefined;
  if (!evaluator.overrides.allow(op, declared.inputs, declared)) return undefined;
  const operands = operandLayoutsOf(asRead, declared.inputs, l1BytesOf(evaluator, declared.inputs, groups));
  const microseconds = evaluator.runtime(op, declared.inputs, declared);
  collector.addDeclared(operands, declared, microseconds, footprint);
  return operands;
}

/** One combination of operand layouts. */
export interface OperandLayouts {
  readonly reads: readonly number[];
  readonly inputs: LayoutIds;
  /** Bytes per core that the operands take in L1. */
  readonly l1Bytes: number;
  /**
   * The fastest row of each output so far, in the order in which outputs were found; there are a few for each
   * combination.
   */
  readonly cheapest: Impl[];
  /** By output: slower rows that need less L1 than every faster one; created on first use. */
  smaller: Map<number, readonly Impl[]> | undefined;
}

/** A combination of operand layouts without any query yet. */
export function operandLayoutsOf(
  reads: readonly number[],
  inputs: LayoutIds,
  l1Bytes: number,
): OperandLayouts {
  return { reads, inputs, l1Bytes, cheapest: [], smaller: undefined };
}

/**
 * Numbers the result layouts of an op, and keeps the useful rows for each combination of operand layouts and
 * result.
 */
export class RowCollector {
  readonly outputs: LayoutIds[] = [];
  readonly #outputOf: Map<number, number> = new Map();
  readonly #evaluator: OpEvaluator;
  readonly #l1Bytes: number;

  constructor(evaluator: OpEvaluator, l1Bytes: number) {
    this.#evaluator = evaluator;
    this.#l1Bytes = l1Bytes;
  }

  /**
   * Adds an implementation if an empty L1 could hold it and it is of use; implementations that share an operand's
   * buffer are always held.
   *
   * @returns whether it was added
   */
  offer(operands: OperandLayouts, impl: OpImpl): boolean {
    const l1Bytes = impl.aliasedOperand !== undefined
      ? operands.l1Bytes
      : l1BytesAmong(this.#l1Bytes, operands.l1Bytes, impl);
    if (l1Bytes === undefined) return false;
    const { microseconds, config } = impl;
    const output = this.#outputIndex(impl.outputsId, impl.outputs);
    const place = placeOf(operands, output);
    if (isNeedless(operands.cheapest[place], microseconds, l1Bytes)) return false;
    add(operands, place, { reads: operands.reads, output, microseconds, config, l1Bytes });
    return true;
  }

  /** Adds the op as in the input. */
  addDeclared(
    operands: OperandLayouts,
    { outputs, config }: OutputChoice,
    microseconds: number,
    footprint: OpFootprint,
  ): void {
    const needed = operands.l1Bytes + footprint.ownPeakBytes;
    const isLegal = footprint.aliasedOperand === undefined && footprint.refusal === undefined &&
      needed <= this.#l1Bytes;
    const output = this.#outputIndex(this.#evaluator.outputsId(outputs), outputs);
    add(operands, placeOf(operands, output), {
      reads: operands.reads,
      output,
      microseconds,
      config,
      l1Bytes: isLegal ? needed : 0,
    });
  }

  /** The result layouts that rows of some operand combinations produce. */
  outputsOf(operandSets: readonly OperandLayouts[]): readonly LayoutIds[] {
    const made = new Set(operandSets.flatMap(({ cheapest }) => cheapest.map(({ output }) => output)));
    return this.outputs.filter((_, output) => made.has(output));
  }

  /** The table of some operand combinations, with the results that their rows produce. */
  table(reads: readonly LayoutIds[], operandSets: readonly OperandLayouts[]): ImplTable {
    const outputs = this.outputsOf(operandSets);
    const numbers = new Map(outputs.map((layouts, output) => [layouts, output]));
    const numbered = (row: Impl): Impl => {
      const output = numbers.get(this.outputs[row.output] ?? []);
      if (output === undefined) throw new RangeError(`Cannot number result ${row.output}: no row makes it`);
      return output === row.output ? row : { ...row, output };
    };
    const rows = operandSets.flatMap((operands) => operands.cheapest.map(numbered));
    const smaller = operandSets.flatMap((operands) =>
      [...operands.smaller?.values() ?? []].flat().map(numbered)
    );
    const least = rows.reduce((us, row) => Math.min(us, row.microseconds), Infinity);
    return { reads, outputs, rows, smaller, least, relaxed: false };
  }

  /** @param id equal for equal lists of layouts */
  #outputIndex(id: number, outputs: LayoutIds): number {
    let output = this.#outputOf.get(id);
    if (output === undefined) this.#outputOf.set(id, output = this.outputs.push(outputs) - 1);
    return output;
  }
}

/** Index in `cheapest` of the row with a given output; the next free index if there is none. */
function placeOf({ cheapest }: OperandLayouts, output: number): number {
  let place = 0;
  while (place < cheapest.length && cheapest[place]?.output !== output) place++;
  return place;
}

/** Whether a row is no faster than the fastest one with the same result and needs no less L1. */
function isNeedless(least: Impl | undefined, microseconds: number, l1Bytes: number): boolean {
  return least !== undefined && microseconds >= least.microseconds && l1Bytes >= least.l1Bytes;
}

/**
 * Adds a row to a combination of operand layouts unless another row with the same result makes it useless,
 * and drops rows that it makes useless.
 *
 * @param place of its output, {@linkcode placeOf}
 */
function add(operands: OperandLayouts, place: number, row: Impl): void {
  const { output } = row;
  const fastest = operands.cheapest[place];
  if (isNeedless(fastest, row.microseconds, row.l1Bytes)) return;
  const isCheaper = fastest === undefined || row.microseconds < fastest.microseconds;
  if (isCheaper) operands.cheapest[place] = row;
  if (fastest === undefined) return;
  const smaller = operands.smaller ??= new Map<number, readonly Impl[]>();
  const others = [...smaller.get(output) ?? [], isCheaper ? fastest : row];
  smaller.set(output, leanerRows(others, (isCheaper ? row : fastest).l1Bytes));
}

/**
 * As {@linkcode Impl.l1Bytes}; `undefined` for an implementation that exceeds even an empty L1.
 *
 * @param most bytes of L1 per core
 * @param operandBytes of the operands in L1
 */
export function l1BytesAmong(
  most: number,
  operandBytes: number,
  { outputL1Bytes, l1PeakBytes }: Pick<OpImpl, "outputL1Bytes" | "l1PeakBytes">,
): number | undefined {
  const needed = operandBytes + l1PeakBytes;
  if (needed <= most) return needed;
  return operandBytes + outputL1Bytes === 0 ? 0 : undefined;
}

/**
 * Rows that need less L1 than `least` bytes and than every faster row, fastest first.
 *
 * @param rows with the same reads and output
 */
export function leanerRows(rows: readonly Impl[], least: number): readonly Impl[] {
  return rows.toSorted((a, b) => a.microseconds - b.microseconds || a.l1Bytes - b.l1Bytes)
    .filter(({ l1Bytes }) => {
      if (l1Bytes >= least) return false;
      least = l1Bytes;
      return true;
    });
}

/** The table of an op that always runs as in the input: one row, whose need of L1 is not counted (0). */
export function fixedOp(evaluator: OpEvaluator, op: OpId): ImplTable {
  const declared = evaluator.kept(op);
  const microseconds = evaluator.runtime(op, declared.inputs, declared);
  return {
    reads: declared.inputs.map((layout) => [layout]),
    outputs: [declared.outputs],
    rows: [{
      reads: declared.inputs.map(() => 0),
      output: 0,
      microseconds,
      config: declared.config,
      l1Bytes: 0,
    }],
    smaller: [],
    least: microseconds,
    relaxed: false,
  };
}

/**
 * The table of an op that was too expensive to explore. The op takes no time, and its operands and results have any
 * layout, which only loosens the bound.
 */
export function relaxedOp(evaluator: OpEvaluator, op: OpId): ImplTable {
  const { operands, results } = evaluator.op(op);
  return {
    reads: operands.map(() => [undefined]),
    outputs: [results.map(() => undefined)],
    rows: [{
      reads: operands.map(() => 0),
      output: 0,
      microseconds: 0,
      config: undefined,
      l1Bytes: 0,
    }],
    smaller: [],
    least: 0,
    relaxed: true,
  };
}

/**
 * Results to query beyond those of the op's hints and of pass 1, which skips fallback hints where a primary
 * one gave a sharded result: both interleaved layouts, per sharding type those with the most shards, and
 * `extraShardings`. The backend accepts some memory layouts that no hint names but computes them wrongly
 * (sharded slices, tt-mlir:op-rules): with planKind `hinted` they are left out, with `confirmed` (bounds) they
 * stay.
 *
 * @param extraShardings shardings of the first result with which a reader is faster
 */
export function moreResults(
  evaluator: OpEvaluator,
  op: OpId,
  planKind: PlanKind,
  extraShardings: readonly LayoutId[] = [],
): readonly LayoutId[] {
  const [tensor] = evaluator.signature(op).results;
  const like = evaluator.declaredOutput(op);
  if (tensor === undefined || like === undefined || evaluator.overrides.isOverridden(op)) return [];
  const memoryLayoutOf = (id: LayoutId) => evaluator.layouts.get(id).memoryLayout;
  const { primary, fallback } = evaluator.offeredHints(op);
  const named = new Set(
    [...primary, ...fallback].flatMap(({ layout }) => layout === undefined ? [] : [memoryLayoutOf(layout)]),
  );
  return [
    evaluator.interleaved(tensor, like, "l1"),
    evaluator.interleaved(tensor, like, "dram"),
    ...evaluator.catalog.mostShards(tensor, like),
    ...extraShardings,
  ].filter((layout) =>
    planKind === "confirmed" || !evaluator.facts(layout).isSharded || named.has(memoryLayoutOf(layout))
  );
}

/** L1 bytes of all operands; operands that may share a buffer count once, with the largest. */
export function l1BytesOf(evaluator: OpEvaluator, inputs: LayoutIds, groups: readonly number[]): number {
  const largest = new Map<number, number>();
  inputs.forEach((layout, operand) => {
    if (layout === undefined) return;
    const group = groups[operand] ?? operand;
    largest.set(group, Math.max(largest.get(group) ?? 0, evaluator.facts(layout).l1Bytes));
  });
  let bytes = 0;
  for (const size of largest.values()) bytes += size;
  return bytes;
}

/** The row of a choice; `undefined` if the table does not contain the choice. */
export function rowOf({ reads, outputs, rows, smaller }: ImplTable, choice: Choice): Impl | undefined {
  const made = new Set<number>();
  outputs.forEach((layouts, output) => {
    if (choice.outputs.every((layout, result) => layouts[result] === layout)) made.add(output);
  });
  const isChosen = (row: Impl): boolean =>
    made.has(row.output) && row.config === choice.config &&
    choice.inputs.every((layout, operand) => reads[operand]?.[row.reads[operand] ?? -1] === layout);
  return rows.find(isChosen) ?? smaller.find(isChosen);
}
