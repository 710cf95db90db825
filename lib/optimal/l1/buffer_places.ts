// SPDX-License-Identifier: Apache-2.0
import { STEPS_LOOKED_BACK } from "../limits.ts";
import type { OpId, ValueId } from "../../graph/graph.ts";
import type { LayoutId, LayoutIds } from "../../layout/layout_table.ts";
import { l1Step } from "../../memory/l1_step.ts";
import { isTooLarge } from "../../memory/l1_timeline.ts";
import type { L1Region } from "../../memory/l1_schedule.ts";
import type { OpFootprint } from "../../memory/op_footprint.ts";
import type { OpEvaluator } from "../../search/op_evaluator.ts";
import type { Choice } from "../../search/impls.ts";
import type { LayoutSpace } from "../exploration/layout_space.ts";
import { type Impl, implsOf } from "../exploration/impl_table.ts";

/** A value in a layout, as held by buffers of one kind. */
interface HeldValue {
  readonly value: ValueId;
  readonly layout: LayoutId;
}

/** A step that produces a buffer. */
interface BufferProducer {
  /** Bytes per core of the buffer. */
  readonly bytes: number;
  /** Values that the step reads from L1. */
  readonly reads: readonly HeldValue[];
  readonly circularBufferBytes: number;
}

/** For buffers that can be anywhere: arguments, and results of steps that nothing is known about. */
const ANYWHERE: BufferProducer = { bytes: 0, reads: [], circularBufferBytes: 0 };

/**
 * Highest and lowest addresses in L1 of a value's buffers in any plan and any order.
 *
 * A new buffer lies above or below each buffer that its step reads, and above the step's circular buffers. So
 * it is low only if its sources were high or both fit one below the other, and high only if its sources were
 * low or it is small. Of copies back and forth one was first, so circular reasoning does not count
 * (derived:made-beside).
 */
export class BufferPlaces {
  readonly #space: LayoutSpace;
  readonly #evaluator: OpEvaluator;
  readonly #region: L1Region;
  /** By value and layout: the steps that may produce the buffer of that kind which a reader of the value reads. */
  readonly #makings: Map<string, readonly BufferProducer[]> = new Map();
  /** By value, layout and bytes. */
  readonly #low: Map<string, boolean> = new Map();

  /** @param region its budget is what plans may fill */
  constructor(space: LayoutSpace, region: L1Region) {
    this.#space = space;
    this.#evaluator = space.evaluator;
    this.#region = region;
  }

  /**
   * Least bytes per core of an operand that must be above a new buffer of some size next to it; 0 if it need
   * not be above.
   */
  leastAbove(value: ValueId, layout: LayoutId, bytes: number): number {
    const kind: HeldValue = { value, layout };
    if (!this.#evaluator.facts(layout).isL1) return 0;
    const key = `${value}:${layout}:${bytes}`;
    let isLow = this.#low.get(key);
    if (isLow === undefined) this.#low.set(key, isLow = this.#canLieLow(kind, bytes, []));
    return isLow ? 0 : Math.min(...this.#makingsOf(kind).map((making) => making.bytes));
  }

  /** Whether plans must have room for a step: not if the op model refuses it, or it exceeds even an empty L1. */
  isKnown(footprint: OpFootprint): boolean {
    const { resultBytes } = footprint;
    const step = l1Step([], resultBytes.map((_, index) => index), {
      ...footprint,
      aliasedOperand: undefined,
    });
    return footprint.refusal === undefined && !isTooLarge(step, this.#region);
  }

  /** Bytes per core that a result takes in L1, rounded up to the alignment. */
  rounded(bytes: number): number {
    const { alignment } = this.#region;
    return Math.ceil(bytes / alignment) * alignment;
  }

  /** Whether a buffer can be so low that some bytes fit above it. */
  #canLieLow(kind: HeldValue, above: number, after: readonly string[]): boolean {
    const key = `${kind.value}:${kind.layout} low ${above}`;
    return this.#follows(kind, key, after, (making, steps) => {
      const room = this.#region.budget - making.bytes - making.circularBufferBytes;
      return above <= room &&
        making.reads.every((read) =>
          this.#bytesOf(read) + above <= room || this.#canLieHigh(read, room, steps)
        );
    });
  }

  /** Whether a buffer can end within some bytes from the top. */
  #canLieHigh(kind: HeldValue, end: number, after: readonly string[]): boolean {
    const key = `${kind.value}:${kind.layout} high ${end}`;
    return this.#follows(
      kind,
      key,
      after,
      (making, steps) =>
        making.bytes <= end &&
        making.reads.every((read) =>
          this.#bytesOf(read) + making.bytes <= end || this.#canLieLow(read, making.bytes, steps)
        ),
    );
  }

  /** Whether some step that produces a buffer allows something, given the steps that lead to it. */
  #follows(
    kind: HeldValue,
    key: string,
    after: readonly string[],
    allows: (making: BufferProducer, steps: readonly string[]) => boolean,
  ): boolean {
    if (after.includes(key)) return false;
    const makings = this.#makingsOf(kind);
    if (after.length >= STEPS_LOOKED_BACK || makings.length === 0) return true;
    const steps = [...after, key];
    return makings.some((making) => making === ANYWHERE || (this.#hasRoom(making) && allows(making, steps)));
  }

  /** Whether a buffer fits beside each of its sources. */
  #hasRoom({ bytes, reads, circularBufferBytes }: BufferProducer): boolean {
    return reads.every((read) => this.#bytesOf(read) + bytes + circularBufferBytes <= this.#region.budget);
  }

  #bytesOf({ layout }: HeldValue): number {
    return this.#evaluator.facts(layout).l1Bytes;
  }

  #makingsOf({ value, layout }: HeldValue): readonly BufferProducer[] {
    const key = `${value}:${layout}`;
    let makings = this.#makings.get(key);
    if (makings === undefined) {
      makings = [...this.#copiesTo(value, layout), ...this.#producedLayoutsIn(value, layout)];
      this.#makings.set(key, makings);
    }
    return makings;
  }

  /** Copies of a value to a layout. */
  #copiesTo(value: ValueId, layout: LayoutId): readonly BufferProducer[] {
    const { tensor } = this.#evaluator.value(value);
    if (tensor === undefined) return [ANYWHERE];
    const sources = new Set(this.#space.layoutsOf(value));
    for (const from of [...sources]) {
      const via = this.#evaluator.reshard(tensor, from, layout)?.via;
      if (via !== undefined) sources.add(via);
    }
    return [...sources].flatMap((from): BufferProducer[] => {
      if (from === layout) return [];
      const reshard = this.#evaluator.reshard(tensor, from, layout);
      if (reshard === undefined || reshard.via !== undefined) return [];
      return [this.#making(this.#evaluator.reshardFootprint(tensor, from, layout), 0, [value], [from])];
    });
  }

  /** Steps that may have produced a value in a layout. */
  #producedLayoutsIn(value: ValueId, layout: LayoutId): readonly BufferProducer[] {
    const { definition } = this.#evaluator.value(value);
    if (definition.kind === "argument") {
      return this.#evaluator.declared[value] === layout ? [ANYWHERE] : [];
    }
    const { op, index } = definition;
    const table = this.#space.table(op);
    if (table.relaxed || table.eitherOf !== undefined) return [ANYWHERE];
    const { operands } = this.#evaluator.op(op);
    return implsOf(table).flatMap((row): readonly BufferProducer[] => {
      if (table.outputs[row.output]?.[index] !== layout) return [];
      const choice = this.#choiceOf(op, row);
      const footprint = this.#evaluator.footprint(op, choice.inputs, choice);
      const { aliasedOperand } = footprint;
      if (index > 0 || aliasedOperand === undefined) {
        return [this.#making(footprint, index, operands, choice.inputs)];
      }
      const source = operands[aliasedOperand];
      const from = choice.inputs[aliasedOperand];
      return source === undefined || from === undefined
        ? [ANYWHERE]
        : this.#makingsOf({ value: source, layout: from });
    });
  }

  #choiceOf(op: OpId, row: Impl): Choice {
    return this.#space.choiceOf(this.#space.table(op), row, "looked at for its addresses");
  }

  #making(
    footprint: OpFootprint,
    index: number,
    operands: readonly ValueId[],
    inputs: LayoutIds,
  ): BufferProducer {
    if (!this.isKnown(footprint)) return ANYWHERE;
    return {
      bytes: this.rounded(footprint.resultBytes[index] ?? 0),
      reads: operands.flatMap((value, operand) => {
        const layout = inputs[operand];
        return layout === undefined || !this.#evaluator.facts(layout).isL1 ? [] : [{ value, layout }];
      }),
      circularBufferBytes: footprint.circularBufferBytes,
    };
  }
}
