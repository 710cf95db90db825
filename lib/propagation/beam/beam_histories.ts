// SPDX-License-Identifier: Apache-2.0
import { type OpId, opId, type ValueId } from "../../graph/graph.ts";
import type { OpEvaluator } from "../../search/op_evaluator.ts";
import type { InputCandidate } from "../combinations.ts";
import type { OperandReading } from "../exploration.ts";
import {
  type Contribution,
  EMPTY_HISTORY,
  extendHistory,
  type History,
  mergeHistories,
  slotIn,
} from "./history.ts";
import { UNFED } from "../input_candidates.ts";
import type { BeamCandidate } from "../propagation_observer.ts";

/** The past of a candidate: the choices of earlier slots that it depends on. */
export interface Past {
  /** The joined histories of its operands' slots. */
  readonly history: History;
  /** Fewest cores on the paths of the slots. */
  readonly pathMinCores: number;
  /**
   * Whether the joined history contains a producer in another slot than the one for which an operand was
   * chosen.
   */
  readonly isPatched: boolean;
}

/** A candidate that its op's beam keeps, with its history, which does not contain the candidate itself. */
export interface KeptCandidate {
  readonly candidate: BeamCandidate;
  readonly history: History;
}

/** The beams of the ops so far, and their slots' contributions to later histories. */
export class BeamHistories {
  readonly #evaluator: OpEvaluator;
  /** Histories matter only if a beam has more than one slot. */
  readonly #tracks: boolean;
  readonly #beams: (readonly BeamCandidate[])[] = [];
  readonly #contributions: (readonly Contribution[])[] = [];
  /**
   * Per op and slot, including its own choice. Dropped after the last reader, because histories take most of
   * the memory.
   */
  readonly #histories: (readonly History[] | undefined)[] = [];

  constructor(evaluator: OpEvaluator, tracks: boolean) {
    this.#evaluator = evaluator;
    this.#tracks = tracks;
  }

  /** By op, in schedule order, up to the last one added. */
  get beams(): readonly (readonly BeamCandidate[])[] {
    return this.#beams;
  }

  /** Adds the beam of the next op. */
  add(op: OpId, kept: readonly KeptCandidate[]): readonly BeamCandidate[] {
    const beam = kept.map(({ candidate }) => candidate);
    const contributions = beam.map(({ microseconds, reshards, producers, slots }): Contribution => ({
      microseconds,
      reshards: reshards.filter(Boolean).length,
      producers,
      slots,
    }));
    this.#beams.push(beam);
    this.#contributions.push(contributions);
    if (this.#tracks && this.#lastReader(op) > op) {
      this.#histories[op] = kept.map(({ candidate: { microseconds }, history }, slot) =>
        extendHistory(history, op, slot, microseconds, contributions[slot]?.reshards ?? 0)
      );
    }
    for (const value of this.#evaluator.op(op).operands) {
      const producer = this.#evaluator.producer(value);
      if (producer !== undefined && this.#lastReader(producer) <= op) this.#histories[producer] = undefined;
    }
    return beam;
  }

  /** The last op that reads a result of an op; the op itself if none does. */
  #lastReader(op: OpId): OpId {
    return this.#evaluator.op(op).results.reduce((last, value) => {
      const reader = this.#evaluator.value(value).uses.at(-1)?.op ?? last;
      return reader > last ? reader : last;
    }, op);
  }

  /**
   * Joins the histories of the operands. If the result contains a producer in another slot than an operand's,
   * adds the cost of the reshard between them.
   *
   * @param joined results of earlier joins for the op, by choice of slots; many combinations share one
   */
  join(operands: readonly ValueId[], { combination, slotsId }: OperandReading, joined: Past[]): Past {
    const past = joined[slotsId] ??= this.#joinSlots(operands, combination);
    return past.isPatched ? { ...past, history: this.#patched(past.history, operands, combination) } : past;
  }

  #joinSlots(operands: readonly ValueId[], combination: readonly InputCandidate[]): Past {
    let history = EMPTY_HISTORY;
    let pathMinCores = Infinity;
    for (const [operand, value] of operands.entries()) {
      const { slot } = combination[operand] ?? UNFED;
      const producer = this.#evaluator.producer(value);
      const candidate = producer === undefined ? undefined : this.#beams[producer]?.[slot];
      if (producer === undefined || candidate === undefined) continue;
      pathMinCores = Math.min(pathMinCores, candidate.score.pathMinCores);
      if (!this.#tracks) continue;
      history = mergeHistories(
        history,
        this.#historyOf(producer, slot),
        this.#contributionOf,
        this.#patchCost,
      );
    }
    const isPatched = operands.some((value, operand) => {
      const producer = this.#evaluator.producer(value);
      const actual = producer === undefined ? -1 : slotIn(history, producer);
      return actual >= 0 && actual !== combination[operand]?.slot;
    });
    return { history, pathMinCores, isPatched };
  }

  #patched(joined: History, operands: readonly ValueId[], combination: readonly InputCandidate[]): History {
    let { microseconds, reshards } = joined;
    operands.forEach((value, operand) => {
      const candidate = combination[operand];
      const { tensor, definition } = this.#evaluator.value(value);
      if (candidate?.layout === undefined || tensor === undefined || definition.kind === "argument") return;
      const { op, index } = definition;
      const actual = slotIn(joined, op);
      if (actual < 0 || actual === candidate.slot) return;
      const from = this.#beams[op]?.[actual]?.impl.outputs[index];
      if (from === undefined || from === candidate.layout) return;
      microseconds += dearerBy(
        this.#evaluator.reshardMicroseconds(tensor, from, candidate.layout),
        candidate.reshardMicroseconds,
      );
      if (!candidate.isReshard) reshards++;
    });
    return { blocks: joined.blocks, microseconds, reshards };
  }

  #historyOf(op: OpId, slot: number): History {
    const history = this.#histories[op]?.[slot];
    if (history === undefined) throw new RangeError(`Cannot look up the history of slot ${slot} of op ${op}`);
    return history;
  }

  readonly #contributionOf = (op: number, slot: number): Contribution => {
    const contribution = this.#contributions[op]?.[slot];
    if (contribution === undefined) {
      throw new RangeError(`Cannot price slot ${slot} of op ${op}: no such slot`);
    }
    return contribution;
  };

  readonly #patchCost = (consumer: number, slot: number, operand: number, actualSlot: number): number => {
    const value = this.#evaluator.op(opId(this.#evaluator.fn, consumer)).operands[operand];
    const { tensor, definition } = value === undefined ? {} : this.#evaluator.value(value);
    if (definition?.kind !== "result" || tensor === undefined) return 0;
    const from = this.#beams[definition.op]?.[actualSlot]?.impl.outputs[definition.index];
    const to = this.#beams[consumer]?.[slot]?.inputs[operand];
    if (from === undefined || to === undefined || from === to) return 0;
    return this.#evaluator.reshardMicroseconds(tensor, from, to);
  };
}

/**
 * `microseconds − than`; 0 if `than` is infinite (a copy that cannot be made), because ∞ − ∞ = NaN would make
 * candidates incomparable.
 */
export function dearerBy(microseconds: number, than: number): number {
  return than === Infinity ? 0 : microseconds - than;
}
