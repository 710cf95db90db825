// SPDX-License-Identifier: Apache-2.0
import type { OpId, ValueId } from "../graph/graph.ts";
import type { LayoutId } from "../layout/layout_table.ts";
import { l1Step } from "../memory/l1_step.ts";
import { isTooLarge, type L1Region } from "../memory/l1_timeline.ts";
import type { OpFootprint } from "../memory/op_footprint.ts";
import { bornLayout, choiceFor } from "../search/assignment.ts";
import type { OpEvaluator } from "../search/op_evaluator.ts";
import type { Assignment, Choice } from "../search/ways.ts";
import { type NoGood, withMove, withoutWays } from "./l1_branching.ts";
import type { LayoutSpace } from "./layout_space.ts";
import { type WayRow, waysOf } from "./way_table.ts";

/** A step that makes a buffer. */
interface Making {
  /** Bytes per core of the buffer. */
  readonly bytes: number;
  /** Bytes per core of the largest buffer that the step reads. */
  readonly readBytes: number;
  readonly circularBufferBytes: number;
}

/** Where buffers can lie: whatever an argument or a step that nothing is known of makes, lies anywhere. */
const ANYWHERE: Making = { bytes: 0, readBytes: 0, circularBufferBytes: 0 };

/**
 * Pairs of ways that no plan has room for by address, whatever else it does and in whatever order.
 *
 * An op makes its result beside what it reads. The result finds its hole either below an operand, so that it ends at least as
 * far from the top as both are large together; or above it, which takes an operand that lay so far down when it was made,
 * beside the circular buffers of the step that made it. Where no step that could make the operand leaves so much room, the
 * result lies below it for good, and whoever reads it there has circular buffers that must stay below both
 * (derived:made-beside).
 */
export class AddressNoGoods {
  readonly #space: LayoutSpace;
  readonly #evaluator: OpEvaluator;
  readonly #region: L1Region;
  /** By value and layout, the steps that may make a buffer of that kind which a reader of the value reads. */
  readonly #makings: Map<string, readonly Making[]> = new Map();

  /** @param region its budget is what plans may fill */
  constructor(space: LayoutSpace, region: L1Region) {
    this.#space = space;
    this.#evaluator = space.evaluator;
    this.#region = region;
  }

  /** What an assignment does that no plan has room for; `undefined` where nothing of the kind is known. */
  find(assignment: Assignment): NoGood | undefined {
    for (const { id, uses } of this.#evaluator.fn.values) {
      const born = bornLayout(this.#evaluator, assignment, id);
      if (born === undefined || !this.#evaluator.facts(born).isL1) continue;
      const { definition } = this.#evaluator.value(id);
      if (definition.kind === "argument") continue;
      const { op: maker, index } = definition;
      const making = choiceFor(assignment, maker);
      for (const [reader, { op, operand }] of uses.entries()) {
        const choice = choiceFor(assignment, op);
        if (choice.inputs[operand] !== born || !this.#isListed(maker) || !this.#isListed(op)) continue;
        const below = this.#circularBufferBytes(op, choice);
        if (this.#isTooDeep(maker, making, index, below)) {
          return this.#noGood({ value: id, born, reader, op, operand }, { op: maker, index }, below);
        }
      }
    }
    return undefined;
  }

  /** Every plan that fits makes the value otherwise, moves it for the reader, or has less below it while that one runs. */
  #noGood(
    { value, born, reader, op, operand }: {
      readonly value: ValueId;
      readonly born: LayoutId;
      readonly reader: number;
      readonly op: OpId;
      readonly operand: number;
    },
    { op: maker, index }: { readonly op: OpId; readonly index: number },
    below: number,
  ): NoGood {
    const made = this.#waysWhere(
      maker,
      (choice) => choice.outputs[index] === born && this.#isTooDeep(maker, choice, index, below),
    );
    const read = this.#waysWhere(
      op,
      (choice) => choice.inputs[operand] === born && this.#circularBufferBytes(op, choice) >= below,
    );
    return [
      (caps) => withoutWays(caps, maker, made),
      (caps) => withMove(caps, { value, reader }),
      (caps) => withoutWays(caps, op, read),
    ];
  }

  /** Numbers of the ways of an op that something is true of. */
  #waysWhere(op: OpId, is: (choice: Choice) => boolean): readonly number[] {
    return waysOf(this.#space.table(op)).flatMap((row, index) => is(this.#choiceOf(op, row)) ? [index] : []);
  }

  /** Whether the table of an op says of each way what it reads. */
  #isListed(op: OpId): boolean {
    const { relaxed, eitherOf } = this.#space.table(op);
    return !relaxed && eitherOf === undefined;
  }

  #choiceOf(op: OpId, row: WayRow): Choice {
    return this.#space.choiceOf(this.#space.table(op), row, "looked at for its addresses");
  }

  /** Whether a result lies so far below one of the operands that no circular buffers of some bytes have room below it. */
  #isTooDeep(op: OpId, choice: Choice, index: number, below: number): boolean {
    const footprint = this.#evaluator.footprint(op, choice.inputs, choice);
    const bytes = this.#rounded(footprint.resultBytes[index] ?? 0);
    const isShared = index === 0 && footprint.aliasedOperand !== undefined;
    if (bytes === 0 || isShared || !this.#isKnown(footprint)) return false;
    const most = this.#region.budget - bytes - below;
    const { operands } = this.#evaluator.op(op);
    return choice.inputs.some((layout, operand) => {
      const value = operands[operand];
      if (layout === undefined || value === undefined || this.#evaluator.facts(layout).l1Bytes <= most) {
        return false;
      }
      return this.#leastAbove(value, layout, bytes) > most;
    });
  }

  /** Least bytes per core of an operand that lies above a buffer of some bytes which is made beside it; 0 where it need not. */
  #leastAbove(value: ValueId, layout: LayoutId, bytes: number): number {
    if (!this.#evaluator.facts(layout).isL1) return 0;
    const makings = this.#makingsOf(value, layout);
    const isBelow = (making: Making): boolean =>
      making === ANYWHERE ||
      Math.max(bytes, making.readBytes) + making.bytes + making.circularBufferBytes <= this.#region.budget;
    if (makings.length === 0 || makings.some(isBelow)) return 0;
    return Math.min(...makings.map((making) => making.bytes));
  }

  #makingsOf(value: ValueId, layout: LayoutId): readonly Making[] {
    const key = `${value}:${layout}`;
    let makings = this.#makings.get(key);
    if (makings === undefined) {
      makings = [...this.#copiesTo(value, layout), ...this.#birthsIn(value, layout)];
      this.#makings.set(key, makings);
    }
    return makings;
  }

  /** Copies of a value in a layout. */
  #copiesTo(value: ValueId, layout: LayoutId): readonly Making[] {
    const { tensor } = this.#evaluator.value(value);
    if (tensor === undefined) return [ANYWHERE];
    const sources = new Set(this.#space.layoutsOf(value));
    for (const from of [...sources]) {
      const via = this.#evaluator.reshard(tensor, from, layout)?.via;
      if (via !== undefined) sources.add(via);
    }
    return [...sources].flatMap((from): Making[] => {
      if (from === layout) return [];
      const reshard = this.#evaluator.reshard(tensor, from, layout);
      if (reshard === undefined || reshard.via !== undefined) return [];
      return [this.#making(this.#evaluator.reshardFootprint(tensor, from, layout), 0, [from])];
    });
  }

  /** What may have made a buffer in which a value is born in a layout. */
  #birthsIn(value: ValueId, layout: LayoutId): readonly Making[] {
    const { definition } = this.#evaluator.value(value);
    if (definition.kind === "argument") {
      return this.#evaluator.declared[value] === layout ? [ANYWHERE] : [];
    }
    const { op, index } = definition;
    const table = this.#space.table(op);
    if (table.relaxed) return [ANYWHERE];
    return waysOf(table).flatMap((row): readonly Making[] => {
      if (table.outputs[row.output]?.[index] !== layout) return [];
      const choice = this.#choiceOf(op, row);
      const footprint = this.#evaluator.footprint(op, choice.inputs, choice);
      const { aliasedOperand } = footprint;
      if (index > 0 || aliasedOperand === undefined) {
        return [this.#making(footprint, index, choice.inputs)];
      }
      const source = this.#evaluator.op(op).operands[aliasedOperand];
      const from = choice.inputs[aliasedOperand];
      return source === undefined || from === undefined ? [ANYWHERE] : this.#makingsOf(source, from);
    });
  }

  #making(
    footprint: OpFootprint,
    index: number,
    inputs: readonly (LayoutId | undefined)[],
  ): Making {
    if (!this.#isKnown(footprint)) return ANYWHERE;
    return {
      bytes: this.#rounded(footprint.resultBytes[index] ?? 0),
      readBytes: Math.max(0, ...inputs.map((layout) => this.#evaluator.l1Bytes([layout]))),
      circularBufferBytes: footprint.circularBufferBytes,
    };
  }

  #circularBufferBytes(op: OpId, choice: Choice): number {
    const footprint = this.#evaluator.footprint(op, choice.inputs, choice);
    return this.#isKnown(footprint) ? footprint.circularBufferBytes : 0;
  }

  /** Whether a step is one that plans must have room for: not one that the op model refuses, or that no L1 is large enough for. */
  #isKnown(footprint: OpFootprint): boolean {
    const { resultBytes } = footprint;
    const step = l1Step([], resultBytes.map((_, index) => index), {
      ...footprint,
      aliasedOperand: undefined,
    });
    return footprint.refusal === undefined && !isTooLarge(step, this.#region);
  }

  #rounded(bytes: number): number {
    const { alignment } = this.#region;
    return Math.ceil(bytes / alignment) * alignment;
  }
}
