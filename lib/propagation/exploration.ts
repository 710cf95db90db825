// SPDX-License-Identifier: Apache-2.0
import type { LayoutIds } from "../layout/layout_table.ts";
import type { OpId, ValueId } from "../graph/graph.ts";
import type { OpEvaluator } from "../search/op_evaluator.ts";
import type { OpRoles } from "../search/op_roles.ts";
import { l1Need, type OpImpl } from "../search/impls.ts";
import { combineCandidates, type InputCandidate } from "./combinations.ts";
import { inputCandidates, type ProducerOffer, type ReshardPriority } from "./input_candidates.ts";
import { OutputVerdicts } from "./output_verdicts.ts";
import type { PropagationObserver } from "./propagation_observer.ts";

/** One combination of operand candidates, with all facts that do not depend on histories. */
export interface OperandReading {
  readonly combination: readonly InputCandidate[];
  readonly inputs: LayoutIds;
  /** Per operand: the beam slot of its producer. */
  readonly slots: readonly number[];
  /** Per operand. */
  readonly isReshard: readonly boolean[];
  /** Equal for combinations of one op with the same producer slots; dense from 0. */
  readonly slotsId: number;
  /** µs of resharding the operands; a reshard that several operands share counts once. */
  readonly reshardMicroseconds: number;
  readonly reshards: number;
  readonly inputDramBytes: number;
  readonly inputL1Bytes: number;
  readonly shardedInputs: number;
}

/** An implementation of an op that fits and whose results are all usable. */
export interface AdmittedImpl {
  readonly impl: OpImpl;
  /** µs of converting every returned result once to its declared layout. */
  readonly returnMicroseconds: number;
}

/** All legal implementations of an op on its producers' offers. */
export interface Exploration {
  /** Most promising first. */
  readonly readings: readonly { readonly reading: OperandReading; readonly impls: readonly AdmittedImpl[] }[];
  /** Why the last rejected implementation was rejected. */
  readonly refusal: string | undefined;
}

/** Options for exploring ops. */
export interface ExplorationOptions {
  readonly maxInputCandidatesPerOperand: number;
  /** Most combinations of operand candidates per op. */
  readonly maxCombinations: number;
  /** Bytes per core that an op may fill with its operands, results and circular buffers. */
  readonly l1Budget: number;
  readonly observer?: PropagationObserver | undefined;
}

/**
 * The layouts that a value's producer offers. Offers with equal ids differ at most by floating-point noise.
 */
export interface Offers {
  readonly id: number;
  readonly offers: readonly ProducerOffer[];
}

/**
 * Explores ops, each distinct query once: ops of one structure with equal offers share an exploration, so a
 * repeated layer is explored once. With an observer, every op is explored anew, so that the observer sees it.
 */
export class Explorer {
  readonly #evaluator: OpEvaluator;
  readonly #roles: OpRoles;
  /** By value: the layout to which it must be convertible. */
  readonly #mustReach: LayoutIds;
  readonly #options: ExplorationOptions;
  readonly #priorityOf: ReshardPriority;
  readonly #cached: Map<string, Exploration> = new Map();

  constructor(
    evaluator: OpEvaluator,
    roles: OpRoles,
    mustReach: LayoutIds,
    options: ExplorationOptions,
    priorityOf: ReshardPriority,
  ) {
    this.#evaluator = evaluator;
    this.#roles = roles;
    this.#mustReach = mustReach;
    this.#options = options;
    this.#priorityOf = priorityOf;
  }

  /** @param offers per operand */
  explore(id: OpId, offers: readonly Offers[]): Exploration {
    if (this.#options.observer !== undefined) return this.#explore(id, offers);
    const key = this.#keyOf(id, offers);
    return this.#cached.getOrInsertComputed(key, () => this.#explore(id, offers));
  }

  /** Checks the results of an op. */
  verdicts(id: OpId): OutputVerdicts {
    return new OutputVerdicts(this.#evaluator, id, this.#mustReach);
  }

  /** Equal for ops with the same exploration. */
  #keyOf(id: OpId, offers: readonly Offers[]): string {
    const evaluator = this.#evaluator;
    const { operands, results } = evaluator.op(id);
    const parts: (number | string)[] = [evaluator.structureId(id)];
    for (const [operand, value] of operands.entries()) {
      const producer = evaluator.producer(value);
      const sibling = operands.findIndex((other) => evaluator.producer(other) === producer);
      parts.push(
        offers[operand]?.id ?? -1,
        operands.indexOf(value),
        producer === undefined ? -1 : sibling,
        (this.#roles.pinned[value] === true ? 1 : 0) + (this.#roles.constantDerived[value] === true ? 2 : 0),
      );
    }
    for (const value of results) {
      parts.push(this.#mustReach[value] ?? -1, evaluator.value(value).returned);
    }
    return parts.join();
  }

  #explore(id: OpId, offers: readonly Offers[]): Exploration {
    const evaluator = this.#evaluator;
    const { observer } = this.#options;
    const { operands: values } = evaluator.op(id);
    const how = { priorityOf: this.#priorityOf, limit: this.#options.maxInputCandidatesPerOperand };
    const operands = values.map((value, operand) =>
      inputCandidates(evaluator, this.#roles, { op: id, operand, value }, offers[operand]?.offers ?? [], how)
    );
    observer?.operands?.(id, operands);
    const verdicts = this.verdicts(id);
    const slotsIds = new Map<string, number>();
    const combinations = combineCandidates(
      operands,
      this.#sameProducer(values),
      (layout) => evaluator.facts(layout).uniformKey,
      this.#options.maxCombinations,
    );
    let refusal: string | undefined;
    // The reason why operands too large for L1 do not fit is computed on demand.
    const isTold = observer !== undefined || evaluator.overrides.isOverridden(id);
    const readings = combinations.flatMap((combination): Exploration["readings"] => {
      const inputs = combination.map((candidate) => candidate.layout);
      if (!isTold && evaluator.operandL1Bytes(id, inputs) > this.#options.l1Budget) return [];
      const impls = evaluator.impls(id, inputs);
      if (impls.length === 0) {
        const reason = evaluator.refusal(id, inputs, undefined) ?? "no hint gives a result that can be used";
        observer?.rejected?.(id, inputs, undefined, reason);
        return [];
      }
      const slots = combination.map((candidate) => candidate.slot).join();
      const slotsId = slotsIds.get(slots) ?? slotsIds.size;
      slotsIds.set(slots, slotsId);
      const reading = readingOf(evaluator, id, combination, slotsId);
      const admitted: AdmittedImpl[] = [];
      for (const impl of impls) {
        const verdict = verdicts.of(impl);
        const reason = this.#overBudget(reading, impl) ?? verdict.refusal;
        if (reason === undefined) {
          admitted.push({ impl, returnMicroseconds: verdict.returnMicroseconds });
          continue;
        }
        refusal = reason;
        observer?.rejected?.(id, inputs, impl, reason);
      }
      return admitted.length === 0 ? [] : [{ reading, impls: admitted }];
    });
    return { readings, refusal };
  }

  #overBudget({ inputL1Bytes }: OperandReading, impl: OpImpl): string | undefined {
    const needed = l1Need(inputL1Bytes, impl);
    if (needed <= this.#options.l1Budget) return undefined;
    return `needs ${needed} bytes of L1 per core, the budget is ${this.#options.l1Budget}`;
  }

  /** Groups of operands produced by one op: they must use the same slot of it. */
  #sameProducer(values: readonly ValueId[]): readonly (readonly number[])[] {
    const operands = values.map((value, operand) => ({ operand, producer: this.#evaluator.producer(value) }))
      .filter(({ producer }) => producer !== undefined);
    return [...Map.groupBy(operands, ({ producer }) => producer).values()]
      .filter((group) => group.length > 1)
      .map((group) => group.map(({ operand }) => operand));
  }
}

/** The facts about one combination of operand candidates that all implementations on it share. */
export function readingOf(
  evaluator: OpEvaluator,
  id: OpId,
  combination: readonly InputCandidate[],
  slotsId: number,
): OperandReading {
  const values = evaluator.op(id).operands;
  const inputs = combination.map((candidate) => candidate.layout);
  let reshardMicroseconds = 0;
  let reshards = 0;
  let inputDramBytes = 0;
  let inputL1Bytes = 0;
  let shardedInputs = 0;
  combination.forEach((candidate, operand) => {
    if (candidate.layout === undefined) return;
    const facts = evaluator.facts(candidate.layout);
    if (!facts.isL1) inputDramBytes += facts.totalBytes;
    if (facts.isSharded) shardedInputs++;
    for (let earlier = 0; earlier < operand; earlier++) {
      // The same value in the same layout is one buffer and one copy.
      if (values[earlier] === values[operand] && inputs[earlier] === candidate.layout) return;
    }
    inputL1Bytes += facts.l1Bytes;
    if (!candidate.isReshard) return;
    reshards++;
    reshardMicroseconds += candidate.reshardMicroseconds;
  });
  return {
    combination,
    inputs,
    slots: combination.map(({ slot }) => slot),
    isReshard: combination.map(({ isReshard }) => isReshard),
    slotsId,
    reshardMicroseconds,
    reshards,
    inputDramBytes,
    inputL1Bytes,
    shardedInputs,
  };
}
