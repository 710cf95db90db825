// SPDX-License-Identifier: Apache-2.0
import type { OpId } from "../../graph/graph.ts";
import type { LayoutId } from "../../layout/layout_table.ts";
import type { OpFootprint } from "../../memory/op_footprint.ts";
import type { OpSpecificAttributes } from "../../op_config/op_config.ts";
import type { OpEvaluator } from "../../search/op_evaluator.ts";
import type { LayoutIds, OutputChoice, Way } from "../../search/ways.ts";

/** A row of a table: a way to run the op, with layouts by their place in the table. */
export interface WayRow {
  /** Per operand an index into {@linkcode WayTable.reads}. */
  readonly reads: readonly number[];
  /** Index into {@linkcode WayTable.outputs}. */
  readonly output: number;
  /** Predicted µs. */
  readonly microseconds: number;
  /** As {@linkcode OutputChoice.config}. */
  readonly config: OpSpecificAttributes | undefined;
  /**
   * Bytes of L1 per core that the op needs for operands, results and circular buffers; 0 where nobody knows, and where they
   * are more than there is although no tensor of it is in L1: nothing else that leaves L1 could help.
   */
  readonly l1Bytes: number;
  /** Whether a result shares the buffer of an operand. */
  readonly aliases: boolean;
  /** µs of `microseconds` that the op does not take: the op model refuses it so ({@linkcode ExplorationLimits.refusedUs}). */
  readonly refusedUs?: number;
  /** Least µs that the op takes by itself, where `microseconds` counts with those of {@linkcode EitherRead}. */
  readonly ownUs?: number;
}

/** A layout in which an operand may be read where it may as well be read in another one. */
export interface EitherRead {
  readonly layout: LayoutId;
  /** µs that the op is charged for it beside the time of its row. */
  readonly extraUs: number;
}

/** What an op may read and make, and every confirmed way to do so that no cheaper one makes needless. */
export interface WayTable {
  /**
   * Layouts per operand in which it may be read; `undefined` reads nothing that could be converted, or any one of
   * {@linkcode eitherOf}.
   */
  readonly reads: readonly LayoutIds[];
  /** Per operand, by index into `reads`, the layouts of which it reads any one; `undefined` where no operand has such. */
  readonly eitherOf?: readonly ReadonlyMap<number, readonly EitherRead[]>[];
  /** Lists of result layouts that the op may make. */
  readonly outputs: readonly LayoutIds[];
  /** Per reads and output the cheapest. */
  readonly rows: readonly WayRow[];
  /** Those that take longer than one of `rows` with the same reads and output, or than one of these, and need less L1. */
  readonly smaller: readonly WayRow[];
  /** µs of the cheapest row. */
  readonly least: number;
  /** Whether any row shares the buffer of an operand. */
  readonly aliases: boolean;
  /** Whether the op was too much to explore; see {@linkcode relaxedOp}. */
  readonly relaxed: boolean;
}

/** Every way of a table: `rows`, then `smaller`. */
export function waysOf({ rows, smaller }: WayTable): readonly WayRow[] {
  return [...rows, ...smaller];
}

/**
 * What the ops of a plan may do.
 *
 * - `hinted`: ops that pass 1 decides make results of the memory layouts that their hints name, and read what their input
 *   filter lets through; everything else runs as the input has it. The pass-based policies keep to this.
 * - `confirmed`: every op that can be moved does whatever the op model confirms. Chain policies ask without hints.
 */
export type Freedom = "hinted" | "confirmed";

/** What exploring one op may cost. */
export interface ExplorationLimits {
  /** Combinations of operand layouts per op; an op with more is relaxed. */
  readonly combinations: number;
  readonly freedom: Freedom;
  /** Bytes per core between the first and the last address of L1: what needs more cannot run. */
  readonly l1Bytes: number;
  /** Asked before every op: whether no further one is explored. */
  readonly isSpent?: () => boolean;
  /**
   * µs that an op is charged for running as the input has it where the op model refuses that: more than a plan with fewer
   * such ops could cost. Without it, no op does that confirms anything else.
   */
  readonly refusedUs?: number;
}

/** The op as the input has it, unless overrides forbid that, or the op model refuses it and confirms anything else. */
export function declaredFeed(
  evaluator: OpEvaluator,
  op: OpId,
  reads: readonly LayoutIds[],
  groups: readonly number[],
  collector: RowCollector,
  refusedUs?: number,
): Feed | undefined {
  const declared = evaluator.kept(op);
  const asRead = declared.inputs.map((layout, operand) => reads[operand]?.indexOf(layout) ?? -1);
  const footprint = evaluator.footprint(op, declared.inputs, declared);
  const { refusal } = footprint;
  const isLastResort = refusal !== undefined && collector.outputs.length > 0;
  if (asRead.includes(-1) || (isLastResort && refusedUs === undefined)) return undefined;
  if (!evaluator.obeysOverrides(op, declared.inputs, declared)) return undefined;
  const feed = feedOf(asRead, declared.inputs, l1BytesOf(evaluator, declared.inputs, groups));
  const microseconds = evaluator.runtime(op, declared.inputs, declared);
  collector.addDeclared(
    feed,
    declared,
    microseconds,
    footprint,
    refusal === undefined ? undefined : refusedUs,
  );
  return feed;
}

/** One combination of operand layouts. */
export interface Feed {
  readonly reads: readonly number[];
  readonly inputs: LayoutIds;
  /** Bytes per core that the operands take in L1. */
  readonly l1Bytes: number;
  /** The cheapest row of each output found so far, by when the first of it was found: there are a few of each feed. */
  readonly cheapest: WayRow[];
  /** By output, rows that take longer and need less L1 than every cheaper one; made with the first. */
  smaller: Map<number, readonly WayRow[]> | undefined;
}

/** A combination of operand layouts that nothing was asked about. */
export function feedOf(reads: readonly number[], inputs: LayoutIds, l1Bytes: number): Feed {
  return { reads, inputs, l1Bytes, cheapest: [], smaller: undefined };
}

/** Numbers the result layouts of an op and keeps the rows of each feed for each of them that no other one makes needless. */
export class RowCollector {
  readonly outputs: LayoutIds[] = [];
  readonly #outputOf: Map<number, number> = new Map();
  readonly #evaluator: OpEvaluator;
  readonly #l1Bytes: number;

  constructor(evaluator: OpEvaluator, l1Bytes: number) {
    this.#evaluator = evaluator;
    this.#l1Bytes = l1Bytes;
  }

  /** Takes a way that L1 could hold if it held nothing else; one that shares an operand's buffer is let through. */
  offer(feed: Feed, way: Way): void {
    const aliases = way.aliasedOperand !== undefined;
    const l1Bytes = aliases ? feed.l1Bytes : l1BytesAmong(this.#l1Bytes, feed.l1Bytes, way);
    if (l1Bytes === undefined) return;
    const { microseconds, config } = way;
    const output = this.#outputIndex(way.outputsId, way.outputs);
    const place = placeOf(feed, output);
    if (isNeedless(feed.cheapest[place], microseconds, l1Bytes)) return;
    add(feed, place, { reads: feed.reads, output, microseconds, config, l1Bytes, aliases });
  }

  /** µs of the cheapest way so far to make a first result from some operands; `Infinity` where none is known. */
  microseconds(feed: Feed, result: LayoutId): number {
    const { cheapest } = feed;
    let least = Infinity;
    for (let place = 0; place < cheapest.length; place++) {
      const row = cheapest[place];
      if (row === undefined || row.microseconds >= least) continue;
      if (this.outputs[row.output]?.[0] === result) least = row.microseconds;
    }
    return least;
  }

  /** Offers what the op model confirms for some results. */
  ask(op: OpId, feed: Feed, results: Iterable<LayoutId>): void {
    for (const way of this.#evaluator.queryEach(op, feed.inputs, results)) this.offer(feed, way);
  }

  /** Takes the op as the input has it; where it is refused so, for `refusedUs` more. */
  addDeclared(
    feed: Feed,
    { outputs, config }: OutputChoice,
    microseconds: number,
    footprint: OpFootprint,
    refusedUs = 0,
  ): void {
    const aliases = footprint.aliasedOperand !== undefined;
    const needed = feed.l1Bytes + footprint.ownPeakBytes;
    const isKnown = !aliases && footprint.refusal === undefined && needed <= this.#l1Bytes;
    const output = this.#outputIndex(this.#evaluator.outputsId(outputs), outputs);
    add(feed, placeOf(feed, output), {
      reads: feed.reads,
      output,
      microseconds: microseconds + refusedUs,
      config,
      l1Bytes: isKnown ? needed : 0,
      aliases,
      ...(refusedUs === 0 ? {} : { refusedUs }),
    });
  }

  /** @param id equal for equal lists of layouts */
  #outputIndex(id: number, outputs: LayoutIds): number {
    let output = this.#outputOf.get(id);
    if (output === undefined) this.#outputOf.set(id, output = this.outputs.push(outputs) - 1);
    return output;
  }
}

/** Where the cheapest row of an output stands among those of a feed, or would stand as the next. */
function placeOf({ cheapest }: Feed, output: number): number {
  let place = 0;
  while (place < cheapest.length && cheapest[place]?.output !== output) place++;
  return place;
}

/** Whether a row takes no less than the cheapest one that makes the same, and needs no less L1. */
function isNeedless(known: WayRow | undefined, microseconds: number, l1Bytes: number): boolean {
  return known !== undefined && microseconds >= known.microseconds && l1Bytes >= known.l1Bytes;
}

/**
 * Keeps a row of a feed unless another one that makes the same makes it needless, and drops what it makes needless.
 *
 * @param place of its output, {@linkcode placeOf}
 */
function add(feed: Feed, place: number, row: WayRow): void {
  const { output } = row;
  const known = feed.cheapest[place];
  if (isNeedless(known, row.microseconds, row.l1Bytes)) return;
  const isCheaper = known === undefined || row.microseconds < known.microseconds;
  if (isCheaper) feed.cheapest[place] = row;
  if (known === undefined) return;
  const smaller = feed.smaller ??= new Map<number, readonly WayRow[]>();
  const others = [...smaller.get(output) ?? [], isCheaper ? known : row];
  smaller.set(output, smallerThan(isCheaper ? row : known, others));
}

/**
 * As {@linkcode WayRow.l1Bytes}; `undefined` for a way that L1 cannot hold even if it holds nothing else.
 *
 * @param most bytes of L1 per core that there are
 * @param operandBytes of the operands in L1
 */
export function l1BytesAmong(
  most: number,
  operandBytes: number,
  { outputL1Bytes, l1PeakBytes }: Pick<Way, "outputL1Bytes" | "l1PeakBytes">,
): number | undefined {
  const needed = operandBytes + l1PeakBytes;
  if (needed <= most) return needed;
  return operandBytes + outputL1Bytes === 0 ? 0 : undefined;
}

/** Of rows with the same reads and output as the cheapest one, those that need less L1 than everything cheaper; in that order. */
function smallerThan(cheapest: WayRow, others: readonly WayRow[]): readonly WayRow[] {
  let least = cheapest.l1Bytes;
  return others.toSorted((a, b) => a.microseconds - b.microseconds || a.l1Bytes - b.l1Bytes)
    .filter(({ l1Bytes }) => {
      if (l1Bytes >= least) return false;
      least = l1Bytes;
      return true;
    });
}

/** The table of an op that runs as the input has it, whatever is decided around it. */
export function fixedOp(evaluator: OpEvaluator, op: OpId): WayTable {
  const declared = evaluator.kept(op);
  const microseconds = evaluator.runtime(op, declared.inputs, declared);
  const aliases = evaluator.footprint(op, declared.inputs, declared).aliasedOperand !== undefined;
  return {
    reads: declared.inputs.map((layout) => [layout]),
    outputs: [declared.outputs],
    rows: [{
      reads: declared.inputs.map(() => 0),
      output: 0,
      microseconds,
      config: declared.config,
      l1Bytes: 0,
      aliases,
    }],
    smaller: [],
    least: microseconds,
    aliases,
    relaxed: false,
  };
}

/**
 * The table of an op that was too much to explore: it takes no time, reads its operands in whatever layout they come,
 * and its readers get its results in whatever layout they like.
 */
export function relaxedOp(evaluator: OpEvaluator, op: OpId): WayTable {
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
      aliases: true,
    }],
    smaller: [],
    least: 0,
    aliases: true,
    relaxed: true,
  };
}

/** Results to ask for beyond what {@linkcode OpEvaluator.ways} asks for. */
export interface MoreResults {
  /** Both interleaved ones, and per sharding type those with most shards. */
  readonly usual: readonly LayoutId[];
  /** Whether an op may be asked for a layout at all. */
  isAllowed(layout: LayoutId): boolean;
}

/**
 * The op's own hints leave results out, and pass 1 skips fallback hints where a primary one gave something sharded.
 * Memory layouts that no hint names may be wrong on the device although the backend accepts them (sharded slices,
 * tt-mlir:op-rules), so that a plan must not ask for them; a bound may.
 */
export function moreResults(evaluator: OpEvaluator, op: OpId, freedom: Freedom): MoreResults {
  const [tensor] = evaluator.signature(op).results;
  const like = evaluator.declaredOutput(op);
  if (tensor === undefined || like === undefined || evaluator.isOverridden(op)) {
    return { usual: [], isAllowed: () => false };
  }
  const memoryLayoutOf = (id: LayoutId) => evaluator.layouts.get(id).memoryLayout;
  const { primary, fallback } = evaluator.offeredHints(op);
  const named = new Set(
    [...primary, ...fallback].flatMap(({ layout }) => layout === undefined ? [] : [memoryLayoutOf(layout)]),
  );
  const isAllowed = (layout: LayoutId): boolean =>
    freedom === "confirmed" || !evaluator.facts(layout).isSharded || named.has(memoryLayoutOf(layout));
  const usual = [
    evaluator.interleaved(tensor, like, "l1"),
    evaluator.interleaved(tensor, like, "dram"),
    ...evaluator.catalog.reshardTargets(tensor, like),
  ].filter(isAllowed);
  return { usual, isAllowed };
}

/** L1 that the operands take together; operands that may share a buffer count once, with the largest. */
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
