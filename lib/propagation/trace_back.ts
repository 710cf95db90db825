// SPDX-License-Identifier: Apache-2.0
import { type OpId, returnPlace, type SchedulePoint, type ValueId } from "../graph/graph.ts";
import type { LayoutId } from "../layout/layout_table.ts";
import type { OpEvaluator } from "../search/op_evaluator.ts";
import type { Assignment, Choice } from "../search/impls.ts";
import { type BeamScoreName, COMPARE_SCORES, type ScoreName } from "./layout_score.ts";
import type { BeamCandidate, Beams, PropagationObserver } from "./propagation_observer.ts";

/** A layout that an operand of a consumer, or `return`, requires of a value. */
interface LayoutDemand {
  readonly value: ValueId;
  readonly resultIndex: number;
  /** `ops.length` for `return`. */
  readonly consumer: SchedulePoint;
  readonly operand: number;
  readonly layout: LayoutId;
  /** Slot of the producer that the consumer chose; `-1` for `return`. */
  readonly assumedSlot: number;
}

/**
 * Backward phase of pass 1: from the last op to the first, every op takes one slot of its beam. With one
 * consumer operand, that is the slot that the consumer chose. At a fork, every consumer operand demands a
 * layout; each slot is charged for the reshards that satisfy the demands (one per distinct layout, because
 * copies are shared), and the cheapest slot wins. Slots from which a demanded layout cannot be reached are
 * excluded.
 */
export function traceBack(
  evaluator: OpEvaluator,
  beams: Beams,
  score: BeamScoreName,
  observer?: PropagationObserver,
): Assignment {
  const { fn } = evaluator;
  const choices: number[] = new Array(fn.ops.length).fill(0);
  for (const { id } of fn.ops.toReversed()) {
    const beam = beams[id] ?? [];
    choices[id] = beam.length > 1 ? chooseSlot({ evaluator, beams, choices, score, observer }, id, beam) : 0;
    observer?.choice?.(id, choices[id] ?? 0);
  }
  return fn.ops.map((op): Choice => {
    const candidate = beams[op.id]?.[choices[op.id] ?? 0];
    if (candidate === undefined) throw new RangeError(`Cannot trace back to ${op.name}: its beam is empty`);
    return choiceOf(candidate, choices[op.id] ?? 0, beams[op.id]?.length ?? 1, score);
  });
}

/** State of the backward phase: all later ops have their slots. */
interface BackwardPhase {
  readonly evaluator: OpEvaluator;
  readonly beams: Beams;
  /** By op id. */
  readonly choices: readonly number[];
  readonly score: BeamScoreName;
  readonly observer: PropagationObserver | undefined;
}

function chooseSlot(phase: BackwardPhase, id: OpId, beam: readonly BeamCandidate[]): number {
  const { evaluator, score, observer } = phase;
  const demands = collectDemands(phase, id);
  const consumers = demands.filter((demand) => demand.assumedSlot >= 0);
  const [only] = consumers;
  if (demands.length === 0) return 0;
  if (only !== undefined && demands.length === 1 && only.assumedSlot < beam.length) return only.assumedSlot;
  const slotCosts = beam.map((candidate) => reshardCost(evaluator, candidate, demands, score));
  const compare = COMPARE_SCORES[score];
  let best = 0;
  beam.forEach((candidate, slot) => {
    const current = beam[best];
    if (slot === 0 || current === undefined) return;
    const mine = (slotCosts[slot] ?? Infinity) + ownCost(candidate, score);
    const theirs = (slotCosts[best] ?? Infinity) + ownCost(current, score);
    if (mine < theirs || (mine === theirs && compare(candidate.score, current.score) < 0)) best = slot;
  });
  observer?.fork?.({
    producer: id,
    chosenSlot: best,
    demands: demands.map(({ consumer, operand, layout }) => ({ consumer, operand, layout })),
    slotCosts,
  });
  return best;
}

/** For `runtime`, the past of a slot counts in addition to its reshards; other scores count reshards only. */
function ownCost(candidate: BeamCandidate, score: BeamScoreName): number {
  return score === "runtime" ? candidate.score.pathMicroseconds : 0;
}

function collectDemands({ evaluator, beams, choices }: BackwardPhase, id: OpId): readonly LayoutDemand[] {
  const demands: LayoutDemand[] = [];
  evaluator.op(id).results.forEach((value, resultIndex) => {
    for (const use of evaluator.value(value).uses) {
      const consumer = beams[use.op]?.[choices[use.op] ?? 0];
      const layout = consumer?.inputs[use.operand];
      const assumedSlot = consumer?.slots[use.operand] ?? -1;
      if (layout === undefined) continue;
      demands.push({ value, resultIndex, consumer: use.op, operand: use.operand, layout, assumedSlot });
    }
    const layout = evaluator.returnedIn(value);
    if (layout === undefined) return;
    demands.push({
      value,
      resultIndex,
      consumer: returnPlace(evaluator.fn),
      operand: 0,
      layout,
      assumedSlot: -1,
    });
  });
  return demands;
}

/** Reshards that a slot needs for all demands: in µs for `runtime`, otherwise their number. */
function reshardCost(
  evaluator: OpEvaluator,
  candidate: BeamCandidate,
  demands: readonly LayoutDemand[],
  score: BeamScoreName,
): number {
  let cost = 0;
  const made = new Set<string>();
  for (const { value, resultIndex, layout } of demands) {
    const producedIn = candidate.impl.outputs[resultIndex];
    const { tensor } = evaluator.value(value);
    const key = `${value}:${layout}`;
    if (producedIn === undefined || tensor === undefined || producedIn === layout || made.has(key)) continue;
    made.add(key);
    const reshard = evaluator.reshard(tensor, producedIn, layout);
    if (reshard === undefined) return Infinity;
    // A candidate's own score already contains the cost of returning it.
    if (score !== "runtime") cost++;
    else if (evaluator.returnedIn(value) !== layout) cost += reshard.microseconds;
  }
  return cost;
}

/**
 * The choice of a slot of a beam. Its reason names neither cores nor time, because a later pass may change both; the
 * final values are printed beside it.
 */
export function choiceOf(
  { inputs, impl: { outputs, config } }: BeamCandidate,
  slot: number,
  width: number,
  score: ScoreName,
): Choice {
  return { inputs, outputs, config, reasons: [`propagation: candidate ${slot + 1} of ${width} by ${score}`] };
}
