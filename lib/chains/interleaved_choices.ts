// SPDX-License-Identifier: Apache-2.0
import type { OpId } from "../graph/graph.ts";
import type { OpConfig } from "../analysis/op_config.ts";
import { DEFAULT_L1_CAP, usableL1Bytes } from "../device/chip_description.ts";
import { l1Bytes } from "../memory/op_footprint.ts";
import type { ChainContext } from "./chain_context.ts";
import { opDependencies, ReasonLog } from "./decide_chains.ts";
import { isSchedulable } from "./dependencies.ts";
import { depthFirstOrder, DfScheduler, producersOf } from "./df_scheduler.ts";

/** An op that could keep its output in L1; bytes per core. */
export interface L1Candidate {
  readonly op: OpId;
  /** Bytes of the output in L1. */
  readonly outputBytes: number;
  /** L1 bytes needed by the op itself and everything it depends on. */
  readonly requiredBytes: number;
}

/** The candidates that stay in L1, and the best order of computing the operands. */
interface L1Choice {
  readonly inL1: ReadonlySet<OpId>;
  /** Operands: those that go to DRAM first, then those in L1. */
  readonly precedence: readonly OpId[];
}

/** Beyond this number, the smallest candidates stay in DRAM: the search tries every subset in every order. */
const MAX_CANDIDATES = 8;

/**
 * Chooses which of an op's tensors stay in L1 (tt-mlir `L1InterleavedPolicy::getGreedyConfig`): of all
 * subsets of the op and its operands, the one with most bytes in L1 that has an order of the operands whose
 * peak is below the limit. Peak of an order = max over its operands of (bytes of earlier outputs + bytes that
 * the operand requires). Takes the order with the lowest peak.
 *
 * @param base the op itself, `undefined` if its output cannot stay in L1
 * @param operands its operands that could be in L1, in operand order
 * @param limit bytes per core
 */
export function greedyL1Choice(
  base: L1Candidate | undefined,
  operands: readonly L1Candidate[],
  limit: number,
): L1Choice {
  const considered = new Set(
    operands.toSorted((a, b) => b.outputBytes - a.outputBytes).slice(0, MAX_CANDIDATES - 1),
  );
  const kept = operands.filter((one) => considered.has(one));
  // Operands take the lower bits, so that on a tie they stay in L1 rather than their reader.
  const candidates = base === undefined ? kept : [...kept, base];
  let best: L1Choice = { inL1: new Set(), precedence: operands.map(({ op }) => op) };
  let bestBytes = 0;
  for (let mask = 0; mask < 1 << candidates.length; mask++) {
    const selected = candidates.filter((_, index) => (mask & (1 << index)) !== 0);
    const bytes = selected.reduce((sum, { outputBytes }) => sum + outputBytes, 0);
    if (bytes <= bestBytes || bytes > limit) continue;
    const order = bestOrder(selected.filter((one) => one !== base), limit);
    if (order === undefined) continue;
    const inL1 = new Set(selected.map(({ op }) => op));
    const inDram = operands.filter(({ op }) => !inL1.has(op)).map(({ op }) => op);
    best = { inL1, precedence: [...inDram, ...order] };
    bestBytes = bytes;
  }
  return best;
}

/** The order with the lowest peak, if it is below the limit; the first one in lexicographic order. */
function bestOrder(operands: readonly L1Candidate[], limit: number): readonly OpId[] | undefined {
  let best: readonly OpId[] | undefined;
  let bestPeak = limit;
  const extend = (order: readonly OpId[], rest: readonly L1Candidate[], used: number, peak: number): void => {
    if (peak >= bestPeak) return;
    if (rest.length === 0) {
      best = order;
      bestPeak = peak;
      return;
    }
    for (const next of rest) {
      extend(
        [...order, next.op],
        rest.filter((one) => one !== next),
        used + next.outputBytes,
        Math.max(peak, used + next.requiredBytes),
      );
    }
  };
  extend([], operands, 0, 0);
  return best;
}

/** Ops that move to L1 interleaved, and the schedule of the function. */
export interface InterleavedChoices {
  readonly order: readonly OpId[];
  readonly singles: Map<OpId, OpConfig>;
  readonly reasons: ReasonLog;
}

/** The configs between which the interleaved policies choose for an op. */
interface Choices {
  readonly dram: OpConfig | undefined;
  readonly l1: OpConfig | undefined;
  /** Bytes per core of the L1 output. */
  readonly bytes: number;
}

/** First DRAM and first L1 interleaved config per op. */
function choicesOf(context: ChainContext): readonly Choices[] {
  return context.legalConfigs.map((configs) => {
    const find = (bufferType: "dram" | "l1"): OpConfig | undefined =>
      configs.find(({ outputLayout }) => {
        const layout = context.layouts.get(outputLayout);
        return layout.bufferType === bufferType && layout.memoryLayout === "interleaved";
      });
    const l1 = find("l1");
    return {
      dram: find("dram"),
      l1,
      bytes: l1 === undefined ? 0 : l1Bytes(context.layouts, l1.outputLayout),
    };
  });
}

/**
 * Bytes per core that may be filled. Upstream looks for the cap in the wrong module and always uses 0.95
 * (tt-mlir:greedy-l1-interleaved).
 */
function usableBytes(context: ChainContext): number {
  const cap = context.conventions.readsL1Cap ? context.options.tensorL1UsageCap : DEFAULT_L1_CAP;
  return usableL1Bytes(context.opModel.chip, cap, context.constEvalL1Bytes);
}

/**
 * L1 interleaved by L1 usage (tt-mlir `L1InterleavedPolicy`): for each op, in the order in which they become
 * ready, chooses the subset of the op and its operands with most bytes in L1, and the order of the operands
 * that needs least. The schedule follows these orders, depth first from the returned values.
 */
export function greedyL1InterleavedChoices(context: ChainContext): InterleavedChoices {
  const choices = choicesOf(context);
  const dependencies = opDependencies(context);
  const scheduler = new DfScheduler(context.fn, dependencies);
  const usage = new L1Usage(context, choices);
  while (scheduler.hasUnscheduledOps()) {
    for (const op of scheduler.schedulableOps()) {
      scheduler.scheduleOp(op);
      usage.choose(op);
    }
  }
  const { fn } = context;
  const roots = [...producersOf(fn, fn.results), ...fn.ops.map(({ id }) => id)];
  const order = depthFirstOrder(roots, (op) => [
    ...usage.precedence.get(op) ?? [],
    ...producersOf(fn, context.op(op).operands),
    ...dependencies[op] ?? [],
  ]);
  return { order, ...settled(context, choices, usage.inL1) };
}

/** Results that stay in L1, for the ops examined so far. */
class L1Usage {
  /** Ops whose results stay in L1. */
  readonly inL1 = new Set<OpId>();
  /** Per op: its producers in the order that needs the least L1. */
  readonly precedence = new Map<OpId, readonly OpId[]>();
  readonly #context: ChainContext;
  readonly #choices: readonly Choices[];
  readonly #usable: number;
  /** L1 bytes needed to compute the result of an op. */
  readonly #required = new Map<OpId, number>();

  constructor(context: ChainContext, choices: readonly Choices[]) {
    this.#context = context;
    this.#choices = choices;
    this.#usable = usableBytes(context);
  }

  /** Chooses which of an op and its operands are in L1 while it runs. */
  choose(op: OpId): void {
    const own = this.#choices[op];
    const mayStay = own?.dram !== undefined && own.l1 !== undefined && this.#context.useCount(op) === 1;
    const base: readonly L1Candidate[] = mayStay ? [{ op, outputBytes: own.bytes, requiredBytes: 0 }] : [];
    const { operands, outside } = this.#operandsOf(op);
    const choice = greedyL1Choice(base[0], operands, this.#usable);
    for (const candidate of [...base, ...operands]) {
      if (choice.inL1.has(candidate.op)) this.inL1.add(candidate.op);
      else this.inL1.delete(candidate.op);
    }
    const order = [...outside, ...choice.precedence];
    this.precedence.set(op, order);
    this.#required.set(op, this.#requiredFor(op, order));
  }

  /** Producers of the operands: those in L1 as candidates, and the others, which the schedule runs. */
  #operandsOf(op: OpId): { readonly operands: readonly L1Candidate[]; readonly outside: readonly OpId[] } {
    const operands: L1Candidate[] = [];
    const outside: OpId[] = [];
    for (const value of new Set(this.#context.op(op).operands)) {
      const producer = this.#context.producer(value);
      if (producer === undefined) continue;
      if (this.inL1.has(producer)) {
        operands.push({
          op: producer,
          outputBytes: this.#choices[producer]?.bytes ?? 0,
          requiredBytes: this.#required.get(producer) ?? 0,
        });
      } else if (isSchedulable(this.#context.op(producer))) outside.push(producer);
    }
    return { operands, outside };
  }

  /** Peak L1 bytes if the operands are computed in this order and then the op. */
  #requiredFor(op: OpId, order: readonly OpId[]): number {
    let used = 0;
    let most = 0;
    for (const operand of order) {
      most = Math.max(most, used + (this.#required.get(operand) ?? 0));
      used += this.#outputBytes(operand);
    }
    return Math.max(most, used + this.#outputBytes(op));
  }

  #outputBytes(op: OpId): number {
    return this.inL1.has(op) ? this.#choices[op]?.bytes ?? 0 : 0;
  }
}

/**
 * L1 interleaved breadth first (tt-mlir `BFInterleavedPolicy`): of the ready ops, schedules the one that adds
 * least to L1, and keeps it in L1 if it fits.
 *
 * Upstream computes the difference as an unsigned number, so an op that frees more than it allocates is
 * scheduled last.
 */
export function bfInterleavedChoices(context: ChainContext): InterleavedChoices {
  const choices = choicesOf(context);
  const scheduler = new DfScheduler(context.fn, opDependencies(context));
  const filling = new FilledL1(context, choices);
  while (scheduler.hasUnscheduledOps()) {
    let next: OpId | undefined;
    let least = Infinity;
    for (const op of scheduler.schedulableOps()) {
      const growth = filling.growth(op);
      const added = context.conventions.signedL1Growth || growth >= 0 ? growth : 2 ** 64 + growth;
      if (next !== undefined && added >= least) continue;
      next = op;
      least = added;
    }
    if (next === undefined) {
      throw new RangeError(`Cannot schedule ${context.fn.name}: its ops depend on each other`);
    }
    filling.run(next);
    scheduler.scheduleOp(next);
  }
  return {
    order: scheduler.fullSchedule(),
    ...settled(context, choices, filling.inL1),
  };
}

/** How often an op reads the results of another. */
interface Reads {
  readonly producer: OpId;
  readonly reads: number;
}

/** The contents of L1 while ops run one after another; each result stays until its last read. */
class FilledL1 {
  /** All results that were ever in L1. */
  readonly inL1 = new Set<OpId>();
  readonly #context: ChainContext;
  readonly #choices: readonly Choices[];
  readonly #usable: number;
  /** Remaining reads of each result in L1. */
  readonly #remaining = new Map<OpId, number>();
  readonly #reads: (readonly Reads[])[] = [];
  #used = 0;

  constructor(context: ChainContext, choices: readonly Choices[]) {
    this.#context = context;
    this.#choices = choices;
    this.#usable = usableBytes(context);
  }

  /** Bytes per core of an op's results, minus those of the operands that it is the last to read. */
  growth(op: OpId): number {
    let freed = 0;
    for (const { producer, reads } of this.#readsOf(op)) {
      if (this.#remaining.get(producer) === reads) freed += this.#bytesOf(producer);
    }
    return this.#takes(op) - freed;
  }

  run(op: OpId): void {
    const bytes = this.#takes(op);
    for (const { producer, reads } of this.#readsOf(op)) {
      const before = this.#remaining.get(producer);
      if (before === undefined) continue;
      this.#remaining.set(producer, before - reads);
      if (before > reads) continue;
      this.#remaining.delete(producer);
      this.#used -= this.#bytesOf(producer);
    }
    const uses = this.#context.useCount(op);
    if (bytes === 0 || uses === 0) return;
    this.inL1.add(op);
    this.#remaining.set(op, uses);
    this.#used += bytes;
  }

  /** Bytes that the op's result takes in L1; 0 if it goes to DRAM. */
  #takes(op: OpId): number {
    const own = this.#choices[op];
    return own?.l1 !== undefined && this.#used + own.bytes <= this.#usable ? own.bytes : 0;
  }

  /** The results that an op reads: asked for every ready op after every step. */
  #readsOf(op: OpId): readonly Reads[] {
    let reads = this.#reads[op];
    if (reads === undefined) {
      const counts = new Map<OpId, number>();
      for (const value of this.#context.op(op).operands) {
        const producer = this.#context.producer(value);
        if (producer !== undefined) counts.set(producer, (counts.get(producer) ?? 0) + 1);
      }
      this.#reads[op] = reads = [...counts].map(([producer, reads]) => ({ producer, reads }));
    }
    return reads;
  }

  #bytesOf(op: OpId): number {
    return this.#choices[op]?.bytes ?? 0;
  }
}

/** The configs of the ops that stay in L1; records for all others why not. */
function settled(
  context: ChainContext,
  choices: readonly Choices[],
  inL1: ReadonlySet<OpId>,
): Omit<InterleavedChoices, "order"> {
  const singles = new Map<OpId, OpConfig>();
  const reasons = new ReasonLog();
  for (const { id } of context.fn.ops) {
    const own = choices[id];
    if (own?.l1 === undefined) continue;
    if (inL1.has(id)) singles.set(id, own.l1);
    reasons.add(
      id,
      inL1.has(id)
        ? `L1 interleaved, ${own.bytes} bytes per core`
        : "stays in DRAM: L1 is better used by other results",
    );
  }
  return { singles, reasons };
}
