// SPDX-License-Identifier: Apache-2.0
import type { RuntimeEstimate } from "../../lib/cost/cost_model.ts";
import type { ChipDescription } from "../../lib/device/chip_description.ts";
import type { Mesh } from "../../lib/device/mesh.ts";
import type { Attribute, AttributeMap } from "../../lib/ir/attribute.ts";
import type { DataType } from "../../lib/layout/data_type.ts";
import { type LayoutId, LayoutTable } from "../../lib/layout/layout_table.ts";
import { type LayoutRequest, makeLayout, type WorkerGrid } from "../../lib/layout/make_layout.ts";
import type { OpSpecificAttributes } from "../../lib/op_config/op_config.ts";
import { createOpModel } from "../../lib/opmodel/create_op_model.ts";
import { definitionOf } from "../../lib/ops/op_book.ts";
import type { TensorShape } from "../../lib/ops/op_signature.ts";
import type { DeviceProgram, OpPrograms } from "../../lib/programs/program.ts";
import { type ProgramTensor, programTensor } from "../../lib/programs/program_tensor.ts";
import { estimateOf } from "../cost/estimate.ts";
import { chipDescription, type Device } from "../devices/device.ts";

/** Pages, memory and shards of a tensor. */
export type PlaceRequest = Omit<LayoutRequest, "shape" | "dataType">;

/** A tensor with where it lies. */
export interface PlacedTensor extends TensorShape {
  readonly place: PlaceRequest;
}

/** One op with its layouts and config, outside a graph: a measured op, an op of a composed pass. */
export interface OpQuestion {
  /** Full name, for example `ttnn.matmul`. */
  readonly name: string;
  /** Properties of the op; none when absent. */
  readonly attributes?: AttributeMap;
  /** One entry per operand. */
  readonly inputs: readonly PlacedTensor[];
  /** One entry per result. */
  readonly outputs: readonly PlacedTensor[];
  /** Config that the op runs with; the backend derives one when absent. */
  readonly config?: OpSpecificAttributes;
  /** Axes of the mesh; one chip when absent. */
  readonly mesh?: Mesh;
  /** Whether the time is that of one device operation: without the fill of padding before a reduction, or its two stages. */
  readonly isDeviceOperation?: boolean;
  /** The only device programs whose time is asked for, by their kind or place; all that the op launches when absent. */
  readonly only?: DeviceProgram["kind"] | "first" | "last";
  /** Columns and rows of the part of the worker grid to which the op is restricted; absent: all of it. */
  readonly coreGrid?: readonly [columns: number, rows: number];
}

/** Tiles in interleaved DRAM, TTNN's default. */
export const DRAM: PlaceRequest = { bufferType: "dram", memoryLayout: "interleaved" };

/** Rows of elements there. */
export const DRAM_ROWS: PlaceRequest = { ...DRAM, tile: null };

/** Tiles in interleaved L1. */
export const L1: PlaceRequest = { bufferType: "l1", memoryLayout: "interleaved" };

/** A tensor where it lies. */
export function tensorAt(
  shape: readonly number[],
  place: PlaceRequest = DRAM,
  dataType: DataType = "bf16",
): PlacedTensor {
  return { shape, dataType, place };
}

/** An op of the TTNN dialect from one tensor to another of the same format, each by its shape and place. */
export function fromOneTensor(
  name: string,
  dataType: DataType,
  [from, input]: readonly [shape: readonly number[], place: PlaceRequest],
  [to, output]: readonly [shape: readonly number[], place: PlaceRequest],
  more: Omit<OpQuestion, "name" | "inputs" | "outputs"> = {},
): OpQuestion {
  return {
    name: `ttnn.${name}`,
    ...more,
    inputs: [tensorAt(from, input, dataType)],
    outputs: [tensorAt(to, output, dataType)],
  };
}

/**
 * A tensor as programs see it, on a chip of so many worker cores and banks of DRAM.
 *
 * @throws {LayoutError} if it cannot lie so
 */
export function placedProgramTensor(
  { shape, dataType, place }: PlacedTensor,
  workers: WorkerGrid,
  dramBanks?: number,
): ProgramTensor {
  return programTensor({ shape, dataType }, makeLayout({ ...place, shape, dataType }, workers, dramBanks));
}

/**
 * The layout in which a tensor lies on a chip.
 *
 * @throws {LayoutError} if it cannot lie so
 */
export function internPlaced(
  { shape, dataType, place }: PlacedTensor,
  layouts: LayoutTable,
  chip: ChipDescription,
): LayoutId {
  return layouts.intern(makeLayout({ ...place, shape, dataType }, chip.workerGrid, chip.dramBanks));
}

/** Programs of questions by chip: fits ask for the same ones over and over with other constants. */
const CACHE: WeakMap<OpQuestion, Map<string, OpPrograms>> = new WeakMap();

/**
 * The device programs that an op launches on a chip by the op model, from which plans are priced as well.
 *
 * @throws {LayoutError} if a tensor cannot have its layout on the chip
 */
export function questionPrograms(question: OpQuestion, device: Device): OpPrograms {
  const chip = chipDescription(device);
  const ofChip = CACHE.getOrInsertComputed(question, () => new Map());
  return ofChip.getOrInsertComputed(JSON.stringify(chip), () => {
    const { name, attributes = new Map(), inputs, outputs, config, mesh = [], isDeviceOperation = false } =
      question;
    const layouts = new LayoutTable();
    const place = (tensor: PlacedTensor) => internPlaced(tensor, layouts, chip);
    return createOpModel({ chip, layouts, mesh, isDeviceOperation }).programs(
      { name, attributes, operands: inputs, operandSegmentSizes: undefined, results: outputs },
      inputs.map(place),
      outputs.map(place),
      config,
    );
  });
}

/**
 * Prices a question as plans are priced.
 *
 * @throws {RangeError} if the op's programs are unknown
 */
export function askQuestion(question: OpQuestion, device: Device): RuntimeEstimate {
  const programs = questionPrograms(question, device);
  if (programs.status === "unknown") {
    throw new RangeError(`Cannot price ${question.name}: ${programs.reason}`);
  }
  const { only } = question;
  const asked = programs.programs.filter(({ kind }, index, { length }) =>
    only === undefined || kind === only ||
    index === (only === "first" ? 0 : only === "last" ? length - 1 : -1)
  );
  return estimateOf({ ...programs, programs: asked }, definitionOf(question.name).costClass, device);
}

/** Device kernel time in µs of ops one after the other, as a profiler adds it up: without the launches. */
export function kernelMicroseconds(questions: readonly OpQuestion[], device: Device): number {
  return questions.reduce((sum, question) => {
    const { microseconds, terms } = askQuestion(question, device);
    return sum + microseconds - terms.launch;
  }, 0);
}

/** Properties of an op from plain values: numbers are integers, lists are integers. */
export function attributesOf(
  values: Readonly<Record<string, number | boolean | string | readonly number[] | undefined>>,
): AttributeMap {
  const attributes = new Map<string, Attribute>();
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === "boolean") attributes.set(name, { kind: "bool", value });
    else if (typeof value === "string") attributes.set(name, { kind: "string", value });
    else if (typeof value === "number") {
      attributes.set(name, { kind: "integer", value: BigInt(Math.round(value)), type: "i32" });
    } else if (value !== undefined) {
      attributes.set(name, { kind: "denseArray", elementType: "i64", values: value });
    }
  }
  return attributes;
}
