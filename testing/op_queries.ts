// SPDX-License-Identifier: Apache-2.0
import type { TensorShape } from "../lib/ops/op_signature.ts";
import type { Attribute } from "../lib/ir/attribute.ts";
import type { DataType } from "../lib/layout/data_type.ts";
import type { LayoutId } from "../lib/layout/layout_table.ts";
import { type LayoutRequest, makeLayout } from "../lib/layout/make_layout.ts";
import type { ChipNodes } from "../lib/layout/ttnn/nodes.ts";
import type { TtnnLayout } from "../lib/layout/ttnn_layout.ts";
import type { OpModel } from "../lib/opmodel/op_model.ts";
import type { OpSignature } from "../lib/ops/op_signature.ts";

/**
 * Shorthand of a layout: `dram`, `l1`, `host`, or `hs`, `ws`, `bs` in L1 with a grid (`hs 8x1`, `ws 1x8`, `bs 7x8`).
 * Tiles; rows behind `-rm` (`dram-rm`, `hs-rm 8x1`).
 */
export type LayoutText = string;

/** Builds a bf16 (or other) tensor type. */
export function tensorOf(shape: readonly number[], dataType: DataType = "bf16"): TensorShape {
  return { shape, dataType };
}

const MEMORIES: Readonly<Record<string, Pick<LayoutRequest, "bufferType" | "memoryLayout">>> = {
  host: { bufferType: "system_memory", memoryLayout: undefined },
  dram: { bufferType: "dram", memoryLayout: "interleaved" },
  l1: { bufferType: "l1", memoryLayout: "interleaved" },
  hs: { bufferType: "l1", memoryLayout: "height_sharded" },
  ws: { bufferType: "l1", memoryLayout: "width_sharded" },
  bs: { bufferType: "l1", memoryLayout: "block_sharded" },
};

/** The layout of a tensor on a chip that a shorthand stands for. */
export function layoutFrom(chip: ChipNodes, { shape, dataType }: TensorShape, text: LayoutText): TtnnLayout {
  const [kind = "", grid] = text.split(" ");
  const [name = "", page] = kind.split("-");
  const memory = MEMORIES[name];
  if (memory === undefined) throw new RangeError(`No layout: ${text}`);
  const [rows = 1, columns = 1] = grid?.split("x").map(Number) ?? [];
  const request: LayoutRequest = {
    shape,
    dataType,
    ...memory,
    ...(page === "rm" ? { tile: null } : {}),
    ...(name.endsWith("s") ? { grid: [rows, columns] } : {}),
  };
  return makeLayout(request, chip.workerGrid, chip.dramBanks);
}

/** Interns the layout that a shorthand stands for. */
export function layoutOf(
  { layouts, chip }: Pick<OpModel, "layouts" | "chip">,
  tensor: TensorShape,
  text: LayoutText,
): LayoutId {
  return layouts.intern(layoutFrom(chip, tensor, text));
}

/** Builds a signature of an op whose results are tensors; operands that are none are `undefined`. */
export function signatureOf(
  name: string,
  operands: readonly (TensorShape | undefined)[],
  results: readonly TensorShape[],
  attributes: Readonly<Record<string, Attribute>> = {},
  operandSegmentSizes?: readonly number[],
): OpSignature {
  return { name, operands, results, attributes: new Map(Object.entries(attributes)), operandSegmentSizes };
}

/** Integer attribute. */
export function integerAttribute(value: number): Attribute {
  return { kind: "integer", value: BigInt(value), type: "si32" };
}

/** Integer list attribute. */
export function integersAttribute(values: readonly number[]): Attribute {
  return { kind: "denseArray", elementType: "i64", values };
}
