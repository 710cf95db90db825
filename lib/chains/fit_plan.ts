// SPDX-License-Identifier: Apache-2.0
import type { OpConfig } from "../analysis/op_config.ts";
import { isOp, type OpId, type SchedulePoint, type ValueId } from "../graph/graph.ts";
import type { BufferPlacement } from "../memory/bank_memory.ts";
import type { L1Failure, L1FailureKind } from "../memory/l1_timeline.ts";
import { type PlanMemory, simulateMemory } from "../memory/plan_memory.ts";
import type { FunctionPlan } from "../plan/plan.ts";
import type { ChainContext } from "./chain_context.ts";
import { emitPlan, type PlanRequest } from "./emit_plan.ts";

/** Chains and individual moves of one function, as input for a fitting plan. */
export interface FitRequest extends Omit<PlanRequest, "noDirectReads"> {
  /** Configs of ops outside chains that are moved individually; those that do not fit are removed. */
  readonly singles: Map<OpId, OpConfig>;
}

/** A plan, and the demotions on the way to it. */
export interface FittedPlan {
  /** Fits L1, unless nothing is left to demote: an op that needs too much in DRAM as well. */
  readonly plan: FunctionPlan;
  /**
   * Number of outputs moved to DRAM, conversions routed through DRAM, and abandoned chains and individual
   * moves.
   */
  readonly demotions: number;
}

const FAILURE_WORDS: Readonly<Record<L1FailureKind, string>> = {
  too_large: "its own buffers exceed L1",
  no_space: "no hole in L1 is large enough",
  circular_buffer_clash: "circular buffers reach the lowest tensor",
  no_program: "the backend finds no program for the L1 that is left",
  over_budget: "L1 is filled beyond --tensor-l1-usage-cap",
};

/**
 * Emits a plan and replays it in L1 by address. While an op refuses its operands, its chain is abandoned. While a
 * step does not fit, results of chains that are live there move from L1 to DRAM, largest first; if none is
 * left, results of other chains that its chain reads; then chains are abandoned. Ends with the plan that fits, or
 * with nothing left to demote. Solving a chain only accounts for the chain's own memory
 * (tt-mlir:optimizer-document §3.3.9, weakness 4), so the L1 of the whole function is checked here. Changes
 * chains and their moves in place; records every demotion as a reason at its op.
 */
export function fitPlan(request: FitRequest): FittedPlan {
  const { context } = request;
  const noDirectReads = new Set<OpId>();
  let demotions = 0;
  for (;;) {
    const emitted = emitPlan({ ...request, noDirectReads });
    const fixed = emitted.broken.filter(({ op, reason }) =>
      giveUp(request, op, `${context.describeOp(op)} refuses its operands: ${reason}`)
    );
    if (fixed.length > 0) {
      demotions += fixed.length;
      continue;
    }
    const simulated = simulateMemory(context.fn, emitted.plan, context.opModel, {
      cap: context.options.tensorL1UsageCap,
      constEvalL1Bytes: context.constEvalL1Bytes,
    });
    if (simulated.timeline.withinBudget) return { plan: emitted.plan, demotions };
    const demoted = demoteForFailures(request, emitted.plan, simulated, noDirectReads);
    if (demoted === 0) return { plan: emitted.plan, demotions };
    demotions += demoted;
  }
}

/** Abandons the decision for an op: its whole chain, or its individual move; `false` if there is none. */
function giveUp(request: FitRequest, op: OpId, reason: string): boolean {
  const chain = request.chains.find((candidate) =>
    candidate.state === "Completed" && candidate.ops.some((member) => member === op)
  );
  if (chain !== undefined) {
    chain.fail(reason);
    for (const member of chain.ops) request.reasons.add(member, `chain ${chain.id} is given up: ${reason}`);
    return true;
  }
  if (!request.singles.delete(op)) return false;
  request.reasons.add(op, `stays in DRAM: ${reason}`);
  return true;
}

/**
 * Makes one demotion per failing step, except at steps where a tensor demoted in this round is live: the next
 * round shows whether that was enough.
 *
 * @returns the number of demotions; 0 if nothing is left to demote
 */
function demoteForFailures(
  request: FitRequest,
  plan: FunctionPlan,
  { execution, timeline }: PlanMemory,
  noDirectReads: Set<OpId>,
): number {
  const { context } = request;
  const relieved = new Set<number>();
  let demoted = 0;
  for (const failure of timeline.failures) {
    const placements = timeline.usage[failure.position]?.placements ?? [];
    if (placements.some(({ tensor }) => relieved.has(tensor))) continue;
    const step = execution.steps[failure.position];
    if (step === undefined) continue;
    const reader = step.kind === "op" ? step.op : step.conversion.beforeOp;
    const where = step.kind === "op"
      ? context.describeOp(step.op)
      : `the conversion before ${isOp(context.fn, reader) ? context.describeOp(reader) : "return"}`;
    const why = `${where} does not fit: ${describeFailure(failure)}`;
    const isOwn = (tensor: number): boolean => step.results.some((result) => result === tensor);
    const waiting = placements.filter(({ tensor }) => tensor >= 0 && !isOwn(tensor)).toSorted(bySize);
    const victim = waiting.find(({ tensor }) => {
      const value = execution.valueOf[tensor];
      return value !== undefined && demoteValue(request, value, tensor, why, noDirectReads);
    });
    if (victim !== undefined) {
      relieved.add(victim.tensor);
      demoted++;
      continue;
    }
    // Outputs that waited for this chain may have pushed its tensors down and left a hole above them.
    const fragmenting = sourcesOf(request, reader, noDirectReads)
      .find((value) => demoteValue(request, value, value, why, noDirectReads));
    if (fragmenting !== undefined) {
      for (const { tensor } of placements) relieved.add(tensor);
      demoted++;
      continue;
    }
    const culprits = [
      reader,
      ...placements.map(({ tensor }) => producerOf(context, plan, execution.valueOf[tensor], tensor)),
    ];
    const culprit = culprits.find((op) =>
      op !== undefined && isOp(context.fn, op) && giveUp(request, op, why)
    );
    if (culprit !== undefined) {
      demoted++;
      for (const { tensor } of placements) relieved.add(tensor);
    }
  }
  return demoted;
}

/**
 * Outputs of other chains that the chain of an op reads from L1, in reading order. They are listed for ops
 * outside chains as well, because DRAM operands may lower an op's need (a convolution is then sliced).
 */
function sourcesOf(
  request: FitRequest,
  op: SchedulePoint,
  noDirectReads: ReadonlySet<OpId>,
): readonly ValueId[] {
  const { context } = request;
  const completed = request.chains.filter(({ state }) => state === "Completed");
  const chain = completed.find(({ ops }) => ops.some((member) => member === op));
  const readers = chain?.ops ?? (isOp(context.fn, op) ? [op] : []);
  return readers.flatMap((member) => context.op(member).operands).filter((value) => {
    const producer = context.producer(value);
    if (producer === undefined) return false;
    if (chain === undefined && request.singles.has(producer)) return true;
    const source = completed.find(({ lastOp }) => lastOp === producer);
    return source !== undefined && (source.spillLocation !== "DRAM" || !noDirectReads.has(producer));
  });
}

function bySize(a: BufferPlacement, b: BufferPlacement): number {
  return b.bytes - a.bytes || a.tensor - b.tensor;
}

/** The op behind a buffer: the producer of the value or, for a copy, the op that it is made for. */
function producerOf(
  context: ChainContext,
  plan: FunctionPlan,
  value: ValueId | undefined,
  tensor: number,
): SchedulePoint | undefined {
  const conversion = plan.conversions[tensor - context.fn.values.length];
  if (conversion !== undefined) return conversion.beforeOp;
  return value === undefined ? undefined : context.producer(value);
}

/**
 * Moves a waiting output from L1 to DRAM; if it is spilled already, makes the conversion read the DRAM copy.
 *
 * @returns whether it changed anything
 */
function demoteValue(
  request: FitRequest,
  value: ValueId,
  tensor: number,
  why: string,
  noDirectReads: Set<OpId>,
): boolean {
  const { context } = request;
  const producer = context.producer(value);
  if (producer === undefined) return false;
  if (request.singles.delete(producer)) {
    request.reasons.add(producer, `its result goes to DRAM: ${why}`);
    return true;
  }
  const chain = request.chains.find((candidate) =>
    candidate.state === "Completed" && candidate.lastOp === producer
  );
  if (chain === undefined) return false;
  if (chain.spillLocation !== "DRAM") {
    chain.spillLocation = "DRAM";
    request.reasons.add(producer, `its result goes to DRAM: ${why}`);
    return true;
  }
  // A spilled value itself is live after its chain only while a conversion reads it directly.
  if (tensor !== value || noDirectReads.has(producer)) return false;
  noDirectReads.add(producer);
  request.reasons.add(producer, `its result is read back from DRAM: ${why}`);
  return true;
}

function describeFailure({ kind, shortBytes }: L1Failure): string {
  return `${FAILURE_WORDS[kind]} (${shortBytes} bytes per core short)`;
}
