// SPDX-License-Identifier: Apache-2.0
import { DETOURS_OF_A_COPY, MOST_OBSTACLES } from "../limits.ts";
import { isOp, type OpId, type ValueId } from "../../graph/graph.ts";
import { type FinalReader, finalReaders, redirect } from "../../improve/readers.ts";
import type { LayoutId } from "../../layout/layout_table.ts";
import type { L1Region } from "../../memory/l1_schedule.ts";
import { assignmentKey, choiceFor, producedLayout } from "../../search/assignment.ts";
import { keepActivations } from "../../search/keep_activations.ts";
import { LayoutProgram } from "../../search/layout_program.ts";
import { copyAt, decisionFor, ITSELF, type Source } from "../../search/program.ts";
import type { Assignment } from "../../search/impls.ts";
import {
  type AddressConflict,
  type Detour,
  NO_OBSTACLES,
  type Obstacles,
  type Placing,
} from "./address_search.ts";
import type { L1Item, Wait } from "../l1/l1_caps.ts";
import { type WaitingItem, waitsToSpill } from "../l1/waits_to_spill.ts";
import type { LayoutSpace } from "../exploration/layout_space.ts";

/** A reader of a value, with the layout that it reads; caps name it by its `use` ({@linkcode L1Caps}). */
type ValueReader = FinalReader & { readonly to: LayoutId };

/** An op, or a copy before it, that does not fit. */
interface Missing {
  readonly op: OpId;
  readonly shortBytes: number;
}

/** Per value (parallel arrays, ascending ids): first and last position at which an instance may be in L1. */
interface L1Stays {
  readonly values: readonly ValueId[];
  readonly since: Int32Array;
  readonly until: Int32Array;
}

/** The layout in which a value produced in one layout waits for a reader that reads another. */
export type WaitingLayoutOf = (
  value: ValueId,
  producedIn: LayoutId,
  reader: number,
  to: LayoutId,
  preferred: readonly LayoutId[],
) => LayoutId;

/** An assignment as a program in some order of ops, in which values wait for their readers as the caps require. */
export class PlacedProgram {
  readonly program: LayoutProgram;
  readonly #space: LayoutSpace;
  readonly #assignment: Assignment;
  readonly #placing: Placing;
  readonly #waitingLayoutOf: WaitingLayoutOf;
  /** By value: its readers, as {@linkcode PlacedProgram.conflict} finds them. */
  readonly #readers: (readonly ValueReader[])[] = [];
  #residents: L1Stays | undefined;

  constructor(
    space: LayoutSpace,
    assignment: Assignment,
    placing: Placing,
    waitingLayoutOf: WaitingLayoutOf,
  ) {
    this.#space = space;
    this.#assignment = assignment;
    this.#placing = placing;
    this.#waitingLayoutOf = waitingLayoutOf;
    this.program = LayoutProgram.fromAssignment(space.evaluator, assignment, placing.schedule);
    for (const detour of placing.detours) this.#detour(detour);
    const { values, moved } = placing.caps;
    for (const value of new Set([...values.keys(), ...moved.keys()])) this.#wait(value);
  }

  /** Equal for programs with the same steps. */
  get key(): string {
    const { evaluator } = this.#space;
    const { program } = this;
    const copies = program.copies.map(({ value, source, layout, before }) =>
      `${value}:${source}:${layout}:${before}`
    );
    return `${assignmentKey(evaluator, this.#assignment)}|${program.schedule.join()}|${copies.join()}`;
  }

  /** The first step that does not fit by address, with what stands in its way; `undefined` if all steps fit. */
  conflict(region: L1Region): AddressConflict | undefined {
    const { program } = this;
    keepActivations(program);
    const steps = program.steps();
    const { failures } = program.l1Failures(region);
    const [first, ...others] = failures.flatMap(({ position, shortBytes }) => {
      const step = steps[position];
      if (step === undefined) return [];
      const op = step.kind === "op" ? step.op : copyAt(program, step.copy).before;
      return isOp(program, op) ? [{ op, shortBytes }] : [];
    });
    if (first === undefined) return undefined;
    const { op, shortBytes } = first;
    return {
      op,
      shortBytes,
      shortages: [first, ...others].map((each) => each.shortBytes),
      obstacles: () => this.#obstacles(first, others),
    };
  }

  /**
   * Waits to spill so that every op fits by byte sums, the dearest first; `undefined` if more than {@linkcode
   * MOST_OBSTACLES} tensors may be in L1 at a time.
   *
   * @param capacity bytes per core
   */
  waitsToSpill(capacity: number): readonly WaitingItem[] | undefined {
    const contents: (readonly L1Item[])[] = [];
    for (const [position, op] of this.program.schedule.entries()) {
      if (this.#resident(position).length > MOST_OBSTACLES) return undefined;
      contents.push(this.#itemsAt(op));
    }
    return waitsToSpill(contents, capacity, (item) => this.#spillMicroseconds(item));
  }

  /** µs of copying a waiting value to DRAM, and from there into the layout that its reader needs. */
  #spillMicroseconds({ value, reader: use }: WaitingItem): number {
    const { evaluator } = this.#space;
    const { tensor } = evaluator.value(value);
    const reader = this.#readersOf(value).find((each) => each.use === use);
    const made = producedLayout(evaluator, this.#assignment, value);
    if (tensor === undefined || reader === undefined || made === undefined) return Infinity;
    const dram = evaluator.interleaved(tensor, reader.to, "dram");
    return evaluator.copyMicroseconds(value, made, dram) +
      evaluator.copyMicroseconds(value, dram, reader.to);
  }

  /** Obstacles to a step without room and to the steps equivalent to it. */
  #obstacles(first: Missing, others: readonly Missing[]): Obstacles {
    const { op } = first;
    if (this.#itemsBefore(op).length > MOST_OBSTACLES) return NO_OBSTACLES;
    const equivalent = [op, ...others.flatMap((other) => this.#isEquivalent(first, other) ? [other.op] : [])];
    const sameSizes = equivalent.map((each) => this.#itemsBefore(each)).filter((items, _, [own = []]) =>
      items.length === own.length && items.every(({ bytes }, index) => bytes === own[index]?.bytes)
    );
    const waits = equivalent.map((each) => this.#waitsBefore(each));
    const detours = equivalent.map((each) => this.#detoursBefore(each));
    return {
      items: transposed(sameSizes),
      detours: transposed(detours.filter(({ length }) => length === detours[0]?.length)),
      waits: transposed(waits.filter(({ length }) => length === waits[0]?.length)),
    };
  }

  #isEquivalent(a: Missing, b: Missing): boolean {
    const { evaluator } = this.#space;
    return a.op !== b.op && a.shortBytes === b.shortBytes &&
      evaluator.structureId(a.op) === evaluator.structureId(b.op);
  }

  /** An op and the producers in L1 of its operands; through views, the producers of their sources. */
  #withMakers(op: OpId): readonly OpId[] {
    const { evaluator } = this.#space;
    const makersOf = (value: ValueId): readonly OpId[] => {
      const maker = evaluator.producer(value);
      if (maker === undefined || !this.#isProducedInL1(value)) return [];
      const { viewOf } = evaluator.traits(maker);
      const viewed = viewOf === undefined ? undefined : evaluator.op(maker).operands[viewOf];
      return viewed === undefined ? [maker] : [maker, ...makersOf(viewed)];
    };
    return [...new Set([op, ...evaluator.op(op).operands.flatMap(makersOf)])];
  }

  /** Contents of L1 while an op runs, and while its operands were produced. */
  #itemsBefore(op: OpId): readonly L1Item[] {
    const items = new Map<string, L1Item>();
    for (const at of this.#withMakers(op)) {
      for (const item of this.#itemsAt(at)) {
        const key = item.kind === "op" ? `${item.op}` : `${item.value}:${item.reader}`;
        if (!items.has(key)) items.set(key, item);
      }
    }
    return [...items.values()];
  }

  /** Contents of L1 while an op runs: its own tensors, and every live value. */
  #itemsAt(op: OpId): readonly L1Item[] {
    const { evaluator } = this.#space;
    const position = this.program.positionOf(op);
    const own = this.#space.l1BytesOf(op, choiceFor(this.#assignment, op));
    const items: L1Item[] = own > 0 ? [{ kind: "op", op, bytes: own }] : [];
    for (const id of this.#resident(position)) {
      if (this.#madeAt(id) >= position) continue;
      const later = this.#readersOf(id).filter((reader) => reader.position > position);
      const [next] = later;
      if (next === undefined) continue;
      const present = new Set(later.map(({ source }) => this.#presentAt(position, source)));
      let bytes = 0;
      for (const instance of present) {
        const layout = this.program.layoutOf(id, instance);
        if (layout !== undefined) bytes += evaluator.facts(layout).l1Bytes;
      }
      if (bytes > 0) items.push({ kind: "value", value: id, reader: next.use, bytes });
    }
    return items;
  }

  /**
   * The instance if it exists at a position; otherwise its source, the source of that, and so on, up to the first one
   * that exists there.
   */
  #presentAt(position: number, source: Source): Source {
    let instance = source;
    while (instance !== ITSELF) {
      const copy = copyAt(this.program, instance);
      if (this.program.positionOf(copy.before) <= position) break;
      instance = copy.source;
    }
    return instance;
  }

  /**
   * Values that may have an instance in L1 at a position, ascending: from the first instance in L1 to the last reader.
   * Those spilled in between count as well.
   */
  #resident(position: number): readonly ValueId[] {
    const { values, since, until } = this.#residents ??= this.#findResidents();
    return values.filter((_, index) =>
      (since[index] ?? Infinity) <= position && position <= (until[index] ?? 0)
    );
  }

  #findResidents(): L1Stays {
    const { evaluator } = this.#space;
    const since = new Map<ValueId, number>();
    const add = (value: ValueId, position: number): void => {
      since.set(value, Math.min(since.get(value) ?? Infinity, position));
    };
    for (const { id } of evaluator.fn.values) if (this.#isProducedInL1(id)) add(id, this.#madeAt(id));
    for (const { value, layout, before } of this.program.copies) {
      if (evaluator.facts(layout).isL1) add(value, this.program.positionOf(before));
    }
    const values = [...since.keys()].sort((a, b) => a - b);
    return {
      values,
      since: Int32Array.from(values, (value) => since.get(value) ?? 0),
      until: Int32Array.from(values, (value) => this.#readersOf(value).at(-1)?.position ?? -1),
    };
  }

  #isProducedInL1(value: ValueId): boolean {
    const producedIn = producedLayout(this.#space.evaluator, this.#assignment, value);
    return producedIn !== undefined && this.#space.evaluator.facts(producedIn).isL1;
  }

  /** Values that wait in L1 as they were produced, while an op runs or its operands were produced. */
  #waitsBefore(op: OpId): readonly Wait[] {
    const positions = this.#withMakers(op).map((each) => this.program.positionOf(each));
    const residents = [...new Set(positions.flatMap((at) => this.#resident(at)))].sort((a, b) => a - b);
    return residents.flatMap((id): readonly Wait[] => {
      const made = this.#madeAt(id);
      if (made < 0 || !this.#isProducedInL1(id)) return [];
      let last = made;
      return this.#readersOf(id).flatMap(({ use, position }): readonly Wait[] => {
        const since = last;
        last = position;
        const isWaiting = position > since + 1 && positions.some((at) => since < at && at <= position);
        return isWaiting && !this.#isCapped(id, use) ? [{ value: id, reader: use }] : [];
      });
    });
  }

  /** Cheapest detours of the copies in L1 that an op and the producers of its operands read. */
  #detoursBefore(op: OpId): readonly Detour[] {
    const { evaluator } = this.#space;
    const { program } = this;
    const read = new Set(
      this.#withMakers(op).flatMap((id) => decisionFor(program, id).sources).filter((source) =>
        source !== ITSELF
      ),
    );
    return [...read].flatMap((index): readonly Detour[] => {
      const { value, source, layout } = copyAt(program, index);
      const from = program.layoutOf(value, source);
      if (from === undefined || this.#isCappedAtAll(value) || !evaluator.facts(layout).isL1) return [];
      const directUs = evaluator.copyMicroseconds(value, from, layout);
      return this.#space.layoutsOf(value)
        .filter((via) => via !== from && via !== layout && evaluator.facts(via).isL1)
        .map((via) => ({
          detour: { value, layout, via },
          extraUs: evaluator.copyMicroseconds(value, from, via) +
            evaluator.copyMicroseconds(value, via, layout) - directUs,
        }))
        .filter(({ extraUs }) => extraUs < Infinity)
        .toSorted((a, b) => a.extraUs - b.extraUs)
        .slice(0, DETOURS_OF_A_COPY)
        .map(({ detour }) => detour);
    });
  }

  /** Makes a copy from a copy in another layout. */
  #detour({ value, layout, via }: Detour): void {
    const { program } = this;
    if (this.#isCappedAtAll(value)) return;
    const index = program.copies.findIndex((other) => other.value === value && other.layout === layout);
    if (index < 0) return;
    const { source, before, reason, note } = copyAt(program, index);
    program.setCopySource(index, program.addCopy({ value, source, layout: via, before, reason, note }));
  }

  /** Position of the op that produces a value; -1 for an argument. */
  #madeAt(value: ValueId): number {
    const producer = this.#space.evaluator.producer(value);
    return producer === undefined ? -1 : this.program.positionOf(producer);
  }

  /** Readers of a value in order, once everything waits as required. */
  #readersOf(value: ValueId): readonly ValueReader[] {
    return this.#readers[value] ??= this.#findReaders(value);
  }

  #findReaders(value: ValueId): readonly ValueReader[] {
    return finalReaders(this.program, value).flatMap((reader): ValueReader[] => {
      const to = reader.kind === "operand"
        ? choiceFor(this.#assignment, reader.op).inputs[reader.operand]
        : this.#space.evaluator.declared[value];
      return to === undefined ? [] : [{ ...reader, to }];
    });
  }

  /** Whether caps determine how a value waits, and so when its copies are made. */
  #isCappedAtAll(value: ValueId): boolean {
    const { values, moved } = this.#placing.caps;
    return values.has(value) || moved.has(value);
  }

  #isCapped(value: ValueId, reader: number): boolean {
    const { values, moved } = this.#placing.caps;
    return values.get(value)?.has(reader) === true || moved.get(value)?.has(reader) === true;
  }

  /**
   * Moves a value into the layouts that the caps require between its readers, as a spill before the gap and a
   * reload at its end; its other instances leave L1 in between.
   */
  #wait(value: ValueId): void {
    const { program } = this;
    const { evaluator } = this.#space;
    const producedIn = producedLayout(evaluator, this.#assignment, value);
    if (producedIn === undefined) return;
    const l1Bytes = (layout: LayoutId): number => evaluator.facts(layout).l1Bytes;
    const smallestFirst = this.#space.layoutsOf(value).toSorted((a, b) => l1Bytes(a) - l1Bytes(b));
    let last = this.#madeAt(value);
    let present = new Map<LayoutId, Source>([[producedIn, ITSELF]]);
    const instance = (layout: LayoutId, position: number, reason: "spill" | "reload"): Source =>
      present.getOrInsertComputed(layout, () => {
        let [source, least] = [ITSELF, Infinity];
        for (const [from, made] of present) {
          const us = evaluator.copyMicroseconds(value, from, layout);
          if (us < least) [source, least] = [made, us];
        }
        const before = program.placeAt(position);
        return program.addCopy({ value, source, layout, before, reason, note: "L1 is short meanwhile" });
      });
    for (const reader of this.#findReaders(value)) {
      const { use, position, to } = reader;
      if (this.#isCapped(value, use) && position > last + 1) {
        const waiting = this.#waitingLayoutOf(value, producedIn, use, to, smallestFirst);
        const source = instance(waiting, last + 1, "spill");
        // Arguments stay where they are.
        present = new Map(
          this.#madeAt(value) < 0 ? [[producedIn, ITSELF], [waiting, source]] : [[waiting, source]],
        );
      }
      redirect(program, reader, instance(to, position, "reload"));
      last = position;
    }
  }
}

/** Transposes lists of equal length: the first items of all, the second ones, and so on. */
function transposed<Item>(lists: readonly (readonly Item[])[]): readonly (readonly Item[])[] {
  return lists[0]?.map((_, index) => lists.flatMap((list) => list.slice(index, index + 1))) ?? [];
}
