// SPDX-License-Identifier: Apache-2.0
import type { OpId, ValueId } from "../../graph/graph.ts";
import type { LayoutId } from "../../layout/layout_table.ts";
import type { L1Region } from "../../memory/l1_schedule.ts";
import { choiceFor, producedLayout } from "../../search/assignment.ts";
import type { OpEvaluator } from "../../search/op_evaluator.ts";
import type { Assignment, Choice } from "../../search/impls.ts";
import { BufferPlaces } from "./buffer_places.ts";
import { type NoGood, withCopyFrom, withoutImpls } from "./l1_branching.ts";
import type { LayoutSpace } from "../exploration/layout_space.ts";
import { type Impl, implsOf } from "../exploration/impl_table.ts";

/**
 * Pairs of implementations that do not fit together by address in any plan and any order.
 *
 * An op allocates its result next to its operands. Either the result lies below an operand: then it ends at
 * least both sizes below the top of L1. Or it lies above: then the operand was allocated that far down,
 * beside the circular buffers of the step that produced it. If no step that could have produced the operand
 * has room for that, the result lies below, and the circular buffers of every reader of the result and
 * operand must stay below both (derived:made-beside).
 */
export class AddressNoGoods {
  readonly #space: LayoutSpace;
  readonly #evaluator: OpEvaluator;
  readonly #region: L1Region;
  readonly #places: BufferPlaces;

  /** @param region its budget is what plans may fill */
  constructor(space: LayoutSpace, region: L1Region) {
    this.#space = space;
    this.#evaluator = space.evaluator;
    this.#region = region;
    this.#places = new BufferPlaces(space, region);
  }

  /** The first no-good found in an assignment; `undefined` if none is known. */
  find(assignment: Assignment): NoGood | undefined {
    for (const { id, uses } of this.#evaluator.fn.values) {
      const producedIn = producedLayout(this.#evaluator, assignment, id);
      if (producedIn === undefined || !this.#evaluator.facts(producedIn).isL1) continue;
      const { definition } = this.#evaluator.value(id);
      if (definition.kind === "argument") continue;
      const { op: maker, index } = definition;
      const making = choiceFor(assignment, maker);
      for (const [reader, { op, operand }] of uses.entries()) {
        const choice = choiceFor(assignment, op);
        if (choice.inputs[operand] !== producedIn || !this.#isListed(maker) || !this.#isListed(op)) continue;
        const below = this.#circularBufferBytes(op, choice);
        if (this.#isTooDeep(maker, making, index, below)) {
          return this.#noGood({ value: id, producedIn, reader, op, operand }, { op: maker, index }, below);
        }
      }
    }
    return undefined;
  }

  /**
   * A no-good with three alternatives: the value is produced in another implementation; the reader reads a
   * copy that lies higher; or the reader does not read this layout or has fewer bytes below it while it runs.
   */
  #noGood(
    { value, producedIn, reader, op, operand }: {
      readonly value: ValueId;
      readonly producedIn: LayoutId;
      readonly reader: number;
      readonly op: OpId;
      readonly operand: number;
    },
    { op: maker, index }: { readonly op: OpId; readonly index: number },
    below: number,
  ): NoGood {
    const made = this.#implsWhere(
      maker,
      (choice) => choice.outputs[index] === producedIn && this.#isTooDeep(maker, choice, index, below),
    );
    const read = this.#implsWhere(
      op,
      (choice) => choice.inputs[operand] === producedIn && this.#circularBufferBytes(op, choice) >= below,
    );
    const sources = this.#copiedFrom(value, producedIn, below);
    return [
      (caps) => withoutImpls(caps, maker, made),
      (caps) => withCopyFrom(caps, { value, reader }, sources),
      (caps) => withoutImpls(caps, op, read),
    ];
  }

  /** Numbers of the implementations of an op that satisfy a condition. */
  #implsWhere(op: OpId, is: (choice: Choice) => boolean): readonly number[] {
    return implsOf(this.#space.table(op)).flatMap((row, index) => is(this.#choiceOf(op, row)) ? [index] : []);
  }

  /** Whether the table of an op states what each implementation reads. */
  #isListed(op: OpId): boolean {
    const { relaxed, eitherOf } = this.#space.table(op);
    return !relaxed && eitherOf === undefined;
  }

  #choiceOf(op: OpId, row: Impl): Choice {
    return this.#space.choiceOf(this.#space.table(op), row, "looked at for its addresses");
  }

  /** Whether a result is so far below one of the operands that circular buffers of some size do not fit below it. */
  #isTooDeep(op: OpId, choice: Choice, index: number, below: number): boolean {
    const footprint = this.#evaluator.footprint(op, choice.inputs, choice);
    const bytes = this.#places.rounded(footprint.resultBytes[index] ?? 0);
    const isShared = index === 0 && footprint.aliasedOperand !== undefined;
    if (bytes === 0 || isShared || !this.#places.isKnown(footprint)) return false;
    const { operands } = this.#evaluator.op(op);
    return choice.inputs.some((layout, operand) => {
      const value = operands[operand];
      return layout !== undefined && value !== undefined && this.#isBelow(value, layout, bytes, below);
    });
  }

  /** Layouts of a value from which a copy can be made below which circular buffers of some size fit. */
  #copiedFrom(value: ValueId, layout: LayoutId, below: number): ReadonlySet<LayoutId> {
    const { tensor } = this.#evaluator.value(value);
    const sources = new Set(this.#space.layoutsOf(value));
    sources.delete(layout);
    if (tensor === undefined) return sources;
    for (const from of [...sources]) {
      const source = this.#evaluator.reshard(tensor, from, layout)?.via ?? from;
      const footprint = this.#evaluator.reshardFootprint(tensor, source, layout);
      const bytes = this.#places.rounded(footprint.resultBytes[0] ?? 0);
      if (this.#places.isKnown(footprint) && this.#isBelow(value, source, bytes, below)) sources.delete(from);
    }
    return sources;
  }

  /**
   * Whether a new buffer is always below an operand next to it, and so far down that circular buffers of some
   * size do not fit.
   *
   * @param bytes per core of the new buffer
   */
  #isBelow(operand: ValueId, layout: LayoutId, bytes: number, circularBufferBytes: number): boolean {
    const most = this.#region.budget - bytes - circularBufferBytes;
    return this.#evaluator.facts(layout).l1Bytes > most &&
      this.#places.leastAbove(operand, layout, bytes) > most;
  }

  #circularBufferBytes(op: OpId, choice: Choice): number {
    const footprint = this.#evaluator.footprint(op, choice.inputs, choice);
    return this.#places.isKnown(footprint) ? footprint.circularBufferBytes : 0;
  }
}
