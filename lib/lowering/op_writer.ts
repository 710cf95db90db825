// SPDX-License-Identifier: Apache-2.0
import type { Properties } from "../ttnn/op.ts";
import type { ChipDescription } from "../device/chip_description.ts";
import { isQuantized } from "../dialect/data_type.ts";
import type { AttributeTexts } from "../dialect/printed_attributes.ts";
import { TtnnBuilder } from "../ttnn/builder.ts";
import type { TtnnFunction } from "../ttnn/function.ts";
import { type TensorPlace, tensorType } from "../ttnn/tensor_type.ts";
import type { TensorValue, TtnnTensorType, TtnnValue } from "../ttnn/value.ts";
import type { ElementType } from "./element_type.ts";

/** Writes TTNN ops at the end of a function. */
export class OpWriter extends TtnnBuilder {
  /** Extents of the device mesh; empty for one chip. */
  readonly mesh: readonly number[];
  /** Ops without side effects by operand and spelling, so that the same view is written once. */
  readonly #cached: WeakMap<TtnnValue, Map<string, TensorValue>> = new WeakMap();
  readonly #creations: Map<string, TensorValue> = new Map();
  #device: TtnnValue | undefined;

  constructor(func: TtnnFunction, chip: ChipDescription, mesh: readonly number[]) {
    super(func, chip);
    this.mesh = mesh;
  }

  /** A tensor type; DRAM, interleaved, tiles unless said otherwise. @throws {LayoutError} when there is none */
  type(shape: readonly number[], { text, dataType }: ElementType, place: TensorPlace = {}): TtnnTensorType {
    return tensorType(this.chip, shape, dataType, place, isQuantized(text) ? text : undefined);
  }

  /** Writes an op with one tensor result. */
  emit(
    name: string,
    operands: readonly TtnnValue[],
    type: TtnnTensorType,
    properties: Properties = {},
    extra?: AttributeTexts,
  ): TensorValue {
    return this.op(`ttnn.${name}`, operands, type, properties, extra);
  }

  /** Writes an op with several tensor results. */
  emitMany(
    name: string,
    operands: readonly TtnnValue[],
    types: readonly TtnnTensorType[],
    properties: Properties,
  ): readonly TensorValue[] {
    return this.insert(`ttnn.${name}`, operands, types, properties).tensorResults;
  }

  /** Writes an op without results. */
  emitEffect(name: string, operands: readonly TtnnValue[], properties: Properties): void {
    this.insert(`ttnn.${name}`, operands, [], properties);
  }

  override device(): TtnnValue {
    return this.#device ??= super.device();
  }

  /** A semaphore over all worker cores. */
  semaphore(): TtnnValue {
    const { rows, columns } = this.chip.workerGrid;
    const type = { kind: "other", text: "!ttnn.global_semaphore" } as const;
    const cores = `#ttnn.core_range<(0,0), (${columns - 1},${rows - 1})>`;
    const properties = {
      core_range_set: `#ttnn.core_range_set<[${cores}]>`,
      initial_value: 0,
    };
    return this.insert("ttnn.create_global_semaphore", [this.device()], [type], properties).result;
  }

  /** Writes an op of one operand without side effects, or returns the tensor it gave before. */
  once(
    input: TensorValue,
    name: string,
    type: TtnnTensorType,
    properties: Properties = {},
    device = false,
  ): TensorValue {
    const ofInput = this.#cached.getOrInsertComputed(input, () => new Map());
    return ofInput.getOrInsertComputed(
      keyOf([name, type, properties]),
      () => this.emit(name, device ? [input, this.device()] : [input], type, properties),
    );
  }

  /** Writes an op that makes a tensor from attributes, or returns the one it gave before. */
  create(name: string, properties: Properties, type: TtnnTensorType): TensorValue {
    const key = keyOf([name, properties, type.shape, type.dataType, type.element]);
    return this.#creations.getOrInsertComputed(
      key,
      () => this.emit(name, [this.device()], type, properties),
    );
  }

  /** Forgets views of a tensor that is about to change in place. */
  forgetViews(tensor: TensorValue): void {
    this.#cached.delete(tensor);
  }
}

/** A text that differs where values do, also between NaN, infinities and -0, of which JSON has no texts. */
function keyOf(value: unknown): string {
  return JSON.stringify(
    value,
    (_, part: unknown) =>
      Object.is(part, -0) ? "-0" : typeof part === "number" && !isFinite(part) ? `${part}` : part,
  );
}
