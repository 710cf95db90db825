// SPDX-License-Identifier: Apache-2.0
import type { OpId } from "../graph/graph.ts";
import type { OpEvaluator } from "../search/op_evaluator.ts";
import { COMPARE_SCORES } from "./layout_score.ts";
import type { BeamCandidate, Beams, PropagationObserver } from "./propagation_observer.ts";

/** A reader of an op, and the slot that it chose. */
interface Reader {
  readonly op: OpId;
  readonly operand: number;
  readonly slot: number;
}

/**
 * The slot of each op, by id, decided from the last op to the first (tt-mlir:memory-layout-propagation): that
 * of its only reader; at a fork the slot that most readers chose, ties to the better slot. The other readers
 * get copies, which this rule counts as free.
 */
export function slotsByReaders(
  evaluator: OpEvaluator,
  beams: Beams,
  observer?: PropagationObserver,
): readonly number[] {
  const chosen: number[] = evaluator.fn.ops.map(() => 0);
  for (const { id } of evaluator.fn.ops.toReversed()) {
    const beam = beams[id] ?? [];
    if (beam.length === 0) continue;
    const readers = readersOf(evaluator, beams, chosen, id);
    const [only] = readers;
    if (only === undefined) continue;
    chosen[id] = readers.length === 1 ? (only.slot in beam ? only.slot : 0) : mostReaders(beam, readers);
    if (readers.length > 1) tellFork(beams, chosen, id, readers, observer);
  }
  return chosen;
}

/** One entry per use by an op with a beam; if several operands read the op, the first one counts. */
function readersOf(
  evaluator: OpEvaluator,
  beams: Beams,
  chosen: readonly number[],
  id: OpId,
): readonly Reader[] {
  return evaluator.op(id).results.flatMap((value) =>
    evaluator.value(value).uses.flatMap(({ op }): readonly Reader[] => {
      const candidate = beams[op]?.[chosen[op] ?? 0];
      if (candidate === undefined) return [];
      const operand = evaluator.op(op).operands.findIndex((other) => evaluator.producer(other) === id);
      return [{ op, operand, slot: candidate.slots[operand] ?? -1 }];
    })
  );
}

function mostReaders(beam: readonly BeamCandidate[], readers: readonly Reader[]): number {
  let best = 0;
  let most = -1;
  beam.forEach(({ score }, slot) => {
    const count = readers.filter((reader) => reader.slot === slot).length;
    const present = beam[best];
    const isBetter = count > most ||
      (count === most && present !== undefined && COMPARE_SCORES.local(score, present.score) < 0);
    if (isBetter) [best, most] = [slot, count];
  });
  return best;
}

function tellFork(
  beams: Beams,
  chosen: readonly number[],
  id: OpId,
  readers: readonly Reader[],
  observer: PropagationObserver | undefined,
): void {
  const beam = beams[id] ?? [];
  observer?.fork?.({
    producer: id,
    chosenSlot: chosen[id] ?? 0,
    demands: readers.flatMap(({ op, operand }) => {
      const layout = beams[op]?.[chosen[op] ?? 0]?.inputs[operand];
      return layout === undefined ? [] : [{ consumer: op, operand, layout }];
    }),
    slotCosts: beam.map((_, slot) => readers.filter((reader) => reader.slot !== slot).length),
  });
}
