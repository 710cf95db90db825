// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import { makeLayout } from "../layout/make_layout.ts";
import type { BufferType, TensorMemoryLayout } from "../layout/ttnn_layout.ts";
import { attributes, type AttributeTexts, integerText } from "../dialect/printed_attributes.ts";
import type { OpExtras, TtnnFunction } from "./emit/ttnn_function.ts";
import type { TensorValue, TtnnTensorType, TtnnValue } from "./emit/ttnn_value.ts";
import type { ElementType } from "./element_type.ts";

/** Where a tensor is, when it is not in DRAM, interleaved, in tiles. */
export interface MemoryPlace {
  readonly rowMajor?: boolean;
  readonly bufferType?: BufferType;
  readonly memoryLayout?: TensorMemoryLayout;
  readonly grid?: readonly [number, number];
}

/** Where the host keeps tensors. */
export const ON_HOST: MemoryPlace = { rowMajor: true, bufferType: "system_memory" };

/** Entries of a property dictionary; those without a value are left out. */
export type Properties = Readonly<Record<string, string | undefined>>;

/** Writes TTNN ops into a function. */
export class OpWriter {
  readonly func: TtnnFunction;
  readonly chip: ChipDescription;
  /** Extents of the device mesh; empty for one chip. */
  readonly mesh: readonly number[];
  /** Location given to new ops. */
  location: string | undefined;
  /** Ops without side effects by operand and spelling, so that the same view is written once. */
  readonly #known: WeakMap<TtnnValue, Map<string, TensorValue>> = new WeakMap();
  readonly #creations: Map<string, TensorValue> = new Map();

  constructor(func: TtnnFunction, chip: ChipDescription, mesh: readonly number[]) {
    this.func = func;
    this.chip = chip;
    this.mesh = mesh;
  }

  /** A tensor type; DRAM, interleaved, tiles unless said otherwise. @throws {LayoutError} when there is none */
  type(shape: readonly number[], element: ElementType, place: MemoryPlace = {}): TtnnTensorType {
    const bufferType = place.bufferType ?? "dram";
    const layout = makeLayout(
      {
        shape,
        dataType: element.dataType,
        ...(place.rowMajor === true ? { tile: null } : {}),
        bufferType,
        memoryLayout: bufferType === "system_memory" ? undefined : place.memoryLayout ?? "interleaved",
        ...(place.grid === undefined ? {} : { grid: place.grid }),
      },
      this.chip.workerGrid,
      this.chip.dramBanks,
    );
    return { kind: "tensor", shape, element: element.text, layout };
  }

  /** Writes an op with one tensor result. */
  emit(
    name: string,
    operands: readonly TtnnValue[],
    type: TtnnTensorType,
    properties: Properties = {},
    extra: AttributeTexts = new Map(),
  ): TensorValue {
    return this.func.tensorOp(`ttnn.${name}`, operands, type, {
      ...this.#extras(properties),
      attributes: extra,
    });
  }

  /** Writes an op with several tensor results. */
  emitMany(
    name: string,
    operands: readonly TtnnValue[],
    types: readonly TtnnTensorType[],
    properties: Properties,
  ): readonly TensorValue[] {
    return this.func.op(`ttnn.${name}`, operands, types, this.#extras(properties));
  }

  /** Writes an op without results. */
  emitEffect(name: string, operands: readonly TtnnValue[], properties: Properties): void {
    this.func.op(`ttnn.${name}`, operands, [], this.#extras(properties));
  }

  #extras(properties: Properties): OpExtras {
    return {
      properties: attributes(properties),
      ...(this.location === undefined ? {} : { location: this.location }),
    };
  }

  /** The device. */
  device(): TtnnValue {
    return this.func.device(this.location);
  }

  /** A semaphore over all worker cores. */
  semaphore(): TtnnValue {
    const { rows, columns } = this.chip.workerGrid;
    const type = { kind: "other", text: "!ttnn.global_semaphore" } as const;
    const cores = `#ttnn.core_range<(0,0), (${columns - 1},${rows - 1})>`;
    const properties = {
      core_range_set: `#ttnn.core_range_set<[${cores}]>`,
      initial_value: integerText(0, "ui32"),
    };
    const name = "ttnn.create_global_semaphore";
    const [created] = this.func.op(name, [this.device()], [type], this.#extras(properties));
    return created ?? { type };
  }

  /** Writes an op of one operand without side effects, or returns the tensor it gave before. */
  once(
    input: TensorValue,
    name: string,
    type: TtnnTensorType,
    properties: Properties = {},
    device = false,
  ): TensorValue {
    let known = this.#known.get(input);
    if (known === undefined) {
      known = new Map();
      this.#known.set(input, known);
    }
    const key = JSON.stringify([name, type.shape, type.element, type.layout, properties]);
    let output = known.get(key);
    if (output === undefined) {
      output = this.emit(name, device ? [input, this.device()] : [input], type, properties);
      known.set(key, output);
    }
    return output;
  }

  /** Writes an op that makes a tensor from attributes, or returns the one it gave before. */
  create(name: string, properties: Properties, type: TtnnTensorType): TensorValue {
    const key = JSON.stringify([name, properties, type.shape, type.element]);
    const known = this.#creations.get(key);
    if (known !== undefined) return known;
    const created = this.emit(name, [this.device()], type, properties);
    this.#creations.set(key, created);
    return created;
  }

  /** Forgets views of a tensor that is about to change in place. */
  forgetViews(tensor: TensorValue): void {
    this.#known.delete(tensor);
  }
}
