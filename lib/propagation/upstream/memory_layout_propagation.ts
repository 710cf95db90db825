// SPDX-License-Identifier: Apache-2.0
import type { OpId, ValueId } from "../../graph/graph.ts";
import type { OpEvaluator } from "../../search/op_evaluator.ts";
import { COMPARE_SCORES, firstFacts, ImplScore } from "../layout_score.ts";
import type { BeamCandidate, Beams, PropagationObserver } from "../propagation_observer.ts";
import { KEEP_ROUNDS, MOST_COMBINATIONS, MOST_WIDE_COMBINATIONS } from "../../search/limits.ts";
import type { LayoutIds } from "../../layout/layout_table.ts";
import type { HintedImpls } from "../../search/hinted_impls.ts";
import type { Assignment, Choice } from "../../search/impls.ts";
import { isJoin, isWide, joinKindOf } from "../../search/joins.ts";
import { type OpRoles, requiredLayouts, withoutOps } from "../../search/op_roles.ts";
import type { InputCandidate } from "../combinations.ts";
import { readingOf } from "../exploration.ts";
import { UNFED } from "../input_candidates.ts";
import {
  bestChoices,
  type CandidateClass,
  classCombinations,
  classesOf,
  type RankedChoice,
  type RatedImpl,
} from "./menu_ranking.ts";
import { OperandMenu } from "./operand_menu.ts";
import { OutputVerdicts } from "../output_verdicts.ts";
import { keptImpl } from "../kept_impl.ts";
import { choiceOf } from "../trace_back.ts";

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
function slotsByReaders(
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

interface MemoryLayoutPropagationOptions {
  readonly beamWidth: number;
  readonly maxInputCandidatesPerOperand: number;
  readonly observer?: PropagationObserver | undefined;
  /** Called with each op before it is decided. */
  readonly onOp?: ((op: OpId) => void) | undefined;
}

/**
 * Pass 1 as in tt-mlir's compiler (tt-mlir:memory-layout-propagation): each op keeps a beam of its best
 * implementations by a score of the op alone, from which its readers choose. Differs from the compiler for an
 * op with an operand that no move brings from the producer's choice into the layout that the op reads: such an op
 * stays as in the input, and the others are decided again, up to {@linkcode KEEP_ROUNDS} times.
 */
export function propagateMemoryLayouts(
  evaluator: OpEvaluator,
  roles: OpRoles,
  impls: HintedImpls,
  options: MemoryLayoutPropagationOptions,
): Assignment {
  let current = roles;
  for (let round = 0;; round++) {
    const assignment = new Propagation(evaluator, current, impls, options).run();
    const stuck = round < KEEP_ROUNDS ? undeliverable(evaluator, current, assignment) : NO_OPS;
    if (stuck.size === 0) return assignment;
    current = withoutOps(current, stuck);
  }
}

const NO_OPS: ReadonlySet<OpId> = new Set();

/**
 * Ops to keep as in the input, because no move brings an operand from the producer's choice into the layout that is
 * read: the reader if it is decided, else the producer.
 */
function undeliverable(evaluator: OpEvaluator, roles: OpRoles, assignment: Assignment): ReadonlySet<OpId> {
  const found = new Set<OpId>();
  for (const { id, operands } of evaluator.fn.ops) {
    operands.forEach((value, operand) => {
      const { definition, tensor } = evaluator.value(value);
      const wanted = assignment[id]?.inputs[operand];
      const made = definition.kind === "argument"
        ? evaluator.declared[value]
        : assignment[definition.op]?.outputs[definition.index];
      if (wanted === undefined || made === undefined || tensor === undefined) return;
      if (evaluator.reshard(tensor, made, wanted) !== undefined) return;
      if (roles.decided[id] === true) found.add(id);
      else if (definition.kind === "result" && roles.decided[definition.op] === true) {
        found.add(definition.op);
      }
    });
  }
  return found;
}

class Propagation {
  readonly #evaluator: OpEvaluator;
  readonly #roles: OpRoles;
  readonly #impls: HintedImpls;
  readonly #options: MemoryLayoutPropagationOptions;
  readonly #operands: OperandMenu;
  readonly #mustReach: LayoutIds;
  /** By op; empty for ops that are left alone. */
  readonly #menus: (readonly BeamCandidate[])[] = [];
  /** Why the last rejected implementation of the current op was rejected. */
  #lastRefusal: string | undefined;

  constructor(
    evaluator: OpEvaluator,
    roles: OpRoles,
    impls: HintedImpls,
    options: MemoryLayoutPropagationOptions,
  ) {
    this.#evaluator = evaluator;
    this.#roles = roles;
    this.#impls = impls;
    this.#options = options;
    this.#operands = new OperandMenu(evaluator, roles, impls.catalog, options.maxInputCandidatesPerOperand);
    this.#mustReach = requiredLayouts(evaluator, roles);
  }

  run(): Assignment {
    const evaluator = this.#evaluator;
    const { observer, onOp } = this.#options;
    for (const { id } of evaluator.fn.ops) {
      onOp?.(id);
      if (this.#roles.decided[id] !== true) {
        this.#menus.push([]);
        continue;
      }
      const choices = this.#decide(id);
      this.#menus.push(
        choices.length > 0 ? choices.map((choice) => slotOf(evaluator, id, choice)) : [this.#keep(id)],
      );
      observer?.beam?.(id, this.#menus[id] ?? [], choices.length === 0);
    }
    const slots = slotsByReaders(evaluator, this.#menus, observer);
    return evaluator.fn.ops.map(({ id }): Choice => {
      const menu = this.#menus[id] ?? [];
      const slot = slots[id] ?? 0;
      const candidate = menu[slot];
      if (candidate === undefined) return evaluator.kept(id, "kept as in the input");
      observer?.choice?.(id, slot);
      return choiceOf(candidate, slot, menu.length, "local");
    });
  }

  #decide(id: OpId): readonly RankedChoice[] {
    const evaluator = this.#evaluator;
    const { operands: values } = evaluator.op(id);
    evaluator.work.charge("beamedOp", 1);
    this.#lastRefusal = undefined;
    const operands = values.map((value, operand) =>
      this.#operands.of({ op: id, operand, value }, this.#offersOf(value))
    );
    this.#options.observer?.operands?.(id, operands);
    const verdicts = new OutputVerdicts(evaluator, id, this.#mustReach, true);
    const rated = this.#combinations(id, operands.map(classesOf)).flatMap((classes) =>
      this.#rate(id, classes, classes.map(({ candidate }) => candidate.layout), verdicts)
    );
    evaluator.work.charge("candidate", rated.length);
    return bestChoices(rated, this.#options.beamWidth).map((choice) => this.#withSlots(choice, operands));
  }

  /** Combinations of operands to query; for a join only those of one memory layout and grid. */
  #combinations(
    id: OpId,
    operands: readonly (readonly CandidateClass[])[],
  ): readonly (readonly CandidateClass[])[] {
    const evaluator = this.#evaluator;
    const most = isWide(evaluator, id) ? MOST_WIDE_COMBINATIONS : MOST_COMBINATIONS;
    if (!isJoin(evaluator, id)) return classCombinations(operands, most);
    const kindOf = ({ candidate: { layout } }: CandidateClass): string =>
      layout === undefined ? "" : joinKindOf(evaluator.layouts.get(layout));
    const byKind = operands.map((classes) => Map.groupBy(classes, kindOf));
    return [...byKind[0]?.keys() ?? []].flatMap((kind) =>
      classCombinations(byKind.map((classes) => classes.get(kind) ?? []), most)
    );
  }

  #rate(
    id: OpId,
    classes: readonly CandidateClass[],
    inputs: LayoutIds,
    verdicts: OutputVerdicts,
  ): readonly RatedImpl[] {
    const evaluator = this.#evaluator;
    const { observer } = this.#options;
    const impls = this.#impls.impls(id, inputs);
    if (impls.length === 0) {
      this.#lastRefusal = evaluator.refusal(id, inputs, undefined) ??
        "no hint gives a result that can be used";
      observer?.rejected?.(id, inputs, undefined, this.#lastRefusal);
      return [];
    }
    const reading = readingOf(evaluator, id, classes.map(({ candidate }) => candidate), 0);
    return impls.flatMap((impl, hint) => {
      const { refusal } = verdicts.of(impl);
      if (refusal !== undefined) {
        this.#lastRefusal = refusal;
        observer?.rejected?.(id, inputs, impl, refusal);
        return [];
      }
      const score = new ImplScore(reading, impl, firstFacts(evaluator, impl));
      return [{ classes, reading, impl, hint, score }];
    });
  }

  /** The choice with the operand candidates of its slots. */
  #withSlots(choice: RankedChoice, operands: readonly (readonly InputCandidate[])[]): RankedChoice {
    const slots = choice.places.map((place, operand) => operands[operand]?.[place]?.slot ?? -1);
    return { ...choice, reading: { ...choice.reading, slots } };
  }

  /** The layout of a value in each slot of its producer's beam; `undefined` if it has no beam. */
  #offersOf(value: ValueId): LayoutIds | undefined {
    const { definition } = this.#evaluator.value(value);
    if (definition.kind === "argument") return undefined;
    const menu = this.#menus[definition.op] ?? [];
    return menu.length === 0 ? undefined : menu.map(({ impl: { outputs } }) => outputs[definition.index]);
  }

  /** The only slot of an op without a legal implementation: as in the input. */
  #keep(id: OpId): BeamCandidate {
    const evaluator = this.#evaluator;
    const kept = evaluator.kept(id);
    const impl = keptImpl(evaluator, id, kept, this.#lastRefusal);
    const reading = readingOf(evaluator, id, kept.inputs.map((layout) => ({ ...UNFED, layout })), 0);
    const score = new ImplScore(reading, impl, firstFacts(evaluator, impl));
    return slotOf(evaluator, id, { reading, impl, score });
  }
}

function slotOf(
  evaluator: OpEvaluator,
  id: OpId,
  { reading, impl, score }: Pick<RankedChoice, "reading" | "impl" | "score">,
): BeamCandidate {
  const producers = evaluator.op(id).operands.map((value) => evaluator.producer(value));
  const { inputs, slots, isReshard: reshards } = reading;
  return { inputs, producers, slots, reshards, impl, microseconds: 0, score };
}
