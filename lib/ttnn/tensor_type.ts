// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import type { CoreRange } from "../layout/core_range.ts";
import type { DataType } from "../layout/data_type.ts";
import { makeLayout } from "../layout/make_layout.ts";
import type { BufferType, TensorMemoryLayout } from "../layout/ttnn_layout.ts";
import type { TtnnTensorType } from "./value.ts";

/** The place of a tensor, as far as it differs from interleaved DRAM and tiles. */
export interface TensorPlace {
  readonly rowMajor?: boolean;
  readonly bufferType?: BufferType;
  readonly memoryLayout?: TensorMemoryLayout;
  /** Rows and columns of cores that hold shards. */
  readonly grid?: readonly [number, number];
  /** The cores, where they are not the first ones of the chip. */
  readonly coreRanges?: readonly CoreRange[];
}

/** The place of tensors on the host. */
export const ON_HOST: TensorPlace = { rowMajor: true, bufferType: "system_memory" };

/** Types by chip and by what they were made of: ops of repeated layers share them. */
const MADE: WeakMap<ChipDescription, Map<string, TtnnTensorType>> = new WeakMap();

/**
 * A tensor type, by default tiled in interleaved DRAM. The same arguments give the same object.
 *
 * @param element how the tensor spells its element where the data type does not say it: `!quant.uniform<…>`
 * @throws {LayoutError} if the tensor cannot be there
 */
export function tensorType(
  chip: ChipDescription,
  shape: readonly number[],
  dataType: DataType,
  place: TensorPlace = {},
  element?: string,
): TtnnTensorType {
  const { rowMajor, bufferType = "dram", memoryLayout, grid, coreRanges } = place;
  const cores = coreRanges?.map(({ start, end }) => [start.x, start.y, end.x, end.y]);
  const key = [shape.join("x"), dataType, rowMajor, bufferType, memoryLayout, grid, cores, element].join(" ");
  const types = MADE.getOrInsertComputed(chip, () => new Map());
  let type = types.get(key);
  if (type === undefined) {
    const layout = makeLayout(
      {
        shape,
        dataType,
        ...(rowMajor === true ? { tile: null } : {}),
        bufferType,
        memoryLayout: bufferType === "system_memory" ? undefined : memoryLayout ?? "interleaved",
        ...(grid === undefined ? {} : { grid }),
        ...(coreRanges === undefined ? {} : { coreRanges }),
      },
      chip.workerGrid,
      chip.dramBanks,
    );
    type = { kind: "tensor", shape, dataType, layout, ...(element === undefined ? {} : { element }) };
    types.set(key, type);
  }
  return type;
}
