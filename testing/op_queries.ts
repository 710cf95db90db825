// SPDX-License-Identifier: Apache-2.0
import type { TensorShape } from "../lib/ops/op_signature.ts";
import type { Attribute } from "../lib/ir/attribute.ts";
import type { DataType } from "../lib/layout/data_type.ts";
import type { LayoutId } from "../lib/layout/layout_table.ts";
import { makeLayout } from "../lib/layout/make_layout.ts";
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

/** Interns the layout that a shorthand stands for. */
export function layoutOf(model: OpModel, tensor: TensorShape, text: LayoutText): LayoutId {
  const [kind = "", grid] = text.split(" ");
  const [memory = "", page] = kind.split("-");
  const tile = page === "rm" ? { tile: null } : {};
  const { shape, dataType } = tensor;
  const { workerGrid, dramBanks } = model.chip;
  if (memory === "host") {
    return model.layouts.intern(
      makeLayout(
        { shape, dataType, ...tile, bufferType: "system_memory", memoryLayout: undefined },
        workerGrid,
      ),
    );
  }
  if (memory === "dram" || memory === "l1") {
    return model.layouts.intern(
      makeLayout({ shape, dataType, ...tile, bufferType: memory, memoryLayout: "interleaved" }, workerGrid),
    );
  }
  const [rows = 1, columns = 1] = (grid ?? "1x1").split("x").map(Number);
  const memoryLayout = memory === "hs"
    ? "height_sharded"
    : memory === "ws"
    ? "width_sharded"
    : "block_sharded";
  return model.layouts.intern(
    makeLayout(
      { shape, dataType, ...tile, bufferType: "l1", memoryLayout, grid: [rows, columns] },
      workerGrid,
      dramBanks,
    ),
  );
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
